/* wrapper.c: the wrapper file (all but the rules, which their engine describes), and running a
 * wrapper on a page. */
#include "wrapper/wrapper.h"

#include <stdio.h>

#include "base/error.h"
#include "base/json_out.h"
#include "base/mem.h"
#include "data/record.h"
#include "page/data_page.h"
#include "wrapper/fields_adapt.h"

#define FORMAT_KEY "thresh_wrapper"

th_wrapper *th__wrapper_new(const th__engine *engine)
{
    th_wrapper *wrapper = TH__NEW(th_wrapper);
    if (wrapper) {
        th__arena_init(&wrapper->arena);
        wrapper->engine = engine;
        th_paper_options_init(&wrapper->paper);
        wrapper->version = 1;
    }
    return wrapper;
}

void th_wrapper_free(th_wrapper *wrapper)
{
    if (!wrapper)
        return;
    if (wrapper->select)
        th__select_release(wrapper->select);
    th_schema_free(wrapper->schema);
    th__arena_release(&wrapper->arena);
    th__mem_free(wrapper);
}

const char *th_wrapper_engine(const th_wrapper *wrapper)
{
    return wrapper->engine->name;
}

bool th_wrapper_reads_data(const th_wrapper *wrapper)
{
    return wrapper->data;
}

const th_schema *th_wrapper_schema(const th_wrapper *wrapper)
{
    return wrapper->select ? wrapper->select->schema : wrapper->schema;
}

#define DIGEST_START UINT64_C(0xCBF29CE484222325)

static inline uint64_t digest_byte(uint64_t hash, char byte)
{
    return (hash ^ (unsigned char)byte) * UINT64_C(0x100000001B3);
}

static uint64_t digest_from(uint64_t hash, th_str bytes, size_t from)
{
#pragma GCC unroll 8
    for (size_t i = from; i < bytes.len; i++)
        hash = digest_byte(hash, bytes.ptr[i]);
    return hash;
}

/* Each byte waits for the one before it: four texts side by side keep a processor busy. */
void th__wrapper_digests(const th_str *texts, size_t count, uint64_t *out)
{
    enum { LANES = 4 };
    size_t at = 0;
    for (; at + LANES <= count; at += LANES) {
        const th_str *t = &texts[at];
        uint64_t hash[LANES] = {DIGEST_START, DIGEST_START, DIGEST_START, DIGEST_START};
        size_t common = SIZE_MAX;
        for (int k = 0; k < LANES; k++)
            common = t[k].len < common ? t[k].len : common;
#pragma GCC unroll 4
        for (size_t i = 0; i < common; i++)
            for (int k = 0; k < LANES; k++)
                hash[k] = digest_byte(hash[k], t[k].ptr[i]);
        for (int k = 0; k < LANES; k++)
            out[at + k] = digest_from(hash[k], t[k], common);
    }
    for (; at < count; at++)
        out[at] = digest_from(DIGEST_START, texts[at], 0);
}

/* ---- the table: all but the schema and the rules --------------------------------------------- */

static const th__rule_member page_members[] = {
    {TH__TEXT("page", th__learnt_page, name), .flags = TH__NEEDED},
    {TH__HASH("digest", th__learnt_page, digest), .flags = TH__NEEDED},
    {TH__UINT("records", th__learnt_page, records, 0, UINT32_MAX), .flags = TH__ALWAYS},
};
static const th__rule_shape page_shape = TH__SHAPE(th__learnt_page, page_members);

/* The parameters that papers leave open, with ranges and defaults. A variance is a ratio of
 * lengths, so any bound is arbitrary; 100 is beyond all use. */
