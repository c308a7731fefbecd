/* exalg_outline.c: see exalg_outline.h. */
#include "engine/papers/exalg/exalg_outline.h"

#include "base/str.h"
#include "page/tags.h"
#include "page/text.h"

/* ---- names and texts ------------------------------------------------------------------------- */

/* The next sign of a name, each run of digits as one '#'; 0 at its end. */
static unsigned char name_sign(th_str name, size_t *at)
{
    if (*at >= name.len)
        return 0;
    unsigned char c = (unsigned char)name.ptr[(*at)++];
    if (!th__is_digit(c))
        return c;
    while (*at < name.len && th__is_digit((unsigned char)name.ptr[*at]))
        ++*at;
    return '#';
}

#define NAME_SEED UINT64_C(0xCBF29CE484222325)

static inline uint64_t add_sign(uint64_t hash, unsigned char sign)
{
    return (hash ^ sign) * UINT64_C(0x100000001B3);
}

uint64_t th__exalg_name_hash(th_str name)
{
    uint64_t hash = NAME_SEED;
    size_t at = 0;
    for (unsigned char c; (c = name_sign(name, &at));)
        hash = add_sign(hash, c);
    return name.len ? hash | 1 : 0;
}

void th__exalg_name_write(th_str name, th__buf *out)
{
    size_t at = 0;
    for (unsigned char c; (c = name_sign(name, &at));)
        th__buf_add_byte(out, (char)c);
}

/* The first word; all of them where there are many, as in utility classes ("flex p-4 text-sm"), of
 * which none tells anything by itself. */
enum { MANY_WORDS = 3 };

static th_str first_word(th_str text)
{
    size_t words = 0, end = 0;
    text = th__str_trim(text);
    for (size_t i = 0; i < text.len; i++) {
        bool blank = th__is_blank((unsigned char)text.ptr[i]) || !text.ptr[i];
        if (blank && !end)
            end = i;
        words += !blank && (!i || th__is_blank((unsigned char)text.ptr[i - 1]));
    }
    return (th_str){text.ptr, words < MANY_WORDS && end ? end : text.len};
}

/* The first word of an attribute. */
bool th__exalg_name_get(const th_page *page, uint32_t node, const char *attribute, th_str *name)
{
    if (!node || !th_attr_get(page, page->nodes[node].token, attribute, name))
        return false;
    *name = first_word(*name);
    return name->len > 0;
}

/* The attributes that name elements, best first; those from the second on count as ids. */
static const char *const name_attributes[] = {"class", "id", "itemprop", "property", "name"};
enum { NAME_ATTRIBUTES = sizeof name_attributes / sizeof *name_attributes };

/* Of an element without an id what microdata or RDFa call it is as good. */
bool th__exalg_id_get(const th_page *page, uint32_t node, th_str *name)
{
    for (unsigned i = 1; i < NAME_ATTRIBUTES; i++)
        if (th__exalg_name_get(page, node, name_attributes[i], name))
            return true;
    return false;
}

/* Which of the attributes that name elements this is; NAME_ATTRIBUTES for none. */
static unsigned name_attribute(th_str name)
{
    static const uint8_t by_length[] = {[2] = 1, [4] = 4, [5] = 0, [8] = 2};
    static const uint8_t lengths = 1 << 2 | 1 << 4 | 1 << 5;
    if (name.len > 8 || (name.len != 8 && !(lengths >> name.len & 1)))
        return NAME_ATTRIBUTES;
    unsigned i = by_length[name.len];
    unsigned char first = th__lower((unsigned char)name.ptr[0]);
    if (i == 2 && first == 'p')
        i = 3;
    if (first != (unsigned char)name_attributes[i][0])
        return NAME_ATTRIBUTES;
    return th__str_eq_nocase(name, (th_str){name_attributes[i], name.len}) ? i : NAME_ATTRIBUTES;
}

/* th__exalg_name_hash of the first word, in one pass: every tag of a page comes here. */
static uint64_t first_word_hash(th_str text)
{
    uint64_t hash = NAME_SEED, first = 0;
    size_t words = 0, end = 0;
    bool blank = true, nul = false; /* of the byte before; a NUL ends what is hashed */
    text = th__str_trim(text);
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.ptr[i];
        bool before = blank;
        blank = th__is_blank(c);
        nul |= !c;
        if ((blank || !c) && !end) {
            end = i;
            first = hash;
        }
        words += before && !blank && c;
        if (nul)
            continue;
        bool digit = th__is_digit(c);
        hash = add_sign(hash, digit ? '#' : c);
        while (digit && i + 1 < text.len && th__is_digit((unsigned char)text.ptr[i + 1]))
            i++;
    }
    return !text.len ? 0 : (words < MANY_WORDS && end ? first : hash) | 1;
}

