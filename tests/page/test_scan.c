/*
 * The scanner, state by state of the standard's tokenizer (section 13.2.5): cases/scan-*.txt, and
 * what must hold of all of them: where a text stands and what follows it change nothing, and a text
 * cut anywhere is scanned without reading past its end.
 *
 * usage: test_scan [--update] CASES...
 */
#include "test.h"

#include "base/mem.h"
#include "base/str.h"
#include "cases.h"
#include "invariants.h"
#include "page/parse.h"
#include "page/page.h"

static const char *const kinds[] = {"text",  "start",   "end",     "rcdata", "raw",
                                    "cdata", "comment", "doctype", "dropped"};

static const struct {
    const char *name;
    unsigned flag;
} flags[] = {{"self-closing", TH_TOKEN_SELF_CLOSING},
             {"leaf", TH_TOKEN_LEAF},
             {"blank", TH_TOKEN_BLANK},
             {"foreign", TH_TOKEN_FOREIGN}};

static const char *const states[] = {"data", "rcdata", "rawtext", "script", "plaintext", "cdata"};

static th__scan_state state_of(const struct page_case *test)
{
    th_str name = case_option(test, "state");
    for (size_t i = 0; i < sizeof states / sizeof *states; i++)
        if (th__str_eq(name, th_str_from(states[i])))
            return (th__scan_state)i;
    assert_null(name.ptr); /* an unknown state */
    return TH__SCAN_DATA;
}

/* ---- what is printed ------------------------------------------------------------------------- */

static void print_part(th__buf *out, const char *label, th_str part)
{
    if (!part.ptr)
        return;
    th__buf_printf(out, " %s", label);
    case_quote(out, part);
}

static void print_attributes(th__buf *out, const th_page *page, uint32_t token)
{
    th_attr attr;
    th__buf_printf(out, " <");
    case_escape(out, th_token_name(page, token));
    th__buf_printf(out, ">");
    for (th_attr_iter it = th_attrs(page, token); th_attr_next(&it, &attr);) {
        th__buf_printf(out, " ");
        case_quote(out, attr.name);
        print_part(out, "= ", attr.value);
    }
}

static void print_token(th__buf *out, const th_page *page, uint32_t i)
{
    const th_token *token = &page->tokens[i];
    th_str text = th__token_text(page, i);
    th__buf_printf(out, "%s %u-%u", kinds[token->kind], token->start, token[1].start);
    for (size_t f = 0; f < sizeof flags / sizeof *flags; f++)
        if (token->flags & flags[f].flag)
            th__buf_printf(out, " %s", flags[f].name);
    if (token->tag) {
        print_attributes(out, page, i);
    } else if (token->kind == TH_TOKEN_DOCTYPE) {
        th__doctype doctype = th__doctype_read(text);
        print_part(out, "", doctype.name);
        print_part(out, "public ", doctype.public_id);
        print_part(out, "system ", doctype.system_id);
        th__buf_printf(out, "%s", doctype.force_quirks ? " incorrect" : "");
    } else {
        print_part(out, "",
                   token->kind == TH_TOKEN_COMMENT ? th__comment_text(text)
                   : token->kind == TH_TOKEN_CDATA ? th__cdata_text(text)
                                                   : text);
    }
    th__buf_printf(out, "\n");
}

/* ---- what holds of every case ---------------------------------------------------------------- */

/* Scans text and checks that its tokens tile it. */
static void scan_checked(th__scan *scan, th_str text, th__scan_state state, th_str last)
{
    assert_true(th__scan_text(scan, text, state, last));
    const char *flaw = token_flaw(scan->tokens, scan->count - 1, text.len);
    if (flaw)
        fail_msg("%.*s: %s", (int)text.len, text.ptr, flaw);
}

static void assert_same_tokens(const th_token *want, const th_token *got, uint32_t count,
                               uint32_t shift)
{
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(got[i].start, want[i].start + shift);
        assert_int_equal(got[i].tag, want[i].tag);
        assert_int_equal(got[i].kind, want[i].kind);
        assert_int_equal(got[i].flags, want[i].flags);
    }
}

/* A text scanned behind a comment of any length has the same tokens, moved. */
static void check_shifted(th_str text, const th__scan *want)
{
    enum { OPEN = 4, CLOSE = 3, LONGEST = 70 };
    th__scan scan = {0};
    for (unsigned pad = 0; pad <= LONGEST; pad++) {
        uint32_t shift = OPEN + CLOSE + pad;
        char *moved = malloc(shift + text.len);
        assert_non_null(moved);
        memcpy(moved, "<!--", OPEN);
        memset(moved + OPEN, 'x', pad);
        memcpy(moved + OPEN + pad, "-->", CLOSE);
        memcpy(moved + shift, text.ptr, text.len);
        scan_checked(&scan, (th_str){moved, shift + text.len}, TH__SCAN_DATA, (th_str){0});
        assert_int_equal(scan.count, want->count + 1);
        assert_same_tokens(want->tokens, scan.tokens + 1, want->count, shift);
        free(moved);
    }
    th__scan_release(&scan);
}

/* Whatever follows, all tokens but the last stay what they are. */
static void check_followed(th_str text, th__scan_state state, th_str last, const th__scan *want)
{
    enum { MORE = 100 };
    th__scan scan = {0};
    if (want->count < 3)
        return;
    for (const char *tail = "x<> \"'-]/="; *tail; tail++) {
        char *longer = malloc(text.len + MORE);
        assert_non_null(longer);
        memcpy(longer, text.ptr, text.len);
        memset(longer + text.len, *tail, MORE);
        scan_checked(&scan, (th_str){longer, text.len + MORE}, state, last);
        assert_true(scan.count >= want->count);
        assert_same_tokens(want->tokens, scan.tokens, want->count - 2, 0);
        free(longer);
    }
    th__scan_release(&scan);
}

