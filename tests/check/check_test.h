/* check_test.h: records made by hand, profiles and verdicts of them. */
#ifndef TH_CHECK_TEST_H
#define TH_CHECK_TEST_H

#include "test.h"

#include "check/verdict.h"

/* A schema of one record a page or many: <title, price, {tag}, link>. */
static inline th_schema *book_schema(bool many)
{
    th_schema *schema;
    if (th_schema_new(&schema, NULL))
        return NULL;
    th_type *members[] = {
        th_schema_field(schema, th_str_from("title"), TH_NOTE_TEXT),
        th_schema_optional(schema, th_schema_field(schema, th_str_from("price"), TH_NOTE_PRICE)),
        th_schema_list(schema, th_str_from("tags"),
                       th_schema_field(schema, th_str_from(""), TH_NOTE_TEXT)),
        th_schema_field(schema, th_str_from("link"), TH_NOTE_URL)};
    th_type *root = th_schema_tuple(schema, th_str_from(""), members, 4);
    if (many)
        root = th_schema_list(schema, th_str_from(""), root);
    if (th_schema_finish(schema, root, NULL)) {
        th_schema_free(schema);
        return NULL;
    }
    return schema;
}

/* What a page of records is like: NULL formats are missing values; %d is the number of the record.
 */
typedef struct page_form {
    const char *title, *price, *tag, *link;
    int records, tags;
    uint8_t agreement; /* of all texts; 0: not told */
} page_form;

static inline bool tally_page(th__tally *tally, const th_schema *schema, page_form form, int page)
{
    th_records *records;
    if (th_records_new(schema, NULL, &records, NULL))
        return false;
    for (int i = 0; i < form.records; i++) {
        const char *const formats[] = {form.title, form.price, form.tag, form.link};
        th_value *tuple = th_records_add(records);
        for (size_t f = 0; f < 4; f++)
            for (int k = 0; formats[f] && k < (f == 2 ? form.tags : 1); k++) {
                char text[200];
                th_value *slot = th_value_slot(tuple, f);
                if (f == 2)
                    slot = th_records_append(records, slot);
                snprintf(text, sizeof text, formats[f], page * 1000 + i);
                th_records_set_text(records, slot, th_str_from(text), (th_span){1, 2});
                if (slot)
                    slot->agreement = form.agreement;
            }
    }
    bool ok = !th_records_status(records, NULL) && th__tally_add(tally, NULL, records);
    th_records_free(records);
    return ok;
}

/* Light, as verification has it, when there is a profile to hold it against. */
static inline bool tally_pages_light(th__tally *tally, const th_schema *schema, page_form form,
                                     int pages, const th__profile *profile)
{
    bool ok = th__tally_init(tally, schema);
    if (ok && profile)
        th__tally_lighten(tally, profile);
    for (int i = 0; ok && i < pages; i++)
        ok = tally_page(tally, schema, form, i + 1);
    return ok;
}

static inline bool tally_pages(th__tally *tally, const th_schema *schema, page_form form, int pages)
{
    return tally_pages_light(tally, schema, form, pages, NULL);
}

#endif
