/*
 * outline.c: prints the elements of a page as an outline, with the text that stands in them.
 *
 *     outline [FILE]          standard input without a file
 *
 * Everything comes from thresh.h: read the bytes, parse them, walk the tokens. See the Makefile
 * beside this file for how to compile it against the installed library.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <thresh.h>

/* The whole of a stream; NULL with errno set when it cannot be read. The caller frees it. */
static char *read_all(FILE *file, size_t *len)
{
    size_t cap = 1 << 16;
    char *bytes = malloc(cap);
    for (*len = 0; bytes;) {
        *len += fread(bytes + *len, 1, cap - *len, file);
        if (ferror(file)) {
            free(bytes);
            return NULL;
        }
        if (*len < cap)
            return bytes;
        char *grown = realloc(bytes, cap *= 2);
        if (!grown)
            free(bytes);
        bytes = grown;
    }
    return NULL;
}

static int depth_of(const th_page *page, uint32_t node)
{
    return th_page_path(page, th_page_node(page, node)->path)->depth;
}

static void indent(int depth)
{
    printf("%*s", 2 * depth, "");
}

/* One line for an element: its name and what tells it from others. */
static void print_element(const th_page *page, uint32_t node)
{
    static const char *const telling[] = {"id", "class", "href"};
    uint32_t token = th_page_node(page, node)->token;
    th_str name = th_token_name(page, token);
    indent(depth_of(page, node) - 1);
    printf("%.*s", (int)name.len, name.ptr);
    for (size_t i = 0; i < sizeof telling / sizeof *telling; i++) {
        th_str value;
        if (th_attr_get(page, token, telling[i], &value) && value.ptr)
            printf(" %s=%.*s", telling[i], (int)value.len, value.ptr);
    }
    putchar('\n');
}

/* Text as it stands in the source, runs of white space as one blank. */
static void print_text(const th_page *page, uint32_t token, int depth)
{
    th_span span = th_page_token_span(page, token);
    const char *text = th_page_text(page).ptr;
    bool blank = false, any = false;
    indent(depth);
    putchar('"');
    for (uint32_t i = span.start; i < span.end; i++) {
        if (strchr(" \t\r\n\f", text[i]) && text[i]) {
            blank = any;
            continue;
        }
        if (blank)
            putchar(' ');
        putchar(text[i]);
        blank = false;
        any = true;
    }
    puts("\"");
}

/* Tokens come in source order and so do nodes: one walk over both. */
static void print_page(const th_page *page)
{
    uint32_t next = 1; /* the node whose start tag comes next */
    for (uint32_t t = 0; t < th_page_token_count(page); t++) {
        const th_token *token = &th_page_tokens(page)[t];
        if (next < th_page_node_count(page) && th_page_node(page, next)->token == t)
            print_element(page, next++);
        else if ((token->kind == TH_TOKEN_TEXT || token->kind == TH_TOKEN_RCDATA) &&
                 !(token->flags & TH_TOKEN_BLANK))
            print_text(page, t, depth_of(page, th_page_node_at(page, token->start)));
    }
}

static int outline(th_str bytes, const char *name)
{
    th_error err;
    th_parser *parser = NULL;
    th_page *page = NULL;
    th_status status = th_parser_new(NULL, &parser, &err);
    if (status == TH_OK)
        status = th_parser_parse(parser, bytes, NULL, &page, &err);
    if (status == TH_OK) {
        print_page(page);
        printf("%u elements, %u tokens, read as %s\n", th_page_node_count(page) - 1,
               th_page_token_count(page), th_page_encoding(page));
    } else {
        fprintf(stderr, "outline: %s: %s\n", name, err.message);
    }
    th_page_free(page);
    th_parser_free(parser);
    return status == TH_OK ? 0 : 1;
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "standard input";
    FILE *file = argc > 1 ? fopen(argv[1], "rb") : stdin;
    size_t len;
    char *bytes = file ? read_all(file, &len) : NULL;
    if (!bytes) {
        fprintf(stderr, "outline: %s: %s\n", name, strerror(errno));
        return 1;
    }
    int code = outline((th_str){bytes, len}, name);
    free(bytes);
    fclose(file);
    return code;
}
