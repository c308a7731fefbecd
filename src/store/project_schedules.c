/*
 * project_schedules.c: what a project does by itself: where its pages come from, and when a wrapper
 * is run.
 *
 * A schedule is claimed by setting its owner, if nobody has in the meantime, and its time moves on
 * only when the run has ended: one that was broken off is due again, and whoever sees that the beat
 * of its owner has stopped claims it.
 */
#include <time.h>

#include "base/error.h"
#include "store/project.h"

/* ---- sources --------------------------------------------------------------------------------- */

th_status th_project_add_source(th_project *project, const th_project_source *source, th_error *err)
{
    return th__project_change_site(project, source->site, err,
                                   "INSERT OR REPLACE INTO source (site, url, pages, render, names)"
                                   " VALUES (?, ?, ?, ?, coalesce(?, ''))",
                                   "tiit", source->url, (int64_t)source->pages,
                                   (int64_t)source->render, source->names);
}

th_status th_project_remove_source(th_project *project, th_str site, th_str url, bool *removed,
                                   th_error *err)
{
    return th__project_change(
        project, removed, err,
        "DELETE FROM source WHERE url = ? AND site = (SELECT id FROM site WHERE name = ?)", "tt",
        url, site);
}

th_status th_project_sources(th_project *project, th_str site,
                             th_status (*each)(void *context, const th_project_source *source,
                                               th_error *err),
                             void *context, th_error *err)
{
    th__rows rows =
        th__project_rows(project, err,
                         "SELECT site.name, url, pages, render, names FROM source JOIN site"
                         " ON site.id = source.site WHERE ?1 IS NULL OR site.name = ?1"
                         " ORDER BY site.id, url",
                         "t", site);
    th_project_source source;
    while (th__rows_next(&rows, "ttnft", &source.site, &source.url, &source.pages, &source.render,
                         &source.names))
        rows.status = each(context, &source, err);
    return th__rows_end(&rows);
}

/* ---- when ------------------------------------------------------------------------------------ */

/* The first moment after `now` at which a clock on the wall shows `at`. A time that a day leaves
 * out, since clocks are put forward, is that of mktime. */
static int64_t next_day(uint32_t at, int64_t now)
{
    enum { MOST_DAYS = 3 };
    time_t time = (time_t)now;
    struct tm day;
    if (!localtime_r(&time, &day))
        return now + 24 * 60 * 60;
    for (int more = 0; more < MOST_DAYS; more++) {
        struct tm then = {.tm_year = day.tm_year,
                          .tm_mon = day.tm_mon,
                          .tm_mday = day.tm_mday + more,
                          .tm_hour = (int)(at / 60),
                          .tm_min = (int)(at % 60),
                          .tm_isdst = -1};
        time_t found = mktime(&then);
        if (found > time)
            return found;
    }
    return now + 24 * 60 * 60;
}

int64_t th_schedule_next(const th_schedule *schedule, int64_t due, int64_t now)
{
    int64_t every = schedule->every_s;
    if (!every)
        return next_day(schedule->at, now);
    return due > now || due < 0 ? now + every : due + ((now - due) / every + 1) * every;
}

/* ---- schedules ------------------------------------------------------------------------------- */

th_status th_project_set_schedule(th_project *project, const th_schedule *schedule, th_error *err)
{
    if (!schedule->wrapper.len)
        return th__fail(err, TH_ERR_ARGUMENT, "a schedule needs the name of a wrapper");
    if (!schedule->every_s && schedule->at >= 24 * 60)
        return th__fail(err, TH_ERR_ARGUMENT, "a day has no minute %u", schedule->at);
    return th__project_change_site(
        project, schedule->site, err,
        "INSERT INTO schedule (site, wrapper, every, at, paused, next, webhook, command)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (site, wrapper) DO UPDATE SET"
        " every = excluded.every, at = excluded.at, paused = excluded.paused,"
        " next = excluded.next, webhook = excluded.webhook, command = excluded.command",
        "tiiiitt", schedule->wrapper, (int64_t)schedule->every_s, (int64_t)schedule->at,
        (int64_t)schedule->paused, schedule->next, schedule->webhook, schedule->command);
}

