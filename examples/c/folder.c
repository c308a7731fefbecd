/*
 * folder.c: prints the records of pages of one site, a line of JSON per page.
 *
 *     folder INPUT...          files, folders, archives, URLs
 *
 * The pages go into a corpus, th_learn decides what they are (lists of records, or one record each)
 * and gives a wrapper, and the wrapper gives the records.
 */
#include <stdio.h>
#include <thresh.h>

/* Reads all pages into the corpus. */
static th_status read_pages(th_corpus *corpus, const char *const *inputs, size_t count,
                            th_error *err)
{
    th_feed *feed = NULL;
    th_status status = th_feed_new(inputs, count, NULL, &feed, err);
    while (!status) {
        th_input *input = NULL;
        th_page_source source;
        status = th_feed_next(feed, &input, err);
        if (status)
            break;
        th_input_source(input, &source);
        status = th_corpus_add_bytes(corpus, th_input_name(input), th_input_bytes(input), &source,
                                     err);
        th_input_free(input);
    }
    th_feed_free(feed);
    return status == TH_DONE ? TH_OK : status;
}

static void print_remarks(const th_report *report)
{
    for (size_t i = 0; report && i < th_report_remark_count(report); i++) {
        const th_remark *remark = th_report_remark(report, i);
        if (!remark->detail)
            fprintf(stderr, "folder: %.*s%s%.*s\n", (int)remark->page.len, remark->page.ptr,
                    remark->page.len ? ": " : "", (int)remark->text.len, remark->text.ptr);
    }
}

static th_status print_records(const th_corpus *corpus, const th_wrapper *wrapper, th_error *err)
{
    th_status status = TH_OK;
    th_text json = {0};
    for (size_t i = 0; !status && i < th_corpus_count(corpus); i++) {
        th_records *records = NULL;
        status = th_wrapper_extract(wrapper, th_corpus_page(corpus, i), NULL, &records, err);
        if (!status)
            status = th_records_to_json(records, false, &json, err);
        if (!status)
            puts(json.ptr);
        th_records_free(records);
    }
    th_text_release(&json);
    return status;
}

int main(int argc, char **argv)
{
    th_error err;
    th_corpus *corpus = NULL;
    th_wrapper *wrapper = NULL;
    th_report *report = NULL;
    th_status status = th_corpus_new(&corpus, &err);
    if (!status)
        status = read_pages(corpus, (const char *const *)argv + 1, (size_t)argc - 1, &err);
    if (!status)
        status = th_learn(corpus, NULL, &wrapper, &report, &err);
    print_remarks(report);
    if (!status)
        status = print_records(corpus, wrapper, &err);
    if (status)
        fprintf(stderr, "folder: %s\n", err.message);
    th_report_free(report);
    th_wrapper_free(wrapper);
    th_corpus_free(corpus);
    return status ? 1 : 0;
}
