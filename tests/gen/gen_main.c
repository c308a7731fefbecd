/*
 * gen_main.c: thresh-gen, the site generator. See README.md beside it.
 *
 *     thresh-gen --out /tmp/sites --sites 20 --family all --pages 5
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "gen_change.h"
#include "gen_check.h"
#include "gen_options.h"
#include "gen_page.h"

#include "base/error.h"

static th_status check_family(const gen_options *o, th_error *err)
{
    bool named = strcmp(o->family, "all") == 0, fits = named;
    for (uint32_t i = 0; i < gen_family_count; i++)
        if (strcmp(o->family, gen_families[i]->name) == 0)
            named = true, fits = gen_families[i]->makes & (1u << o->kind);
    if (!named)
        return th__fail(err, TH_ERR_ARGUMENT,
                        "there is no family '%.60s'; thresh-gen --families lists them", o->family);
    if (!fits)
        return th__fail(
            err, TH_ERR_ARGUMENT,
            "the family %s makes no %s pages; thresh-gen --families lists what each makes",
            o->family, gen_kind_name(o->kind));
    return TH_OK;
}

static th_status check_shape(gen_options *o, th_error *err)
{
    unsigned nt, a, ap;
    int used = 0;
    if (!o->profile)
        return TH_OK;
    if (o->kind != GEN_FACULTY)
        return th__fail(err, TH_ERR_ARGUMENT, "--shape is about faculty pages: add --kind faculty");
    if (strcmp(o->profile, "table1") == 0 || strcmp(o->profile, "unseen") == 0)
        return TH_OK;
    if (sscanf(o->profile, "%u,%u,%u%n", &nt, &a, &ap, &used) != 3 || o->profile[used] || !a ||
        a > 14 || !ap || ap > 200 || nt > 10000000)
        return th__fail(
            err, TH_ERR_ARGUMENT,
            "--shape '%.60s' makes no sense; give NT,A,AP (A 1..14, AP 1..200), table1 or unseen",
            o->profile);
    return TH_OK;
}

static void list_families(void)
{
    for (uint32_t i = 0; i < gen_family_count; i++) {
        const gen_family *f = gen_families[i];
        printf("%-10s %s%s%s  %s\n", f->name, f->makes & GEN_MAKES_LIST ? "list " : "",
               f->makes & GEN_MAKES_DETAIL ? "detail " : "",
               f->makes & GEN_MAKES_FACULTY ? "faculty " : "", f->about);
    }
}

static th_status write_plain(const gen_options *o, gen_folder *folder, th_error *err)
{
    th_status status = gen_folder_open(folder, o->out, err);
    if (status)
        return status;
    for (uint32_t i = 0; i < o->sites && !status; i++) {
        gen_site site;
        gen_site_init(&site, o, i);
        status = gen_site_write(&site, folder, err);
        gen_site_release(&site);
    }
    const th_status closed = gen_folder_close(folder, err);
    return status ? status : closed;
}

/* One site, before and after. */
static th_status write_pair(const gen_options *o, uint32_t index, gen_folder *before,
                            gen_folder *after, FILE *mapping, th_error *err)
{
    gen_site old, new;
    gen_change_note note;
    th__buf line = {0};
    gen_site_init(&old, o, index);
    gen_site_init(&new, o, index);
    gen_change_apply(&new, o->change, index, &note);
    th_status status = gen_site_write(&old, before, err);
    if (!status)
        status = gen_site_write(&new, after, err);
    gen_change_json(&line, &old, &new, &note);
    if (!status && (line.failed || fwrite(line.data, 1, line.len, mapping) != line.len))
        status = th__fail(err, TH_ERR_IO, "writing mapping.jsonl failed: is the disk full?");
    th__buf_release(&line);
    gen_site_release(&old);
    gen_site_release(&new);
    return status;
}

static th_status write_change(const gen_options *o, gen_folder *total, th_error *err)
{
    th__buf paths[3] = {{0}, {0}, {0}};
    static const char *const names[] = {"before", "after", "mapping.jsonl"};
    if (mkdir(o->out, 0777) != 0 && errno != EEXIST)
        return th__fail(err, TH_ERR_IO, "cannot make the folder %s: %s", o->out, strerror(errno));
    for (int i = 0; i < 3; i++)
        th__buf_printf(&paths[i], "%s/%s", o->out, names[i]);
    gen_folder before = {0}, after = {0};
    FILE *mapping = fopen(paths[2].data, "wb");
    th_status status =
        mapping ? TH_OK
                : th__fail(err, TH_ERR_IO, "cannot write %s: %s", paths[2].data, strerror(errno));
    if (!status)
        status = gen_folder_open(&before, paths[0].data, err);
    if (!status)
        status = gen_folder_open(&after, paths[1].data, err);
    for (uint32_t i = 0; i < o->sites && !status; i++)
        status = write_pair(o, i, &before, &after, mapping, err);
    th_status closed = TH_OK;
    if (before.labels)
        closed = gen_folder_close(&before, err);
    if (after.labels && !closed)
        closed = gen_folder_close(&after, err);
    if (mapping && fclose(mapping) != 0 && !closed)
        closed = th__fail(err, TH_ERR_IO, "writing mapping.jsonl failed: is the disk full?");
    *total = before;
    total->page_bytes += after.page_bytes, total->truth_bytes += after.truth_bytes;
    total->pages += after.pages, total->records += after.records;
    for (int i = 0; i < 3; i++)
        th__buf_release(&paths[i]);
    return status ? status : closed;
}

static th_status run(gen_options *o, th_error *err)
{
    if (o->check) {
        gen_check_result result;
        const th_status status = gen_check(o->check, &result, err);
        if (!status && !o->quiet)
            printf("%s: %llu pages, %llu records, %llu values: all right\n", o->check,
                   (unsigned long long)result.pages, (unsigned long long)result.records,
                   (unsigned long long)result.values);
        return status;
    }
    th_status status = check_family(o, err);
    if (!status)
        status = check_shape(o, err);
    if (status)
        return status;
    if (o->profile && strcmp(o->profile, "table1") == 0 && o->sites == 1)
        o->sites = 30;
    struct timespec start, end;
    clock_gettime(CLOCK_MONOTONIC, &start);
    gen_folder folder = {0};
    status = o->change ? write_change(o, &folder, err) : write_plain(o, &folder, err);
    clock_gettime(CLOCK_MONOTONIC, &end);
    const double seconds =
        (double)(end.tv_sec - start.tv_sec) + (double)(end.tv_nsec - start.tv_nsec) / 1e9;
    if (!status && !o->quiet)
        fprintf(stderr,
                "%s: %llu pages, %llu records, %.1f MB of pages, %.1f MB of truth, %.0f MB/s of "
                "pages\n",
                o->out, (unsigned long long)folder.pages, (unsigned long long)folder.records,
                (double)folder.page_bytes / 1e6, (double)folder.truth_bytes / 1e6,
                seconds > 0 ? (double)folder.page_bytes / 1e6 / seconds : 0);
    return status;
}

int main(int argc, char **argv)
{
    gen_options options;
    th_error err;
    th_status status = gen_options_parse(&options, argc, argv, &err);
    if (!status && options.help) {
        gen_options_help(stdout);
        return 0;
    }
    if (!status && options.families) {
        list_families();
        return 0;
    }
    if (!status)
        status = run(&options, &err);
    if (status) {
        fprintf(stderr, "thresh-gen: %s\n", err.message);
        return status == TH_ERR_ARGUMENT ? 2 : 1;
    }
    return 0;
}
