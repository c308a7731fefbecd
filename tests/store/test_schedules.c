/* Schedules: when they are due and who runs them; and two runs beside each other. */
#include "test.h"

#include <stdlib.h>
#include <time.h>

#include "alloc_fail.h"
#include "store/project.h"

#define S(text)    th_str_from(text)
#define must(call) assert_int_equal((call), TH_OK)

static th_error err;

static th_project *open_project(void)
{
    th_project *project;
    must(th_project_open(NULL, TH_PROJECT_NEW, &project, &err));
    return project;
}

static void intervals(void **state)
{
    th_schedule hour = {.every_s = 3600};
    assert_int_equal(th_schedule_next(&hour, 1000, 1000), 4600);
    assert_int_equal(th_schedule_next(&hour, 1000, 1001), 4600);
    assert_int_equal(th_schedule_next(&hour, 1000, 4599), 4600);
    assert_int_equal(th_schedule_next(&hour, 1000, 4600), 8200);
    assert_int_equal(th_schedule_next(&hour, 1000, 100000), 101800); /* those missed are skipped */
    assert_int_equal(th_schedule_next(&hour, 900000, 1000), 4600);   /* the clock was put back */
    assert_int_equal(th_schedule_next(&hour, -5, 1000), 4600);
}

/* At which hour a moment is, on the clock on the wall. */
static int hour_of(int64_t moment)
{
    time_t time = (time_t)moment;
    struct tm at;
    return localtime_r(&time, &at) ? at.tm_hour * 100 + at.tm_min : -1;
}

/* Clocks are put forward on 29 March 2026 at 2:00 and back on 25 October 2026 at 3:00. */
static void times_of_day(void **state)
{
    th_schedule day = {.at = 6 * 60 + 30};
    setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1);
    tzset();
    const int64_t before[] = {1774742400, 1792882800, 1800000000}; /* 29 March, 25 October 0:00 */
    for (size_t i = 0; i < sizeof before / sizeof *before; i++) {
        int64_t first = th_schedule_next(&day, 0, before[i]);
        assert_true(first > before[i] && first - before[i] <= 26 * 3600);
        assert_int_equal(hour_of(first), 630);
        int64_t second = th_schedule_next(&day, first, first);
        assert_int_equal(hour_of(second), 630);
        assert_true(second - first >= 23 * 3600 && second - first <= 25 * 3600);
    }
    th_schedule never = {.at = 2 * 60 + 30}; /* there is no 2:30 on 29 March */
    int64_t found = th_schedule_next(&never, 0, before[0]);
    assert_true(found > before[0] && found < before[0] + 26 * 3600);
    unsetenv("TZ");
    tzset();
}

/* The only schedule, with copies of what is looked at. */
typedef struct kept {
    th_schedule schedule;
    char owner[32], last[64];
    size_t count;
} kept;

static th_status keep(void *context, const th_schedule *schedule, th_error *error)
{
    kept *k = context;
    k->schedule = *schedule;
    snprintf(k->owner, sizeof k->owner, "%.*s", (int)schedule->owner.len, schedule->owner.ptr);
    snprintf(k->last, sizeof k->last, "%.*s", (int)schedule->last.len, schedule->last.ptr);
    k->schedule.owner = schedule->owner.ptr ? S(k->owner) : (th_str){0};
    k->schedule.last = schedule->last.ptr ? S(k->last) : (th_str){0};
    k->count++;
    return TH_OK;
}

static kept look(th_project *project)
{
    static kept k;
    k = (kept){0};
    must(th_project_schedules(project, S("shop"), keep, &k, &err));
    k.schedule.owner.ptr = k.schedule.owner.ptr ? k.owner : NULL;
    return k;
}

static void claims(void **state)
{
    th_project *project = open_project();
    th_schedule schedule = {.site = S("shop"), .wrapper = S("books"), .every_s = 60, .next = 1000};
    bool claimed = false, kept_it = false, removed = false;
    must(th_project_set_schedule(project, &schedule, &err));
    must(th_project_set_schedule(project, &schedule, &err));
    kept seen = look(project);
    assert_int_equal(seen.count, 1);
    assert_null(seen.schedule.owner.ptr);
    must(th_project_claim_schedule(project, &seen.schedule, S("one"), &claimed, &err));
    assert_true(claimed);
    must(th_project_claim_schedule(project, &seen.schedule, S("two"), &claimed, &err));
    assert_false(claimed); /* somebody was quicker */
    must(th_project_beat_schedule(project, seen.schedule.id, S("two"), &kept_it, &err));
    assert_false(kept_it);
    kept dead = look(project);
    dead.schedule.owner = S("one");
    must(th_project_beat_schedule(project, seen.schedule.id, S("one"), &kept_it, &err));
    assert_true(kept_it);
    must(th_project_claim_schedule(project, &dead.schedule, S("two"), &claimed, &err));
    assert_false(claimed); /* its owner lives */
    dead = look(project);
    dead.schedule.owner = S("one");
    must(th_project_claim_schedule(project, &dead.schedule, S("two"), &claimed, &err));
    assert_true(claimed);
    must(th_project_finish_schedule(project, seen.schedule.id, S("one"), 1200, S("{}"), S("{}"),
                                    &err));
    assert_string_equal(look(project).owner, "two"); /* not the owner's any more */
    must(th_project_finish_schedule(project, seen.schedule.id, S("two"), 1200, S("{\"a\":1}"),
                                    (th_str){0}, &err));
    kept after = look(project);
    assert_null(after.schedule.owner.ptr);
    assert_int_equal(after.schedule.next, 1240);
    assert_string_equal(after.last, "{\"a\":1}");
    schedule.paused = true;
    must(th_project_set_schedule(project, &schedule, &err));
    kept paused = look(project);
    assert_string_equal(paused.last, "{\"a\":1}"); /* what came of it stays */
    must(th_project_claim_schedule(project, &paused.schedule, S("one"), &claimed, &err));
    assert_false(claimed);
    must(th_project_remove_schedule(project, S("shop"), S("books"), &removed, &err));
    assert_true(removed);
    assert_int_equal(look(project).count, 0);
    schedule.every_s = 0;
    schedule.at = 24 * 60;
    assert_int_equal(th_project_set_schedule(project, &schedule, &err), TH_ERR_ARGUMENT);
    th_project_free(project);
}

