/* cases.c: reads, runs and rewrites files of text cases. See cases.h for their form. */
#include "cases.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Noreturn void give_up(const char *path, const char *message)
{
    fprintf(stderr, "%s: %s\n", path, message);
    exit(1);
}

static void add(th__buf *out, th_str text)
{
    if (!th__buf_add(out, text.ptr, text.len))
        give_up("cases", "out of memory");
}

void case_escape(th__buf *out, th_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.ptr[i];
        if (c == '\n')
            add(out, TH_STR("\\n"));
        else if (c < 0x20 || c == 0x7F)
            th__buf_printf(out, "\\x%02X", c);
        else
            add(out, (th_str){text.ptr + i, 1});
    }
}

void case_quote(th__buf *out, th_str text)
{
    add(out, TH_STR("\""));
    case_escape(out, text);
    add(out, TH_STR("\""));
}

th_str case_option(const struct page_case *test, const char *name)
{
    size_t len = strlen(name);
    for (size_t i = 0; i + len < test->options.len; i++) {
        const char *at = test->options.ptr + i;
        if ((i == 0 || at[-1] == ' ') && !memcmp(at, name, len) && at[len] == '=') {
            size_t start = i + len + 1, end = start;
            while (end < test->options.len && test->options.ptr[end] != ' ')
                end++;
            return (th_str){test->options.ptr + start, end - start};
        }
    }
    return (th_str){0};
}

/* A copy of exactly the size of the source, escapes read. Caller frees. */
static char *unescape(th_str raw, size_t *len)
{
    char *wide = malloc(raw.len + 1), *exact;
    *len = 0;
    for (size_t i = 0; wide && i < raw.len; i++) {
        char code[3] = {0};
        if (raw.len - i >= 4 && raw.ptr[i] == '\\' && raw.ptr[i + 1] == 'x' &&
            isxdigit((unsigned char)raw.ptr[i + 2]) && isxdigit((unsigned char)raw.ptr[i + 3])) {
            memcpy(code, raw.ptr + i + 2, 2);
            wide[(*len)++] = (char)strtoul(code, NULL, 16);
            i += 3;
        } else {
            wide[(*len)++] = raw.ptr[i];
        }
    }
    exact = malloc(*len ? *len : 1);
    if (!wide || !exact)
        give_up("cases", "out of memory");
    memcpy(exact, wide, *len);
    free(wide);
    return exact;
}

static th_str read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END))
        give_up(path, "cannot be read");
    long size = ftell(file);
    rewind(file);
    char *data = malloc((size_t)size + 1);
    if (!data || fread(data, 1, (size_t)size, file) != (size_t)size)
        give_up(path, "cannot be read");
    fclose(file);
    return (th_str){data, (size_t)size};
}

static th_str next_line(th_str *rest)
{
    const char *end = memchr(rest->ptr, '\n', rest->len);
    th_str line = {rest->ptr, end ? (size_t)(end - rest->ptr) : rest->len};
    size_t step = line.len + (end != NULL);
    *rest = (th_str){rest->ptr + step, rest->len - step};
    return line;
}

static bool passed_over(th_str line)
{
    return line.len == 0 || line.ptr[0] == '#';
}

/* Lines up to one that begins with `stop`, or to the end; *rest is left at that one. */
static th_str lines_until(th_str *rest, th_str stop)
{
    const char *start = rest->ptr;
    while (rest->len && !th__str_starts(*rest, stop))
        next_line(rest);
    return (th_str){start, (size_t)(rest->ptr - start)};
}

/* The expectation without the comments and blank lines that follow it. */
static th_str without_tail(th_str text)
{
    size_t kept = 0;
    for (th_str rest = text; rest.len;) {
        if (!passed_over(next_line(&rest)))
            kept = text.len - rest.len;
    }
    return (th_str){text.ptr, kept};
}

static void report(const char *path, const struct page_case *test, th_str want, th_str got)
{
    printf("%s: %.*s\n  source\n%.*s\n  expected\n%.*s  got\n%.*s\n", path, (int)test->title.len,
           test->title.ptr, (int)test->source.len, test->source.ptr, (int)want.len, want.ptr,
           (int)got.len, got.ptr);
}

static void write_file(const char *path, const th__buf *text)
{
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(text->data, 1, text->len, file) != text->len || fclose(file))
        give_up(path, "cannot be written");
}

size_t cases_run(const char *path, case_render render, bool update, size_t *count)
{
    th_str whole = read_file(path), rest = whole;
    th__buf made = {0}, got = {0};
    size_t different = 0;
    add(&made, lines_until(&rest, TH_STR("=== ")));
    while (rest.len) {
        const char *start = rest.ptr;
        th_str head = next_line(&rest);
        struct page_case test = {.title = {head.ptr + 4, head.len - 4}};
        const char *bar = memchr(test.title.ptr, '|', test.title.len);
        if (bar) {
            test.options = (th_str){bar + 1, (size_t)(head.ptr + head.len - bar - 1)};
            test.title.len = (size_t)(bar - test.title.ptr);
        }
        th_str raw = lines_until(&rest, TH_STR("---\n"));
        char *source = unescape((th_str){raw.ptr, raw.len - (raw.len > 0)}, &test.source.len);
        test.source.ptr = source;
        if (!rest.len)
            give_up(path, "a case has no line \"---\"");
        next_line(&rest);
        add(&made, (th_str){start, (size_t)(rest.ptr - start)});
        th_str after = lines_until(&rest, TH_STR("=== ")), want = without_tail(after);
        th__buf_clear(&got);
        render(&test, &got);
        th_str result = th__buf_str(&got);
        add(&made, result);
        if (want.len)
            add(&made, (th_str){want.ptr + want.len, after.len - want.len});
        else
            add(&made, TH_STR("\n"));
        if (!update && !th__str_eq(want, result)) {
            report(path, &test, want, result);
            different++;
        }
        (*count)++;
        free(source);
    }
    if (update)
        write_file(path, &made);
    th__buf_release(&made);
    th__buf_release(&got);
    free((void *)whole.ptr);
    return different;
}