static uint64_t if_known(const th__exalg_outline *o, uint64_t hash)
{
    return hash && (!o->known || th__key_map_get(o->known, hash)) ? hash : 0;
}

/* The attributes of a start tag, which begin behind its name. */
static th_attr_iter attributes(const th_page *page, uint32_t token)
{
    const char *at = page->text.ptr + page->tokens[token].start + 1;
    const char *end = page->text.ptr + page->tokens[token + 1].start - 1;
    while (at < end && !th__is_blank((unsigned char)*at) && *at != '/')
        at++;
    return (th_attr_iter){at, end};
}

/* Both names at once; of a repeated attribute the first counts. */
void th__exalg_read_names(const th__exalg_outline *o, uint32_t node)
{
    uint32_t token = o->page->nodes[node].token;
    th_attr attr;
    th_str found[NAME_ATTRIBUTES + 1] = {0};
    o->cls[node] = o->id[node] = 0;
    if (!node || !(o->page->tokens[token].flags & TH_TOKEN_HAS_ATTRS))
        return;
    uint32_t like = th__tag_memo_find(o->memo, o->page, node);
    if (like) {
        o->cls[node] = o->cls[like];
        o->id[node] = o->id[like];
        return;
    }
    for (th_attr_iter it = attributes(o->page, token); th_attr_next(&it, &attr);) {
        unsigned i = name_attribute(attr.name);
        if (!found[i].ptr)
            found[i] = attr.value;
    }
    uint64_t id = 0;
    for (unsigned i = 1; i < NAME_ATTRIBUTES && !id; i++)
        id = found[i].len ? first_word_hash(found[i]) : 0;
    o->cls[node] = found[0].len ? if_known(o, first_word_hash(found[0])) : 0;
    o->id[node] = if_known(o, id);
}

/* How many bytes of a blank stand here, references to one included. */
static size_t blank_len(th_str text, size_t at)
{
    const char *p = text.ptr + at;
    size_t left = text.len - at;
    if (th__is_blank((unsigned char)*p))
        return 1;
    if (left >= 2 && !memcmp(p, "\xC2\xA0", 2))
        return 2;
    if (*p != '&')
        return 0;
    return left >= 6 && (!memcmp(p, "&nbsp;", 6) || !memcmp(p, "&#160;", 6)) ? 6 : 0;
}

/* How many bytes of a blank end here. */
static size_t blank_before(th_str text)
{
    const char *end = text.ptr + text.len;
    if (th__is_blank((unsigned char)end[-1]))
        return 1;
    if (text.len >= 2 && !memcmp(end - 2, "\xC2\xA0", 2))
        return 2;
    if (end[-1] != ';' || text.len < 6)
        return 0;
    return !memcmp(end - 6, "&nbsp;", 6) || !memcmp(end - 6, "&#160;", 6) ? 6 : 0;
}

/* The blanks around a text are no part of it; those inside are as the template has them. */
uint64_t th__exalg_text_hash(th_str text, bool *readable)
{
    for (size_t blank; text.len && (blank = blank_len(text, 0));)
        text = (th_str){text.ptr + blank, text.len - blank};
    for (size_t blank; text.len && (blank = blank_before(text));)
        text.len -= blank;
    for (size_t i = 0; i < text.len && !*readable; i++) {
        unsigned char c = (unsigned char)text.ptr[i];
        *readable = th__is_alpha(c) || th__is_digit(c) || (c >= 0x80 && !blank_len(text, i));
    }
    return th__hash(text.ptr, text.len) | 1;
}

uint64_t th__exalg_label_hash(th_str text)
{
    uint64_t hash = 0, before = 0;
    unsigned char last = 0;
    text = th__str_trim(text);
    for (size_t i = 0; i < text.len;) {
        size_t blank = blank_len(text, i);
        unsigned char c = th__lower((unsigned char)text.ptr[i]);
        i += blank ? blank : 1;
        if (blank || (c < 0x80 && !th__is_alpha(c) && !th__is_digit(c)))
            continue;
        before = hash;
        last = c;
        hash = (hash ^ c) * UINT64_C(0x100000001B3) + 1;
    }
    return last == 's' ? before : hash;
}