#define COUNT(name, from, to, default_)                                                            \
    {                                                                                              \
        TH__UINT(#name, th_paper_options, name, from, to), .none = default_                        \
    }
#define REAL(name, to, default_)                                                                   \
    {                                                                                              \
        TH__REAL(#name, th_paper_options, name, 0, to), .usual = default_                          \
    }
static const th__rule_member paper_members[] = {
    {TH__FLAG("paper", th_paper_options, published)},
    COUNT(combination, 1, 32, 10),
    REAL(threshold, 2, 0.3),
    {TH__FLAG("table_tags", th_paper_options, table_tags)},
    {TH__CHARS("encoding", th_paper_options, encoding)},
    COUNT(levels, 1, 3, 2),
    {TH__CHARS("lower_encoding", th_paper_options, lower_encoding)},
    COUNT(min_length, 1, 512, 3),
    COUNT(min_count, 2, 1e9, 5),
    REAL(max_variance, 100, 0.36),
    REAL(min_density, 1, 0.2),
    REAL(cluster_variance, 100, 0.1),
    REAL(max_mismatch, 1, 0.75),
    COUNT(size_threshold, 1, 1000, 3),
    REAL(support_threshold, 1, 0.25),
};
static const th__rule_shape paper_shape = TH__SHAPE(th_paper_options, paper_members);

void th_paper_options_init(th_paper_options *options)
{
    *options = (th_paper_options){0};
    for (size_t i = 0; i < paper_shape.count; i++) {
        const th__rule_member *member = &paper_members[i];
        char *at = (char *)options + member->at;
        if (member->type == TH__RULE_UINT)
            *(uint32_t *)at = (uint32_t)member->none;
        else if (member->type == TH__RULE_REAL)
            *(double *)at = member->usual;
    }
}

th_status th__paper_options_check(const th_paper_options *options, th_error *err)
{
    for (size_t i = 0; i < paper_shape.count; i++) {
        const th__rule_member *member = &paper_members[i];
        const char *at = (const char *)options + member->at;
        double value = member->least;
        if (member->type == TH__RULE_UINT)
            value = *(const uint32_t *)at;
        else if (member->type == TH__RULE_REAL)
            value = *(const double *)at;
        if (!(value >= member->least && value <= member->most))
            return th__fail(err, TH_ERR_ARGUMENT, "%s is %g; give a number from %g to %.10g",
                            member->key, value, member->least, member->most);
    }
    return TH_OK;
}

static const th__rule_member options_members[] = {
    {TH__UINT("pick", th_wrapper, pick, 0, UINT32_MAX), .none = 1, .flags = TH__ALWAYS},
    {TH__INLINE(th_wrapper, paper, paper_shape)},
};
static const th__rule_shape options_shape = TH__SHAPE(th_wrapper, options_members);

static const th__rule_member provenance_members[] = {
    {TH__TEXT("date", th_wrapper, date), .flags = TH__EMPTY},
    {TH__GROUP("options", options_shape), .flags = TH__ALWAYS},
    {TH__LIST("pages", th_wrapper, pages, page_count, page_shape, 0, TH__WRAPPER_MAX_PAGES),
     .flags = TH__NEEDED},
};
static const th__rule_shape provenance_shape = TH__SHAPE(th_wrapper, provenance_members);

static const th__rule_member change_members[] = {
    {TH__UINT("version", th__history, version, 0, UINT32_MAX), .flags = TH__NEEDED},
    {TH__TEXT("date", th__history, date), .flags = TH__EMPTY},
    {TH__LIST("changes", th__history, changes, count, th__texts_shape, 0, TH__PROFILE_MAX_FIELDS),
     .flags = TH__NEEDED},
};
static const th__rule_shape change_shape = TH__SHAPE(th__history, change_members);

static const th__rule_member next_members[] = {
    {TH__TEXT("path", th__next_rule, path), .flags = TH__NEEDED},
    {TH__TEXT("text", th__next_rule, text)},
    {TH__FLAG("rel", th__next_rule, rel)},
    {TH__FLAG("number", th__next_rule, number)},
    {TH__UINT("found", th__next_rule, found, 0, UINT32_MAX), .flags = TH__ALWAYS},
    {TH__UINT("pages", th__next_rule, pages, 0, UINT32_MAX), .flags = TH__ALWAYS},
};
static const th__rule_shape next_shape = TH__SHAPE(th__next_rule, next_members);

/* The input of the rules. */
static const char *const readings[] = {"page", "data", NULL};

static const th__rule_member wrapper_members[] = {
    {TH__WORD("reads", th_wrapper, data, readings)},
    {TH__POINTER("select", th_wrapper, select, th__select_shape)},
    {TH__POINTER("next", th_wrapper, next, next_shape)},
    {TH__GROUP("provenance", provenance_shape), .flags = TH__ALWAYS},
    {TH__POINTER("profile", th_wrapper, profile, th__profile_shape)},
    {TH__UINT("version", th_wrapper, version, 0, UINT32_MAX), .none = 1, .flags = TH__ALWAYS},
    {TH__LIST("history", th_wrapper, history, history_count, change_shape, 0,
              TH__WRAPPER_MAX_HISTORY),
     .flags = TH__ALWAYS},
};
static const th__rule_shape wrapper_shape = TH__SHAPE(th_wrapper, wrapper_members);

/* ---- writing --------------------------------------------------------------------------------- */

th_status th_wrapper_write(const th_wrapper *wrapper, th_text *out, th_error *err)
{
    th__buf buf = {0}, pretty = {.data = out->ptr, .cap = out->cap};
    th__json json = {.buf = &buf};
    th__json_begin_object(&json);
    th__json_key(&json, TH_STR(FORMAT_KEY));
    th__json_uint(&json, TH__WRAPPER_VERSION);
    th__json_key(&json, TH_STR("engine"));
    th__json_str(&json, th_str_from(wrapper->engine->name));
    th__json_key(&json, TH_STR("schema"));
    th__schema_write(wrapper->schema, &json);
    th__json_key(&json, TH_STR("rules"));
    th__rule_table_write(wrapper->engine->shape, wrapper->rules, &json);
    th__rule_write_members(&wrapper_shape, wrapper, wrapper, &json);
    th__json_end_object(&json);
    if (buf.failed)
        pretty.failed = true;
    else
        th__json_pretty(th__buf_str(&buf), &pretty);
    th__buf_release(&buf);
    return th__buf_give(&pretty, out, err);
}

/* ---- in words -------------------------------------------------------------------------------- */

static void explain_pages(const th_wrapper *wrapper, th__buf *out)
{
    enum { SHOWN = 20 };
    th__buf_printf(out, "learnt%s%.*s from\n", wrapper->date.ptr ? " on " : "",
                   TH_STR_ARG(wrapper->date));
    for (uint32_t i = 0; i < wrapper->page_count && i < SHOWN; i++) {
        const th__learnt_page *page = &wrapper->pages[i];
        th__buf_printf(out, "  %.*s, %llu record%s\n", TH_STR_ARG(page->name),
                       (unsigned long long)page->records, page->records == 1 ? "" : "s");
    }
    if (wrapper->page_count > SHOWN)
        th__buf_printf(out, "  and %u more pages\n", wrapper->page_count - SHOWN);
}

/* Describes the source of a field's or a part's values. */
static void explain_source(const th__select_field *field, th__buf *out)
{
    for (uint32_t j = 0; j < field->from_count; j++)
        th__buf_printf(out, "%s%.*s",
                       !j            ? ""
                       : field->join ? " and "
                                     : ", ",
                       TH_STR_ARG(field->from[j]));
    if (field->rest)
        th__buf_printf(out, "all that no other field takes");
    if (field->cut.after.len)
        th__buf_printf(out, ", after %s\"%.*s\"", field->cut.last ? "the last " : "",
                       TH_STR_ARG(field->cut.after));
    if (field->cut.before.len)
        th__buf_printf(out, ", up to \"%.*s\"", TH_STR_ARG(field->cut.before));
    if (field->begins.len)
        th__buf_printf(out, ", the item that begins with \"%.*s\"", TH_STR_ARG(field->begins));
    if (field->item)
        th__buf_printf(out, ", item %u%s", field->item, field->from_end ? " from the end" : "");
}

static void explain_select(const th__select *select, th__buf *out)
{
    th__buf_printf(out, "given\n");
    for (uint32_t i = 0; i < select->count; i++) {
        const th__select_field *field = &select->fields[i];
        th__buf_printf(out, "  %.*s  ", TH_STR_ARG(field->name));
        explain_source(field, out);
        for (uint32_t p = 0; p < field->part_count; p++) {
            th__buf_printf(out, "%s", p || field->from_count ? "; and " : "");
            explain_source(&field->parts[p], out);
        }
        if (field->between.ptr)
            th__buf_printf(out, ", with \"%.*s\" between them", TH_STR_ARG(field->between));
        if (field->type)
            th__buf_printf(out, ", as a %s", th__select_types[field->type]);
        th__buf_add_byte(out, '\n');
    }
}

static void explain_next(const th__next_rule *next, th__buf *out)
{
    th__buf_printf(out, "next page\n  %s %.*s",
                   next->number ? "number after the current one at" : "link at",
                   TH_STR_ARG(next->path));
    if (next->text.ptr)
        th__buf_printf(out, " with the text \"%.*s\"", TH_STR_ARG(next->text));
    th__buf_printf(out, "%s, on %u of %u page%s\n", next->rel ? " with rel=next" : "", next->found,
                   next->pages, next->pages == 1 ? "" : "s");
}

static void explain_history(const th_wrapper *wrapper, th__buf *out)
{
    for (uint32_t i = 0; i < wrapper->history_count; i++) {
        const th__history *entry = &wrapper->history[i];
        th__buf_printf(out, "version %llu%s%.*s\n", (unsigned long long)entry->version,
                       entry->date.ptr ? " of " : "", TH_STR_ARG(entry->date));
        for (uint32_t j = 0; j < entry->count; j++)
            th__buf_printf(out, "  %.*s\n", TH_STR_ARG(entry->changes[j]));
    }
}

bool th_wrapper_has_profile(const th_wrapper *wrapper)
{
    return wrapper->profile != NULL;
}

size_t th_wrapper_page_count(const th_wrapper *wrapper)
{
    return wrapper->page_count;
}

th_str th_wrapper_page_name(const th_wrapper *wrapper, size_t index)
{
    return index < wrapper->page_count ? wrapper->pages[index].name : (th_str){0};
}

bool th_wrapper_knows_page(const th_wrapper *wrapper, const th_page *page)
{
    uint64_t digest = digest_from(DIGEST_START, th_page_text(page), 0);
    for (uint32_t i = 0; i < wrapper->page_count; i++)
        if (wrapper->pages[i].digest == digest)
            return true;
    return false;
}

uint32_t th_wrapper_version(const th_wrapper *wrapper)
{
    return wrapper->version;
}

th_status th_wrapper_explain(const th_wrapper *wrapper, th_text *out, th_error *err)
{
    th__buf buf = {.data = out->ptr, .cap = out->cap};
    th_text schema = {0};
    th_status status = th_schema_print(th_wrapper_schema(wrapper), true, &schema, err);
    if (status)
        return status;
    th__buf_printf(&buf, "wrapper of engine %s%s\nschema\n  ", wrapper->engine->name,
                   wrapper->data ? " for the data that pages carry in scripts and microdata" : "");
    th__buf_add(&buf, schema.ptr, schema.len);
    th__buf_add_byte(&buf, '\n');
    wrapper->engine->explain(wrapper->rules, &buf);
    if (wrapper->select)
        explain_select(wrapper->select, &buf);
    if (wrapper->next)
        explain_next(wrapper->next, &buf);
    if (wrapper->page_count)
        explain_pages(wrapper, &buf);
    explain_history(wrapper, &buf);
    th_text_release(&schema);
    return th__buf_give(&buf, out, err);
}

th_status th_wrapper_graph(const th_wrapper *wrapper, th_text *out, th_error *err)
{
    th__buf buf = {.data = out->ptr, .cap = out->cap};
    if (!wrapper->engine->graph)
        return th__fail(err, TH_ERR_ARGUMENT,
                        "a wrapper of engine %s has no graph: only softmealy's have",
                        wrapper->engine->name);
    wrapper->engine->graph(wrapper->rules, &buf);
    return th__buf_give(&buf, out, err);
}

th_status th_wrapper_template(const th_wrapper *wrapper, const th_records *const *pages,
                              size_t count, th_text *out, th_error *err)
{
    if (!wrapper->engine->show_template)
        return th__fail(err, TH_ERR_ARGUMENT,
                        "is a wrapper of engine %s, which has no template: `thresh show` without "
                        "--template shows its rules",
                        wrapper->engine->name);
    th__buf buf = {.data = out->ptr, .cap = out->cap};
    th_text schema = {0};
    th_status status = th_schema_print(wrapper->schema, false, &schema, err);
    if (status)
        return status;
    th__buf_add(&buf, schema.ptr, schema.len);
    th__buf_add_byte(&buf, '\n');
    wrapper->engine->show_template(wrapper->rules, pages, count, &buf);
    th_text_release(&schema);
    return th__buf_give(&buf, out, err);
}

/* ---- reading --------------------------------------------------------------------------------- */

bool th_wrapper_is(th_str bytes)
{
    enum { LOOKED_AT = 4096 };
    if (th__str_starts(bytes, TH_STR("\xEF\xBB\xBF")))
        bytes = (th_str){bytes.ptr + 3, bytes.len - 3};
    bytes.len = bytes.len < LOOKED_AT ? bytes.len : LOOKED_AT;
    bytes = th__str_trim(bytes);
    return bytes.len && bytes.ptr[0] == '{' &&
           th__str_find(bytes, TH_STR("\"" FORMAT_KEY "\"")) != SIZE_MAX;
}

static th_status read_version(th__rule_reader *reader, json_t *root)
{
    json_t *version = json_object_get(root, FORMAT_KEY);
    if (!version)
        return th__fail(reader->err, TH_ERR_FORMAT,
                        "%.200s: is not a wrapper: it has no \"" FORMAT_KEY
                        "\"; `thresh learn` makes one",
                        reader->file);
    size_t mark = th__rule_enter(reader, FORMAT_KEY);
    th_status status = TH_OK;
    if (!json_is_integer(version) || json_integer_value(version) < 1)
        status = th__rule_fault(reader, "must be the version of the format, a whole number from 1");
    else if (json_integer_value(version) > TH__WRAPPER_VERSION)
        status = th__rule_fault(reader,
                                "the wrapper has format version %lld, and this is thresh %s, which "
                                "reads up to %d: use a newer thresh, or learn it again",
                                (long long)json_integer_value(version), th_version(),
                                TH__WRAPPER_VERSION);
    th__rule_leave(reader, mark);
    return status;
}

static th_status read_engine(th__rule_reader *reader, json_t *root,
                             const th__engine *const *engines, const th__engine **out)
{
    const char *name = json_string_value(json_object_get(root, "engine"));
    json_t *rules = json_object_get(root, "rules");
    char known[200] = "";
    for (size_t i = 0; name && engines[i]; i++)
        if (engines[i]->former_name && !strcmp(name, engines[i]->former_name) &&
            json_object_get(rules, engines[i]->former_member))
            name = engines[i]->name;
    for (; *engines; engines++) {
        if (name && th__engine_is(*engines, name)) {
            *out = *engines;
            return TH_OK;
        }
        size_t len = strlen(known);
        snprintf(known + len, sizeof known - len, "%s%s", len ? ", " : "", (*engines)->name);
    }
    size_t mark = th__rule_enter(reader, "engine");
    th_status status = name ? th__rule_fault(reader,
                                             "unknown engine \"%.100s\" (thresh %s has %s): use "
                                             "the thresh that made the wrapper, or learn it again",
                                             name, th_version(), known)
                            : th__rule_fault(reader, "must be the name of an engine: %s", known);
    th__rule_leave(reader, mark);
    return status;
}

/* An error in the schema says "schema at PATH"; the name of the file is put before it. */
static th_status read_schema(th__rule_reader *reader, json_t *root, th_wrapper *wrapper)
{
    th_error err;
    json_t *json = json_object_get(root, "schema");
    if (!json)
        return th__fail(reader->err, TH_ERR_FORMAT, "%.200s: schema: is missing: an object",
                        reader->file);
    th_status status = th__schema_read(json, "schema", &wrapper->schema, &err);
    if (status == TH_ERR_MEMORY)
        return th__fail_memory(reader->err);
    return status ? th__fail(reader->err, status, "%.200s: %.700s", reader->file, err.message)
                  : TH_OK;
}

/* Returns true if the profile is of the fields that the wrapper gives. One whose selection was
 * changed by hand or in the workbench may have the profile of other fields. */
static bool fits_profile(const th_wrapper *wrapper)
{
    const th_type *tuple = th__type_strip(th_schema_record_type(th_wrapper_schema(wrapper)));
    const th__profile *profile = wrapper->profile;
    uint32_t at = 0;
    for (uint32_t i = 0; i < tuple->count; i++) {
        th_str name = th_type_name(tuple->children[i]);
        if (at >= profile->count || !th__str_starts(profile->fields[at].path, name) ||
            (profile->fields[at].path.len > name.len &&
             !strchr("[.", profile->fields[at].path.ptr[name.len])))
            return false;
        at += th__type_leaves(tuple->children[i]);
    }
    return at == profile->count;
}

static th_status read_root(th__rule_reader *reader, json_t *root, const th__engine *const *engines,
                           th_wrapper **out)
{
    const th__engine *engine = NULL;
    json_t *rules;
    if (!json_is_object(root))
        return th__fail(reader->err, TH_ERR_FORMAT,
                        "%.200s: is not a wrapper: it must be an object", reader->file);
    th_status status = read_version(reader, root);
    if (!status)
        status = read_engine(reader, root, engines, &engine);
    if (status)
        return status;
    th_wrapper *wrapper = th__wrapper_new(engine);
    if (!wrapper)
        return th__fail_memory(reader->err);
    status = read_schema(reader, root, wrapper);
    if (!status)
        status = th__rule_object(reader, root, "rules", true, &rules);
    if (!status) {
        size_t mark = th__rule_enter(reader, "rules");
        reader->schema = wrapper->schema;
        reader->arena = &wrapper->arena;
        status = engine->read ? engine->read(reader, rules, &wrapper->rules)
                              : th__rule_table_read(reader, rules, engine->shape, &wrapper->rules);
        th__rule_leave(reader, mark);
    }
    if (!status)
        status = th__rule_table_fill(reader, root, &wrapper_shape, wrapper);
    if (!status && wrapper->select && wrapper->profile && !fits_profile(wrapper))
        wrapper->profile = NULL;
    if (status)
        th_wrapper_free(wrapper);
    else
        *out = wrapper;
    return status;
}

th_status th__wrapper_read(th_str bytes, const char *name, const th__engine *const *engines,
                           th_wrapper **out, th_error *err)
{
    th__rule_reader reader = {.file = name ? name : "wrapper", .err = err};
    json_error_t error;
    *out = NULL;
    if (bytes.len > TH__WRAPPER_MAX_BYTES)
        return th__fail(err, TH_ERR_LIMIT, "%.200s: has %zu bytes; a wrapper can have at most %d",
                        reader.file, bytes.len, TH__WRAPPER_MAX_BYTES);
    if (th__str_starts(bytes, TH_STR("\xEF\xBB\xBF")))
        bytes = (th_str){bytes.ptr + 3, bytes.len - 3};
    json_t *root = json_loadb(bytes.ptr ? bytes.ptr : "", bytes.len,
                              JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &error);
    if (!root && json_error_code(&error) == json_error_out_of_memory)
        return th__fail_memory(err);
    if (!root)
        return th__fail_at(err, TH_ERR_FORMAT, (uint64_t)error.position,
                           "%.200s: is not valid JSON: line %d, column %d: %s", reader.file,
                           error.line, error.column, error.text);
    th_status status = read_root(&reader, root, engines, out);
    if (status) {
        th_wrapper_free(*out);
        *out = NULL;
    }
    json_decref(root);
    return status;
}

/* ---- running --------------------------------------------------------------------------------- */

static th_status extract_from(const th_wrapper *wrapper, const th__profile *profile,
                              const th_page *page, const th_records_source *source,
                              th_records **out, th_error *err)
{
    th_records_source none = {0};
    const th__known_fields known = {profile, wrapper->select};
    const th__engine *engine = wrapper->engine;
    *out = NULL;
    source = source ? source : &none;
    th_status status =
        engine->run_known && profile
            ? engine->run_known(wrapper->rules, &known, wrapper->schema, page, source, out, err)
            : engine->run(wrapper->rules, wrapper->schema, page, source, out, err);
    if (status || !wrapper->select)
        return status;
    th_records *all = *out;
    *out = NULL;
    status = th__select_run(wrapper->select, all, page, out, err);
    th_records_free(all);
    return status;
}

bool th__wrapper_is_for_data_of(const th_wrapper *wrapper, const th_page *page)
{
    return wrapper->data && !th__page_is_data(page);
}

static th_status extract(const th_wrapper *wrapper, const th__profile *profile, const th_page *page,
                         const th_records_source *source, th_records **out, th_error *err)
{
    th_page *data = NULL;
    *out = NULL;
    if (!th__wrapper_is_for_data_of(wrapper, page))
        return extract_from(wrapper, profile, page, source, out, err);
    th_status status = th__data_page_of(page, &data, err);
    if (!status)
        status = extract_from(wrapper, profile, data, source, out, err);
    if (!status)
        th__records_move(*out, data);
    th_page_free(data);
    return status;
}

th_status th_wrapper_extract(const th_wrapper *wrapper, const th_page *page,
                             const th_records_source *source, th_records **out, th_error *err)
{
    return extract(wrapper, wrapper->profile, page, source, out, err);
}

th_status th__wrapper_extract_by_rules(const th_wrapper *wrapper, const th_page *page,
                                       const th_records_source *source, th_records **out,
                                       th_error *err)
{
    return extract(wrapper, NULL, page, source, out, err);
}
