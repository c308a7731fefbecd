/*
 * project_wrappers.c: wrappers of a project, their runs, and questions that are not asked again.
 *
 * A version of a wrapper never changes; a change makes a new version.
 */

#include "base/error.h"
#include "base/intern.h"
#include "base/json_out.h"
#include "base/mem.h"
#include "base/vec.h"
#include "wrapper/profile.h"
#include "data/record.h"
#include "store/project.h"

static th_status add_version(th_project *project, th_str site, th_str name, const char *engine,
                             th_str text, int64_t *version, th_error *err)
{
    int64_t id = 0;
    th_status status = th__project_site(project, site, &id, err);
    if (!status)
        status = th__project_number(project, version, err,
                                    "SELECT coalesce(max(version), 0) + 1 FROM wrapper"
                                    " WHERE site = ? AND name = ?",
                                    "it", id, name);
    if (!status)
        status = th__project_do(project, err,
                                "INSERT INTO wrapper (site, name, version, engine, text, added)"
                                " VALUES (?, ?, ?, ?, ?, " TH__NOW ")",
                                "ititt", id, name, *version, th_str_from(engine), text);
    return status;
}

th_status th_project_add_wrapper(th_project *project, th_str site, th_str name,
                                 const th_wrapper *wrapper, uint32_t *version, th_error *err)
{
    th_text text = {0};
    int64_t made = 0;
    if (!name.ptr || !name.len)
        return th__fail(err, TH_ERR_ARGUMENT, "a wrapper needs a name");
    th_status status = th_wrapper_write(wrapper, &text, err);
    if (!status)
        status = th__project_enter(project, err);
    if (!status) {
        status = add_version(project, site, name, th_wrapper_engine(wrapper),
                             (th_str){text.ptr, text.len}, &made, err);
        status = th__project_leave(project, status, err);
    }
    if (version)
        *version = (uint32_t)made;
    th_text_release(&text);
    return status;
}

th_status th_project_remove_wrapper(th_project *project, th_str site, th_str name, uint32_t version,
                                    bool *removed, th_error *err)
{
    return th__project_change(project, removed, err,
                              "DELETE FROM wrapper WHERE name = ? AND version = ? AND site = "
                              "(SELECT id FROM site WHERE name = ?)",
                              "tit", name, (int64_t)version, site);
}

th_status th_project_wrapper_text(th_project *project, th_str site, th_str name, uint32_t version,
                                  uint32_t *found, th_text *out, th_error *err)
{
    th_str text;
    uint32_t number;
    th__rows row =
        th__project_rows(project, err,
                         "SELECT text, version FROM wrapper JOIN site ON site.id = wrapper.site"
                         " WHERE site.name = ?1 AND wrapper.name = ?2 AND (?3 = 0 OR version = ?3)"
                         " ORDER BY version DESC LIMIT 1",
                         "tti", site, name, (int64_t)version);
    if (th__rows_next(&row, "tn", &text, found ? found : &number))
        row.status = th__text_set(out, text, err);
    return th__rows_found(&row);
}

th_status th_project_wrappers(th_project *project, th_str site,
                              th_status (*each)(void *context, const th_project_wrapper *wrapper,
                                                th_error *err),
                              void *context, th_error *err)
{
    th__rows rows =
        th__project_rows(project, err,
                         "SELECT site.name, wrapper.name, version, engine, added FROM wrapper"
                         " JOIN site ON site.id = wrapper.site"
                         " WHERE (?1 IS NULL OR site.name = ?1)"
                         " ORDER BY site.id, wrapper.name, version",
                         "t", site);
    th_project_wrapper wrapper;
    while (th__rows_next(&rows, "ttntt", &wrapper.site, &wrapper.name, &wrapper.version,
                         &wrapper.engine, &wrapper.added))
        rows.status = each(context, &wrapper, err);
    return th__rows_end(&rows);
}

/*
 * Runs with their records and verdicts. A run may last hours, and others want to write meanwhile:
 * records are gathered and written in batches, each a transaction of its own. They count only once
 * the run has its end, which is set in the transaction of the last batch; a run that was broken off
 * is known by the lack of it.
 */

enum { BATCH_BYTES = 4 << 20 };

/* A record that waits; its texts lie in the batch. */
typedef struct waiting {
    size_t page, page_len, value, value_len;
} waiting;

