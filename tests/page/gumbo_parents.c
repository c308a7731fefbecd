/*
 * gumbo_parents.c: is an element's parent the same as in gumbo's tree?
 *
 * usage: gumbo_parents [-v] [--floor SHARE] FOLDER-OR-FILE...
 *
 * Elements are matched by the position of their start tags. Elements that gumbo invents are looked
 * through: they have no start tag of their own. Elements that gumbo drops cannot be compared and
 * are counted apart. Exits 1 when fewer than SHARE of the compared elements agree, 77 without
 * pages.
 */
#include <dirent.h>
#include <gumbo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <thresh.h>

static int verbose;
static size_t compared, same, dropped, pages;
static size_t cause_count[256][256]; /* [tag of the element][tag of gumbo's parent] */
static size_t dropped_count[256];
static th_parser *parser;

/* For every byte where one of gumbo's elements begins: one past where its parent begins; 1 when
 * that is the document, 0 when no element begins here. */
struct parents {
    uint32_t *of;
    const char *text;
    size_t len;
};

static int is_real(const GumboNode *node)
{
    return node->type == GUMBO_NODE_ELEMENT || node->type == GUMBO_NODE_TEMPLATE;
}

/* Where an element's start tag stands; SIZE_MAX for one that gumbo invented. A copy of a formatting
 * element shares the tag of the original and is told apart by its flags. */
static size_t start_of(const GumboNode *node, const struct parents *p)
{
    enum {
        INVENTED = GUMBO_INSERTION_IMPLIED | GUMBO_INSERTION_RECONSTRUCTED_FORMATTING_ELEMENT |
                   GUMBO_INSERTION_ADOPTION_AGENCY_CLONED
    };
    if (!is_real(node) || !node->v.element.original_tag.length || (node->parse_flags & INVENTED))
        return SIZE_MAX;
    return (size_t)(node->v.element.original_tag.data - p->text);
}

static void collect(const GumboNode *root, struct parents *p)
{
    /* Own stack: pages nest deeper than ours should recurse. */
    struct frame {
        const GumboNode *node;
        size_t parent;
    } *stack = malloc(sizeof *stack * 1024);
    size_t depth = 0, cap = 1024;
    stack[depth++] = (struct frame){root, 0};
    while (depth) {
        struct frame frame = stack[--depth];
        size_t start = start_of(frame.node, p), parent = frame.parent;
        if (start < p->len) {
            p->of[start] = (uint32_t)parent + 1;
            parent = start + 1;
        }
        const GumboVector *children = frame.node->type == GUMBO_NODE_DOCUMENT
                                          ? &frame.node->v.document.children
                                          : &frame.node->v.element.children;
        for (unsigned i = 0; i < children->length; i++) {
            const GumboNode *child = children->data[i];
            if (!is_real(child))
                continue;
            if (depth == cap)
                stack = realloc(stack, sizeof *stack * (cap *= 2));
            stack[depth++] = (struct frame){child, parent};
        }
    }
    free(stack);
}

static void compare(const char *path, const th_page *page, const struct parents *p)
{
    const th_token *tokens = th_page_tokens(page);
    const uint16_t *tags = th_page_node_tags(page);
    size_t wrong = 0;
    for (uint32_t n = 1; n < th_page_node_count(page); n++) {
        const th_node *node = th_page_node(page, n);
        uint32_t theirs = p->of[tokens[node->token].start];
        if (!theirs) {
            dropped++;
            dropped_count[tags[n] & 255]++;
            continue;
        }
        /* Our parent, passing those that gumbo dropped or invented anew. */
        uint32_t up = node->parent;
        while (up && !p->of[tokens[th_page_node(page, up)->token].start])
            up = th_page_node(page, up)->parent;
        uint32_t ours = up ? tokens[th_page_node(page, up)->token].start + 2 : 1;
        compared++;
        if (ours == theirs) {
            same++;
            continue;
        }
        th_str name = th_token_name(page, node->token);
        unsigned parent_tag = 0;
        if (theirs > 1) {
            uint32_t at = th_page_node_at(page, theirs - 2);
            parent_tag = tags[at] & 255;
        }
        cause_count[tags[n] & 255][parent_tag]++;
        if (verbose && wrong++ < 5)
            printf("%s:%u <%.*s> ours at %d, gumbo's at %d: %.*s\n", path,
                   tokens[node->token].start, (int)name.len, name.ptr, (int)ours - 2,
                   (int)theirs - 2, theirs > 1 ? 30 : 0, theirs > 1 ? p->text + theirs - 2 : "");
    }
}

