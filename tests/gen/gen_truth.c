/*
 * gen_truth.c: one line of truth.jsonl and of labels.jsonl for every page.
 *
 * "records" is flat, as the scorers want it; "data" keeps the nesting; "spans" says where. Records
 * go to the file at once; data and spans wait in memory for the end of the page.
 */
#include "gen_page.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"

#define FLUSH_AT (1u << 18)

struct gen_truth {
    gen_site *site;
    gen_folder *folder;
    th__buf head, labels, data, spans, record_spans;
    uint64_t count;
    bool failed;
};

void gen_json_text(th__buf *to, th_str text)
{
    th__buf_add_byte(to, '"');
    size_t from = 0;
    for (size_t i = 0; i < text.len; i++) {
        const unsigned char c = (unsigned char)text.ptr[i];
        if (c >= 0x20 && c != '"' && c != '\\')
            continue;
        th__buf_add(to, text.ptr + from, i - from);
        from = i + 1;
        if (c < 0x20)
            th__buf_printf(to, "\\u%04x", c);
        else
            th__buf_add(to, (const char[]){'\\', (char)c}, 2);
    }
    th__buf_add(to, text.ptr + from, text.len - from);
    th__buf_add_byte(to, '"');
}

static void lit(th__buf *to, const char *text)
{
    th__buf_add(to, text, strlen(text));
}

static void number(th__buf *to, uint64_t value)
{
    char digits[24];
    size_t at = sizeof digits;
    do
        digits[--at] = (char)('0' + value % 10);
    while (value /= 10);
    th__buf_add(to, digits + at, sizeof digits - at);
}

static th_str text_of(const gen_pen *pen, const gen_val *leaf)
{
    return (th_str){leaf->text_len ? pen->text.data + leaf->text_at : "", leaf->text_len};
}

static bool is_attr(const gen_node *leaf)
{
    return leaf->role == GEN_ROLE_LINK || leaf->role == GEN_ROLE_IMAGE;
}

/* ---- the nested form, for "data" and for labels ---- */

typedef struct shape {
    const gen_pen *pen;
    bool spans; /* labels: places instead of texts */
} shape;

static void nested_tuple(th__buf *to, const gen_val *tuple, const shape *how);

static void nested_leaf(th__buf *to, const gen_val *leaf, const shape *how)
{
    if (!leaf->text_len) {
        lit(to, "null");
    } else if (how->spans) {
        lit(to, "{\"start\":");
        number(to, leaf->start);
        lit(to, ",\"end\":");
        number(to, leaf->end);
        lit(to, "}");
    } else {
        gen_json_text(to, text_of(how->pen, leaf));
    }
}

/* "name": for the next member of an object. */
static void member(th__buf *to, bool *first, const char *name)
{
    if (!*first)
        th__buf_add_byte(to, ',');
    *first = false;
    th__buf_add_byte(to, '"');
    lit(to, name);
    lit(to, "\":");
}

static bool any_written(const gen_val *val)
{
    if (val->node->type == GEN_LEAF)
        return val->written;
    for (uint32_t i = 0; i < val->count; i++) /* as deep as the schema */
        if (any_written(&val->kids[i]))
            return true;
    return false;
}

static void nested_members(th__buf *to, const gen_val *val, bool *first, const shape *how)
{
    if (val->node->type == GEN_LEAF) {
        if (val->written) {
            member(to, first, val->node->name);
            nested_leaf(to, val, how);
        }
        return;
    }
    if (val->node->type !=
        GEN_SET) { /* tuple, optional and choice add to the object they stand in */
        for (uint32_t i = 0; i < val->count; i++)
            nested_members(to, &val->kids[i], first, how);
        return;
    }
    if (!any_written(val))
        return;
    member(to, first, val->node->name);
    th__buf_add_byte(to, '[');
    bool any = false;
    for (uint32_t i = 0; i < val->count; i++) {
        const gen_val *kid = &val->kids[i];
        if (kid->node->type == GEN_LEAF && !kid->text_len)
            continue; /* an empty element says nothing */
        if (any)
            th__buf_add_byte(to, ',');
        any = true;
        if (kid->node->type == GEN_LEAF)
            nested_leaf(to, kid, how);
        else
            nested_tuple(to, kid, how);
    }
    th__buf_add_byte(to, ']');
}

static void nested_tuple(th__buf *to, const gen_val *tuple, const shape *how)
{
    bool first = true;
    th__buf_add_byte(to, '{');
    nested_members(to, tuple, &first, how);
    th__buf_add_byte(to, '}');
}

