/*
 * Attributes, as the scanner skips them and as they are read: both are compared with a plain
 * machine that has the standard's states (13.2.5.32 to .40), one byte a step, over random tags.
 */
#include "test.h"

#include "base/str.h"
#include "page/page.h"
#include "page/parse.h"

/* ---- the standard's machine ------------------------------------------------------------------ */

enum { MOST = 64 };

struct reference {
    th_str names[MOST], values[MOST];
    size_t count;
    size_t end; /* one past the ">", or 0 when the text ends first */
    bool self_closing;
};

enum state {
    BEFORE_NAME,
    NAME,
    AFTER_NAME,
    BEFORE_VALUE,
    DOUBLE,
    SINGLE,
    UNQUOTED,
    AFTER_VALUE,
    SLASH
};

/* Reads what follows a tag's name. The blank or slash after it has the state's own rules. */
static struct reference reference_read(th_str text)
{
    struct reference r = {0};
    enum state state = BEFORE_NAME;
    size_t i = 0;
    while (i < text.len) {
        char c = text.ptr[i];
        bool blank = th__is_blank((unsigned char)c);
        th_str *name = r.count ? &r.names[r.count - 1] : NULL;
        th_str *value = r.count ? &r.values[r.count - 1] : NULL;
        switch (state) {
        case BEFORE_NAME:
            if (blank)
                break;
            if (c == '/' || c == '>') {
                state = AFTER_NAME;
                continue;
            }
            r.names[r.count] = (th_str){text.ptr + i, c == '='};
            r.values[r.count++] = (th_str){0};
            state = NAME;
            if (c == '=')
                break;
            continue;
        case NAME:
            if (blank || c == '/' || c == '>') {
                state = AFTER_NAME;
                continue;
            }
            if (c == '=')
                state = BEFORE_VALUE;
            else
                name->len++;
            break;
        case AFTER_NAME:
            if (blank)
                break;
            if (c == '/') {
                state = SLASH;
            } else if (c == '=') {
                state = BEFORE_VALUE;
            } else if (c == '>') {
                r.end = i + 1;
                return r;
            } else {
                state = BEFORE_NAME;
                continue;
            }
            break;
        case BEFORE_VALUE:
            if (blank)
                break;
            *value = (th_str){text.ptr + i, 0};
            if (c == '"' || c == '\'') {
                value->ptr++;
                state = c == '"' ? DOUBLE : SINGLE;
            } else if (c == '>') {
                r.end = i + 1;
                return r;
            } else {
                state = UNQUOTED;
                continue;
            }
            break;
        case DOUBLE:
        case SINGLE:
            if (c == (state == DOUBLE ? '"' : '\''))
                state = AFTER_VALUE;
            else
                value->len++;
            break;
        case UNQUOTED:
            if (blank) {
                state = BEFORE_NAME;
            } else if (c == '>') {
                r.end = i + 1;
                return r;
            } else {
                value->len++;
            }
            break;
        case AFTER_VALUE:
            if (c == '>') {
                r.end = i + 1;
                return r;
            }
            state = c == '/' ? SLASH : BEFORE_NAME;
            if (c != '/' && !blank)
                continue;
            break;
        case SLASH:
            if (c == '>') {
                r.self_closing = true;
                r.end = i + 1;
                return r;
            }
            state = BEFORE_NAME;
            continue;
        }
        i++;
    }
    return r;
}

/* Scans a tag and reads its attributes; both must be as the machine says. */
static void compare(th_str tag, size_t name_len)
{
    th__scan scan = {0};
    assert_true(th__scan_text(&scan, tag, TH__SCAN_DATA, (th_str){0}));
    th_page page = {.text = tag, .tokens = scan.tokens, .token_count = scan.count - 1};
    struct reference want =
        reference_read((th_str){tag.ptr + 1 + name_len, tag.len - 1 - name_len});
    if (!want.end) {
        assert_int_equal(page.token_count, 1);
        assert_int_equal(page.tokens[0].kind, TH_TOKEN_DROPPED);
        th__scan_release(&scan);
        return;
    }
    assert_int_equal(page.tokens[0].kind, TH_TOKEN_START);
    assert_int_equal(page.tokens[1].start, 1 + name_len + want.end);
    assert_int_equal((page.tokens[0].flags & TH_TOKEN_SELF_CLOSING) != 0, want.self_closing);
    size_t count = 0;
    th_attr attr;
    for (th_attr_iter it = th_attrs(&page, 0); th_attr_next(&it, &attr); count++) {
        assert_true(count < want.count);
        assert_true(th__str_eq(attr.name, want.names[count]));
        assert_true((attr.value.ptr != NULL) == (want.values[count].ptr != NULL));
        assert_true(th__str_eq(attr.value, want.values[count]));
    }
    assert_int_equal(count, want.count);
    assert_true(count == 0 || (page.tokens[0].flags & TH_TOKEN_HAS_ATTRS));
    th__scan_release(&scan);
}