/* ---- two runs ---- */

static void put_runs(th_project *project)
{
    must(th__project_exec(
        project,
        "INSERT INTO site (id, name) VALUES (1, 'shop');"
        "INSERT INTO run (id, site, command, wrapper_version, started, finished) VALUES"
        " (1, 1, 'a', 1, 'x', 'y'), (2, 1, 'a', 1, 'x', 'y'), (3, 1, 'a', 1, 'x', 'y');"
        "INSERT INTO record (run, position, page, value) VALUES"
        " (1, 0, 'p', '{\"title\":\"A\",\"url\":\"/a\",\"price\":\"1\"}'),"
        " (1, 1, 'p', '{\"title\":\"B\",\"url\":\"/b\",\"price\":\"1\"}'),"
        " (1, 2, 'p', '{\"title\":\"B\",\"url\":\"/b\",\"price\":\"2\"}'),"
        " (1, 3, 'p', '{\"title\":\"C\",\"url\":\"/c\",\"price\":\"1\"}'),"
        " (2, 0, 'p', '{\"title\":\"B\",\"url\":\"/b\",\"price\":\"1\",\"old\":null}'),"
        " (2, 1, 'p', '{\"title\":\"A new\",\"url\":\"/a\",\"price\":\"9\"}'),"
        " (2, 2, 'p', '{\"title\":\"D\",\"url\":\"/d\",\"price\":\"1\"}'),"
        " (3, 0, 'p', '\"text\"'), (3, 1, 'p', '[1, {\"a\": [2.5, true]}]');",
        &err));
}

static void compared(void **state)
{
    th_project *project = open_project();
    th_compare *c = NULL;
    put_runs(project);
    must(th_compare_new(project, 1, 2, (th_str){0}, &c, &err));
    assert_string_equal(th_compare_key(c).ptr, "url");           /* stays when a title changes */
    assert_int_equal(th_compare_count(c, TH_RECORD_REMOVED), 2); /* the second B, and C */
    assert_int_equal(th_compare_count(c, TH_RECORD_ADDED), 1);
    assert_int_equal(th_compare_count(c, TH_RECORD_CHANGED), 1);
    assert_int_equal(th_compare_same(c), 1); /* a field that is null is as good as none */
    assert_int_equal(th_compare_get(c, 0)->before, 2);
    assert_int_equal(th_compare_get(c, 2)->after, 2);
    assert_int_equal(th_compare_get(c, 3)->kind, TH_RECORD_CHANGED);
    assert_int_equal(th_compare_get(c, 3)->before, 0);
    assert_int_equal(th_compare_get(c, 3)->after, 1);
    assert_null(th_compare_get(c, 4));
    th_compare_free(c);
    must(th_compare_new(project, 1, 2, S("title"), &c, &err));
    assert_int_equal(th_compare_count(c, TH_RECORD_REMOVED), 3);
    assert_int_equal(th_compare_count(c, TH_RECORD_ADDED), 2);
    th_compare_free(c);
    must(th_compare_new(project, 3, 3, (th_str){0}, &c, &err)); /* records that are no objects */
    assert_null(th_compare_key(c).ptr);
    assert_int_equal(th_compare_same(c), 2);
    th_compare_free(c);
    must(th_compare_new(project, 3, 1, (th_str){0}, &c, &err));
    assert_int_equal(th_compare_count(c, TH_RECORD_ADDED), 4);
    th_compare_free(c);
    assert_int_equal(th_compare_new(project, 1, 2, S("none"), &c, &err), TH_ERR_ARGUMENT);
    assert_null(c);
    assert_int_equal(th_compare_new(project, 1, 9, (th_str){0}, &c, &err), TH_ERR_ARGUMENT);
    th_project_free(project);
}

static th_status compare_once(void *context)
{
    th_compare *c = NULL;
    th_status status = th_compare_new(context, 1, 2, (th_str){0}, &c, NULL);
    th_compare_free(c);
    return status;
}

static void memory_may_fail(void **state)
{
    th_project *project = open_project();
    put_runs(project);
    th_test_each_allocation_fails(compare_once, project);
    th_project_free(project);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(intervals), cmocka_unit_test(times_of_day),    cmocka_unit_test(claims),
        cmocka_unit_test(compared),  cmocka_unit_test(memory_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
