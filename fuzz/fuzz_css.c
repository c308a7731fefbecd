/*
 * fuzz_css.c: style sheets of pages, made safe.
 *
 * The output must be safe anywhere in a page, must refer only to resources that the finder
 * returned, and must not change when it is sanitised again.
 */
#include <string.h>
#include <thresh.h>

#include "css.h"
#include "fuzz.h"

#define OURS "/see/key/1/2"

/* Finds every second URL, the first time; then only what it gave may be asked for. */
typedef struct finder {
    bool again;
    unsigned asked;
} finder;

static bool find(void *context, th_str url, serve_css_use use, serve_text *out)
{
    finder *f = context;
    CHECK(!f->again || (url.len == strlen(OURS) && !memcmp(url.ptr, OURS, url.len)));
    if (!f->again && f->asked++ % 2)
        return false;
    serve_puts(out, OURS);
    return true;
}

static void check_marks(const serve_text *text)
{
    for (size_t i = 0; i < text->len; i++) {
        unsigned char c = (unsigned char)text->ptr[i];
        CHECK(c >= ' ' && c != 0x7F);
        if (c == '<')
            CHECK(i + 1 < text->len && (text->ptr[i + 1] == ' ' || text->ptr[i + 1] == '='));
        if (c == '&' && i + 1 < text->len)
            CHECK(text->ptr[i + 1] != '#' &&
                  !((text->ptr[i + 1] | 32) >= 'a' && (text->ptr[i + 1] | 32) <= 'z'));
    }
}

/* Returns true if two texts differ in blanks at most: what is left out leaves them behind. */
static bool is_same(const serve_text *a, const serve_text *b)
{
    size_t i = 0, k = 0;
    for (;;) {
        while (i < a->len && a->ptr[i] == ' ')
            i++;
        while (k < b->len && b->ptr[k] == ' ')
            k++;
        if (i == a->len || k == b->len)
            return i == a->len && k == b->len;
        if (a->ptr[i++] != b->ptr[k++])
            return false;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    for (int kind = SERVE_CSS_SHEET; kind <= SERVE_CSS_DECLARATIONS; kind++) {
        finder f = {0};
        serve_css_names names = {find, &f};
        serve_text once = {0}, twice = {0};
        serve_css((th_str){(const char *)data, size}, (serve_css_kind)kind, &names, &once);
        CHECK(!once.failed);
        check_marks(&once);
        f.again = true;
        serve_css((th_str){once.ptr, once.len}, SERVE_CSS_DECLARATIONS, &names, &twice);
        CHECK(is_same(&once, &twice));
        serve_text_release(&once);
        serve_text_release(&twice);
    }
    return 0;
}
