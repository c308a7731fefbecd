/*
 * bench_text.c: how fast UTF-8 is checked, pages decoded, and text and fine tokens read from them.
 *
 * usage: bench_text FOLDER...
 *
 * Rates are in source bytes of the pages; memchr over the same bytes is the machine's measure.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <thresh.h>

#include "bench.h"
#include "base/arena.h"
#include "base/str.h"
#include "base/utf8.h"
#include "page/charref.h"
#include "page/decode.h"
#include "page/text.h"

static struct bench_pages files;
static th_page **pages;
static size_t sink;
static th_str block; /* what the checks of UTF-8 run over */

static void run_memchr(void)
{
    for (size_t i = 0; i < files.count; i++)
        sink += memchr(files.data[i].ptr, '\1', files.data[i].len) != NULL;
}

static void run_valid(void)
{
    sink += th__utf8_valid(block.ptr, block.len);
}

static void run_decode(void)
{
    for (size_t i = 0; i < files.count; i++) {
        th__arena arena;
        th__arena_init(&arena);
        th_str text;
        const char *encoding, *reason;
        if (th__decode(&arena, files.data[i], (th_str){0}, &text, &encoding, &reason, NULL))
            bench_fail("out of memory");
        sink += text.len;
        th__arena_release(&arena);
    }
}

static void run_refs(void)
{
    static th__buf out;
    for (size_t i = 0; i < files.count; i++) {
        th__buf_clear(&out);
        th__decode_refs(th_page_text(pages[i]), false, &out);
        sink += out.len;
    }
}

static th_span whole(const th_page *page)
{
    return (th_span){0, (uint32_t)th_page_text(page).len};
}

static void run_text(void)
{
    static th__buf out;
    for (size_t i = 0; i < files.count; i++) {
        th__buf_clear(&out);
        if (!th__span_text(pages[i], whole(pages[i]), &out))
            bench_fail("out of memory");
        sink += out.len;
    }
}

static void run_fold(void)
{
    static th__folded out;
    for (size_t i = 0; i < files.count; i++) {
        if (!th__page_fold(pages[i], whole(pages[i]), &out))
            bench_fail("out of memory");
        sink += out.text.len;
    }
}

static size_t fine_count;

static void run_lex(void)
{
    fine_count = 0;
    for (size_t i = 0; i < files.count; i++) {
        th_lex lex;
        th_fine fine;
        th_lex_init(&lex, pages[i], whole(pages[i]));
        while (th_lex_next(&lex, &fine))
            fine_count++;
    }
}

static void parse_all(void)
{
    th_parser *parser;
    th_error err;
    pages = calloc(files.count, sizeof *pages);
    if (!pages || th_parser_new(NULL, &parser, &err))
        bench_fail("out of memory");
    for (size_t i = 0; i < files.count; i++)
        if (th_parser_parse(parser, files.data[i], NULL, &pages[i], &err))
            bench_fail(err.message);
    th_parser_free(parser);
}

static void show(const char *name, size_t bytes, void (*run)(void))
{
    printf("%-36s %8.2f GB/s\n", name, (double)bytes / bench_best(run, 7) / 1e9);
}

static void show_utf8(const char *name, const char *piece)
{
    size_t len = strlen(piece), size = (size_t)8 << 20;
    char *text = malloc(size);
    if (!text)
        bench_fail("out of memory");
    for (size_t i = 0; i + len <= size; i += len)
        memcpy(text + i, piece, len);
    block = (th_str){text, size / len * len};
    show(name, block.len, run_valid);
    free(text);
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        bench_load(&files, argv[i]);
    if (!files.count)
        bench_fail("no pages: give a folder of .htm or .html files");
    parse_all();
    printf("%zu pages, %.1f MB\n", files.count, (double)files.bytes / 1e6);
    show("memchr", files.bytes, run_memchr);
    show_utf8("utf-8 check, ASCII", "The quick brown fox jumps over the lazy dog. ");
    show_utf8("utf-8 check, Chinese", "\xE6\x97\xA5\xE6\x9C\xAC\xE8\xAA\x9E\xE5\xAD\x97");
    show_utf8("utf-8 check, French", "L'\xC3\xA9t\xC3\xA9 \xC3\xA0 la mer, \xC3\xA7"
                                     "a va? ");
    show("decode", files.bytes, run_decode);
    show("references over whole pages", files.bytes, run_refs);
    show("text of pages", files.bytes, run_text);
    show("folded text of pages", files.bytes, run_fold);
    show("fine tokens of pages", files.bytes, run_lex);
    printf("%zu fine tokens, %.1f bytes each\n", fine_count,
           (double)files.bytes / (double)fine_count);
    return sink == 0;
}
