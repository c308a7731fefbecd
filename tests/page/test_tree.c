/*
 * The tree: what start and end tags close, scopes, misnested formatting, forms, tables, svg and
 * math, the depth limit. The cases are cases/tree-*.txt; their trees show each element with its
 * bytes, and the texts that it holds.
 *
 * usage: test_tree [--update] CASES...
 */
#include "test.h"

#include "base/str.h"
#include "cases.h"
#include "invariants.h"
#include "page/page.h"
#include "soup.h"

/* Parses a copy of the text's own size, so that reading past it is noticed, and checks the page. */
static th_page *parse_checked(th_parser *parser, th_str text, uint32_t max_depth, char **copy)
{
    th_page *page;
    th_error err;
    *copy = malloc(text.len ? text.len : 1);
    assert_non_null(*copy);
    memcpy(*copy, text.ptr, text.len);
    if (th_parser_parse(parser, (th_str){*copy, text.len}, NULL, &page, &err))
        fail_msg("%s", err.message);
    const char *flaw = page_flaw(page, max_depth);
    if (flaw)
        fail_msg("%.*s\n%s", (int)text.len, text.ptr, flaw);
    return page;
}

static th_parser *new_parser(uint32_t max_depth)
{
    th_parser_options options;
    th_parser *parser;
    th_error err;
    th_parser_options_init(&options);
    options.max_depth = max_depth;
    if (th_parser_new(&options, &parser, &err))
        fail_msg("%s", err.message);
    return parser;
}

static void check(th_parser *parser, th_str text, uint32_t max_depth)
{
    char *copy;
    th_page_free(parse_checked(parser, text, max_depth, &copy));
    free(copy);
}

/* ---- text cases ------------------------------------------------------------------------------ */

enum { DEFAULT_DEPTH = 512 };

static void print_indent(th__buf *out, const th_page *page, uint32_t node, unsigned more)
{
    unsigned depth = page->paths[page->nodes[node].path].depth + more;
    th__buf_printf(out, "%*s", (int)depth * 2 - 2, "");
}

static void print_tree(th__buf *out, const th_page *page)
{
    uint32_t node = 0;
    for (uint32_t i = 0; i < page->token_count; i++) {
        if (node + 1 < page->node_count && page->nodes[node + 1].token == i) {
            node++;
            th_span span = th_page_node_span(page, node);
            print_indent(out, page, node, 0);
            case_escape(out, th_token_name(page, i));
            th__buf_printf(out, " %u-%u\n", span.start, span.end);
        } else if (page->tokens[i].kind == TH_TOKEN_TEXT || page->tokens[i].kind == TH_TOKEN_RAW ||
                   page->tokens[i].kind == TH_TOKEN_RCDATA ||
                   page->tokens[i].kind == TH_TOKEN_CDATA) {
            print_indent(out, page, th_page_node_at(page, page->tokens[i].start), 1);
            case_quote(out, th__token_text(page, i));
            th__buf_printf(out, "\n");
        }
    }
    if (page->flattened)
        th__buf_printf(out, "flattened %u\n", page->flattened);
}

