/*
 * gen_check.c: the self-check. It shares no code with the writer: a span's bytes are stripped of
 * tags, character references are decoded, blanks are folded, and the result must be the value.
 */
#include "gen_check.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/str.h"

typedef struct reference {
    const char *name;
    uint32_t code;
} reference;

static const reference references[] = {
    {"amp", '&'},     {"lt", '<'},       {"gt", '>'},       {"quot", '"'},      {"eacute", 0xE9},
    {"euml", 0xEB},   {"ouml", 0xF6},    {"uuml", 0xFC},    {"oslash", 0xF8},   {"iacute", 0xED},
    {"oacute", 0xF3}, {"aacute", 0xE1},  {"atilde", 0xE3},  {"ocirc", 0xF4},    {"pound", 0xA3},
    {"euro", 0x20AC}, {"ndash", 0x2013}, {"rsquo", 0x2019}, {"frac12", 0xBD},   {"Eacute", 0xC9},
    {"ntilde", 0xF1}, {"szlig", 0xDF},   {"yen", 0xA5},     {"deg", 0xB0},      {"times", 0xD7},
    {"middot", 0xB7}, {"ldquo", 0x201C}, {"rdquo", 0x201D}, {"hellip", 0x2026},
};

static void add_code(th__buf *to, uint32_t code)
{
    if (code < 0x80) {
        th__buf_add_byte(to, (char)code);
    } else if (code < 0x800) {
        th__buf_add(to, (const char[]){(char)(0xC0 | code >> 6), (char)(0x80 | (code & 0x3F))}, 2);
    } else {
        th__buf_add(to,
                    (const char[]){(char)(0xE0 | code >> 12), (char)(0x80 | (code >> 6 & 0x3F)),
                                   (char)(0x80 | (code & 0x3F))},
                    3);
    }
}

/* The reference at an ampersand; returns the bytes used, or 0 when there is none. */
static size_t decode(th__buf *to, th_str text)
{
    const char *end = memchr(text.ptr, ';', text.len < 12 ? text.len : 12);
    if (!end)
        return 0;
    const size_t len = (size_t)(end - text.ptr);
    if (text.ptr[1] == '#') {
        const bool hex = text.ptr[2] == 'x';
        add_code(to, (uint32_t)strtoul(text.ptr + 2 + hex, NULL, hex ? 16 : 10));
        return len + 1;
    }
    for (size_t i = 0; i < sizeof references / sizeof *references; i++)
        if (strlen(references[i].name) == len - 1 &&
            memcmp(references[i].name, text.ptr + 1, len - 1) == 0) {
            add_code(to, references[i].code);
            return len + 1;
        }
    return 0;
}

static void plain_text(th__buf *to, th_str html, bool attribute)
{
    bool gap = false;
    th__buf_clear(to);
    for (size_t i = 0; i < html.len;) {
        const char c = html.ptr[i];
        if (c == '<' && !attribute) {
            const char *end = memchr(html.ptr + i, '>', html.len - i);
            i = end ? (size_t)(end - html.ptr) + 1 : html.len;
            continue;
        }
        if (th__is_blank((unsigned char)c)) {
            gap = true;
            i++;
            continue;
        }
        if (gap && to->len)
            th__buf_add_byte(to, ' ');
        gap = false;
        size_t used = c == '&' ? decode(to, (th_str){html.ptr + i, html.len - i}) : 0;
        if (!used) {
            th__buf_add_byte(to, c);
            used = 1;
        }
        i += used;
    }
}

typedef struct checker {
    th__buf page, text;
    const char *name;
    json_t *schema;
    th_error *err;
} checker;

static bool is_attribute(const json_t *schema, const char *path)
{
    const char *own = json_string_value(json_object_get(schema, "path"));
    if (own && strcmp(own, path) == 0)
        return json_is_true(json_object_get(schema, "attribute"));
    const json_t *kids = json_object_get(schema, "of");
    for (size_t i = 0; i < json_array_size(kids); i++) /* as deep as the schema */
        if (is_attribute(json_array_get(kids, i), path))
            return true;
    return false;
}

static th_status check_bytes(checker *c, uint64_t start, uint64_t end, const char *value,
                             const char *path, bool attribute)
{
    if (start > end || end > c->page.len)
        return th__fail_at(c->err, TH_ERR_FORMAT, start,
                           "%s: the span %llu..%llu of %s is outside the page", c->name,
                           (unsigned long long)start, (unsigned long long)end, path);
    plain_text(&c->text, (th_str){c->page.data + start, end - start}, attribute);
    if (!th__str_eq(th__buf_str(&c->text), th_str_from(value)))
        return th__fail_at(
            c->err, TH_ERR_FORMAT, start, "%s: byte %llu: %s should be '%.200s' and is '%.*s'",
            c->name, (unsigned long long)start, path, value, TH_STR_ARG(th__buf_str(&c->text)));
    return TH_OK;
}

static bool inside(const json_t *parts, uint64_t start, uint64_t end)
{
    for (size_t i = 0; i < json_array_size(parts); i++) {
        const json_t *part = json_array_get(parts, i);
        if (start >= (uint64_t)json_integer_value(json_array_get(part, 0)) &&
            end <= (uint64_t)json_integer_value(json_array_get(part, 1)))
            return true;
    }
    return false;
}

