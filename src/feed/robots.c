/*
 * robots.c: what a site's robots.txt allows us to fetch (RFC 9309).
 *
 *     User-agent: a        a group: one or more agents,
 *     User-agent: b
 *     Disallow: /x         then its rules
 *
 * The groups that name our product token hold together; without one, those of "*" do. Patterns may
 * hold '*' (anything) and a last '$' (the end). They are split at '*' and each piece is searched
 * once from the left, which is right for such patterns and linear.
 */
#include "feed/robots.h"

#include "base/error.h"

static th_str product_token(th_str agent)
{
    size_t len = 0;
    while (len < agent.len && (th__is_alpha((unsigned char)agent.ptr[len]) ||
                               agent.ptr[len] == '-' || agent.ptr[len] == '_'))
        len++;
    return (th_str){agent.ptr, len};
}

static int hex_value(char c)
{
    unsigned char u = th__lower((unsigned char)c);
    return th__is_digit(u) ? u - '0' : u >= 'a' && u <= 'f' ? u - 'a' + 10 : -1;
}

/* One spelling for each path: escapes in upper case, no escapes of plain letters, digits and
 * "-._~", bytes outside ASCII and blanks escaped. */
static void normalise(th_str path, th__buf *out)
{
    static const char hex[] = "0123456789ABCDEF";
    for (size_t i = 0; i < path.len; i++) {
        unsigned char c = (unsigned char)path.ptr[i];
        bool escape = c <= ' ' || c >= 0x7F;
        if (c == '%' && i + 2 < path.len && hex_value(path.ptr[i + 1]) >= 0 &&
            hex_value(path.ptr[i + 2]) >= 0) {
            c = (unsigned char)(hex_value(path.ptr[i + 1]) * 16 + hex_value(path.ptr[i + 2]));
            i += 2;
            escape = !th__is_alpha(c) && !th__is_digit(c) && !(c && strchr("-._~", c));
        }
        if (escape) {
            char three[3] = {'%', hex[c >> 4], hex[c & 15]};
            th__buf_add(out, three, 3);
        } else {
            th__buf_add_byte(out, (char)c);
        }
    }
}

/* The next line without comment, split at its colon; false at the end. */
static bool next_rule(th_str *text, th_str *name, th_str *value)
{
    while (text->len) {
        size_t len = 0;
        while (len < text->len && text->ptr[len] != '\n' && text->ptr[len] != '\r')
            len++;
        th_str line = {text->ptr, len};
        text->ptr += len < text->len ? len + 1 : len;
        text->len -= len < text->len ? len + 1 : len;
        const char *hash = line.len ? memchr(line.ptr, '#', line.len) : NULL;
        if (hash)
            line.len = (size_t)(hash - line.ptr);
        const char *colon = line.len ? memchr(line.ptr, ':', line.len) : NULL;
        if (!colon)
            continue;
        size_t at = (size_t)(colon - line.ptr);
        *name = th__str_trim((th_str){line.ptr, at});
        *value = th__str_trim((th_str){line.ptr + at + 1, line.len - at - 1});
        return true;
    }
    return false;
}

/* "2" or "0.5" seconds in milliseconds; 0 for anything else, a day for more than that. */
static uint32_t read_seconds(th_str text)
{
    enum { DAY = 24 * 60 * 60 * 1000 };
    uint64_t ms = 0, unit = 1000;
    bool point = false;
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.ptr[i];
        if (c == '.' && !point) {
            point = true;
            continue;
        }
        if (!th__is_digit(c))
            return 0;
        if (point)
            ms += (uint64_t)(c - '0') * (unit /= 10);
        else if (ms < DAY)
            ms = 10 * ms + (uint64_t)(c - '0') * 1000;
    }
    return ms < DAY ? (uint32_t)ms : DAY;
}