static void random_tags(void **unused)
{
    static const char alphabet[] = "ab==\"\"''//>>  \t\n<x";
    enum { ROUNDS = 60000, LONGEST = 48 };
    uint64_t state = 7;
    for (int round = 0; round < ROUNDS; round++) {
        char tag[LONGEST + 2] = {'<', 'a', ' '};
        size_t len = 3;
        state = th__hash_mix(state, (uint64_t)round);
        size_t want = 3 + state % (LONGEST - 3);
        for (uint64_t bits = 0; len < want; len++, bits >>= 5) {
            if (bits == 0)
                bits = state = th__hash_mix(state, len);
            tag[len] = alphabet[bits % (sizeof alphabet - 1)];
        }
        char *exact = malloc(len);
        assert_non_null(exact);
        memcpy(exact, tag, len);
        compare((th_str){exact, len}, 1);
        free(exact);
    }
}

/* Every tail of up to five of the bytes that matter. */
static void all_short_tags(void **unused)
{
    static const char alphabet[] = "a=\"/> ";
    char tag[16] = "<a";
    for (unsigned code = 0; code < 6 * 6 * 6 * 6 * 6 * 6; code++) {
        unsigned rest = code;
        for (int i = 0; i < 6; i++, rest /= 6)
            tag[2 + i] = alphabet[rest % 6];
        if (tag[2] == 'a' || tag[2] == '=' || tag[2] == '"')
            continue; /* belongs to the name */
        compare((th_str){tag, 8}, 1);
    }
}

/* ---- asking for attributes ------------------------------------------------------------------- */

static void assert_value(const th_page *page, uint32_t token, const char *name, const char *want)
{
    th_str value;
    assert_true(th_attr_get(page, token, name, &value));
    if (want)
        assert_true(th__str_eq(value, th_str_from(want)));
    else
        assert_null(value.ptr);
}

static void get(void **unused)
{
    th_page *page = parse_page("<a Href='x y' b=\"\" c d= id=1 ID=2>t</a><br><p   ><i/>");
    th_str value;
    assert_value(page, 0, "href", "x y");
    assert_value(page, 0, "b", "");
    assert_value(page, 0, "c", NULL);
    assert_value(page, 0, "d", "id=1"); /* as the standard has it */
    assert_value(page, 0, "id", "2");
    assert_value(page, 0, "ID", "2");
    assert_false(th_attr_get(page, 0, "hre", &value));
    assert_false(th_attr_get(page, 0, "hrefs", &value));
    for (uint32_t token = 1; token < th_page_token_count(page); token++)
        assert_false(th_attr_get(page, token, "x", &value));
    th_page_free(page);
}

static void first_of_a_name(void **unused)
{
    th_page *page = parse_page("<a x=1 X=2 x=3>");
    assert_value(page, 0, "x", "1");
    size_t count = 0;
    th_attr attr;
    for (th_attr_iter it = th_attrs(page, 0); th_attr_next(&it, &attr); count++)
        assert_int_equal(attr.value.len, 1);
    assert_int_equal(count, 3);
    th_page_free(page);
}

/* Only tags have a name and attributes. */
static void other_tokens(void **unused)
{
    th_page *page = parse_page("text<!-- a=b --><!doctype a=b><title>a=b</title><b");
    th_attr attr;
    size_t tags = 0;
    for (uint32_t token = 0; token < th_page_token_count(page); token++) {
        th_attr_iter it = th_attrs(page, token);
        assert_false(th_attr_next(&it, &attr));
        tags += th_token_name(page, token).len > 0;
    }
    assert_int_equal(tags, 2);
    th_page_free(page);
}

static void offsets(void **unused)
{
    const char *text = "<p>x<a  one two = 'three' four=five/>";
    th_page *page = parse_page(text);
    const char *want[] = {"one", "two", "three", "four", "five/"};
    size_t i = 0;
    th_attr attr;
    for (th_attr_iter it = th_attrs(page, 2); th_attr_next(&it, &attr);) {
        assert_ptr_equal(attr.name.ptr, strstr(text, want[i]));
        assert_int_equal(attr.name.len, strlen(want[i]));
        i++;
        if (attr.value.ptr) {
            assert_ptr_equal(attr.value.ptr, strstr(text, want[i]));
            assert_int_equal(attr.value.len, strlen(want[i]));
            i++;
        }
    }
    assert_int_equal(i, 5);
    th_page_free(page);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_tags),  cmocka_unit_test(all_short_tags),
        cmocka_unit_test(get),          cmocka_unit_test(first_of_a_name),
        cmocka_unit_test(other_tokens), cmocka_unit_test(offsets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