static void check_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return;
    fseek(file, 0, SEEK_END);
    size_t len = (size_t)ftell(file);
    rewind(file);
    char *data = malloc(len + 1);
    if (fread(data, 1, len, file) != len)
        len = 0;
    fclose(file);
    th_error err;
    th_page *page;
    if (th_parser_parse(parser, (th_str){data, len}, NULL, &page, &err)) {
        fprintf(stderr, "%s: %s\n", path, err.message);
        exit(2);
    }
    th_str text = th_page_text(page);
    struct parents p = {calloc(text.len + 1, sizeof(uint32_t)), text.ptr, text.len};
    GumboOptions options = kGumboDefaultOptions;
    options.max_errors = 0;
    GumboOutput *output = gumbo_parse_with_options(&options, text.ptr, text.len);
    collect(output->document, &p);
    compare(path, page, &p);
    pages++;
    gumbo_destroy_output(&options, output);
    free(p.of);
    th_page_free(page);
    free(data);
}

static void check_path(const char *path)
{
    struct stat info;
    if (stat(path, &info))
        return;
    if (!S_ISDIR(info.st_mode)) {
        const char *dot = strrchr(path, '.');
        if (dot && (!strcmp(dot, ".htm") || !strcmp(dot, ".html")))
            check_file(path);
        return;
    }
    struct dirent **entries;
    int count = scandir(path, &entries, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        char inner[4096];
        snprintf(inner, sizeof inner, "%s/%s", path, entries[i]->d_name);
        if (entries[i]->d_name[0] != '.')
            check_path(inner);
        free(entries[i]);
    }
    free(entries);
}

static void print_causes(void)
{
    for (int shown = 0; shown < 25; shown++) {
        int a = 0, b = 0;
        for (int i = 0; i < 256; i++)
            for (int j = 0; j < 256; j++)
                if (cause_count[i][j] > cause_count[a][b])
                    a = i, b = j;
        if (!cause_count[a][b])
            break;
        th_str of = th_tag_name((uint16_t)a), in = th_tag_name((uint16_t)b);
        printf("%8zu  %.*s, by gumbo in %.*s\n", cause_count[a][b], (int)of.len, of.ptr,
               (int)in.len, in.ptr);
        cause_count[a][b] = 0;
    }
}

static void print_dropped(void)
{
    for (unsigned tag = 0; tag < 256; tag++)
        if (dropped_count[tag])
            printf("%8zu  %.*s, dropped by gumbo\n", dropped_count[tag],
                   (int)th_tag_name((uint16_t)tag).len, th_tag_name((uint16_t)tag).ptr);
}

int main(int argc, char **argv)
{
    double floor = 0;
    th_error err;
    if (th_parser_new(NULL, &parser, &err))
        return 2;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "-v"))
            verbose = 1;
        else if (!strcmp(argv[i], "--floor") && i + 1 < argc)
            floor = atof(argv[++i]);
        else
            check_path(argv[i]);
    }
    th_parser_free(parser);
    if (!pages) {
        puts("no pages to compare");
        return 77;
    }
    double share = compared ? (double)same / (double)compared : 0;
    printf("%zu pages, %zu elements compared, %.4f%% with gumbo's parent; %zu dropped by gumbo\n",
           pages, compared, 100 * share, dropped);
    if (verbose) {
        print_causes();
        print_dropped();
    }
    return share < floor;
}