/* ---- the flat form ---- */

typedef struct gather {
    gen_truth *truth;
    const gen_pen *pen;
    th__buf *to;
    const char *wanted; /* leaf path, or a set's path for all below it */
    bool any;
} gather;

static void gather_leaf(gather *g, const gen_val *leaf)
{
    if (!leaf->written || !leaf->text_len ||
        (is_attr(leaf->node) && !g->truth->site->options->truth_all))
        return;
    if (g->any)
        th__buf_add_byte(g->to, ',');
    g->any = true;
    gen_json_text(g->to, text_of(g->pen, leaf));
}

/* Adds every leaf below that has the path, or all when `wanted` is NULL. */
static void gather_below(gather *g, const gen_val *val)
{
    if (val->node->type == GEN_LEAF) {
        if (!g->wanted || strcmp(val->node->path, g->wanted) == 0)
            gather_leaf(g, val);
        return;
    }
    for (uint32_t i = 0; i < val->count; i++) /* as deep as the schema */
        gather_below(g, &val->kids[i]);
}

static void flat_columns(gather *g, const gen_node *node, const gen_val *root, const gen_val *val,
                         bool *first);

/* One column: a leaf of the schema, whatever stands in it. */
static void flat_column(gather *g, const char *name, const gen_val *where, const char *wanted,
                        bool *first)
{
    g->wanted = wanted;
    g->any = false;
    member(g->to, first, name);
    th__buf_add_byte(g->to, '[');
    gather_below(g, where);
    th__buf_add_byte(g->to, ']');
}

static bool tpl_dropped(const gen_tpl *tpl, const gen_node *node)
{
    if (tpl->node == node)
        return tpl->dropped;
    for (uint32_t i = 0; i < tpl->count; i++)
        if (tpl_dropped(tpl->kids[i], node))
            return true;
    return false;
}

/* List pages: a set of tuples is one cell, its leaves in page order, as a reader sees it. Detail
 * pages: every leaf of the schema is an attribute. */
static void flat_columns(gather *g, const gen_node *node, const gen_val *root, const gen_val *val,
                         bool *first)
{
    const bool list = g->truth->site->kind != GEN_DETAIL;
    if (node->type == GEN_LEAF) {
        if (!is_attr(node) || g->truth->site->options->truth_all)
            flat_column(g, node->path, root, node->path, first);
        return;
    }
    if (list && node->type == GEN_SET && node->kids[0]->type == GEN_TUPLE) {
        flat_column(g, node->path, val ? val : root, NULL, first);
        return;
    }
    for (uint32_t i = 0; i < node->count; i++) /* as deep as the schema */
        flat_columns(g, node->kids[i], root, node->type == GEN_TUPLE && val ? &val->kids[i] : NULL,
                     first);
}

static void flat_record(gen_truth *truth, th__buf *to, const gen_val *root, const gen_pen *pen)
{
    gather g = {.truth = truth, .pen = pen, .to = to};
    bool first = true;
    th__buf_add_byte(to, '{');
    const gen_node *node = truth->site->schema->root;
    for (uint32_t i = 0; i < node->count; i++)
        if (!tpl_dropped(truth->site->root, node->kids[i]))
            flat_columns(&g, node->kids[i], root, &root->kids[i], &first);
    th__buf_add_byte(to, '}');
}

/* ---- spans ---- */

static void span_values(gen_truth *truth, const gen_val *val, const gen_pen *pen)
{
    if (val->node->type != GEN_LEAF) {
        for (uint32_t i = 0; i < val->count; i++) /* as deep as the schema */
            span_values(truth, &val->kids[i], pen);
        return;
    }
    if (!val->written)
        return;
    th__buf *to = &truth->spans;
    lit(to, to->len ? ",[" : "[");
    number(to, truth->count);
    lit(to, ",\"");
    lit(to, val->node->path);
    lit(to, "\",");
    number(to, val->start);
    th__buf_add_byte(to, ',');
    number(to, val->end);
    th__buf_add_byte(to, ',');
    gen_json_text(to, text_of(pen, val));
    th__buf_add_byte(to, ']');
}

static void span_record(gen_truth *truth, const gen_record *record)
{
    th__buf *to = &truth->record_spans;
    lit(to, to->len ? ",[" : "[");
    for (uint32_t part = 0; part < record->parts; part++) {
        lit(to, part ? ",[" : "[");
        number(to, record->start[part]);
        th__buf_add_byte(to, ',');
        number(to, record->end[part]);
        th__buf_add_byte(to, ']');
    }
    th__buf_add_byte(to, ']');
}

