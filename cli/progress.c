/* progress.c: a line on standard error that shows the progress of long work. */
#include "progress.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { FIRST_MS = 1000, EVERY_MS = 200, BAR = 24 };

struct cli_progress {
    const th_feed *feed;
    pthread_t thread;
    pthread_mutex_t lock; /* guards all below */
    pthread_cond_t wake;
    uint64_t pages, fetched, waiting;
    struct timespec began;
    bool shown, stopped;
};

static double seconds_since(const struct timespec *began)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - began->tv_sec) + (double)(now.tv_nsec - began->tv_nsec) / 1e9;
}

static void hide(cli_progress *progress)
{
    if (progress->shown)
        fputs("\r\033[K", stderr);
    progress->shown = false;
}

/* "[=====>      ] 42%  " where the total is known. */
static void draw_bar(char *out, size_t size, uint64_t done, uint64_t total)
{
    char bar[BAR + 1];
    if (done > total)
        done = total;
    size_t full = (size_t)((double)done / (double)total * BAR);
    memset(bar, ' ', BAR);
    memset(bar, '=', full);
    if (full && full < BAR)
        bar[full - 1] = '>';
    bar[BAR] = '\0';
    snprintf(out, size, "[%s] %3d%%  ", bar, (int)((double)done / (double)total * 100));
}

/* "12 pages, 1.9 pages/s, 30 to go: about 16 s": what is fetched sets the pace. */
static void draw_counts(cli_progress *progress)
{
    char left[64] = "";
    double rate = (double)progress->fetched / seconds_since(&progress->began);
    double rest = rate > 0 ? (double)progress->waiting / rate : 0;
    if (progress->waiting && rest > 0)
        snprintf(left, sizeof left, rest < 100 ? ": about %.0f s" : ": about %.0f min",
                 rest < 100 ? rest : rest / 60);
    fprintf(stderr, "\r\033[K%llu page%s, %.1f pages/s, %llu to go%s",
            (unsigned long long)progress->pages, progress->pages == 1 ? "" : "s", rate,
            (unsigned long long)progress->waiting, left);
    progress->shown = true;
}

static void draw(cli_progress *progress)
{
    if (!progress->feed) {
        draw_counts(progress);
        return;
    }
    uint64_t done = th_feed_bytes_read(progress->feed);
    uint64_t total = th_feed_bytes_total(progress->feed);
    double seconds = seconds_since(&progress->began), mega = (double)done / 1e6;
    char bar[BAR + 16] = "";
    if (total)
        draw_bar(bar, sizeof bar, done, total);
    fprintf(stderr, "\r\033[K%s%llu page%s, %.1f MB, %.1f MB/s", bar,
            (unsigned long long)progress->pages, progress->pages == 1 ? "" : "s", mega,
            mega / seconds);
    progress->shown = true;
}

static void add_ms(struct timespec *time, long ms)
{
    time->tv_nsec += ms % 1000 * 1000000;
    time->tv_sec += ms / 1000 + time->tv_nsec / 1000000000;
    time->tv_nsec %= 1000000000;
}

static void *run(void *context)
{
    cli_progress *progress = context;
    struct timespec next = progress->began;
    add_ms(&next, FIRST_MS);
    pthread_mutex_lock(&progress->lock);
    while (!progress->stopped) {
        if (pthread_cond_timedwait(&progress->wake, &progress->lock, &next) != ETIMEDOUT)
            continue;
        draw(progress);
        add_ms(&next, EVERY_MS);
    }
    hide(progress);
    pthread_mutex_unlock(&progress->lock);
    return NULL;
}

cli_progress *cli_progress_start(const th_feed *feed)
{
    const char *term = getenv("TERM");
    if (!isatty(STDERR_FILENO) || !term || !strcmp(term, "dumb"))
        return NULL;
    cli_progress *progress = calloc(1, sizeof *progress);
    if (!progress)
        return NULL;
    progress->feed = feed;
    clock_gettime(CLOCK_MONOTONIC, &progress->began);
    pthread_condattr_t clock;
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_mutex_init(&progress->lock, NULL);
    pthread_cond_init(&progress->wake, &clock);
    pthread_condattr_destroy(&clock);
    if (pthread_create(&progress->thread, NULL, run, progress) == 0)
        return progress;
    pthread_cond_destroy(&progress->wake);
    pthread_mutex_destroy(&progress->lock);
    free(progress);
    return NULL;
}

void cli_progress_page(cli_progress *progress)
{
    if (!progress)
        return;
    pthread_mutex_lock(&progress->lock);
    progress->pages++;
    pthread_mutex_unlock(&progress->lock);
}

void cli_progress_count(cli_progress *progress, uint64_t pages, uint64_t fetched, uint64_t waiting)
{
    if (!progress)
        return;
    pthread_mutex_lock(&progress->lock);
    progress->pages = pages;
    progress->fetched = fetched;
    progress->waiting = waiting;
    pthread_mutex_unlock(&progress->lock);
}

void cli_progress_hide(cli_progress *progress)
{
    if (!progress)
        return;
    pthread_mutex_lock(&progress->lock);
    hide(progress);
    pthread_mutex_unlock(&progress->lock);
}

void cli_progress_stop(cli_progress *progress)
{
    if (!progress)
        return;
    pthread_mutex_lock(&progress->lock);
    progress->stopped = true;
    pthread_cond_signal(&progress->wake);
    pthread_mutex_unlock(&progress->lock);
    pthread_join(progress->thread, NULL);
    pthread_cond_destroy(&progress->wake);
    pthread_mutex_destroy(&progress->lock);
    free(progress);
}
