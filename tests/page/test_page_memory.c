/* Every allocation failing in turn while pages are decoded, parsed and read: nothing crashes,
 * nothing is leaked, and the status says memory. */
#include "test.h"

#include "alloc_fail.h"
#include "page/text.h"

typedef struct reading {
    th_str bytes;
    th_page_source source;
} reading;

static th_status read_everything(const th_page *page, th_text *text, th_text *url)
{
    th_span all = {0, (uint32_t)th_page_text(page).len};
    th_status status = th_page_span_text(page, all, text, NULL);
    for (uint32_t n = 1; !status && n < th_page_node_count(page); n++) {
        th_attr attr;
        th_attr_iter it = th_attrs(page, th_page_node(page, n)->token);
        while (!status && th_attr_next(&it, &attr)) {
            status = th_attr_text(attr.value, text, NULL);
            if (!status)
                status = th_page_resolve(page, (th_str){text->ptr, text->len}, url, NULL);
        }
    }
    th_lex lex;
    th_fine fine;
    th_lex_init(&lex, page, all);
    while (!status && th_lex_next(&lex, &fine))
        status = th_fine_text(page, &fine, text, NULL);
    th__folded folded = {0};
    if (!status && !th__page_fold(page, all, &folded))
        status = TH_ERR_MEMORY;
    th__folded_release(&folded);
    return status;
}

static th_status parse_and_read(void *context)
{
    const reading *r = context;
    th_parser *parser = NULL;
    th_page *page = NULL;
    th_text text = {0}, url = {0};
    th_status status = th_parser_new(NULL, &parser, NULL);
    if (!status)
        status = th_parser_parse(parser, r->bytes, &r->source, &page, NULL);
    if (!status)
        status = read_everything(page, &text, &url);
    th_text_release(&text);
    th_text_release(&url);
    th_page_free(page);
    th_parser_free(parser);
    return status;
}

#define PAGE                                                                                       \
    "<base href='../x/'><title>A &amp; B</title><p class=c title='&eacute;'>Caf&eacute; 1,200.50"  \
    "<a href='a b?c&amp;d#e'>link</a><script>var x</script><template>t</template><ul><li>a<li>b"

static void valid_text(void **state)
{
    reading r = {TH_STR(PAGE), {.url = th_str_from("http://h/a/b")}};
    th_test_each_allocation_fails(parse_and_read, &r);
}

static void converted_text(void **state)
{
    static const char *const charsets[] = {"latin1",    "gbk",    "utf-16",
                                           "shift_jis", "koi8-r", "utf-8"};
    for (size_t i = 0; i < sizeof charsets / sizeof *charsets; i++) {
        reading r = {
            TH_STR(PAGE "<p>\xC8\xD5\xC8\xD5\xC8\xD5\xC8\xD5\xC8\xD5\xC8\xD5\xC8\xD5\xC8\xD5"),
            {.url = th_str_from("http://h/a/b"), .charset = th_str_from(charsets[i])}};
        th_test_each_allocation_fails(parse_and_read, &r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(valid_text),
        cmocka_unit_test(converted_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
