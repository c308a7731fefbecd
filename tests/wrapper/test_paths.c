/* Paths as people read them: what is hashed on a page is hashed from steps too. */
#include "test.h"

#include "base/utf8.h"
#include "page/tags.h"
#include "table/items.h"

static const char html[] =
    "<html><body class='a  b'><div class=item-12><P Class=\" x9y10 \">One</P><p>Two</div>"
    "<my.tag class=\"#3\">Three</my.tag><x\\y>Four</x\\y><y[2]>Or so</y[2]><svg><g "
    "class=q>s</g></svg>"
    "<a class='\xC3\xA9t\xC3\xA9 z' href=/>Five</a><img class='' src=i></body></html>";

struct fixture {
    th_parser *parser;
    th_page *page;
    th__arena arena;
    th__view view;
};

static void look_at(struct fixture *f, const char *text)
{
    th__arena_init(&f->arena);
    assert_int_equal(th_parser_new(NULL, &f->parser, NULL), TH_OK);
    assert_int_equal(th_parser_parse(f->parser, th_str_from(text), NULL, &f->page, NULL), TH_OK);
    assert_true(th__view_make(&f->arena, f->page, &f->view));
}

static void leave(struct fixture *f)
{
    th__arena_release(&f->arena);
    th_page_free(f->page);
    th_parser_free(f->parser);
}

static void check_paths(const char *of)
{
    struct fixture f;
    look_at(&f, of);
    th__buf text = {0};
    for (uint32_t n = 1; n < f.page->node_count; n++)
        for (uint32_t top = 0; top < n; top++) {
            uint64_t key, tags;
            if (n >= f.page->nodes[top].end)
                continue;
            text.len = 0;
            assert_true(th__path_write(f.page, top, n, &text));
            assert_true(th__path_keys(th__buf_str(&text), &key, &tags));
            assert_true(key == th__view_key(&f.view, top, n));
            if (top == 0)
                assert_true(tags == f.page->paths[f.page->nodes[n].path].hash);
        }
    th__buf_release(&text);
    leave(&f);
}

static void every_element_is_met_by_its_path(void **state)
{
    check_paths(html);
}

/* What is behind the first bytes of an endless name does not count, on a page and in a path. */
static void endless_names(void **state)
{
    for (size_t before = 250; before < 260; before++) {
        th__buf text = {0};
        th__buf_add_str(&text, TH_STR("<div><"));
        for (size_t i = 0; i < before; i++)
            th__buf_add_byte(&text, 'n');
        for (size_t i = 0; i < 20; i++)
            th__buf_add_str(&text, TH_STR("\xE2\x82\xAC"));
        th__buf_add_str(&text, TH_STR("><p>One</div>"));
        th__buf_add_byte(&text, '\0');
        check_paths(text.data);
        struct fixture f;
        look_at(&f, text.data);
        text.len = 0;
        assert_true(th__step_write(f.page, 2, &text));
        assert_in_range(text.len, TH__TAG_LONGEST - 3, TH__TAG_LONGEST);
        assert_int_equal(th__utf8_valid(text.data, text.len), text.len);
        leave(&f);
        th__buf_release(&text);
    }
}

static void steps_are_readable(void **state)
{
    static const char *const steps[] = {
        "html", "body.a", "div.item-#",          "p.x#y#", "p", "my\\.tag.##", "x\\\\y", "y[2\\]",
        "svg",  "g.q",    "a.\xC3\xA9t\xC3\xA9", "img"};
    struct fixture f;
    look_at(&f, html);
    th__buf text = {0};
    assert_int_equal(f.page->node_count, 1 + sizeof steps / sizeof *steps);
    for (uint32_t n = 1; n < f.page->node_count; n++) {
        uint16_t tag;
        text.len = 0;
        assert_true(th__step_write(f.page, n, &text));
        assert_true(th__buf_add_byte(&text, '\0'));
        assert_string_equal(text.data, steps[n - 1]);
        uint64_t hash = th__step_hash(th_str_from(text.data), &tag);
        assert_int_equal(th__step_signature(hash), f.view.signature[n]);
        assert_int_equal(tag, f.page->tags[n]);
    }
    th__buf_release(&text);
    leave(&f);
}

static void what_is_no_path_is_refused(void **state)
{
    static const char *const bad[] = {" ",       ">",      "a >", "a > ", " > a",   "a >b",
                                      "a > > b", "a  > b", "9",   ".x",   "a > .x", "a b"};
    static const char *const good[] = {"", "a", "a > b", "a.>", "a.x>y > b"};
    uint64_t key, tags;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(th__path_keys(th_str_from(bad[i]), &key, &tags));
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        assert_true(th__path_keys(th_str_from(good[i]), &key, &tags));
}

/* The base key of each item follows from the path to its element. */
static void items_are_met_by_their_paths(void **state)
{
    struct fixture f;
    look_at(&f, "<ul><li class=c><h3><a href=/1>One</a></h3><p>text<img src=i.png></ul>");
    th__item_vec items = {0};
    uint32_t li = 2;
    th__extent record = th__extent_of(f.page, li, li);
    assert_true(th__items_add(&f.view, &(th__extents){&record, NULL, 1}, 0, &items));
    assert_int_equal(items.len, 4);
    static const struct {
        const char *path;
        th__item_kind kind;
    } expected[] = {{"h3 > a", TH__ITEM_LINK},
                    {"h3 > a", TH__ITEM_TEXT},
                    {"p", TH__ITEM_TEXT},
                    {"p > img", TH__ITEM_IMAGE}};
    for (int several = 0; several < 2; several++) {
        for (size_t i = 0; i < items.len; i++) {
            char path[64];
            uint64_t base;
            snprintf(path, sizeof path, "%s%s", several ? "li.c > " : "", expected[i].path);
            th__item_place_of place = {.path = th_str_from(path), .several = several};
            assert_true(th__item_base(&place, expected[i].kind, &base));
            assert_true(base == items.data[i].base);
        }
        items.len = 0;
        record.run = 1;
        assert_true(th__items_add(&f.view, &(th__extents){&record, NULL, 1}, 0, &items));
    }
    th__vec_release(&items);
    leave(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_element_is_met_by_its_path),
        cmocka_unit_test(endless_names),
        cmocka_unit_test(steps_are_readable),
        cmocka_unit_test(what_is_no_path_is_refused),
        cmocka_unit_test(items_are_met_by_their_paths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
