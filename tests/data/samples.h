/*
 * samples.h: records that the data tests share.
 *
 *     books: {<title, (price)?, maker:<name, town>, {author}, files:{<url, size>},
 * in_stock|sold_out>}
 */
#ifndef TH_SAMPLES_H
#define TH_SAMPLES_H

#include "test.h"

#include "base/str.h"

#define NAME(text) th_str_from(text)

static inline th_schema *sample_schema(th_error *err)
{
    th_schema *s = NULL;
    if (th_schema_new(&s, err))
        return NULL;
    th_type *maker[] = {th_schema_field(s, NAME("name"), TH_NOTE_TEXT),
                        th_schema_field(s, NAME("town"), TH_NOTE_TEXT)};
    th_type *file[] = {th_schema_field(s, NAME("url"), TH_NOTE_URL),
                       th_schema_optional(s, th_schema_field(s, NAME("size"), TH_NOTE_NUMBER))};
    th_type *stock[] = {th_schema_field(s, NAME("in_stock"), TH_NOTE_NUMBER),
                        th_schema_field(s, NAME("sold_out"), TH_NOTE_DATE)};
    th_type *book[] = {
        th_schema_field(s, NAME("title"), TH_NOTE_TEXT),
        th_schema_optional(s, th_schema_field(s, NAME("price"), TH_NOTE_PRICE)),
        th_schema_tuple(s, NAME("maker"), maker, 2),
        th_schema_list(s, NAME(NULL), th_schema_field(s, NAME("author"), TH_NOTE_TEXT)),
        th_schema_list(s, NAME("files"), th_schema_tuple(s, NAME(NULL), file, 2)),
        th_schema_choice(s, NAME(NULL), stock, 2),
    };
    th_type *root = th_schema_list(s, NAME("books"), th_schema_tuple(s, NAME(NULL), book, 6));
    if (th_schema_finish(s, root, err)) {
        th_schema_free(s);
        return NULL;
    }
    return s;
}

static inline void sample_text(th_records *r, th_value *slot, const char *text, uint32_t at)
{
    if (text)
        th_records_set_text(r, slot, th_str_from(text), (th_span){at, at + (uint32_t)strlen(text)});
}

/* One book of each kind: everything there; quotes, newlines, CJK and emoji; almost nothing there.
 */
static inline th_records *sample_records(const th_schema *schema, const char *page, th_error *err)
{
    th_records *r = NULL;
    if (th_records_new(schema, &(th_records_source){.page = th_str_from(page)}, &r, err))
        return NULL;
    th_value *b = th_records_add(r);
    sample_text(r, th_value_slot(b, 0), "Snow Country", 10);
    sample_text(r, th_value_slot(b, 1), "$9.50", 30);
    th_value *maker = th_records_set_tuple(r, th_value_slot(b, 2));
    sample_text(r, th_value_slot(maker, 0), "Knopf", 40);
    sample_text(r, th_value_slot(maker, 1), "New York", 50);
    sample_text(r, th_records_append(r, th_value_slot(b, 3)), "Kawabata", 60);
    sample_text(r, th_records_append(r, th_value_slot(b, 3)), "Seidensticker", 70);
    th_value *file = th_records_append(r, th_value_slot(b, 4));
    sample_text(r, th_value_slot(file, 0), "/a.pdf", 90);
    sample_text(r, th_value_slot(file, 1), "12", 100);
    sample_text(r, th_value_slot(th_records_append(r, th_value_slot(b, 4)), 0), "/b.pdf", 110);
    sample_text(r, th_records_choose(r, th_value_slot(b, 5), 0), "3", 120);

    b = th_records_add(r);
    sample_text(r, th_value_slot(b, 0), "雪国 \"Yukiguni\", 😀\nשלום", 130);
    maker = th_records_set_tuple(r, th_value_slot(b, 2));
    sample_text(r, th_value_slot(maker, 0), "\x1b[31mred\x07", 160);
    th_records_set_list(r, th_value_slot(b, 3));
    sample_text(r, th_records_choose(r, th_value_slot(b, 5), 1), "2020-01-01", 170);

    th_records_add(r);
    if (th_records_status(r, err)) {
        th_records_free(r);
        return NULL;
    }
    return r;
}

#endif