struct th_run {
    th_project *project;
    int64_t id;
    uint64_t records, verdicts; /* written */
    th__buf batch;
    TH__VEC(waiting) queue;
    uint64_t found;           /* records, also those that were dropped */
    th__intern fields;        /* of the records, */
    TH__VEC(uint64_t) filled; /* and how often each has a value */
    bool finished;
};

th_status th_run_begin(th_project *project, const th_project_run *info, th_run **out, th_error *err)
{
    th_run *run = TH__NEW(th_run);
    *out = NULL;
    if (!run)
        return th__fail_memory(err);
    run->project = project;
    th__intern_init(&run->fields);
    th_status status = th__project_change_site(
        project, info->site, err,
        "INSERT INTO run (site, command, wrapper, wrapper_version, started)"
        " VALUES (?, ?, ?, ?, " TH__NOW ")",
        "tti", info->command, info->wrapper, (int64_t)info->wrapper_version);
    if (status) {
        th_run_free(run);
        return status;
    }
    run->id = sqlite3_last_insert_rowid(project->db);
    *out = run;
    return TH_OK;
}

/* ---- records --------------------------------------------------------------------------------- */

void th__project_insert_record(th__rows *insert, uint64_t position, th_str page, th_str value)
{
    sqlite3_bind_int64(insert->statement, 2, (int64_t)position);
    sqlite3_bind_text64(insert->statement, 3, page.ptr, page.len, SQLITE_STATIC, SQLITE_UTF8);
    sqlite3_bind_text64(insert->statement, 4, value.ptr, value.len, SQLITE_STATIC, SQLITE_UTF8);
    th__rows_next(insert, "");
    sqlite3_reset(insert->statement);
}

static th_status write_queue(th_run *run, th_error *err)
{
    const char *base = run->batch.data;
    th__rows insert = th__project_rows(run->project, err, TH__INSERT_RECORD, "i", run->id);
    for (size_t i = 0; i < run->queue.len; i++) {
        const waiting *w = &run->queue.data[i];
        th__project_insert_record(&insert, run->records + i, (th_str){base + w->page, w->page_len},
                                  (th_str){base + w->value, w->value_len});
    }
    return th__rows_end(&insert);
}

static void empty_queue(th_run *run)
{
    run->records += run->queue.len;
    run->queue.len = 0;
    th__buf_clear(&run->batch);
}

static th_status flush(th_run *run, th_error *err)
{
    th_status status = th__project_enter(run->project, err);
    if (status)
        return status;
    status = th__project_leave(run->project, write_queue(run, err), err);
    if (!status)
        empty_queue(run);
    return status;
}

static bool has_value(const th_value *value)
{
    value = th__value_chosen(value);
    switch (th_value_get_kind(value)) {
    case TH_VALUE_TEXT:
        return th_value_text(value).len > 0;
    case TH_VALUE_TUPLE:
    case TH_VALUE_LIST:
        for (size_t i = 0; i < th_value_count(value); i++)
            if (has_value(th_value_item(value, i)))
                return true;
        return false;
    case TH_VALUE_NULL:
    case TH_VALUE_CHOICE:
        break;
    }
    return false;
}

static bool count_fields(th_run *run, const th_value *record)
{
    record = th__value_chosen(record);
    run->found++;
    if (th_value_get_kind(record) != TH_VALUE_TUPLE)
        return true;
    for (size_t i = 0; i < th_value_count(record); i++) {
        const th_value *member = th_value_item(record, i);
        th_str key = th__value_key(member);
        uint32_t field = key.len ? th__intern_add(&run->fields, key) : 0;
        if (!key.len)
            continue;
        if (field == TH__INTERN_NONE ||
            (field == run->filled.len && !th__vec_push(&run->filled, 0)))
            return false;
        run->filled.data[field] += has_value(member);
    }
    return true;
}

static th_status add_records(th_run *run, const th_records *records, th_error *err)
{
    th_str name = th_records_page(records);
    size_t page = run->batch.len;
    if (run->finished)
        return th__fail(err, TH_ERR_ARGUMENT, "a run that has finished takes no more records");
    if (!th__buf_add_str(&run->batch, name))
        return th__fail_memory(err);
    for (size_t i = 0; i < th_records_count(records); i++) {
        waiting w = {page, name.len, run->batch.len, 0};
        th__json json = {.buf = &run->batch};
        th__value_write(th_records_get(records, i), false, &json);
        w.value_len = run->batch.len - w.value;
        if (run->batch.failed || !th__vec_push(&run->queue, w) ||
            !count_fields(run, th_records_get(records, i)))
            return th__fail_memory(err);
    }
    return run->batch.len < BATCH_BYTES ? TH_OK : flush(run, err);
}

