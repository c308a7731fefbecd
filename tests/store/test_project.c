/* The project file: what goes in comes out, and what is no project is left alone. */
#include "test.h"

#include <fcntl.h>
#include <ftw.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "alloc_fail.h"
#include "store/project.h"

static char folder[] = "/tmp/thresh-project-XXXXXX";
static th_error err;

#define S(text) th_str_from(text)

static char *path_of(const char *name)
{
    static char paths[4][256];
    static unsigned next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

static int remove_one(const char *path, const struct stat *stat, int kind, struct FTW *place)
{
    return remove(path);
}

static int make_folder(void **state)
{
    strcpy(folder + strlen(folder) - 6, "XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    return nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static th_project *open_project(const char *name, th_project_mode mode)
{
    th_project *project = NULL;
    th_status status = th_project_open(path_of(name), mode, &project, &err);
    if (status)
        print_error("%s\n", err.message);
    assert_int_equal(status, TH_OK);
    return project;
}

static void put_file(const char *name, const char *bytes, size_t len)
{
    FILE *file = fopen(path_of(name), "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, len, file), len);
    fclose(file);
}

static void assert_file(const char *name, const char *bytes, size_t len)
{
    char got[4096];
    FILE *file = fopen(path_of(name), "rb");
    assert_non_null(file);
    assert_int_equal(fread(got, 1, sizeof got, file), len);
    assert_memory_equal(got, bytes, len);
    fclose(file);
}

#define must(call) assert_int_equal((call), TH_OK)

/* ---- pages ---- */

typedef struct seen {
    size_t count;
    char text[4096];
} seen;

static th_status see_page(void *context, const th_project_page *page, th_error *error)
{
    seen *s = context;
    size_t len = strlen(s->text);
    s->count++;
    snprintf(s->text + len, sizeof s->text - len, "%.*s/%.*s %llu%s%s;", (int)page->site.len,
             page->site.ptr, (int)page->name.len, page->name.ptr, (unsigned long long)page->size,
             page->latest ? "" : " old", page->labelled ? " labelled" : "");
    return TH_OK;
}

static void add(th_project *project, const char *site, const char *name, const char *bytes,
                bool expect)
{
    bool added = !expect;
    th_page_source source = {.url = S("http://example.org/"), .charset = S("utf-8")};
    must(th_project_add_page(project, S(site), S(name), &source, S(bytes), NULL, &added, &err));
    assert_int_equal(added, expect);
}

static void pages_are_kept(void **state)
{
    th_project *project = open_project("p", TH_PROJECT_NEW);
    add(project, "shop", "1.html", "<p>one", true);
    add(project, "shop", "1.html", "<p>one", false);
    add(project, "shop", "1.html", "<p>one, changed", true);
    add(project, "shop", "2.html", "", true);
    add(project, "news", "1.html", "<p>one", true);
    seen latest = {0}, all = {0}, news = {0};
    must(th_project_pages(project, (th_str){0}, false, see_page, &latest, &err));
    assert_string_equal(latest.text, "shop/1.html 15;shop/2.html 0;news/1.html 6;");
    must(th_project_pages(project, S("shop"), true, see_page, &all, &err));
    assert_string_equal(all.text, "shop/1.html 6 old;shop/1.html 15;shop/2.html 0;");
    must(th_project_pages(project, S("news"), true, see_page, &news, &err));
    assert_string_equal(news.text, "news/1.html 6;");
    /* the same content twice is one body */
    int64_t bodies = 0;
    must(th__project_number(project, &bodies, &err, "SELECT count(*) FROM body", ""));
    assert_int_equal(bodies, 3);
    th_input *input;
    must(th_project_find_page(project, S("shop"), S("1.html"), &input, &err));
    assert_true(th__str_eq(th_input_bytes(input), S("<p>one, changed")));
    assert_memory_equal(th_input_url(input).ptr, "http://example.org/", 19);
    th_input_free(input);
    assert_int_equal(th_project_find_page(project, S("shop"), S("no"), &input, &err), TH_DONE);
    must(th_project_check(project, &err));
    th_project_free(project);
}

/* ---- what pages look with ---- */

static th_status see_asset(void *context, const th_project_asset *asset, th_error *error)
{
    seen *s = context;
    size_t len = strlen(s->text);
    s->count++;
    snprintf(s->text + len, sizeof s->text - len, "%.*s %.*s %llu;", (int)asset->address.len,
             asset->address.ptr, (int)asset->type.len, asset->type.ptr,
             (unsigned long long)asset->size);
    return TH_OK;
}

static void assets_are_kept(void **state)
{
    th_project *project = open_project("p", TH_PROJECT_NEW);
    int64_t first = 0, id = 0, bodies = 0;
    bool added = false, removed = false;
    th_input *input;
    th_text site = {0};
    must(th_project_add_asset(project, S("shop"), S("http://a/x.css#top"), S("p{}"), &first, &added,
                              &err));
    assert_true(added);
    must(
        th_project_add_asset(project, S("shop"), S("http://a/x.css"), S("p{}"), &id, &added, &err));
    assert_true(!added && id == first);
    must(th_project_add_asset(project, S("shop"), S("a#b.gif"), S("GIF89a"), NULL, NULL, &err));
    must(th_project_add_asset(project, S("news"), S("http://a/x.css"), S("p{}"), NULL, NULL, &err));
    assert_int_equal(
        th_project_add_asset(project, S("shop"), S("x"), S("<html>no"), NULL, NULL, &err),
        TH_ERR_FORMAT);
    assert_int_equal(th_project_add_asset(project, S("shop"), S(""), S("p{}"), NULL, NULL, &err),
                     TH_ERR_ARGUMENT);
    seen shop = {0}, left = {0};
    must(th_project_assets(project, S("shop"), see_asset, &shop, &err));
    assert_string_equal(shop.text, "http://a/x.css text/css 3;a#b.gif image/gif 6;");
    must(th_project_find_asset(project, S("shop"), S("http://a/x.css#else"), &id, &err));
    assert_int_equal(id, first);
    assert_int_equal(th_project_find_asset(project, S("shop"), S("http://a/y"), &id, &err),
                     TH_DONE);
    must(th_project_asset_input(project, S("shop"), first, &input, &err));
    assert_true(th__str_eq(th_input_bytes(input), S("p{}")));
    assert_true(th__str_eq(th_input_name(input), S("http://a/x.css")));
    th_input_free(input);
    assert_int_equal(th_project_asset_input(project, S("news"), first, &input, &err), TH_DONE);
    /* what changed takes the place of what was there, under another id */
    must(
        th_project_add_asset(project, S("shop"), S("http://a/x.css"), S("a{}"), &id, &added, &err));
    assert_true(added && id != first);
    add(project, "shop", "1.html", "p{}", true); /* a content of both */
    must(th_project_page_site(project, 1, &site, &err));
    assert_string_equal(site.ptr, "shop");
    assert_int_equal(th_project_page_site(project, 99, &site, &err), TH_DONE);
    th_text_release(&site);
    must(th_project_check(project, &err));
    must(th_project_tidy(project, &err)); /* news has no pages */
    must(th_project_assets(project, (th_str){0}, see_asset, &left, &err));
    assert_string_equal(left.text, "a#b.gif image/gif 6;http://a/x.css text/css 3;");
    must(th_project_remove_site(project, S("shop"), &removed, &err));
    must(th_project_tidy(project, &err));
    must(th__project_number(project, &bodies, &err, "SELECT count(*) FROM body", ""));
    assert_int_equal(bodies, 0);
    th_project_free(project);
}

static void assets_have_the_type_of_their_content(void **state)
{
    static const struct {
        const char *bytes, *type;
        size_t len;
    } cases[] = {
        {"\x89PNG\r\n\x1a\n", "image/png", 8},
        {"\xff\xd8\xff\xe0", "image/jpeg", 4},
        {"RIFF1234WEBPVP8 ", "image/webp", 16},
        {"\0\0\0\x1c"
         "ftypavif",
         "image/avif", 12},
        {"wOFF", "font/woff", 4},
        {"wOF2", "font/woff2", 4},
        {"\0\1\0\0", "font/ttf", 4},
        {"OTTO\0", "font/otf", 5},
        {"<svg xmlns='x'>", "image/svg+xml", 15},
        {"\xEF\xBB\xBF<?xml version='1.0'?>\n<!-- <p> --><!DOCTYPE svg><svg/>", "image/svg+xml",
         56},
        {"p{color:red}", "text/css", 12},
        {"BMW{}", "text/css", 5},
        {"true{}", "text/css", 6},
        {"", "text/css", 0},
        {"<!-- p{} -->", "text/css", 12},
        {"<!doctype html><svg>", NULL, 20},
        {"  <p>x<svg>", NULL, 11},
        {"a\0b", NULL, 3},
        {"%PDF\0", NULL, 5},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *type = th_asset_type((th_str){cases[i].bytes, cases[i].len});
        if (cases[i].type)
            assert_string_equal(type ? type : "none", cases[i].type);
        else
            assert_null(type);
    }
}

static void pages_are_a_feed(void **state)
{
    th_project *project = open_project("p", TH_PROJECT_NEW);
    add(project, "shop", "1.html", "<p>one", true);
    add(project, "shop", "2.html", "<p>two", true);
    th_feed *feed;
    th_input *input;
    must(th_project_feed(project, S("shop"), &feed, &err));
    th_project_free(project); /* the feed has its own connection */
    must(th_feed_next(feed, &input, &err));
    assert_memory_equal(th_input_name(input).ptr, "1.html", 6);
    th_input_free(input);
    must(th_feed_next(feed, &input, &err));
    assert_true(th__str_eq(th_input_bytes(input), S("<p>two")));
    th_input_free(input);
    assert_int_equal(th_feed_next(feed, &input, &err), TH_DONE);
    th_feed_free(feed);
}

static void labels_are_kept(void **state)
{
    static const char line[] = "{\"page\": \"1.html\", \"records\": [{\"title\": \"One\"}]}";
    th_project *project = open_project("p", TH_PROJECT_NEW);
    th_labels *labels;
    th_text lines = {0};
    add(project, "shop", "1.html", "<p>One", true);
    must(th_project_set_labels(project, S("shop"), S("1.html"), S(line), &err));
    must(th_project_set_labels(project, S("shop"), S("1.html"), S(line), &err));
    must(th_project_labels(project, S("shop"), &labels, &err));
    assert_int_equal(th_labels_count(labels), 1);
    th_labels_free(labels);
    seen pages = {0};
    must(th_project_pages(project, S("shop"), false, see_page, &pages, &err));
    assert_string_equal(pages.text, "shop/1.html 6 labelled;");
    assert_int_equal(th_project_set_labels(project, S("shop"), S("2.html"), S(line), &err),
                     TH_ERR_ARGUMENT);
    assert_int_not_equal(
        th_project_set_labels(project, S("shop"), S("1.html"), S("{\"page\": 1}"), &err), TH_OK);
    must(th_project_set_labels(project, S("shop"), S("1.html"), (th_str){0}, &err));
    must(th_project_label_lines(project, S("shop"), &lines, &err));
    assert_int_equal(lines.len, 0);
    th_text_release(&lines);
    th_project_free(project);
}

/* ---- wrappers and runs ---- */

static const char list_page[] =
    "<ul><li><b>Snow</b> <i>9.50</i><li><b>Rain</b> <i>8.20</i><li><b>Hail</b> <i>7.10</i></ul>";

static th_wrapper *learn(void)
{
    th_parser *parser;
    th_page *page;
    th_corpus *corpus;
    th_wrapper *wrapper = NULL;
    must(th_parser_new(NULL, &parser, &err));
    must(th_parser_parse(parser, S(list_page), NULL, &page, &err));
    th_learn_options options;
    th_learn_options_init(&options);
    options.engine = "auto";
    options.no_profile = true;
    must(th_corpus_new(&corpus, &err));
    must(th_corpus_add(corpus, page, NULL, &err));
    must(th_learn(corpus, &options, &wrapper, NULL, &err));
    th_corpus_free(corpus);
    th_page_free(page);
    th_parser_free(parser);
    return wrapper;
}

static void wrappers_have_versions(void **state)
{
    th_project *project = open_project("p", TH_PROJECT_NEW);
    th_wrapper *wrapper = learn(), *again;
    uint32_t version = 0;
    th_text text = {0};
    must(th_project_add_wrapper(project, S("shop"), S("books"), wrapper, &version, &err));
    assert_int_equal(version, 1);
    must(th_project_add_wrapper(project, S("shop"), S("books"), wrapper, &version, &err));
    assert_int_equal(version, 2);
    must(th_project_add_wrapper(project, S("news"), S("books"), wrapper, &version, &err));
    assert_int_equal(version, 1);
    must(th_project_wrapper_text(project, S("shop"), S("books"), 0, &version, &text, &err));
    assert_int_equal(version, 2);
    must(th_wrapper_read((th_str){text.ptr, text.len}, "stored", &again, &err));
    assert_true(th_schema_equal(th_wrapper_schema(wrapper), th_wrapper_schema(again)));
    assert_int_equal(
        th_project_wrapper_text(project, S("shop"), S("books"), 3, &version, &text, &err), TH_DONE);
    bool removed = false;
    must(th_project_remove_wrapper(project, S("shop"), S("books"), 2, &removed, &err));
    assert_true(removed);
    must(th_project_remove_wrapper(project, S("shop"), S("books"), 2, &removed, &err));
    assert_false(removed);
    must(th_project_wrapper_text(project, S("shop"), S("books"), 0, &version, &text, &err));
    assert_int_equal(version, 1);
    th_wrapper_free(again);
    th_wrapper_free(wrapper);
    th_text_release(&text);
    th_project_free(project);
}

static th_records *extract(const th_wrapper *wrapper)
{
    th_parser *parser;
    th_page *page;
    th_records *records;
    th_records_source source = {.page = S("1.html")};
    must(th_parser_new(NULL, &parser, &err));
    must(th_parser_parse(parser, S(list_page), NULL, &page, &err));
    must(th_wrapper_extract(wrapper, page, &source, &records, &err));
    th_page_free(page);
    th_parser_free(parser);
    return records;
}

static th_status see_run(void *context, const th_project_run *run, th_error *error)
{
    seen *s = context;
    size_t len = strlen(s->text);
    s->count++;
    snprintf(s->text + len, sizeof s->text - len, "%.*s %llu %llu %.*s%s;", (int)run->command.len,
             run->command.ptr, (unsigned long long)run->pages, (unsigned long long)run->records,
             (int)run->verdict.len, run->verdict.ptr ? run->verdict.ptr : "",
             run->finished.ptr ? "" : " open");
    return TH_OK;
}

static th_status see_record(void *context, const th_project_record *record, th_error *error)
{
    seen *s = context;
    size_t len = strlen(s->text);
    s->count++;
    snprintf(s->text + len, sizeof s->text - len, "%llu %.*s;",
             (unsigned long long)record->position, (int)record->json.len, record->json.ptr);
    return TH_OK;
}

static th_status see_verdict(void *context, const th_project_verdict *verdict, th_error *error)
{
    seen *s = context;
    size_t len = strlen(s->text);
    snprintf(s->text + len, sizeof s->text - len, "%.*s=%.*s;", (int)verdict->field.len,
             verdict->field.ptr ? verdict->field.ptr : "", (int)verdict->verdict.len,
             verdict->verdict.ptr);
    return TH_OK;
}

static void runs_are_kept(void **state)
{
    th_project *project = open_project("p", TH_PROJECT_NEW);
    th_wrapper *wrapper = learn();
    th_records *records = extract(wrapper);
    th_run *run;
    int64_t id = 0;
    th_project_run info = {.site = S("shop"), .command = S("extract"), .wrapper = S("books")};
    must(th_run_begin(project, &info, &run, &err));
    must(th_run_add(run, records, &err));
    must(th_run_add(run, records, &err));
    must(th_run_add_verdict(run, (th_str){0}, S("drift"), (th_str){0}, &err));
    must(th_run_add_verdict(run, S("price"), S("drift"), S("{\"p\":0.01}"), &err));
    seen before = {0}, after = {0}, rows = {0}, verdicts = {0};
    must(th_project_runs(project, (th_str){0}, see_run, &before, &err));
    assert_string_equal(before.text, "extract 0 0  open;");
    th_project_run totals = {.pages = 2, .verdict = S("drift")};
    must(th_run_finish(run, &totals, &id, &err));
    assert_int_equal(th_run_add(run, records, &err), TH_ERR_ARGUMENT);
    th_run_free(run);
    must(th_run_begin(project, &info, &run, &err));
    must(th_run_add(run, records, &err));
    th_run_free(run); /* undone */
    must(th_project_runs(project, S("shop"), see_run, &after, &err));
    assert_string_equal(after.text, "extract 2 6 drift;");
    must(th_project_records(project, id, 2, 2, see_record, &rows, &err));
    assert_int_equal(rows.count, 2);
    assert_memory_equal(rows.text, "2 {", 3);
    assert_non_null(strstr(rows.text, "Snow"));
    must(th_project_verdicts(project, id, see_verdict, &verdicts, &err));
    assert_string_equal(verdicts.text, "=drift;price=drift;");
    th_records_free(records);
    th_wrapper_free(wrapper);
    th_project_free(project);
}

static void queue(th_project *project, const char *name, const char *bytes)
{
    th_input *input;
    must(th_input_new(S(name), NULL, S(bytes), &input, &err));
    must(th_project_queue_page(project, S("shop"), input, &err));
}

/* Pages that are queued keep nobody from writing, and are written together. */
static void pages_are_queued(void **state)
{
    th_project *project = open_project("p", TH_PROJECT_NEW);
    th_project *other = open_project("p", TH_PROJECT_OPEN);
    uint64_t added = 9, known = 9;
    seen pages = {0};
    char name[16];
    must(th_project_add_queued(project, &added, &known, &err));
    assert_int_equal(added + known, 0);
    queue(project, "1.html", "x");
    add(other, "shop", "2.html", "y", true);
    queue(project, "2.html", "y");
    must(th_project_pages(project, (th_str){0}, true, see_page, &pages, &err));
    assert_string_equal(pages.text, "shop/2.html 1;");
    must(th_project_add_queued(project, &added, &known, &err));
    assert_int_equal(added, 1);
    assert_int_equal(known, 1);
    queue(project, "3.html", "z");
    th_project_rollback(project);
    must(th_project_add_queued(project, &added, &known, &err));
    assert_int_equal(added + known, 0);
    for (int i = 0; i < 250; i++) { /* a long queue is written at once */
        snprintf(name, sizeof name, "n%d.html", i);
        queue(project, name, name);
    }
    assert_true(project->queue.len < 100);
    must(th_project_add_queued(project, &added, NULL, &err));
    assert_int_equal(added, 250);
    queue(project, "last.html", "z"); /* the project's end forgets it */
    th_project_free(other);
    th_project_free(project);
}

static void changes_together(void **state)
{
    th_project *project = open_project("p", TH_PROJECT_NEW);
    seen pages = {0};
    must(th_project_begin(project, &err));
    assert_int_equal(th_project_begin(project, &err), TH_ERR_ARGUMENT);
    add(project, "shop", "1.html", "x", true);
    assert_int_equal(
        th_project_add_page(project, S(""), S("2.html"), NULL, S("y"), NULL, NULL, &err),
        TH_ERR_ARGUMENT); /* what fails leaves the rest */
    add(project, "shop", "3.html", "z", true);
    must(th_project_commit(project, &err));
    must(th_project_begin(project, &err));
    add(project, "shop", "4.html", "x", true);
    th_project_rollback(project);
    must(th_project_pages(project, (th_str){0}, true, see_page, &pages, &err));
    assert_string_equal(pages.text, "shop/1.html 1;shop/3.html 1;");
    bool removed = true;
    must(th_project_remove_page(project, 99, &removed, &err));
    assert_false(removed);
    must(th_project_remove_page(project, 1, &removed, &err));
    assert_true(removed);
    pages = (seen){0};
    must(th_project_pages(project, (th_str){0}, true, see_page, &pages, &err));
    assert_string_equal(pages.text, "shop/3.html 1;");
    must(th_project_remove_site(project, S("shop"), &removed, &err));
    assert_true(removed);
    must(th_project_tidy(project, &err));
    int64_t bodies = 1;
    must(th__project_number(project, &bodies, &err, "SELECT count(*) FROM body", ""));
    assert_int_equal(bodies, 0);
    th_project_free(project);
}

/* Another process that reads a project whenever it is asked, and tells how many pages it sees. It
 * is made before this one opens anything: SQLite does not go through a fork. */
typedef struct reader {
    pid_t pid;
    int ask, answer;
} reader;

static void answer_questions(int ask, int answer, const char *path)
{
    char byte;
    while (read(ask, &byte, 1) == 1) {
        th_project *project = NULL;
        seen pages = {0};
        byte = -1;
        if (!th_project_open(path, TH_PROJECT_OPEN, &project, &err) &&
            !th_project_pages(project, (th_str){0}, true, see_page, &pages, &err))
            byte = (char)pages.count;
        th_project_free(project);
        if (write(answer, &byte, 1) != 1)
            break;
    }
    _exit(0);
}

static reader start_reader(const char *path)
{
    int ask[2], answer[2];
    assert_int_equal(pipe(ask) | pipe(answer), 0);
    reader other = {.pid = fork(), .ask = ask[1], .answer = answer[0]};
    assert_true(other.pid >= 0);
    if (!other.pid) {
        close(ask[1]);
        answer_questions(ask[0], answer[1], path);
    }
    close(ask[0]);
    close(answer[1]);
    return other;
}

static int pages_seen(const reader *other)
{
    char byte = 0;
    assert_int_equal(write(other->ask, &byte, 1), 1);
    assert_int_equal(read(other->answer, &byte, 1), 1);
    return byte;
}

/* Connections that come and go beside one that stays, and a process that reads in between: what is
 * committed is seen by it at once, and is there in the end. */
static void others_see_what_is_kept(void **state)
{
    enum { ROUNDS = 20 };
    reader other = start_reader(path_of("p"));
    th_project *project = open_project("p", TH_PROJECT_NEW);
    for (int i = 1; i <= ROUNDS; i++) {
        char name[16];
        snprintf(name, sizeof name, "%d.html", i);
        th_project *second = open_project("p", TH_PROJECT_OPEN);
        add(i % 2 ? project : second, "shop", name, name, true);
        assert_int_equal(pages_seen(&other), i);
        th_project_free(second);
    }
    th_project_free(project);
    assert_int_equal(pages_seen(&other), ROUNDS);
    close(other.ask);
    close(other.answer);
    assert_int_equal(waitpid(other.pid, NULL, 0), other.pid);
}

/* ---- questions that are not asked again ---- */

static th_status see_question(void *context, th_str question, th_error *problem)
{
    seen *questions = context;
    size_t len = strlen(questions->text);
    snprintf(questions->text + len, sizeof questions->text - len, "%.*s;", (int)question.len,
             question.ptr);
    return question.len > 50 ? TH_ERR_CANCELLED : TH_OK;
}

static void questions_are_set_aside(void **state)
{
    th_project *project = open_project("p", TH_PROJECT_NEW);
    seen questions = {0};
    char many[61];
    memset(many, 'z', sizeof many - 1);
    many[sizeof many - 1] = '\0';
    must(th_project_ignored(project, S("shop"), see_question, &questions, &err));
    assert_string_equal(questions.text, ""); /* there is no such site yet */
    for (int twice = 0; twice < 2; twice++)
        must(th_project_ignore(project, S("shop"), S("p.note"), true, &err));
    must(th_project_ignore(project, S("shop"), S("a \"label\""), true, &err));
    must(th_project_ignore(project, S("news"), S("p.other"), true, &err));
    must(th_project_ignore(project, S("shop"), S("never there"), false, &err));
    must(th_project_ignored(project, S("shop"), see_question, &questions, &err));
    assert_string_equal(questions.text, "a \"label\";p.note;");
    must(th_project_ignore(project, S("shop"), S("p.note"), false, &err));
    must(th_project_ignore(project, S("shop"), th_str_from(many), true, &err));
    must(th_project_ignore(project, S("shop"), S("zzzz"), true, &err)); /* before it */
    questions = (seen){0};
    /* who is told may stop it */
    assert_int_equal(th_project_ignored(project, S("shop"), see_question, &questions, &err),
                     TH_ERR_CANCELLED);
    bool removed = false;
    must(th_project_remove_site(project, S("shop"), &removed, &err));
    questions = (seen){0};
    must(th_project_ignored(project, S("shop"), see_question, &questions, &err));
    assert_string_equal(questions.text, "");
    th_project_free(project);
}

/* ---- files that are none of ours ---- */

static void others_are_left_alone(void **state)
{
    th_project *project;
    sqlite3 *db;
    char text[200];
    memset(text, 'x', sizeof text);
    put_file("text", text, sizeof text);
    assert_int_equal(th_project_open(path_of("text"), TH_PROJECT_OPEN_OR_NEW, &project, &err),
                     TH_ERR_FORMAT);
    assert_non_null(strstr(err.message, "is not a thresh project"));
    assert_file("text", text, sizeof text);
    assert_int_equal(th_project_open(path_of("text"), TH_PROJECT_NEW, &project, &err), TH_ERR_IO);
    assert_int_equal(th_project_open(path_of("none"), TH_PROJECT_OPEN, &project, &err), TH_ERR_IO);
    assert_non_null(strstr(err.message, "thresh project new"));
    assert_int_equal(access(path_of("none"), F_OK), -1);
    assert_int_equal(sqlite3_open(path_of("other"), &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, "CREATE TABLE t (x)", NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
    assert_int_equal(th_project_open(path_of("other"), TH_PROJECT_OPEN, &project, &err),
                     TH_ERR_FORMAT);
}

static void newer_versions_are_refused(void **state)
{
    th_project *project = open_project("p", TH_PROJECT_NEW);
    must(th__project_exec(project, "PRAGMA user_version = 99", &err));
    th_project_free(project);
    assert_int_equal(th_project_open(path_of("p"), TH_PROJECT_OPEN, &project, &err), TH_ERR_FORMAT);
    assert_non_null(strstr(err.message, "newer"));
}

static void older_versions_are_brought_up_to_date(void **state)
{
    th_project *project;
    sqlite3 *db;
    assert_int_equal(sqlite3_open(path_of("p"), &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, th__project_steps[0], NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db,
                                  "INSERT INTO site (name) VALUES ('shop');"
                                  "INSERT INTO run (site, command, wrapper_version, started,"
                                  " finished, records) VALUES (1, 'old', 0, 'then', 'then', 5);"
                                  "PRAGMA application_id = 0x54487270; PRAGMA user_version = 1",
                                  NULL, NULL, NULL),
                     SQLITE_OK);
    sqlite3_close(db);
    project = open_project("p", TH_PROJECT_OPEN);
    seen runs = {0};
    must(th_project_runs(project, S("shop"), see_run, &runs, &err));
    assert_string_equal(runs.text, "old 0 5 ;");
    int64_t version = 0, latest = 0;
    while (th__project_steps[latest])
        latest++;
    must(th__project_number(project, &version, &err, "PRAGMA user_version", ""));
    assert_int_equal(version, latest);
    must(th_project_ignore(project, S("shop"), S("p.note"), true, &err)); /* has its table now */
    th_project_free(project);
}

static th_status count_site(void *context, const th_project_site *site, th_error *error)
{
    ++*(size_t *)context;
    return TH_OK;
}

static th_status read_all(const char *name, th_error *error)
{
    th_project *project;
    size_t count = 0;
    seen pages = {0};
    th_status status = th_project_open(path_of(name), TH_PROJECT_OPEN, &project, error);
    if (status)
        return status;
    status = th_project_sites(project, count_site, &count, error);
    if (!status)
        status = th_project_pages(project, (th_str){0}, true, see_page, &pages, error);
    if (!status)
        status = th_project_check(project, error);
    th_project_free(project);
    return status;
}

/* A project may come from anybody: what its maker put in place of tables and values is refused with
 * a message, and is not run. */
static void hostile_projects_are_refused(void **state)
{
    static const struct {
        const char *sql, *message;
    } cases[] = {
        {"PRAGMA user_version = -1", "its version is -1"},
        {"PRAGMA user_version = -2147483648", "its version is -2147483648"},
        {"PRAGMA user_version = 0", "tables"},
        {"PRAGMA user_version = 1", "tables"},
        {"DROP TABLE ignored", "tables"},
        {"CREATE TABLE more (x)", "tables"},
        {"CREATE INDEX more ON page (url)", "tables"},
        {"ALTER TABLE site RENAME TO kept; CREATE VIEW site AS SELECT * FROM kept", "tables"},
        {"CREATE TRIGGER more AFTER INSERT ON site BEGIN DELETE FROM page; END", "tables"},
        {"ALTER TABLE page ADD COLUMN more AS (abs(id))", "tables"},
        {"CREATE VIRTUAL TABLE more USING fts5(x)", "tables"},
        {"UPDATE site SET name = x'00ff'", "\"name\" is not valid"},
        {"UPDATE page SET name = zeroblob(9)", "\"name\" is not valid"},
        {"UPDATE page SET url = 7.5; UPDATE page SET url = x'41'", "\"url\" is not valid"},
        {"UPDATE body SET size = 'many'", "\"size\" is not valid"},
        {"UPDATE body SET size = -1", "\"size\" is not valid"},
        {"UPDATE body SET size = 1000000000", "page 1 cannot be read back"},
        {"UPDATE body SET data = 'text'", "\"data\" is not valid"},
        {"PRAGMA foreign_keys = OFF; DELETE FROM body", "\"digest\" is not valid"},
        {"UPDATE page SET id = -5", "\"id\" is not valid"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sqlite3 *db;
        th_project *project = open_project("p", TH_PROJECT_NEW);
        add(project, "shop", "1.html", "<p>one", true);
        th_project_free(project);
        must(read_all("p", &err));
        assert_int_equal(sqlite3_open(path_of("p"), &db), SQLITE_OK);
        assert_int_equal(sqlite3_exec(db, cases[i].sql, NULL, NULL, NULL), SQLITE_OK);
        sqlite3_close(db);
        err.message[0] = '\0';
        if (read_all("p", &err) != TH_ERR_FORMAT || !strstr(err.message, cases[i].message))
            fail_msg("%s: \"%s\"", cases[i].sql, err.message);
        unlink(path_of("p"));
    }
}

/* Bytes of the file are overwritten, one place after the other: it must never be taken for sound
 * when a page cannot be read back, and must not crash. */
static void damage_is_told(void **state)
{
    char bytes[20000];
    th_project *project = open_project("p", TH_PROJECT_NEW);
    unsigned told = 0, state_of = 7;
    for (size_t i = 0; i < sizeof bytes - 1; i++) /* hard to compress, so that it takes pages */
        bytes[i] = (char)('!' + (state_of = state_of * 1103515245 + 12345) / 65536 % 90);
    bytes[sizeof bytes - 1] = '\0';
    add(project, "shop", "1.html", bytes, true);
    th_project_free(project);
    FILE *file = fopen(path_of("p"), "rb");
    static char whole[1 << 20];
    size_t len = fread(whole, 1, sizeof whole, file);
    fclose(file);
    assert_true(len > 40000);
    for (size_t at = 100; at + 600 < len; at += 997) {
        char old[600];
        memcpy(old, whole + at, sizeof old);
        memset(whole + at, 0xA5, sizeof old);
        put_file("q", whole, len);
        memcpy(whole + at, old, sizeof old);
        unlink(path_of("q-wal"));
        unlink(path_of("q-shm"));
        th_status status = th_project_open(path_of("q"), TH_PROJECT_OPEN, &project, &err);
        if (!status)
            status = th_project_check(project, &err);
        told += status != TH_OK;
        th_project_free(status ? NULL : project);
        if (status && project)
            th_project_free(project);
        project = NULL;
    }
    assert_true(told > 20);
}

/* ---- plain files ---- */

static void export_and_import(void **state)
{
    th_project *project = open_project("p", TH_PROJECT_NEW), *copy;
    th_wrapper *wrapper = learn();
    th_records *records = extract(wrapper);
    th_run *run;
    th_project_run info = {.site = S("shop"), .command = S("extract"), .wrapper = S("books")};
    add(project, "shop", "a/../odd \"name\"", "<p>one", true);
    add(project, "shop", "a/../odd \"name\"", "<p>two", true);
    must(th_project_set_labels(project, S("shop"), S("1.html"),
                               S("{\"page\":\"1.html\",\"records\":[{\"t\":\"One\"}]}"), &err));
    must(th_project_add_wrapper(project, S("shop"), S("books"), wrapper, NULL, &err));
    must(th_run_begin(project, &info, &run, &err));
    must(th_run_add(run, records, &err));
    must(th_run_add_verdict(run, S("price"), S("fine"), S("{}"), &err));
    must(th_run_finish(run, &(th_project_run){.pages = 1}, NULL, &err));
    th_run_free(run);
    must(th_project_ignore(project, S("shop"), S("div > p.note \"Old\""), true, &err));
    must(th_project_add_asset(project, S("shop"), S("x/a.css"), S("p{}"), NULL, NULL, &err));
    must(th_project_export(project, path_of("out"), &err));
    assert_int_equal(th_project_export(project, path_of("out"), &err), TH_ERR_IO);
    copy = open_project("q", TH_PROJECT_NEW);
    /* Importing again adds nothing: neither runs, nor what a page was before it changed. */
    must(th_project_import(copy, path_of("out"), &err));
    must(th_project_import(copy, path_of("out"), &err));
    seen pages[2] = {0}, runs[2] = {0}, rows[2] = {0}, verdicts[2] = {0}, questions[2] = {0},
         assets[2] = {0};
    th_text labels[2] = {0}, texts[2] = {0};
    for (int i = 0; i < 2; i++) {
        th_project *one = i ? copy : project;
        must(th_project_pages(one, (th_str){0}, true, see_page, &pages[i], &err));
        must(th_project_runs(one, (th_str){0}, see_run, &runs[i], &err));
        must(th_project_records(one, 1, 0, UINT64_MAX, see_record, &rows[i], &err));
        must(th_project_verdicts(one, 1, see_verdict, &verdicts[i], &err));
        must(th_project_ignored(one, S("shop"), see_question, &questions[i], &err));
        must(th_project_assets(one, (th_str){0}, see_asset, &assets[i], &err));
        must(th_project_label_lines(one, S("shop"), &labels[i], &err));
        must(th_project_wrapper_text(one, S("shop"), S("books"), 1, NULL, &texts[i], &err));
    }
    assert_string_equal(pages[0].text, pages[1].text);
    assert_int_equal(pages[0].count, 2);
    assert_string_equal(assets[0].text, "x/a.css text/css 3;");
    assert_string_equal(assets[1].text, assets[0].text);
    assert_string_equal(runs[0].text, runs[1].text);
    assert_int_equal(runs[0].count, runs[1].count);
    assert_string_equal(rows[0].text, rows[1].text);
    assert_int_equal(rows[0].count, 3);
    assert_string_equal(verdicts[0].text, verdicts[1].text);
    assert_string_equal(questions[0].text, "div > p.note \"Old\";");
    assert_string_equal(questions[1].text, questions[0].text);
    assert_string_equal(labels[0].ptr, labels[1].ptr);
    assert_string_equal(texts[0].ptr, texts[1].ptr);
    for (int i = 0; i < 2; i++) {
        th_text_release(&labels[i]);
        th_text_release(&texts[i]);
    }
    th_records_free(records);
    th_wrapper_free(wrapper);
    th_project_free(copy);
    th_project_free(project);
}

/* What is wrong in the files is told by file, line and member, and nothing is taken in. */
static void bad_files_are_refused(void **state)
{
    static const struct {
        const char *project, *pages, *said;
    } cases[] = {
        {"{", "", "is not valid JSON"},
        {"[]", "", "must be an object"},
        {"{\"thresh_project\":9,\"sites\":[]}", "", "is 9; this program knows 1"},
        {"{\"thresh_project\":1,\"sites\":[{\"name\":\"s\",\"folder\":\"../x\"}]}", "",
         "must be a folder below it"},
        {"{\"thresh_project\":1,\"sites\":[{\"name\":\"s\",\"folder\":\"in\"}]}",
         "{\"name\":\"n\",\"added\":\"d\",\"file\":\"/etc/passwd\"}\n",
         "is not the name of a file below"},
        {"{\"thresh_project\":1,\"sites\":[{\"name\":\"s\",\"folder\":\"in\"}]}",
         "{\"name\":\"n\",\"added\":\"d\",\"file\":\"pages.jsonl\"}\n{\"name\":4}\n",
         "pages.jsonl:2: name"},
        {"{\"thresh_project\":1,\"sites\":[{\"name\":\"s\",\"folder\":\"in\"}]}",
         "{\"name\":\"n\",\"added\":\"d\",\"file\":\"gone\"}\n", "cannot read"},
    };
    th_project *project = open_project("p", TH_PROJECT_NEW);
    mkdir(path_of("in"), 0777);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        put_file("project.json", cases[i].project, strlen(cases[i].project));
        put_file("in/pages.jsonl", cases[i].pages, strlen(cases[i].pages));
        assert_int_not_equal(th_project_import(project, folder, &err), TH_OK);
        if (!strstr(err.message, cases[i].said))
            fail_msg("case %zu: %s", i, err.message);
    }
    int64_t sites = 1;
    must(th__project_number(project, &sites, &err, "SELECT count(*) FROM site", ""));
    assert_int_equal(sites, 0);
    th_project_free(project);
}

/* ---- memory ---- */

static th_status use_all(void *context)
{
    th_project *project;
    th_feed *feed = NULL;
    th_input *input = NULL;
    th_text text = {0};
    th_labels *labels = NULL;
    th_error error;
    th_status status = th_project_open(path_of("p"), TH_PROJECT_OPEN, &project, &error);
    if (status)
        return status;
    status =
        th_project_add_page(project, S("shop"), S("1.html"), NULL, S("<p>1"), NULL, NULL, &error);
    if (!status)
        status =
            th_project_set_labels(project, S("shop"), S("1.html"),
                                  S("{\"page\":\"1.html\",\"records\":[{\"t\":\"1\"}]}"), &error);
    if (!status)
        status = th_project_labels(project, S("shop"), &labels, &error);
    if (!status)
        status = th_project_feed(project, S("shop"), &feed, &error);
    if (!status)
        status = th_feed_next(feed, &input, &error);
    if (!status)
        status = th_project_page_bytes(project, 1, &text, &error);
    if (!status) {
        status = th_project_queue_page(project, S("shop"), input, &error);
        input = NULL;
    }
    if (!status)
        status = th_project_add_queued(project, NULL, NULL, &error);
    th_labels_free(labels);
    th_input_free(input);
    th_feed_free(feed);
    th_text_release(&text);
    th_project_free(project);
    return status;
}

static void memory_may_fail(void **state)
{
    th_project_free(open_project("p", TH_PROJECT_NEW));
    th_test_each_allocation_fails(use_all, NULL);
}

/* In a process without the rights of root, for whom nothing is read-only. The first step that
 * fails, or 0. */
static int read_only_steps(void)
{
    th_project *project;
    th_error error;
    size_t count = 0;
    if (geteuid() == 0 && setresuid(65534, 65534, 65534))
        return 1;
    if (th_project_open(path_of("p?#%"), TH_PROJECT_OPEN, &project, &error))
        return 2;
    if (th_project_sites(project, count_site, &count, &error) || count != 1)
        return 3;
    if (!th_project_set_labels(project, S("other"), S("p"),
                               S("{\"page\":\"p\",\"record\":{\"a\":\"b\"}}"), &error))
        return 4;
    if (!strstr(error.message, "it is read-only"))
        return 5;
    th_project_free(project);
    return 0;
}

/* What may only be read is read, and not written. */
static void read_only_projects(void **state)
{
    int result;
    th_project *project = open_project("p?#%", TH_PROJECT_NEW);
    must(th_project_set_labels(project, S("shop"), S("p"),
                               S("{\"page\":\"p\",\"record\":{\"a\":\"b\"}}"), &err));
    th_project_free(project);
    chmod(path_of("p?#%"), 0444);
    chmod(folder, 0555);
    pid_t child = fork();
    if (!child)
        _exit(read_only_steps());
    assert_int_equal(waitpid(child, &result, 0), child);
    chmod(folder, 0755);
    assert_true(WIFEXITED(result));
    assert_int_equal(WEXITSTATUS(result), 0);
}

/* A folder from somebody else must not read our files: links are refused wherever they are. */
static void links_are_not_followed(void **state)
{
    static const char one_site[] =
        "{\"thresh_project\":1,\"sites\":[{\"name\":\"s\",\"folder\":\"in/deep\"}]}";
    static const char one_page[] = "{\"name\":\"n\",\"added\":\"d\",\"file\":\"pages/1.html\"}\n";
    static const char *const empty[] = {"labels.jsonl", "wrappers.jsonl", "runs.jsonl"};
    static const char *const links[] = {"in",
                                        "in/deep",
                                        "in/deep/pages",
                                        "in/deep/pages/1.html",
                                        "in/deep/pages.jsonl",
                                        "in/deep/ignored.jsonl",
                                        "project.json"};
    static const char *const folders[] = {"in", "in/deep", "in/deep/pages", "outside"};
    th_project *project = open_project("p", TH_PROJECT_NEW);
    char name[64];
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        mkdir(path_of(folders[i]), 0777);
    put_file("project.json", one_site, strlen(one_site));
    put_file("in/deep/pages.jsonl", one_page, strlen(one_page));
    put_file("in/deep/pages/1.html", "<p>one", 6);
    put_file("in/deep/ignored.jsonl", "", 0);
    for (size_t i = 0; i < sizeof empty / sizeof *empty; i++) {
        snprintf(name, sizeof name, "in/deep/%s", empty[i]);
        put_file(name, "", 0);
    }
    for (size_t i = 0; i < sizeof links / sizeof *links; i++) {
        /* What was there goes outside, and a link takes its place. */
        assert_int_equal(rename(path_of(links[i]), path_of("outside/moved")), 0);
        assert_int_equal(symlink(path_of("outside/moved"), path_of(links[i])), 0);
        th_status status = th_project_import(project, folder, &err);
        if (status != TH_ERR_FORMAT || !strstr(err.message, "symbolic link"))
            fail_msg("%s: %d %s", links[i], status, err.message);
        assert_int_equal(unlink(path_of(links[i])), 0);
        assert_int_equal(rename(path_of("outside/moved"), path_of(links[i])), 0);
    }
    assert_int_equal(unlink(path_of("in/deep/pages/1.html")), 0);
    assert_int_equal(mkfifo(path_of("in/deep/pages/1.html"), 0666), 0);
    assert_int_equal(th_project_import(project, folder, &err), TH_ERR_IO); /* does not wait */
    assert_int_equal(unlink(path_of("in/deep/pages/1.html")), 0);
    put_file("in/deep/pages/1.html", "<p>one", 6);
    must(th_project_import(project, folder, &err));
    th_project_free(project);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(pages_are_kept),
        TEST(assets_are_kept),
        TEST(assets_have_the_type_of_their_content),
        TEST(pages_are_a_feed),
        TEST(labels_are_kept),
        TEST(wrappers_have_versions),
        TEST(runs_are_kept),
        TEST(pages_are_queued),
        TEST(changes_together),
        TEST(others_see_what_is_kept),
        TEST(others_are_left_alone),
        TEST(newer_versions_are_refused),
        TEST(older_versions_are_brought_up_to_date),
        TEST(hostile_projects_are_refused),
        TEST(damage_is_told),
        TEST(read_only_projects),
        TEST(questions_are_set_aside),
        TEST(export_and_import),
        TEST(bad_files_are_refused),
        TEST(links_are_not_followed),
        TEST(memory_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
