/* export.c: the public functions: pages in, selectors or a program out. */
#include "export/export.h"

#include "base/error.h"
#include "base/mem.h"
#include "data/record.h"
#include "page/page.h"
#include "wrapper/wrapper.h"

struct th_export {
    const th_wrapper *wrapper;
    th_export_options options;
    th__arena arena;
    th__intern names;
    TH__VEC(th__x_page) pages;
    TH__VEC(th__x_record) records;
    TH__VEC(th__x_record) next; /* by page: its link to the next page as the only field */
    bool has_next;              /* a page has one where the wrapper's rule says */
    TH__VEC(th_str) urls;
    TH__VEC(th_refusal) refusals;
    th_str encoding;
    bool one_encoding;
};

void th_export_options_defaults(th_export_options *options, size_t size)
{
    th_export_options defaults = {.size = sizeof defaults};
    th__options_give(options, size, &defaults, sizeof defaults);
}

th_status th_export_new(const th_wrapper *wrapper, const th_export_options *options,
                        th_export **out, th_error *err)
{
    if (!THRESH_EXPORT)
        return th__fail(err, TH_ERR_ARGUMENT,
                        "this build of Thresh has no exports: it was built without libxml2");
    th_export *export = TH__NEW(th_export);
    if (!export)
        return th__fail_memory(err);
    export->wrapper = wrapper;
    export->one_encoding = true;
    th_export_options_init(&export->options);
    if (options)
        th__options_take(&export->options, sizeof export->options, options);
    th__arena_init(&export->arena);
    th__intern_init(&export->names);
    *out = export;
    return TH_OK;
}

void th_export_free(th_export *export)
{
    if (!export)
        return;
    th__vec_release(&export->pages);
    th__vec_release(&export->records);
    th__vec_release(&export->next);
    th__vec_release(&export->urls);
    th__vec_release(&export->refusals);
    th__intern_release(&export->names);
    th__arena_release(&export->arena);
    th__mem_free(export);
}

/* ---- taking in ------------------------------------------------------------------------------- */

static const th_type *record_type(const th_export *export)
{
    return th_schema_record_type(th_wrapper_schema(export->wrapper));
}

static bool is_one_per_page(const th_export *export)
{
    return th__type_strip(th_schema_root(th_wrapper_schema(export->wrapper)))->kind != TH_TYPE_LIST;
}

static bool take_value(th_export *export, const th_value *value, th__x_wanted *out)
{
    if (value->kind != TH_VALUE_TEXT)
        return true;
    th_str text = th__arena_copy(&export->arena, th__value_text(value));
    out->values[out->count++] = (th__x_value){text, value->span};
    return text.ptr;
}

static bool take_field(th_export *export, const th_value *value, th__x_wanted *out)
{
    uint32_t count = value->kind == TH_VALUE_LIST ? value->count : 1;
    bool ok = true;
    out->values = th__arena_zero(&export->arena, count + 1, sizeof *out->values);
    if (!out->values)
        return false;
    if (value->kind != TH_VALUE_LIST)
        return take_value(export, value, out);
    for (uint32_t i = 0; ok && i < count; i++)
        ok = take_value(export, th__value_item(value, i), out);
    return ok;
}

/* A record, or one without values if it is NULL. */
static bool take_record(th_export *export, const th_value *value)
{
    const th_type *type = record_type(export);
    th__x_record record = {.page = (uint32_t) export->pages.len};
    bool ok = true;
    record.fields = th__arena_zero(&export->arena, type->count + 1, sizeof *record.fields);
    if (!record.fields)
        return false;
    if (value) {
        record.span = value->span.end ? value->span : th__value_hull(value);
        for (uint32_t i = 0; ok && i < type->count && value->kind == TH_VALUE_TUPLE; i++)
            ok = take_field(export, th__value_item(value, i), &record.fields[i]);
    }
    return ok && th__vec_push(&export->records, record);
}

/* The element of each record: the one with its span, or the largest that holds all of it and
 * nothing of the records around it. */
static void find_roots(th_export *export, th__x_page *page)
{
    const th__x_tree *tree = &page->trees[0];
    for (uint32_t r = 0; r < page->count; r++) {
        th__x_record *record = &export->records.data[page->first + r];
        th_span span = record->span, none = {0};
        th_span last = r ? record[-1].span : none,
                next = r + 1 < page->count ? record[1].span : none;
        uint32_t node = (uint32_t)th__count_first(i, tree->count - 1,
                                                  tree->nodes[i + 1].span.start <= span.start);
        while (node &&
               (tree->nodes[node].tag == TH__X_TEXT || tree->nodes[node].span.end < span.end))
            node = tree->nodes[node].parent;
        bool exact = tree->nodes[node].span.start == span.start;
        while (node && !exact) {
            uint32_t up = tree->nodes[node].parent;
            if (!up || (r && tree->nodes[up].span.start < last.end) ||
                (next.end && tree->nodes[up].span.end > next.start))
                break;
            node = up;
        }
        record->roots[0] = node;
    }
}