/* Collects the rules of the groups that name the agent; true when there was such a group. */
static bool collect(th_str text, th_str agent, th__robots *out)
{
    th_str name, value;
    bool in_agents = false, ours = false, any = false;
    while (next_rule(&text, &name, &value)) {
        if (th__str_eq_nocase(name, TH_STR("user-agent"))) {
            bool star = th__str_eq(value, TH_STR("*"));
            bool match = th__str_eq_nocase(star ? value : product_token(value), agent);
            ours = in_agents ? ours || match : match;
            any |= match;
            in_agents = true;
            continue;
        }
        if (th__str_eq_nocase(name, TH_STR("crawl-delay"))) {
            in_agents = false;
            uint32_t delay = ours ? read_seconds(value) : 0;
            out->delay_ms = delay > out->delay_ms ? delay : out->delay_ms;
            continue;
        }
        bool allow = th__str_eq_nocase(name, TH_STR("allow"));
        if (!allow && !th__str_eq_nocase(name, TH_STR("disallow")))
            continue; /* Sitemap and the like belong to no group */
        in_agents = false;
        if (!ours || value.len == 0)
            continue;
        th__buf_add_byte(&out->rules, allow ? '+' : '-');
        normalise(value, &out->rules);
        th__buf_add_byte(&out->rules, '\n');
    }
    return any;
}

th_status th__robots_parse(th_str text, th_str agent, th__robots *out, th_error *err)
{
    *out = (th__robots){0};
    if (text.len > TH__ROBOTS_MAX_BYTES)
        text.len = TH__ROBOTS_MAX_BYTES;
    if (th__str_starts(text, TH_STR("\xEF\xBB\xBF")))
        text.ptr += 3, text.len -= 3;
    th_str token = product_token(agent);
    if (!token.len || !collect(text, token, out))
        collect(text, TH_STR("*"), out);
    if (!out->rules.failed)
        return TH_OK;
    th__robots_release(out);
    return th__fail_memory(err);
}

void th__robots_release(th__robots *robots)
{
    th__buf_release(&robots->rules);
}

static bool matches(th_str pattern, th_str path)
{
    bool anchored = pattern.len && pattern.ptr[pattern.len - 1] == '$';
    pattern.len -= anchored;
    size_t at = 0;
    for (bool first = true;; first = false) {
        const char *star = pattern.len ? memchr(pattern.ptr, '*', pattern.len) : NULL;
        th_str piece = {pattern.ptr, star ? (size_t)(star - pattern.ptr) : pattern.len};
        th_str rest = {path.ptr + at, path.len - at};
        if (!star && anchored && !first)
            return rest.len >= piece.len &&
                   (!piece.len || !memcmp(rest.ptr + rest.len - piece.len, piece.ptr, piece.len));
        size_t hit =
            first ? (th__str_starts(rest, piece) ? 0 : SIZE_MAX) : th__str_find(rest, piece);
        if (hit == SIZE_MAX)
            return false;
        at += hit + piece.len;
        if (!star)
            return !anchored || at == path.len;
        pattern.len -= piece.len + 1;
        pattern.ptr += piece.len + 1;
    }
}

th_status th__robots_allows(const th__robots *robots, th_str path, bool *yes, th_error *err)
{
    *yes = true;
    if (th__str_eq(path, TH_STR("/robots.txt")))
        return TH_OK;
    th__buf spelled = {0};
    normalise(path, &spelled);
    if (spelled.failed) {
        th__buf_release(&spelled);
        return th__fail_memory(err);
    }
    th_str rules = th__buf_str(&robots->rules);
    size_t best = 0;
    while (rules.len) {
        size_t len = (size_t)((const char *)memchr(rules.ptr, '\n', rules.len) - rules.ptr);
        bool allow = rules.ptr[0] == '+';
        th_str pattern = {rules.ptr + 1, len - 1};
        if ((pattern.len > best || (pattern.len == best && allow)) &&
            matches(pattern, th__buf_str(&spelled))) {
            best = pattern.len;
            *yes = allow;
        }
        rules.ptr += len + 1;
        rules.len -= len + 1;
    }
    th__buf_release(&spelled);
    return TH_OK;
}
