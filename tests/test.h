/* test.h: what every unit test includes. */
#ifndef TH_TEST_H
#define TH_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <thresh.h>

/* For what can be cancelled: says stop from the nth time on. */
typedef struct patience {
    uint32_t asked, most;
} patience;

static inline bool has_enough(void *context)
{
    patience *p = context;
    return ++p->asked > p->most;
}

/* The page of a text. */
static inline th_page *parse_page(const char *html)
{
    th_parser *parser;
    th_page *page;
    assert_int_equal(th_parser_new(NULL, &parser, NULL), TH_OK);
    assert_int_equal(th_parser_parse(parser, th_str_from(html), NULL, &page, NULL), TH_OK);
    th_parser_free(parser);
    return page;
}

#endif