/* Records have the columns that a writer gives them. */
th_status th_run_add(th_run *run, const th_records *records, th_error *err)
{
    th_records *typed = NULL;
    th_status status = th__records_typed(records, false, &typed, err);
    if (!status)
        status = add_records(run, typed ? typed : records, err);
    th_records_free(typed);
    return status;
}

/* ---- verdicts and the end -------------------------------------------------------------------- */

th_status th_run_add_verdict(th_run *run, th_str field, th_str verdict, th_str evidence,
                             th_error *err)
{
    th_status status = th__project_change(
        run->project, NULL, err,
        "INSERT INTO verdict (run, position, field, verdict, evidence) VALUES (?, ?, ?, ?, ?)",
        "iittt", run->id, (int64_t)run->verdicts, field, verdict, evidence);
    run->verdicts += !status;
    return status;
}

th_status th_run_add_evidence(th_run *run, const th_verdict *verdict, th_str pages, th_error *err)
{
    th__buf text = {0};
    th_status status = TH_OK;
    for (size_t i = 0; !status && i < th_verdict_count(verdict); i++) {
        const th_evidence *e = th_verdict_get(verdict, i);
        th__json json = {.buf = &text};
        th__buf_clear(&text);
        th__evidence_write(e, e->path.ptr ? (th_str){0} : pages, &json);
        const char *word = e->drift ? "drift" : e->changed ? "changed" : "fine";
        status = text.failed
                     ? th__fail_memory(err)
                     : th_run_add_verdict(run, e->path, th_str_from(word), th__buf_str(&text), err);
    }
    th__buf_release(&text);
    return status;
}

th_status th_run_drop_records(th_run *run, th_error *err)
{
    th_status status = th__project_change(run->project, NULL, err,
                                          "DELETE FROM record WHERE run = ?", "i", run->id);
    if (!status) {
        run->records = run->queue.len = 0;
        th__buf_clear(&run->batch);
    }
    return status;
}

static th_status write_fields(th_run *run, th_error *err)
{
    th_status status = TH_OK;
    for (uint32_t i = 0; !status && i < run->filled.len; i++)
        status = th__project_do(run->project, err,
                                "INSERT INTO filled (run, position, field, filled, records)"
                                " VALUES (?, ?, ?, ?, ?)",
                                "iitii", run->id, (int64_t)i, th__intern_name(&run->fields, i),
                                (int64_t)run->filled.data[i], (int64_t)run->found);
    return status;
}

th_status th_run_finish(th_run *run, const th_project_run *totals, int64_t *id, th_error *err)
{
    if (run->finished)
        return th__fail(err, TH_ERR_ARGUMENT, "a run ends once");
    th_status status = th__project_enter(run->project, err);
    if (status)
        return status;
    status = write_queue(run, err);
    if (!status)
        status = write_fields(run, err);
    if (!status)
        status = th__project_do(run->project, err,
                                "UPDATE run SET finished = " TH__NOW ", pages = ?, records = ?,"
                                " failed = ?, verdict = ?, wrapper_version ="
                                " coalesce(nullif(?, 0), wrapper_version) WHERE id = ?",
                                "iiitii", (int64_t)totals->pages,
                                (int64_t)(run->records + run->queue.len), (int64_t)totals->failed,
                                totals->verdict, (int64_t)totals->wrapper_version, run->id);
    status = th__project_leave(run->project, status, err);
    if (!status) {
        empty_queue(run);
        run->finished = true;
        if (id)
            *id = run->id;
    }
    return status;
}

void th_run_free(th_run *run)
{
    if (!run)
        return;
    if (run->id && !run->finished)
        th__project_do(run->project, NULL, "DELETE FROM run WHERE id = ?", "i", run->id);
    th__intern_release(&run->fields);
    th__vec_release(&run->filled);
    th__vec_release(&run->queue);
    th__buf_release(&run->batch);
    th__mem_free(run);
}

/* ---- reading --------------------------------------------------------------------------------- */

th_status th_project_runs(th_project *project, th_str site,
                          th_status (*each)(void *context, const th_project_run *run,
                                            th_error *err),
                          void *context, th_error *err)
{
    return th__project_runs(project, site, true, each, context, err);
}