/* ---- the line ---- */

static void spill(gen_truth *truth, th__buf *buf, FILE *file)
{
    if (buf->failed || (buf->len && fwrite(buf->data, 1, buf->len, file) != buf->len))
        truth->failed = true;
    truth->folder->truth_bytes += buf->len;
    th__buf_clear(buf);
}

gen_truth *gen_truth_new(gen_site *site, gen_folder *folder, uint32_t page)
{
    gen_truth *truth = gen_alloc(&site->arena, sizeof *truth);
    truth->site = site;
    truth->folder = folder;
    th__buf *to = &truth->head;
    th__buf_printf(to,
                   "{\"page\":\"%s/"
                   "page-%03u.html\",\"site\":\"%s\",\"family\":\"%s\",\"kind\":\"%s\",\"domain\":"
                   "\"%s\",\"type\":\"",
                   site->name, page, site->name, site->family->name, gen_kind_name(site->kind),
                   site->schema->domain);
    gen_schema_type(to, site->schema->root);
    lit(to, "\",\"schema\":");
    gen_schema_json(to, site->schema->root);
    lit(to, ",\"records\":[");
    th__buf_printf(&truth->labels, "{\"page\":\"%s/page-%03u.html\",\"records\":[", site->name,
                   page);
    return truth;
}

void gen_truth_record(gen_truth *truth, const gen_record *record, const gen_pen *pen)
{
    if (truth->count) {
        lit(&truth->head, ",");
        lit(&truth->labels, ",");
        lit(&truth->data, ",");
    }
    flat_record(truth, &truth->head, record->val, pen);
    nested_tuple(&truth->labels, record->val, &(shape){pen, true});
    nested_tuple(&truth->data, record->val, &(shape){pen, false});
    span_values(truth, record->val, pen);
    span_record(truth, record);
    truth->count++;
    if (truth->head.len > FLUSH_AT)
        spill(truth, &truth->head, truth->folder->truth);
    if (truth->labels.len > FLUSH_AT)
        spill(truth, &truth->labels, truth->folder->labels);
}

bool gen_truth_close(gen_truth *truth)
{
    FILE *file = truth->folder->truth;
    lit(&truth->head, "],\"data\":[");
    spill(truth, &truth->head, file);
    spill(truth, &truth->data, file);
    lit(&truth->head, "],\"spans\":{\"records\":[");
    spill(truth, &truth->head, file);
    spill(truth, &truth->record_spans, file);
    lit(&truth->head, "],\"values\":[");
    spill(truth, &truth->head, file);
    spill(truth, &truth->spans, file);
    lit(&truth->head, "]}}\n");
    spill(truth, &truth->head, file);
    lit(&truth->labels, "]}\n");
    spill(truth, &truth->labels, truth->folder->labels);
    const bool ok = !truth->failed;
    th__buf_release(&truth->head);
    th__buf_release(&truth->labels);
    th__buf_release(&truth->data);
    th__buf_release(&truth->spans);
    th__buf_release(&truth->record_spans);
    return ok;
}

/* ---- the folder ---- */

static FILE *open_in(const char *folder, const char *name, th_error *err)
{
    th__buf path = {0};
    th__buf_printf(&path, "%s/%s", folder, name);
    FILE *file = path.failed ? NULL : fopen(path.data, "wb");
    if (!file)
        th__fail(err, TH_ERR_IO, "cannot write %s/%s: %s", folder, name, strerror(errno));
    th__buf_release(&path);
    return file;
}

th_status gen_folder_open(gen_folder *folder, const char *path, th_error *err)
{
    *folder = (gen_folder){.path = path};
    if (mkdir(path, 0777) != 0 && errno != EEXIST)
        return th__fail(err, TH_ERR_IO, "cannot make the folder %s: %s", path, strerror(errno));
    folder->truth = open_in(path, "truth.jsonl", err);
    folder->labels = folder->truth ? open_in(path, "labels.jsonl", err) : NULL;
    if (folder->labels)
        return TH_OK;
    if (folder->truth)
        fclose(folder->truth);
    return TH_ERR_IO;
}

th_status gen_folder_close(gen_folder *folder, th_error *err)
{
    bool ok = fclose(folder->truth) == 0;
    ok &= fclose(folder->labels) == 0;
    return ok ? TH_OK
              : th__fail(err, TH_ERR_IO, "writing the truth in %s failed: is the disk full?",
                         folder->path);
}