/* The text cut at every byte, in a block of its own size. */
static void check_cut(th_str text, th__scan_state state, th_str last)
{
    th__scan scan = {0};
    for (size_t len = 0; len < text.len; len++) {
        char *cut = malloc(len ? len : 1);
        assert_non_null(cut);
        memcpy(cut, text.ptr, len);
        scan_checked(&scan, (th_str){cut, len}, state, last);
        free(cut);
    }
    th__scan_release(&scan);
}

static void render(const struct page_case *test, th__buf *out)
{
    th__scan scan = {0};
    th__scan_state state = state_of(test);
    th_str last = case_option(test, "last");
    scan_checked(&scan, test->source, state, last);
    check_followed(test->source, state, last, &scan);
    check_cut(test->source, state, last);
    if (state == TH__SCAN_DATA)
        check_shifted(test->source, &scan);
    th_page page = {.text = test->source, .tokens = scan.tokens, .token_count = scan.count - 1};
    for (uint32_t i = 0; i < page.token_count; i++)
        print_token(out, &page, i);
    th__scan_release(&scan);
}

static char **files;
static bool update;

static void cases(void **unused)
{
    size_t count = 0, different = 0;
    for (char **file = files; *file; file++)
        different += cases_run(*file, render, update, &count);
    print_message("%zu cases\n", count);
    assert_int_equal(different, 0);
    assert_true(count > 0);
}

/* ---- what is no single text ------------------------------------------------------------------ */

/* Every tag name that the table has is found in any case, alone and in the middle of a text. */
static void names(void **unused)
{
    for (uint16_t tag = 1; th_tag_name(tag).len; tag++) {
        th_str name = th_tag_name(tag);
        char text[128];
        for (int upper = 0; upper < 2; upper++)
            for (int tail = 0; tail <= 40; tail += 10) {
                int len =
                    snprintf(text, sizeof text, "<%.*s>%.*s</%.*s>", (int)name.len, name.ptr, tail,
                             "........................................", (int)name.len, name.ptr);
                for (size_t i = 0; i < name.len && upper; i++)
                    if (text[1 + i] >= 'a' && text[1 + i] <= 'z')
                        text[1 + i] = (char)(text[1 + i] - 0x20);
                th__scan scan = {0};
                scan_checked(&scan, (th_str){text, (size_t)len}, TH__SCAN_DATA, (th_str){0});
                assert_int_equal(scan.tokens[0].tag, tag);
                assert_int_equal(scan.tokens[0].kind, TH_TOKEN_START);
                th__scan_release(&scan);
            }
    }
    assert_int_equal(th_tag_id(TH_STR("DIV")), th_tag_id(TH_STR("div")));
    assert_int_not_equal(th_tag_id(TH_STR("x-item")), th_tag_id(TH_STR("x-items")));
    assert_int_equal(th_tag_id(TH_STR("x-item")), th_tag_id(TH_STR("X-Item")));
    assert_null(th_tag_name(th_tag_id(TH_STR("x-item"))).ptr);
    assert_int_equal(th_tag_id(TH_STR("")), 0);
}

/* Which bytes end a tag's name, and which may begin one. */
static void every_byte(void **unused)
{
    for (int byte = 0; byte < 256; byte++) {
        char in_name[] = {'<', 'a', (char)byte, 'b', '>'}, first[] = {'<', (char)byte, '>'};
        th__scan scan = {0};
        bool ends = byte == ' ' || byte == '\t' || byte == '\n' || byte == '\f' || byte == '\r' ||
                    byte == '/' || byte == '>';
        scan_checked(&scan, (th_str){in_name, 5}, TH__SCAN_DATA, (th_str){0});
        assert_int_equal(scan.tokens[0].tag == th_tag_id(TH_STR("a")), ends);
        scan_checked(&scan, (th_str){first, 3}, TH__SCAN_DATA, (th_str){0});
        bool letter = (byte | 0x20) >= 'a' && (byte | 0x20) <= 'z';
        assert_int_equal(scan.tokens[0].kind, letter                       ? TH_TOKEN_START
                                              : byte == '!' || byte == '?' ? TH_TOKEN_COMMENT
                                              : byte == '/'                ? TH_TOKEN_DROPPED
                                                                           : TH_TOKEN_TEXT);
        th__scan_release(&scan);
    }
}

/* A scan of a short text after a long one leaves nothing of the long one. */
static void reused(void **unused)
{
    th__scan scan = {0};
    enum { MANY = 5000 };
    char *text = malloc(MANY * 3);
    assert_non_null(text);
    for (int i = 0; i < MANY; i++)
        memcpy(text + 3 * i, "<b>", 3);
    scan_checked(&scan, (th_str){text, MANY * 3}, TH__SCAN_DATA, (th_str){0});
    assert_int_equal(scan.count, MANY + 1);
    assert_int_equal(scan.start_tags, MANY);
    scan_checked(&scan, TH_STR("</i>x"), TH__SCAN_DATA, (th_str){0});
    assert_int_equal(scan.count, 3);
    assert_int_equal(scan.start_tags, 0);
    scan_checked(&scan, TH_STR(""), TH__SCAN_DATA, (th_str){0});
    assert_int_equal(scan.count, 1);
    th__scan_release(&scan);
    free(text);
}

int main(int argc, char **argv)
{
    files = argv + 1;
    if (*files && !strcmp(*files, "--update")) {
        update = true;
        files++;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cases),
        cmocka_unit_test(names),
        cmocka_unit_test(every_byte),
        cmocka_unit_test(reused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
