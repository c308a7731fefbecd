/* project_wrappers.c: versions of wrappers. A version never changes; a new one stands beside it. */
#include "base/error.h"
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
    th_status status = th__project_enter(project, err);
    if (status)
        return status;
    status = th__project_do(project, err,
                            "DELETE FROM wrapper WHERE name = ? AND version = ? AND site = "
                            "(SELECT id FROM site WHERE name = ?)",
                            "tit", name, (int64_t)version, site);
    *removed = !status && sqlite3_changes(project->db) > 0;
    return th__project_leave(project, status, err);
}

th_status th_project_wrapper_text(th_project *project, th_str site, th_str name, uint32_t version,
                                  uint32_t *found, th_text *out, th_error *err)
{
    sqlite3_stmt *row;
    th_status status = th__project_prepare(
        project, &row, err,
        "SELECT text, version FROM wrapper JOIN site ON site.id = wrapper.site"
        " WHERE site.name = ?1 AND wrapper.name = ?2 AND (?3 = 0 OR version = ?3)"
        " ORDER BY version DESC LIMIT 1",
        "tti", site, name, (int64_t)version);
    if (status)
        return status;
    status = th__project_step(project, row, err);
    if (!status) {
        th__buf text = {out->ptr, 0, out->cap, false};
        if (found)
            *found = (uint32_t)sqlite3_column_int64(row, 1);
        th__buf_add_str(&text, th__project_column(row, 0));
        th__buf_add_byte(&text, '\0');
        *out = (th_text){text.data, text.len ? text.len - 1 : 0, text.cap};
        status = text.failed ? th__fail_memory(err) : TH_OK;
    }
    sqlite3_finalize(row);
    return status;
}

th_status th_project_wrappers(th_project *project, th_str site,
                              th_status (*each)(void *context, const th_project_wrapper *wrapper,
                                                th_error *err),
                              void *context, th_error *err)
{
    sqlite3_stmt *rows;
    th_status status =
        th__project_prepare(project, &rows, err,
                            "SELECT site.name, wrapper.name, version, engine, added FROM wrapper"
                            " JOIN site ON site.id = wrapper.site"
                            " WHERE (?1 IS NULL OR site.name = ?1)"
                            " ORDER BY site.id, wrapper.name, version",
                            "t", site);
    while (!status && !(status = th__project_step(project, rows, err))) {
        th_project_wrapper wrapper = {.site = th__project_column(rows, 0),
                                      .name = th__project_column(rows, 1),
                                      .version = (uint32_t)sqlite3_column_int64(rows, 2),
                                      .engine = th__project_column(rows, 3),
                                      .added = th__project_column(rows, 4)};
        status = each(context, &wrapper, err);
    }
    return th__project_close(rows, status);
}