/* The link to the next page, as the rule of the wrapper finds it. */
static th_status take_next(th_export *export, const th_page *page, th_error *err)
{
    th_next next = {0};
    th__x_record record = {.page = (uint32_t) export->pages.len};
    th_status status = th_next_find(page, export->wrapper, &next, err);
    record.fields = th__arena_zero(&export->arena, 1, sizeof *record.fields);
    th__x_value *value = th__arena_zero(&export->arena, 1, sizeof *value);
    if (!status && (!record.fields || !value))
        status = th__fail_memory(err);
    if (!status && next.by_rule && next.url.len && next.node &&
        th__attribute_span(page, page->nodes[next.node].token, TH_STR("href"), &value->span)) {
        value->text = th__arena_copy(&export->arena, (th_str){next.url.ptr, next.url.len});
        record.fields[0] = (th__x_wanted){value, 1};
        export->has_next = true;
        status = value->text.ptr ? TH_OK : th__fail_memory(err);
    }
    th_next_release(&next);
    if (!status && !th__vec_push(&export->next, record))
        status = th__fail_memory(err);
    return status;
}

static th_status fail_take(th_export *export, th_records *records, th_error *err)
{
    th_records_free(records);
    return th__fail_memory(err);
}

th_status th_export_add(th_export *export, const th_page *page, const th_records_source *source,
                        th_error *err)
{
    th_records *records = NULL;
    th_status status = take_next(export, page, err);
    if (!status)
        status = th_wrapper_extract(export->wrapper, page, source, &records, err);
    if (status)
        return status;
    bool one = is_one_per_page(export);
    th__x_page own = {.first = (uint32_t) export->records.len,
                      .count = one ? 1 : (uint32_t)th_records_count(records)};
    own.name = th__arena_copy(&export->arena, source ? source->page : TH_STR("page"));
    if (!own.name.ptr || !th__x_tree_of_page(&export->arena, &export->names, page, &own.trees[0]) ||
        !th__x_tree_of_libxml2(&export->arena, &export->names, page, &own.trees[1]))
        return fail_take(export, records, err);
    for (int i = 0; i < 2; i++)
        own.trees[i].base = th__arena_copy(&export->arena, own.trees[i].base);
    for (uint32_t r = 0; r < own.count; r++)
        if (!take_record(export, r < th_records_count(records) ? th_records_get(records, r) : NULL))
            return fail_take(export, records, err);
    if (!one)
        find_roots(export, &own);
    th_str encoding = th_str_from(page->encoding);
    export->one_encoding =
        export->one_encoding && (!export->pages.len || th__str_eq(encoding, export->encoding));
    export->encoding = th__arena_copy(&export->arena, encoding);
    th_str url = th__arena_copy(&export->arena, page->url);
    if (!th__vec_push(&export->pages, own) || (page->url.ptr && !th__vec_push(&export->urls, url)))
        return fail_take(export, records, err);
    th_records_free(records);
    return TH_OK;
}

/* ---- giving out ------------------------------------------------------------------------------ */

static bool add_refusal(th_export *export, th_str field, th_str reason)
{
    return th__vec_push(&export->refusals, (th_refusal){field, reason});
}

/* Records must be elements, each for itself. */
static th_str check_roots(const th_export *export)
{
    for (size_t p = 0; p < export->pages.len; p++) {
        const th__x_page *page = &export->pages.data[p];
        for (uint32_t r = 0; r < page->count; r++) {
            const th__x_record *record = &export->records.data[page->first + r];
            if (!record->roots[0] ||
                (r && page->trees[0].nodes[record[-1].roots[0]].end > record->roots[0]))
                return TH_STR("a record is not one element: it consists of several neighbouring "
                              "ones, or shares its element with another");
        }
    }
    return (th_str){0};
}

/* Finds the rules of a field, in CSS if that can be. */
static bool find_field(th__x_pages *pages, th_export_target target, const th_type *type,
                       uint32_t member, th__x_field *out)
{
    const th_type *child = th__type_strip(type->children[member]);
    th__x_field field = {.name = th_type_name(type->children[member]), .member = member};
    field.list = child->kind == TH_TYPE_LIST;
    if (field.list)
        child = th__type_strip(child->children[0]);
    *out = field;
    if (child->kind != TH_TYPE_FIELD) {
        out->refused = TH_STR("is not a text or a list of texts");
        return true;
    }
    bool only_xpath = target == TH_EXPORT_XPATH || target == TH_EXPORT_PYTHON;
    for (int round = 0; round < 2; round++) {
        bool css = round == only_xpath; /* XPath can say what CSS can */
        if (!css && target == TH_EXPORT_CSS)
            continue;
        *out = field;
        pages->css = css;
        out->css = css && !only_xpath;
        if (!th__x_find_field(pages, out))
            return false;
        if (!out->refused.ptr)
            break;
    }
    return true;
}