th_str th__exalg_prefix(th_str text)
{
    enum { LONGEST = 40 }; /* a longer one is a sentence */
    text = th__str_trim(text);
    for (size_t i = 0; i < text.len && i < LONGEST; i++) {
        if (text.ptr[i] != ':')
            continue;
        th_str rest = th__str_trim((th_str){text.ptr + i + 1, text.len - i - 1});
        /* A time or a URL is no label with a value. */
        bool label =
            i && !th__is_digit((unsigned char)text.ptr[i - 1]) && rest.len && rest.ptr[0] != '/';
        return label ? (th_str){text.ptr, i + 1} : (th_str){0};
    }
    return (th_str){0};
}

uint32_t th__exalg_attribute_node(const th_page *page, uint32_t node, uint16_t tag)
{
    enum { FAR = 8 }; /* elements of a leaf that are looked at */
    uint32_t end = page->nodes[node].end;
    for (uint32_t n = node; n < end && n < node + FAR; n++)
        if (page->tags[n] == tag)
            return n;
    return 0;
}

/* ---- a page ---------------------------------------------------------------------------------- */

static bool is_text(const th_token *t)
{
    return (t->kind == TH_TOKEN_TEXT || t->kind == TH_TOKEN_RCDATA) && !(t->flags & TH_TOKEN_BLANK);
}

static uint32_t block_of(const th_page *page, uint32_t node)
{
    while (node && (th__tag_flags(page->tags[node]) & TH_TAG_IS_BLOCK) == 0)
        node = page->nodes[node].parent;
    return node;
}

/* `before`: by token, how many texts stand before it. */
static void find_units(th__exalg_outline *o, uint32_t *before)
{
    const th_page *page = o->page;
    uint32_t hidden = 0, node = 0, next = 1;
    for (uint32_t t = 0; t < page->token_count; t++) {
        const th_token *token = &page->tokens[t];
        before[t] = o->unit_count;
        if (token->kind == TH_TOKEN_START && th__tag_hides(token->tag) && t >= hidden)
            hidden = th__hidden_end(page, t);
        if (t < hidden || !is_text(token))
            continue;
        bool readable = false;
        uint64_t hash = th__exalg_text_hash(th__token_text(page, t), &readable);
        if (!readable)
            continue;
        while (next < page->node_count && page->nodes[next].token < t)
            node = next++;
        while (node && page->nodes[node].token_end <= t)
            node = page->nodes[node].parent;
        o->sums[o->unit_count + 1] = o->sums[o->unit_count] + hash;
        o->units[o->unit_count++] = (th__exalg_unit){hash, t, node, block_of(page, node)};
    }
    before[page->token_count] = o->unit_count;
}

bool th__exalg_outline_make(th__arena *arena, const th_page *page, const th__key_map *known,
                            th__exalg_outline *out)
{
    size_t nodes = page->node_count;
    uint32_t texts = 0;
    *out = (th__exalg_outline){.page = page, .known = known};
    for (uint32_t t = 0; t < page->token_count; t++)
        texts += is_text(&page->tokens[t]);
    uint32_t *before = th__arena_alloc(arena, ((size_t)page->token_count + 1) * sizeof *before);
    out->memo = th__arena_zero(arena, 1, sizeof *out->memo);
    out->cls = th__arena_alloc(arena, nodes * sizeof *out->cls);
    out->id = th__arena_alloc(arena, nodes * sizeof *out->id);
    out->first_unit = th__arena_alloc(arena, nodes * sizeof *out->first_unit);
    out->end_unit = th__arena_alloc(arena, nodes * sizeof *out->end_unit);
    out->units = th__arena_alloc(arena, (texts + 1) * sizeof *out->units);
    out->sums = th__arena_alloc(arena, (texts + 1) * sizeof *out->sums);
    if (!before || !out->memo || !out->cls || !out->id || !out->first_unit || !out->end_unit ||
        !out->units || !out->sums)
        return false;
    out->sums[0] = 0;
    find_units(out, before);
    for (uint32_t n = 0; n < nodes; n++) {
        out->first_unit[n] = before[page->nodes[n].token];
        out->end_unit[n] = before[page->nodes[n].token_end];
        if (known)
            out->cls[n] = TH__EXALG_UNREAD;
        else
            th__exalg_read_names(out, n);
    }
    return true;
}