static void render(const struct page_case *test, th__buf *out)
{
    th_str depth = case_option(test, "depth");
    uint32_t max_depth = depth.ptr ? (uint32_t)strtoul(depth.ptr, NULL, 10) : DEFAULT_DEPTH;
    th_parser *parser = new_parser(max_depth), *shallow = new_parser(3);
    char *copy;
    th_page *page = parse_checked(parser, test->source, max_depth, &copy);
    print_tree(out, page);
    th_page_free(page);
    free(copy);
    for (size_t len = 0; len <= test->source.len; len++) {
        check(parser, (th_str){test->source.ptr, len}, max_depth);
        check(shallow, (th_str){test->source.ptr, len}, 3);
    }
    th_parser_free(parser);
    th_parser_free(shallow);
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

/* ---- any soup -------------------------------------------------------------------------------- */

/* Random tags in random order: the invariants hold, at any limit of depth. */
static void random_soup(void **unused)
{
    static const uint32_t depths[] = {1, 2, 5, 20, DEFAULT_DEPTH};
    enum { ROUNDS = 400 };
    for (size_t d = 0; d < sizeof depths / sizeof *depths; d++) {
        th_parser *parser = new_parser(depths[d]);
        for (uint64_t round = 0; round < ROUNDS; round++) {
            th__buf soup = {0};
            soup_make(&soup, round * 1000 + d, 10 + (size_t)round);
            check(parser, th__buf_str(&soup), depths[d]);
            th__buf_release(&soup);
        }
        th_parser_free(parser);
    }
}

/* A page that has a bit of everything, cut at every byte. */
static void cut_everywhere(void **unused)
{
    th_parser *parser = new_parser(DEFAULT_DEPTH), *shallow = new_parser(4);
    th_str nasty = th_str_from(soup_nasty);
    for (size_t len = 0; len <= nasty.len; len++) {
        check(parser, (th_str){nasty.ptr, len}, DEFAULT_DEPTH);
        check(shallow, (th_str){nasty.ptr, len}, 4);
        check(parser, (th_str){nasty.ptr + len, nasty.len - len}, DEFAULT_DEPTH);
    }
    th_parser_free(parser);
    th_parser_free(shallow);
}

/* The same page after another has the same tree: nothing is left behind in the parser. */
static void parser_forgets(void **unused)
{
    th_parser *used = new_parser(20);
    for (uint64_t round = 0; round < 200; round++) {
        th__buf soup = {0};
        char *a, *b;
        soup_make(&soup, round, 200);
        th_parser *fresh = new_parser(20);
        th_page *first = parse_checked(fresh, th__buf_str(&soup), 20, &a);
        th_page *again = parse_checked(used, th__buf_str(&soup), 20, &b);
        assert_int_equal(first->node_count, again->node_count);
        assert_int_equal(first->path_count, again->path_count);
        assert_int_equal(first->flattened, again->flattened);
        for (uint32_t n = 0; n < first->node_count; n++) {
            assert_int_equal(first->nodes[n].parent, again->nodes[n].parent);
            assert_int_equal(first->nodes[n].token_end, again->nodes[n].token_end);
            assert_int_equal(first->nodes[n].path, again->nodes[n].path);
        }
        th_page_free(first);
        th_page_free(again);
        th_parser_free(fresh);
        free(a);
        free(b);
        th__buf_release(&soup);
    }
    th_parser_free(used);
}

/* ---- paths and limits ------------------------------------------------------------------------ */

static th_page *parse(th_parser *parser, const char *text)
{
    th_page *page;
    assert_int_equal(th_parser_parse(parser, th_str_from(text), NULL, &page, NULL), TH_OK);
    return page;
}

/* Equal paths have equal ids on a page and equal hashes on all; different ones differ. */
static void paths(void **unused)
{
    th_parser *parser = new_parser(DEFAULT_DEPTH);
    th_page *page = parse(parser, "<ul><li><b>1</b><li><b>2</b></ul><ol><li>3</ol>");
    th_page *other = parse(parser, "<p>x<ul><li>y</ul>");
    const th_node *n = page->nodes;
    /* 1 ul, 2 li, 3 b, 4 li, 5 b, 6 ol, 7 li */
    assert_int_equal(page->node_count, 8);
    assert_int_equal(n[2].path, n[4].path);
    assert_int_equal(n[3].path, n[5].path);
    assert_int_not_equal(n[7].path, n[2].path);
    assert_int_equal(th_page_path_count(page), 6);
    assert_int_equal(th_page_path(page, n[3].path)->depth, 3);
    assert_int_equal(th_page_path(page, n[3].path)->parent, n[2].path);
    assert_true(page->paths[n[2].path].hash == other->paths[other->nodes[3].path].hash);
    assert_true(page->paths[n[2].path].hash != page->paths[n[7].path].hash);
    th_page_free(page);
    th_page_free(other);
    th_parser_free(parser);
}

static void node_at(void **unused)
{
    th_parser *parser = new_parser(DEFAULT_DEPTH);
    th_page *page = parse(parser, "a<p>b<i>c</i>d</p>e");
    const uint32_t want[] = {0, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 0};
    for (uint32_t i = 0; i < sizeof want / sizeof *want; i++)
        assert_int_equal(th_page_node_at(page, i), want[i]);
    th_page_free(page);
    th_parser_free(parser);
}

static void limits(void **unused)
{
    th_parser_options options;
    th_parser *parser;
    th_page *page;
    th_error err;
    th_parser_options_init(&options);
    options.max_depth = 0;
    assert_int_equal(th_parser_new(&options, &parser, &err), TH_ERR_ARGUMENT);
    options.max_depth = 60001;
    assert_int_equal(th_parser_new(&options, &parser, &err), TH_ERR_ARGUMENT);
    options.max_depth = 60000;
    options.max_bytes = UINT32_MAX;
    assert_int_equal(th_parser_new(&options, &parser, &err), TH_ERR_ARGUMENT);
    options.max_bytes = 10;
    assert_int_equal(th_parser_new(&options, &parser, &err), TH_OK);
    assert_int_equal(th_parser_parse(parser, TH_STR("<p>1234567"), NULL, &page, &err), TH_OK);
    th_page_free(page);
    assert_int_equal(th_parser_parse(parser, TH_STR("<p>12345678"), NULL, &page, &err),
                     TH_ERR_LIMIT);
    assert_non_null(strstr(err.message, "max_bytes"));
    th_parser_free(parser);
}

/* Deep nesting: what is too deep is flattened, and what comes after is in its right place. */
static void deep(void **unused)
{
    enum { LEVELS = 3000 };
    char *text = malloc(LEVELS * 11 + 16), *at = text;
    assert_non_null(text);
    for (int i = 0; i < LEVELS; i++, at += 5)
        memcpy(at, "<div>", 5);
    for (int i = 0; i < LEVELS; i++, at += 6)
        memcpy(at, "</div>", 6);
    memcpy(at, "<p>x</p>", 9);
    static const uint32_t depths[] = {1, 2, 10, 512, 2999, 3000, 3001};
    for (size_t i = 0; i < sizeof depths / sizeof *depths; i++) {
        th_parser *parser = new_parser(depths[i]);
        char *copy;
        th_page *page = parse_checked(parser, th_str_from(text), depths[i], &copy);
        assert_int_equal(page->node_count, LEVELS + 2);
        assert_int_equal(page->flattened, depths[i] < LEVELS ? LEVELS - depths[i] : 0);
        assert_int_equal(page->nodes[LEVELS + 1].parent, 0);
        th_page_free(page);
        free(copy);
        th_parser_free(parser);
    }
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
        cmocka_unit_test(cases),          cmocka_unit_test(random_soup),
        cmocka_unit_test(cut_everywhere), cmocka_unit_test(parser_forgets),
        cmocka_unit_test(paths),          cmocka_unit_test(node_at),
        cmocka_unit_test(limits),         cmocka_unit_test(deep),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