static th_status find_all(th_export *export, th_export_target target, th__x_export *x,
                          th_error *err)
{
    const th_type *type = record_type(export);
    th__x_pages pages = {.pages = export->pages.data,
                         .page_count = (uint32_t) export->pages.len,
                         .records = export->records.data,
                         .record_count = (uint32_t) export->records.len,
                         .names = &export->names,
                         .arena = &export->arena,
                         .css = true};
    x->places.page = is_one_per_page(export);
    x->places.css = target != TH_EXPORT_XPATH && target != TH_EXPORT_PYTHON;
    x->fields = th__arena_zero(&export->arena, type->count + 1, sizeof *x->fields);
    if (!x->fields)
        return th__fail_memory(err);
    if (th_wrapper_reads_data(export->wrapper))
        x->places.refused =
            TH_STR("they are in data of scripts and microdata, which selectors do not see");
    else if (type->kind != TH_TYPE_TUPLE)
        x->places.refused = TH_STR("they are not tuples of fields");
    else if (!x->places.page)
        x->places.refused = check_roots(export);
    if (!x->places.refused.ptr && !th__x_find_places(&pages, &x->places))
        return th__fail_memory(err);
    if (x->places.refused.ptr)
        return add_refusal(export, (th_str){0}, x->places.refused) ? TH_OK : th__fail_memory(err);
    for (uint32_t i = 0; i < type->count; i++) {
        th__x_field *field = &x->fields[x->field_count++];
        if (!find_field(&pages, target, type, i, field) ||
            (field->refused.ptr && !add_refusal(export, field->name, field->refused)))
            return th__fail_memory(err);
    }
    return TH_OK;
}

/* Rules for the link to the next page. */
static bool find_next(th_export *export, th__x_export *x)
{
    th__x_pages pages = {.pages = export->pages.data,
                         .page_count = (uint32_t) export->pages.len,
                         .records = export->next.data,
                         .record_count = (uint32_t) export->next.len,
                         .names = &export->names,
                         .arena = &export->arena};
    x->has_next = export->has_next;
    for (int css = 1; css >= 0; css--) {
        pages.css = css;
        x->next = (th__x_field){.name = TH_STR("next page"), .css = css};
        if (!th__x_find_field(&pages, &x->next))
            return false;
        if (!x->next.refused.ptr)
            break;
    }
    return true;
}

th_status th_export_write(th_export *export, th_export_target target, th_text *out, th_error *err)
{
    th__x_export x = {.names = &export->names,
                      .wrapper = th__arena_copy(&export->arena, th_str_from(export->options.name)),
                      .urls = export->urls.data,
                      .url_count = (uint32_t) export->urls.len};
    export->refusals.len = 0;
    if (export->one_encoding)
        x.encoding = export->encoding;
    if (!export->records.len)
        return th__fail(err, TH_ERR_ARGUMENT,
                        "an export is checked on pages, and the wrapper finds no records on those "
                        "that are given");
    th_status status = find_all(export, target, &x, err);
    if (!status && target == TH_EXPORT_SCRAPY && export->has_next && !find_next(export, &x))
        status = th__fail_memory(err);
    if (status)
        return status;
    bool none = export->refusals.len && (!x.field_count || export->refusals.len == x.field_count);
    if (export->refusals.len && (none || !export->options.partial)) {
        const th_refusal *first = &export->refusals.data[0];
        return th__fail(err, TH_ERR_FORMAT, "%s%.*s%s cannot be exported: %.*s",
                        first->field.ptr ? "field \"" : "the records", TH_STR_ARG(first->field),
                        first->field.ptr ? "\"" : "", TH_STR_ARG(first->reason));
    }
    th__buf buf = {.data = out->ptr, .cap = out->cap};
    bool ok = th__x_write(&x, target, &buf) && th__buf_add_byte(&buf, '\0');
    *out = (th_text){buf.data, ok ? buf.len - 1 : 0, buf.cap};
    return ok ? TH_OK : th__fail_memory(err);
}

size_t th_export_refused_count(const th_export *export)
{
    return export->refusals.len;
}

const th_refusal *th_export_refused(const th_export *export, size_t index)
{
    return index < export->refusals.len ? &export->refusals.data[index] : NULL;
}
