/* same_records.h: a wrapper that was written and read is the wrapper that was written: the same
 * file again, and the same records with the same places. For the fuzz targets and for
 * tests/gen/round_trip.c. */
#ifndef TH_SAME_RECORDS_H
#define TH_SAME_RECORDS_H

#include <stdio.h>
#include <string.h>
#include <thresh.h>

/* Deep as the schema's limit lets values be. */
static inline bool same_value(const th_value *a, const th_value *b)
{
    th_str left = th_value_text(a), right = th_value_text(b);
    th_span here = th_value_span(a), there = th_value_span(b);
    if (th_value_get_kind(a) != th_value_get_kind(b) || left.len != right.len ||
        (left.len && memcmp(left.ptr, right.ptr, left.len)) || here.start != there.start ||
        here.end != there.end || th_value_count(a) != th_value_count(b))
        return false;
    if (th_value_get_kind(a) == TH_VALUE_CHOICE && th_value_which(a) != th_value_which(b))
        return false;
    for (size_t i = 0; i < th_value_count(a); i++)
        if (!same_value(th_value_item(a, i), th_value_item(b, i)))
            return false;
    return true;
}

static inline bool same_records(const th_records *a, const th_records *b)
{
    if (th_records_count(a) != th_records_count(b))
        return false;
    for (size_t i = 0; i < th_records_count(a); i++)
        if (!same_value(th_records_get(a, i), th_records_get(b, i)))
            return false;
    return true;
}

/* Whether two wrappers give the same on a page. */
static inline bool same_on(const th_wrapper *a, const th_wrapper *b, const th_page *page,
                           th_error *err)
{
    th_records *one = NULL, *two = NULL;
    bool same = th_wrapper_extract(a, page, NULL, &one, err) == TH_OK &&
                th_wrapper_extract(b, page, NULL, &two, err) == TH_OK;
    if (same && !(same = same_records(one, two)))
        snprintf(err->message, sizeof err->message, "the records are not the same");
    th_records_free(one);
    th_records_free(two);
    return same;
}

/* Whether a wrapper is the same once it is written and read; err tells what is not. The caller
 * frees *again. */
static inline bool survives_writing(const th_wrapper *wrapper, const th_page *const *pages,
                                    size_t count, th_wrapper **again, th_error *err)
{
    th_text text = {0}, second = {0};
    *again = NULL;
    bool same = th_wrapper_write(wrapper, &text, err) == TH_OK &&
                th_wrapper_read((th_str){text.ptr, text.len}, "again", again, err) == TH_OK &&
                th_wrapper_write(*again, &second, err) == TH_OK;
    if (same && (text.len != second.len || memcmp(text.ptr, second.ptr, text.len))) {
        same = false;
        snprintf(err->message, sizeof err->message, "it is written differently the second time");
    }
    for (size_t i = 0; same && i < count; i++)
        same = same_on(wrapper, *again, pages[i], err);
    th_text_release(&text);
    th_text_release(&second);
    return same;
}

#endif
