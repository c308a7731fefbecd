/* one_template.c: samples, floors, values beside a template; see one_template.h. */
#include "engine/one_template.h"

#include <stdlib.h>

#include "base/cancel.h"
#include "base/error.h"
#include "base/mem.h"
#include "data/record.h"

/* ---- learning -------------------------------------------------------------------------------- */

static int by_value(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return left < right ? -1 : left > right;
}

static bool median(const double *values, uint32_t count, double *out)
{
    double *sorted = TH__NEW_ARRAY(double, count);
    if (!sorted)
        return false;
    memcpy(sorted, values, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, by_value);
    *out = sorted[count / 2];
    th__mem_free(sorted);
    return true;
}

/* Leaves out pages of which less than this part of what is explained of the middle page is
 * explained. Pages of one template vary by optional parts, which is far less. */
#define OUTLIER 0.5

static th_status leave_out(th__page_sample *s, const th__corpus *corpus, double middle, bool *any,
                           th_error *err)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        if (s->explained[i] >= OUTLIER * middle) {
            s->pages[kept++] = s->pages[i];
            continue;
        }
        *any = true;
        corpus->pages[i].left_out = true;
        if (!th__notes_add(corpus->notes,
                           "%.*s: left out: the template of the other pages explains %.0f%% of it, "
                           "and %.0f%% of each other",
                           TH_STR_ARG(corpus->pages[i].source.page), 100 * s->explained[i],
                           100 * middle))
            return th__fail_memory(err);
    }
    s->count = kept;
    return TH_OK;
}

static th_status no_template(const char *engine, size_t pages, th_error *err)
{
    return th__fail(err, TH_ERR_ARGUMENT,
                    "the %zu pages have almost nothing in common: engine %s needs pages of one "
                    "kind from one site",
                    pages, engine);
}

static th_status check_fields(const th__page_sample *s, th_error *err)
{
    return s->fields ? TH_OK
                     : th__fail(err, TH_ERR_ARGUMENT,
                                "the %u pages have the same text: there is no data to separate "
                                "from the template",
                                s->count);
}

static th_status learn_pages(const char *engine, th__page_sample *s, th__sample_learn learn,
                             bool published, const th__corpus *corpus, th_schema **schema,
                             th_error *err)
{
    /* What any two pages share: a title, a word in the footer. */
    const double nothing = 0.1;
    bool left = false;
    double middle = 0;
    th_status status = learn(s, schema, err);
    if (!status && !median(s->explained, s->count, &middle))
        status = th__fail_memory(err);
    if (!status)
        status = middle < nothing ? no_template(engine, s->count, err) : check_fields(s, err);
    if (!status && !published)
        status = leave_out(s, corpus, middle, &left, err);
    if (status || !left)
        return status;
    if (s->count < 2)
        return no_template(engine, corpus->count, err);
    th_schema_free(*schema);
    *schema = NULL;
    status = learn(s, schema, err);
    return status ? status : check_fields(s, err);
}

th_status th__one_template_learn(const char *engine, th__sample_learn learn,
                                 const th_learn_options *options, const th__corpus *corpus,
                                 void *rules, th__arena *arena, double *floor, th_schema **schema,
                                 th_error *err)
{
    /* Less than this part of what is explained of the worst page learnt from: another template.
     * Unseen pages have optional parts that the sample did not show; pages of other sites come out
     * near 0. */
    const double lowest = 0.4;
    if (corpus->count < 2)
        return th__fail(err, TH_ERR_ARGUMENT,
                        "engine %s compares pages and needs two or more of one template; for a "
                        "single page use engine auto, mdr or iepad",
                        engine);
    th__page_sample s = {.count = (uint32_t)corpus->count,
                         .support = options->paper.support_threshold,
                         .corpus = corpus,
                         .trace = options->trace,
                         .cancel = corpus->cancel,
                         .arena = arena,
                         .rules = rules};
    s.pages = th__mem_zero(corpus->count, sizeof *s.pages);
    s.explained = th__mem_zero(corpus->count, sizeof *s.explained);
    th_status status = s.pages && s.explained ? TH_OK : th__fail_memory(err);
    for (size_t i = 0; !status && i < corpus->count; i++)
        s.pages[i] = corpus->pages[i].page;
    if (!status)
        status = learn_pages(engine, &s, learn, options->paper.published, corpus, schema, err);
    double least = 1;
    for (uint32_t i = 0; !status && i < s.count; i++)
        least = s.explained[i] < least ? s.explained[i] : least;
    *floor = lowest * least;
    for (size_t i = 0; !status && i < corpus->count; i++)
        corpus->pages[i].learnt = !corpus->pages[i].left_out;
    th__mem_free(s.pages);
    th__mem_free(s.explained);
    return status;
}

/* ---- values beside a template ---------------------------------------------------------------- */

enum { LONGEST = 30, ITEMS = 3 }; /* bytes of a text, items of a set */

static void show_text(th_str text, bool *any, th__buf *out)
{
    size_t len = text.len < LONGEST ? text.len : LONGEST;
    while (len < text.len && len && ((unsigned char)text.ptr[len] & 0xC0) == 0x80)
        len--; /* not inside of a character */
    th__buf_add_str(out, *any ? TH_STR(", ") : TH_STR(""));
    th__buf_add(out, text.ptr, len);
    th__buf_add_str(out, len < text.len ? TH_STR("…") : TH_STR(""));
    *any = true;
}

static void show_value(const th_value *value, const uint32_t *way, size_t depth, bool *any,
                       th__buf *out);

/* The first items that have a text there, and how many more have one. */
static void show_items(const th_value *list, const uint32_t *way, size_t depth, bool *any,
                       th__buf *out)
{
    size_t shown = 0, more = 0;
    for (size_t i = 0; i < th_value_count(list); i++) {
        bool found = *any;
        size_t len = out->len;
        show_value(th_value_item(list, i), way, depth, &found, out);
        bool text = out->len > len;
        if (shown == ITEMS) {
            out->len = len;
            more += text;
            continue;
        }
        shown += text;
        *any = found;
    }
    if (more)
        th__buf_printf(out, ", %zu more", more);
}

/* Depth is that of the schema. */
static void show_value(const th_value *value, const uint32_t *way, size_t depth, bool *any,
                       th__buf *out)
{
    if (!value)
        return;
    switch (th_value_get_kind(value)) {
    case TH_VALUE_NULL:
        return;
    case TH_VALUE_TEXT:
        show_text(th_value_text(value), any, out);
        return;
    case TH_VALUE_LIST:
        show_items(value, way, depth, any, out);
        return;
    case TH_VALUE_TUPLE:
        if (depth)
            show_value(th_value_item(value, way[0]), way + 1, depth - 1, any, out);
        return;
    case TH_VALUE_CHOICE:
        if (depth && th_value_which(value) == way[0])
            show_value(th_value_item(value, 0), way + 1, depth - 1, any, out);
        return;
    }
}

void th__show_values(const th_records *const *pages, size_t count, const uint32_t *way,
                     size_t depth, th__buf *out)
{
    for (size_t i = 0; i < count; i++) {
        bool any = false;
        th__buf_add_str(out, i ? TH_STR(" | ") : TH_STR(" = "));
        show_value(th_records_get(pages[i], 0), way, depth, &any, out);
        if (!any)
            th__buf_add_byte(out, '-');
    }
}