static th_status check_values(checker *c, const json_t *row, gen_check_result *result)
{
    const json_t *spans = json_object_get(row, "spans"),
                 *records = json_object_get(spans, "records");
    const json_t *values = json_object_get(spans, "values");
    for (size_t i = 0; i < json_array_size(values); i++) {
        const json_t *value = json_array_get(values, i);
        const char *path = json_string_value(json_array_get(value, 1)),
                   *text = json_string_value(json_array_get(value, 4));
        const uint64_t start = (uint64_t)json_integer_value(json_array_get(value, 2)),
                       end = (uint64_t)json_integer_value(json_array_get(value, 3));
        if (!path || !text)
            return th__fail(c->err, TH_ERR_FORMAT, "%s: value %zu has no path or text", c->name, i);
        const th_status status =
            check_bytes(c, start, end, text, path, is_attribute(c->schema, path));
        if (status)
            return status;
        if (!inside(json_array_get(records, (size_t)json_integer_value(json_array_get(value, 0))),
                    start, end))
            return th__fail(c->err, TH_ERR_FORMAT, "%s: %s at byte %llu lies outside its record",
                            c->name, path, (unsigned long long)start);
    }
    result->values += json_array_size(values);
    result->records += json_array_size(records);
    return TH_OK;
}

/* Labels have the shape of "data", with places instead of texts. */
static th_status check_labels(checker *c, const json_t *data, const json_t *labels,
                              const char *name)
{
    th_status status = TH_OK;
    if (json_is_string(data)) {
        const uint64_t start = (uint64_t)json_integer_value(json_object_get(labels, "start")),
                       end = (uint64_t)json_integer_value(json_object_get(labels, "end"));
        /* The name is not a path here; markup in an attribute's value is escaped, so both readings
         * agree. */
        return check_bytes(c, start, end, json_string_value(data), name, false);
    }
    if (json_typeof(data) != json_typeof(labels))
        return th__fail(c->err, TH_ERR_FORMAT,
                        "%s: the label of %s has another shape than the data", c->name, name);
    if (json_is_array(data)) {
        if (json_array_size(data) != json_array_size(labels))
            return th__fail(c->err, TH_ERR_FORMAT, "%s: %s has %zu values and %zu labels", c->name,
                            name, json_array_size(data), json_array_size(labels));
        for (size_t i = 0; i < json_array_size(data) && !status; i++) /* as deep as the schema */
            status = check_labels(c, json_array_get(data, i), json_array_get(labels, i), name);
    }
    const char *key;
    json_t *value;
    if (json_is_object(data))
        json_object_foreach((json_t *)(uintptr_t)data, key, value) if (!status) status =
            check_labels(c, value, json_object_get(labels, key), key);
    return status;
}

static th_status read_whole(const char *path, th__buf *to, th_error *err)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return th__fail(err, TH_ERR_IO, "cannot read %s: %s", path, strerror(errno));
    th__buf_clear(to);
    for (size_t got = 1; got;) {
        if (!th__buf_reserve(to, 1 << 20))
            break;
        got = fread(to->data + to->len, 1, 1 << 20, file);
        to->len += got;
    }
    const bool bad = ferror(file) || to->failed;
    fclose(file);
    return bad ? th__fail(err, TH_ERR_IO, "cannot read all of %s", path) : TH_OK;
}

static th_status check_line(checker *c, const char *folder, const char *truth_line,
                            const char *label_line, gen_check_result *result)
{
    json_error_t why;
    json_t *row = json_loads(truth_line, 0, &why), *labels = json_loads(label_line, 0, NULL);
    th_status status = TH_OK;
    th__buf path = {0};
    if (!row || !labels) {
        status =
            th__fail(c->err, TH_ERR_FORMAT,
                     "a line of %s/truth.jsonl or labels.jsonl is no JSON: %s", folder, why.text);
        goto out;
    }
    c->name = json_string_value(json_object_get(row, "page"));
    c->schema = json_object_get(row, "schema");
    if (!c->name || strcmp(c->name, json_string_value(json_object_get(labels, "page"))) != 0) {
        status = th__fail(c->err, TH_ERR_FORMAT,
                          "truth and labels of %s are not about the same pages", folder);
        goto out;
    }
    th__buf_printf(&path, "%s/%s", folder, c->name);
    status = read_whole(path.data, &c->page, c->err);
    if (!status)
        status = check_values(c, row, result);
    if (!status)
        status = check_labels(c, json_object_get(row, "data"), json_object_get(labels, "records"),
                              "records");
    if (!status && json_array_size(json_object_get(row, "records")) !=
                       json_array_size(json_object_get(row, "data")))
        status = th__fail(c->err, TH_ERR_FORMAT, "%s: records and data differ in number", c->name);
    result->pages++;
out:
    th__buf_release(&path);
    json_decref(row);
    json_decref(labels);
    return status;
}

th_status gen_check(const char *folder, gen_check_result *result, th_error *err)
{
    checker c = {.err = err, .name = ""};
    char *line = NULL, *label = NULL;
    size_t line_cap = 0, label_cap = 0;
    th__buf path = {0};
    *result = (gen_check_result){0};
    th__buf_printf(&path, "%s/truth.jsonl", folder);
    FILE *truth = fopen(path.data, "rb");
    th__buf_clear(&path);
    th__buf_printf(&path, "%s/labels.jsonl", folder);
    FILE *labels = fopen(path.data, "rb");
    th_status status = TH_OK;
    if (!truth || !labels)
        status = th__fail(err, TH_ERR_IO, "cannot read truth.jsonl and labels.jsonl in %s: %s",
                          folder, strerror(errno));
    while (!status && getline(&line, &line_cap, truth) > 0) {
        if (getline(&label, &label_cap, labels) <= 0)
            status = th__fail(err, TH_ERR_FORMAT,
                              "labels.jsonl in %s has fewer lines than truth.jsonl", folder);
        else
            status = check_line(&c, folder, line, label, result);
    }
    if (truth)
        fclose(truth);
    if (labels)
        fclose(labels);
    free(line);
    free(label);
    th__buf_release(&path);
    th__buf_release(&c.page);
    th__buf_release(&c.text);
    return status;
}