th_status th__project_runs(th_project *project, th_str site, bool newest,
                           th_status (*each)(void *context, const th_project_run *run,
                                             th_error *err),
                           void *context, th_error *err)
{
    th__rows rows = th__project_rows(
        project, err,
        "SELECT run.id, site.name, command, wrapper, wrapper_version, started, finished, pages,"
        " records, failed, verdict FROM run JOIN site ON site.id = run.site"
        " WHERE (?1 IS NULL OR site.name = ?1) ORDER BY run.id * ?2",
        "ti", site, (int64_t)(newest ? -1 : 1));
    th_project_run run;
    while (th__rows_next(&rows, "itttnttuuut", &run.id, &run.site, &run.command, &run.wrapper,
                         &run.wrapper_version, &run.started, &run.finished, &run.pages,
                         &run.records, &run.failed, &run.verdict))
        rows.status = each(context, &run, err);
    return th__rows_end(&rows);
}

static th_status must_be_run(th_project *project, int64_t run, th_error *err)
{
    int64_t id;
    th_status status =
        th__project_number(project, &id, err, "SELECT id FROM run WHERE id = ?", "i", run);
    if (status != TH_DONE)
        return status;
    return th__fail(err, TH_ERR_ARGUMENT,
                    "%s has no run %lld: `thresh project list %s runs` shows them", project->path,
                    (long long)run, project->path);
}

th_status th_project_records(th_project *project, int64_t run, uint64_t first, uint64_t count,
                             th_status (*each)(void *context, const th_project_record *record,
                                               th_error *err),
                             void *context, th_error *err)
{
    if (first > INT64_MAX || count > INT64_MAX - first)
        count = INT64_MAX - (first > INT64_MAX ? (first = INT64_MAX) : first);
    th_status status = must_be_run(project, run, err);
    if (status)
        return status;
    th__rows rows = th__project_rows(project, err,
                                     "SELECT page, position, value FROM record WHERE run = ? AND"
                                     " position >= ? AND position < ? ORDER BY position",
                                     "iii", run, (int64_t)first, (int64_t)(first + count));
    th_project_record record;
    while (th__rows_next(&rows, "tut", &record.page, &record.position, &record.json))
        rows.status = each(context, &record, err);
    return th__rows_end(&rows);
}

th_status th_project_verdicts(th_project *project, int64_t run,
                              th_status (*each)(void *context, const th_project_verdict *verdict,
                                                th_error *err),
                              void *context, th_error *err)
{
    th__rows rows = th__project_rows(project, err,
                                     "SELECT field, verdict, evidence FROM verdict"
                                     " WHERE run = ? ORDER BY position",
                                     "i", run);
    th_project_verdict verdict;
    while (th__rows_next(&rows, "ttt", &verdict.field, &verdict.verdict, &verdict.evidence))
        rows.status = each(context, &verdict, err);
    return th__rows_end(&rows);
}

th_status th_project_run_fields(th_project *project, int64_t run,
                                th_status (*each)(void *context, const th_project_filled *filled,
                                                  th_error *err),
                                void *context, th_error *err)
{
    th__rows rows = th__project_rows(project, err,
                                     "SELECT field, filled, records FROM filled"
                                     " WHERE run = ? ORDER BY position",
                                     "i", run);
    th_project_filled one;
    while (th__rows_next(&rows, "tuu", &one.field, &one.filled, &one.records))
        rows.status = each(context, &one, err);
    return th__rows_end(&rows);
}

/* Questions that are not to be asked again. */

th_status th_project_ignore(th_project *project, th_str site, th_str question, bool ignore,
                            th_error *err)
{
    return th__project_change_site(
        project, site, err,
        ignore ? "INSERT OR IGNORE INTO ignored (site, question) VALUES (?, ?)"
               : "DELETE FROM ignored WHERE site = ? AND question = ?",
        "t", question);
}

th_status th_project_ignored(th_project *project, th_str site,
                             th_status (*each)(void *context, th_str question, th_error *err),
                             void *context, th_error *err)
{
    th__rows rows =
        th__project_rows(project, err,
                         "SELECT question FROM ignored JOIN site ON site.id = ignored.site"
                         " WHERE site.name = ? ORDER BY question",
                         "t", site);
    th_str question;
    while (th__rows_next(&rows, "t", &question))
        rows.status = each(context, question, err);
    return th__rows_end(&rows);
}