th_status th_project_remove_schedule(th_project *project, th_str site, th_str wrapper,
                                     bool *removed, th_error *err)
{
    return th__project_change(
        project, removed, err,
        "DELETE FROM schedule WHERE wrapper = ? AND site = (SELECT id FROM site WHERE name = ?)",
        "tt", wrapper, site);
}

th_status th_project_schedules(th_project *project, th_str site,
                               th_status (*each)(void *context, const th_schedule *schedule,
                                                 th_error *err),
                               void *context, th_error *err)
{
    th__rows rows =
        th__project_rows(project, err,
                         "SELECT schedule.id, site.name, wrapper, every, at, paused, next, "
                         "webhook, command AS shell, last,"
                         " alarm, owner, beat FROM schedule JOIN site ON site.id = schedule.site"
                         " WHERE ?1 IS NULL OR site.name = ?1 ORDER BY schedule.id",
                         "t", site);
    th_schedule schedule;
    while (th__rows_next(&rows, "ittnnfitttttu", &schedule.id, &schedule.site, &schedule.wrapper,
                         &schedule.every_s, &schedule.at, &schedule.paused, &schedule.next,
                         &schedule.webhook, &schedule.command, &schedule.last, &schedule.alarm,
                         &schedule.owner, &schedule.beat))
        rows.status = each(context, &schedule, err);
    return th__rows_end(&rows);
}

/* ---- claims ---------------------------------------------------------------------------------- */

th_status th_project_claim_schedule(th_project *project, const th_schedule *seen, th_str owner,
                                    bool *claimed, th_error *err)
{
    return th__project_change(project, claimed, err,
                              "UPDATE schedule SET owner = ?, beat = beat + 1 WHERE id = ?"
                              " AND owner IS ? AND beat = ? AND next = ? AND NOT paused",
                              "titii", owner, seen->id, seen->owner, (int64_t)seen->beat,
                              seen->next);
}

th_status th_project_beat_schedule(th_project *project, int64_t id, th_str owner, bool *kept,
                                   th_error *err)
{
    return th__project_change(project, kept, err,
                              "UPDATE schedule SET beat = beat + 1 WHERE id = ? AND owner = ?",
                              "it", id, owner);
}

static th_status finish(th_project *project, int64_t id, th_str owner, int64_t now, th_str last,
                        th_str alarm, th_error *err)
{
    th_schedule schedule = {0};
    th__rows row = th__project_rows(
        project, err, "SELECT every, at, next FROM schedule WHERE id = ? AND owner = ?", "it", id,
        owner);
    bool mine = th__rows_next(&row, "nni", &schedule.every_s, &schedule.at, &schedule.next);
    th_status status = th__rows_end(&row);
    if (status || !mine)
        return status;
    /* One that was set to a later time during its run keeps that time. */
    int64_t next =
        schedule.next > now ? schedule.next : th_schedule_next(&schedule, schedule.next, now);
    return th__project_do(project, err,
                          "UPDATE schedule SET owner = NULL, next = ?, last = coalesce(?, last),"
                          " alarm = coalesce(?, alarm) WHERE id = ?",
                          "itti", next, last, alarm, id);
}

th_status th_project_finish_schedule(th_project *project, int64_t id, th_str owner, int64_t now,
                                     th_str last, th_str alarm, th_error *err)
{
    th_status status = th__project_enter(project, err);
    if (status)
        return status;
    return th__project_leave(project, finish(project, id, owner, now, last, alarm, err), err);
}

th_status th_project_keep_alarm(th_project *project, int64_t id, th_str alarm, th_error *err)
{
    return th__project_change(project, NULL, err, "UPDATE schedule SET alarm = ? WHERE id = ?",
                              "ti", alarm, id);
}
