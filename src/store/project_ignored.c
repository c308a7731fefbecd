/* project_ignored.c: questions that are not to be asked again. */
#include "store/project.h"

th_status th_project_ignore(th_project *project, th_str site, th_str question, bool ignore,
                            th_error *err)
{
    int64_t id = 0;
    th_status status = th__project_enter(project, err);
    if (status)
        return status;
    status = th__project_site(project, site, &id, err);
    if (!status && ignore)
        status = th__project_do(project, err,
                                "INSERT OR IGNORE INTO ignored (site, question) VALUES (?, ?)",
                                "it", id, question);
    else if (!status)
        status = th__project_do(project, err, "DELETE FROM ignored WHERE site = ? AND question = ?",
                                "it", id, question);
    return th__project_leave(project, status, err);
}

th_status th_project_ignored(th_project *project, th_str site,
                             th_status (*each)(void *context, th_str question, th_error *err),
                             void *context, th_error *err)
{
    sqlite3_stmt *rows;
    th_status status =
        th__project_prepare(project, &rows, err,
                            "SELECT question FROM ignored JOIN site ON site.id = ignored.site"
                            " WHERE site.name = ? ORDER BY question",
                            "t", site);
    if (status)
        return status;
    while (!(status = th__project_step(project, rows, err))) {
        status = each(context, th__project_column(rows, 0), err);
        if (status)
            break;
    }
    return th__project_close(rows, status);
}
