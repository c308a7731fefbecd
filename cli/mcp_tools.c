/* mcp_tools.c: see mcp_tools.h. */
#include "mcp_tools.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "growing_text.h"

enum {
    KEPT_WRAPPERS = 16,       /* that were learnt and are not in a file */
    WRAPPER_BYTES = 64 << 20, /* of a wrapper file, at most */
    NOTES = 20,               /* of an answer, at most */
    SAMPLE = 3,               /* records that `learn` shows */
    SHORTENED = 300,          /* bytes of a value of a record that is too large for an answer */
    DEFAULT_RECORDS = 50      /* of an answer, where the call does not say how many */
};

static const char kept_name[] = "learnt-";

struct mcp_tools {
    const mcp_settings *set;
    th_wrapper *kept[KEPT_WRAPPERS]; /* number N at N % KEPT_WRAPPERS */
    unsigned kept_count;
};

/* One call of a tool. */
typedef struct work {
    mcp_tools *tools;
    const mcp_settings *set;
    const json_t *arguments;
    th_cancel cancel;
    json_t *notes; /* texts */
    size_t pages;  /* that were read */
    /* of records and extract */
    json_t *found;             /* pages with their records */
    size_t bytes;              /* of these */
    size_t first, limit;       /* records that are asked for */
    size_t seen, given;        /* so far */
    bool full;                 /* there are more */
    const th_wrapper *wrapper; /* of extract and verify */
    size_t pick;               /* of records: which list, from 1 */
    th_check *check;           /* of verify */
    th_corpus *corpus;         /* of learn */
} work;

json_t *mcp_text(th_str text)
{
    json_t *out = text.ptr ? json_stringn(text.ptr, text.len) : json_null();
    char *plain = out ? NULL : strndup(text.ptr, text.len);
    for (char *c = plain; c && *c; c++)
        if (*c & 0x80)
            *c = '?';
    if (plain)
        out = json_string(plain);
    free(plain);
    return out;
}

/* At most so many bytes of a text, and no half character. */
static th_str cut(th_str text, size_t most)
{
    if (text.len <= most)
        return text;
    while (most && ((unsigned char)text.ptr[most] & 0xC0) == 0x80)
        most--;
    return (th_str){text.ptr, most};
}

static void note(work *w, th_str page, th_str text)
{
    if (json_array_size(w->notes) == NOTES)
        json_array_append_new(w->notes, json_string("there are more notes, which are left out"));
    if (json_array_size(w->notes) > NOTES)
        return;
    char line[2048];
    page = cut(page, 500);
    text = cut(text, 1500);
    int len = snprintf(line, sizeof line, "%.*s%s%.*s", (int)page.len, page.ptr ? page.ptr : "",
                       page.ptr ? ": " : "", (int)text.len, text.ptr);
    json_array_append_new(w->notes, mcp_text((th_str){line, (size_t)len}));
}

/* ---- arguments ---- */

typedef enum argument_kind { TEXT, TEXTS, WHOLE, OBJECTS, VALUES } argument_kind;

typedef struct argument {
    const char *name;
    argument_kind kind;
    const char *about;
    bool required;
    json_int_t least, most; /* of WHOLE */
} argument;

#define INPUTS                                                                                     \
    {                                                                                              \
        "inputs", TEXTS,                                                                           \
            "Pages: files or folders below the server's folder, web archives, or http and https "  \
            "URLs."                                                                                \
    }
#define HTML                                                                                       \
    {                                                                                              \
        "html", TEXT, "The HTML of one page, instead of inputs."                                   \
    }
#define BASE                                                                                       \
    {                                                                                              \
        "url", TEXT, "The URL that links of pages without one are relative to."                    \
    }
#define FIRST                                                                                      \
    {                                                                                              \
        "first", WHOLE,                                                                            \
            "Number of the first record to give, from 0: `next` of the answer before.",            \
            .most = INT32_MAX                                                                      \
    }
#define LIMIT                                                                                      \
    {                                                                                              \
        "limit", WHOLE, "Records to give at most (default 50).", .least = 1, .most = INT32_MAX     \
    }
#define WRAPPER                                                                                    \
    {                                                                                              \
        "wrapper", TEXT, "The wrapper: a file, or the name that `learn` gave it.", true            \
    }

static const argument record_arguments[] = {
    INPUTS,
    HTML,
    BASE,
    FIRST,
    LIMIT,
    {"pick", WHOLE, "Which list of a page, the best first (default 1).", .least = 1, .most = 1000},
    {0}};
static const argument learn_arguments[] = {
    INPUTS,
    HTML,
    BASE,
    {"labels", OBJECTS,
     "Values that are on some of the pages: {\"page\": NAME, \"records\": [{FIELD: VALUE, ...}]}, "
     "or "
     "\"record\": {...} where a page has one record. Copy values exactly: one that is not on its "
     "page "
     "is refused, with the text most like it."},
    {"examples", VALUES,
     "Instead of labels: the fields of one record, {FIELD: VALUE, ...}, on whichever page has "
     "them."},
    {"engine", TEXT,
     "auto (default), lists, template, paths, seams, stalker, softmealy, mdr, iepad or exalg."},
    {"pick", WHOLE, "Which list to learn, as `records` counts them (default 1).", .least = 1,
     .most = 1000},
    {"save_as", TEXT,
     "File to write the wrapper to, below the server's folder, ending in .json. Without it the "
     "wrapper is kept until the server ends."},
    {0}};
static const argument extract_arguments[] = {WRAPPER, INPUTS, HTML, BASE, FIRST, LIMIT, {0}};
static const argument verify_arguments[] = {WRAPPER, INPUTS, HTML, BASE, {0}};

static json_t *argument_schema(const argument *a)
{
    static const char *const types[] = {"string", "array", "integer", "array", "object"};
    json_t *schema = json_pack("{s:s,s:s}", "type", types[a->kind], "description", a->about);
    if (a->kind == TEXTS)
        json_object_set_new(schema, "items", json_pack("{s:s}", "type", "string"));
    if (a->kind == TEXTS || a->kind == OBJECTS)
        json_object_set_new(schema, "minItems", json_integer(1));
    if (a->kind == OBJECTS)
        json_object_set_new(schema, "items", json_pack("{s:s}", "type", "object"));
    if (a->kind == VALUES)
        json_object_set_new(schema, "additionalProperties", json_pack("{s:s}", "type", "string"));
    if (a->kind == WHOLE) {
        json_object_set_new(schema, "minimum", json_integer(a->least));
        json_object_set_new(schema, "maximum", json_integer(a->most));
    }
    return schema;
}

static json_t *arguments_schema(const argument *arguments)
{
    json_t *properties = json_object(), *required = json_array();
    for (const argument *a = arguments; a->name; a++) {
        json_object_set_new(properties, a->name, argument_schema(a));
        if (a->required)
            json_array_append_new(required, json_string(a->name));
    }
    return json_pack("{s:s,s:o,s:o,s:b}", "type", "object", "properties", properties, "required",
                     required, "additionalProperties", 0);
}

static bool all_are(const json_t *values, bool (*is)(const json_t *value))
{
    bool good = json_array_size(values) > 0;
    for (size_t i = 0; good && i < json_array_size(values); i++)
        good = is(json_array_get(values, i));
    return good;
}

static bool is_text(const json_t *value)
{
    return json_is_string(value);
}

static bool is_object(const json_t *value)
{
    return json_is_object(value);
}

static th_status check_argument(const argument *a, const json_t *value, th_error *err)
{
    const char *wanted = NULL;
    json_int_t number = json_integer_value(value);
    const char *name;
    json_t *each;
    switch (a->kind) {
    case TEXT:
        wanted = is_text(value) ? NULL : "a string";
        break;
    case TEXTS:
        wanted = all_are(value, is_text) ? NULL : "an array of strings, not empty";
        break;
    case OBJECTS:
        wanted = all_are(value, is_object) ? NULL : "an array of objects, not empty";
        break;
    case VALUES:
        wanted = json_object_size(value) ? NULL : "an object of strings, not empty";
        json_object_foreach((json_t *)value, name, each) if (!is_text(each)) wanted =
            "an object of strings";
        break;
    case WHOLE:
        if (!json_is_integer(value) || number < a->least || number > a->most)
            return cli_fail(err, TH_ERR_ARGUMENT, "%s must be a whole number from %lld to %lld",
                            a->name, (long long)a->least, (long long)a->most);
        break;
    }
    return wanted ? cli_fail(err, TH_ERR_ARGUMENT, "%s must be %s", a->name, wanted) : TH_OK;
}

static th_status check_arguments(const argument *arguments, const json_t *given, th_error *err)
{
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)given, name, value)
    {
        const argument *a = arguments;
        while (a->name && strcmp(a->name, name))
            a++;
        if (!a->name)
            return cli_fail(err, TH_ERR_ARGUMENT, "unknown argument \"%.100s\"", name);
        th_status status = check_argument(a, value, err);
        if (status)
            return status;
    }
    for (const argument *a = arguments; a->name; a++)
        if (a->required && !json_object_get(given, a->name))
            return cli_fail(err, TH_ERR_ARGUMENT, "%s is missing", a->name);
    if (!json_object_get(given, "inputs") == !json_object_get(given, "html"))
        return cli_fail(err, TH_ERR_ARGUMENT, "give either inputs or html");
    return TH_OK;
}

static th_str text_argument(const work *w, const char *name)
{
    const json_t *value = json_object_get(w->arguments, name);
    return (th_str){json_string_value(value), json_string_length(value)};
}

static size_t whole_argument(const work *w, const char *name, size_t otherwise)
{
    const json_t *value = json_object_get(w->arguments, name);
    return value ? (size_t)json_integer_value(value) : otherwise;
}

/* ---- files: only what is below the root ---- */

/* Returns true if a path, links followed, is below the root. Somebody who may change links there
 * while a call runs could lead it elsewhere: the root must belong to its user. */
static bool is_below(const mcp_settings *set, const char *path)
{
    char real[PATH_MAX];
    size_t len = strlen(set->root);
    if (!realpath(path, real))
        return false;
    return !strcmp(set->root, "/") ||
           (!strncmp(real, set->root, len) && (!real[len] || real[len] == '/'));
}

static bool is_url(const char *input)
{
    return !strncasecmp(input, "http://", 7) || !strncasecmp(input, "https://", 8);
}

static th_status check_input(const mcp_settings *set, const json_t *value, th_error *err)
{
    const char *input = json_string_value(value);
    if (strlen(input) != json_string_length(value) || !*input)
        return cli_fail(err, TH_ERR_ARGUMENT, "an input is empty, or has a NUL in it");
    if (is_url(input))
        return !set->offline ? TH_OK
                             : cli_fail(err, TH_ERR_ARGUMENT,
                                        "%.200s: this server fetches no URLs (--offline)", input);
    if (*input == '@' || !strcmp(input, "-"))
        return cli_fail(err, TH_ERR_ARGUMENT,
                        "%.200s: lists and standard input cannot be used here", input);
    /* The message must not reveal whether there is something outside the root. */
    if (!is_below(set, input))
        return cli_fail(err, TH_ERR_ARGUMENT, "%.200s: no such file or folder below %.300s", input,
                        set->root);
    return TH_OK;
}

/* A folder may have links in it that lead out of the root. */
static bool skip_outside(void *context, const char *name, uint64_t *start)
{
    return !is_url(name) && !is_below(context, name);
}

static th_status read_small_file(const char *path, th_text *out, th_error *err)
{
    struct stat info;
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    th_status status = TH_OK;
    if (file < 0)
        return cli_fail(err, TH_ERR_IO, "%.300s: %s", path, strerror(errno));
    if (fstat(file, &info) || !S_ISREG(info.st_mode) || info.st_size > WRAPPER_BYTES)
        status = cli_fail(err, TH_ERR_FORMAT, "%.300s: is not a wrapper file", path);
    if (!status && !(out->ptr = malloc((size_t)info.st_size + 1)))
        status = cli_no_memory(err);
    while (!status && out->len < (size_t)info.st_size) {
        ssize_t got = read(file, out->ptr + out->len, (size_t)info.st_size - out->len);
        if (got < 0)
            status = cli_fail(err, TH_ERR_IO, "%.300s: %s", path, strerror(errno));
        if (got <= 0)
            break;
        out->len += (size_t)got;
    }
    close(file);
    return status;
}

/* ---- wrappers ---- */

/* The wrapper that a call names. *own is one that the caller frees; else it is kept here. */
static th_status find_wrapper(const work *w, const th_wrapper **out, th_wrapper **own,
                              th_error *err)
{
    const char *name = text_argument(w, "wrapper").ptr;
    th_text text = {0};
    unsigned number;
    char end;
    *own = NULL;
    if (sscanf(name, "learnt-%u%c", &number, &end) == 1) {
        unsigned count = w->tools->kept_count;
        bool there = number && number <= count && number + KEPT_WRAPPERS > count;
        *out = there ? w->tools->kept[number % KEPT_WRAPPERS] : NULL;
        return there ? TH_OK
                     : cli_fail(
                           err, TH_ERR_ARGUMENT,
                           "%.50s: there is no such wrapper any more: the last %d are kept. Learn "
                           "it again, with save_as",
                           name, KEPT_WRAPPERS);
    }
    if (!is_below(w->set, name))
        return cli_fail(err, TH_ERR_ARGUMENT, "%.200s: no such file below %.300s", name,
                        w->set->root);
    th_status status = read_small_file(name, &text, err);
    if (!status)
        status = th_wrapper_read((th_str){text.ptr, text.len}, name, own, err);
    *out = *own;
    free(text.ptr);
    return status;
}

/* Keeps a wrapper under a name that is put into `name`; takes it. */
static void keep_wrapper(mcp_tools *tools, th_wrapper *wrapper, char *name, size_t size)
{
    unsigned number = ++tools->kept_count;
    th_wrapper_free(tools->kept[number % KEPT_WRAPPERS]);
    tools->kept[number % KEPT_WRAPPERS] = wrapper;
    snprintf(name, size, "%s%u", kept_name, number);
}

/* Fails for a file that must not be written. */
static th_status check_target(const work *w, const char *path, th_error *err)
{
    char folder[PATH_MAX];
    const char *slash = strrchr(path, '/');
    size_t len = strlen(path);
    int folder_len = slash ? (int)(slash - path) + 1 : 1;
    th_text old = {0};
    if (w->set->read_only)
        return cli_fail(err, TH_ERR_ARGUMENT, "save_as: this server writes no files (--read-only)");
    if (len < 6 || strcmp(path + len - 5, ".json") || (slash && !slash[1]) || len >= PATH_MAX)
        return cli_fail(err, TH_ERR_ARGUMENT, "save_as: %.200s does not end in .json", path);
    snprintf(folder, sizeof folder, "%.*s", folder_len, slash ? path : ".");
    if (!is_below(w->set, folder) || (access(path, F_OK) == 0 && !is_below(w->set, path)))
        return cli_fail(err, TH_ERR_ARGUMENT, "save_as: %.200s is not in a folder below %.300s",
                        path, w->set->root);
    struct stat info;
    if (lstat(path, &info))
        return TH_OK;
    th_status status = S_ISREG(info.st_mode) ? read_small_file(path, &old, err) : TH_ERR_FORMAT;
    if (status || !th_wrapper_is((th_str){old.ptr, old.len}))
        status = cli_fail(
            err, TH_ERR_ARGUMENT,
            "save_as: %.200s is there already and is not a wrapper: choose another name", path);
    free(old.ptr);
    return status;
}

static th_status save_wrapper(const th_wrapper *wrapper, const char *path, th_error *err)
{
    th_text text = {0};
    th_status status = th_wrapper_write(wrapper, &text, err);
    if (!status)
        status = cli_write_file(path, (th_str){text.ptr, text.len}, err);
    th_text_release(&text);
    return status;
}

/* ---- pages ---- */

typedef th_status (*take_page)(work *w, const th_page *page, const th_records_source *source,
                               th_error *err);

static th_status parse_and_take(work *w, th_parser *parser, th_str name, th_str bytes,
                                const th_page_source *from, take_page take, th_error *err)
{
    th_page_source source = *from;
    th_page *page = NULL;
    if (!source.url.ptr)
        source.url = text_argument(w, "url");
    th_status status = th_parser_parse(parser, bytes, &source, &page, err);
    if (!status) {
        th_records_source named = {name, th_page_url(page)};
        status = take(w, page, &named, err);
        w->pages++;
    }
    th_page_free(page);
    return status;
}

static bool is_cancelled(const work *w)
{
    return w->cancel.asked && w->cancel.asked(w->cancel.context);
}

static th_status feed_pages(work *w, th_parser *parser, th_feed *feed, take_page take,
                            th_error *err)
{
    th_error first = {0};
    for (;;) {
        th_input *input = NULL;
        th_page_source source;
        th_error problem;
        th_status status =
            is_cancelled(w) ? TH_ERR_CANCELLED : th_feed_next(feed, &input, &problem);
        if (status == TH_DONE)
            break;
        if (!status && w->pages == w->set->most_pages) {
            char line[100];
            int len = snprintf(line, sizeof line, "only the first %zu pages were read", w->pages);
            note(w, (th_str){0}, (th_str){line, (size_t)len});
            th_input_free(input);
            break;
        }
        if (!status) {
            th_input_source(input, &source);
            status = parse_and_take(w, parser, th_input_name(input), th_input_bytes(input), &source,
                                    take, &problem);
        }
        th_input_free(input);
        if (status == TH_ERR_CANCELLED || status == TH_ERR_MEMORY) {
            *err = status == TH_ERR_MEMORY ? problem : (th_error){.status = status};
            return status;
        }
        if (status && !first.status)
            first = problem;
        if (status)
            note(w, (th_str){0}, th_str_from(problem.message));
        if (w->full)
            break;
    }
    if (w->pages || !first.status)
        return w->pages ? TH_OK
                        : cli_fail(err, TH_ERR_ARGUMENT, "there are no pages in the inputs");
    *err = first;
    return first.status;
}

static th_status open_feed(const work *w, th_feed **out, th_error *err)
{
    const json_t *inputs = json_object_get(w->arguments, "inputs");
    size_t count = json_array_size(inputs);
    const char **names = calloc(count, sizeof *names);
    th_status status = names ? TH_OK : cli_no_memory(err);
    for (size_t i = 0; !status && i < count; i++) {
        status = check_input(w->set, json_array_get(inputs, i), err);
        names[i] = json_string_value(json_array_get(inputs, i));
    }
    if (!status) {
        th_feed_options options = w->set->feeding;
        options.files_only = true;
        options.cancel = w->cancel;
        options.skip = skip_outside;
        options.skip_context = (void *)w->set;
        status = th_feed_new(names, count, &options, out, err);
    }
    free(names);
    return status;
}

/* Gives each page of a call to `take`. An input that cannot be read is a note, unless none can. */
static th_status each_page(work *w, take_page take, th_error *err)
{
    th_str html = text_argument(w, "html");
    th_parser *parser = NULL;
    th_feed *feed = NULL;
    th_status status = th_parser_new(&w->set->parsing, &parser, err);
    if (!status && html.ptr)
        status = parse_and_take(w, parser, th_str_from("html"), html,
                                &(th_page_source){.charset = th_str_from("utf-8")}, take, err);
    else if (!status)
        status = open_feed(w, &feed, err);
    if (!status && feed)
        status = feed_pages(w, parser, feed, take, err);
    th_feed_free(feed);
    th_parser_free(parser);
    return status;
}

/* ---- records in an answer ---- */

static void shorten(json_t *value)
{
    size_t index;
    const char *name;
    json_t *item;
    th_str text = {json_string_value(value), json_string_length(value)};
    if (text.len > SHORTENED) {
        char less[SHORTENED + 4];
        size_t len = cut(text, SHORTENED).len;
        memcpy(less, text.ptr, len);
        memcpy(less + len, "\u2026", 3);
        json_string_setn(value, less, len + 3);
    }
    json_array_foreach(value, index, item) shorten(item);
    json_object_foreach(value, name, item) shorten(item);
}

static size_t json_size(const json_t *value)
{
    return json_dumpb(value, NULL, 0, JSON_COMPACT | JSON_ENCODE_ANY);
}

/* Adds a record to an answer as long as there is room. A record that is larger than a whole answer
 * has its values shortened. Takes the record. */
static th_status add_record(work *w, json_t *list, json_t *record, th_str page, th_error *err)
{
    if (w->seen++ < w->first) {
        json_decref(record);
        return TH_OK;
    }
    size_t size = json_size(record);
    bool fits = w->given < w->limit && w->bytes + size <= w->set->most_bytes;
    if (!fits && !w->given) {
        shorten(record);
        note(w, page, th_str_from("a record is too large for an answer: its values are shortened"));
        if ((size = json_size(record)) > w->set->most_bytes) {
            json_decref(record);
            record = json_object();
        }
    } else if (!fits) {
        w->full = true;
        json_decref(record);
        return TH_OK;
    }
    w->bytes += size + 1;
    w->given++;
    return json_array_append_new(list, record) ? cli_no_memory(err) : TH_OK;
}

/* The records of a page as JSON values. Caller frees. */
static th_status records_json(const th_records *records, json_t **out, th_error *err)
{
    th_text text = {0};
    th_status status = th_records_to_json(records, false, &text, err);
    if (!status && !(*out = json_loadb(text.ptr, text.len, 0, NULL)))
        status = cli_no_memory(err);
    th_text_release(&text);
    return status;
}

static th_status add_records(work *w, const th_records_source *source, const th_records *records,
                             th_error *err)
{
    json_t *all = NULL, *list = json_array(), *record;
    th_status status = records_json(records, &all, err);
    for (size_t index = 0; !status && !w->full && index < json_array_size(all); index++) {
        record = json_incref(json_array_get(all, index));
        status = add_record(w, list, record, source->page, err);
    }
    /* Pages of earlier answers are not named again. */
    if (!status && json_array_size(list)) {
        json_t *page = json_pack("{s:o,s:O}", "page", mcp_text(source->page), "records", list);
        w->bytes += source->page.len + 30;
        status = json_array_append_new(w->found, page) ? cli_no_memory(err) : TH_OK;
    }
    json_decref(list);
    json_decref(all);
    return status;
}

/* The answer of records and extract. */
static th_status found_records(work *w, json_t **out, th_error *err)
{
    *out = json_pack("{s:O,s:I}", "pages", w->found, "records", (json_int_t)w->given);
    if (w->full)
        json_object_set_new(*out, "next", json_integer((json_int_t)(w->first + w->given)));
    if (w->full)
        note(w, (th_str){0},
             th_str_from("there are more records: call again with `first` set to `next`"));
    return *out ? TH_OK : cli_no_memory(err);
}

/* ---- the tools ---- */

static th_status take_lists(work *w, const th_page *page, const th_records_source *source,
                            th_error *err)
{
    th_regions_options options;
    th_regions *regions = NULL;
    th_str data;
    th_regions_options_init(&options);
    options.most = (uint32_t)w->pick;
    options.cancel = w->cancel;
    th_status status = th_regions_find(page, source, &options, &regions, err);
    if (!status && th_regions_count(regions) >= w->pick)
        status = add_records(w, source, th_regions_get(regions, w->pick - 1)->records, err);
    else if (!status)
        note(w, source->page,
             th_str_from(w->pick > 1                        ? "has no such list"
                         : th_page_script_data(page, &data) ? "has no list, but data in a script"
                                                            : "has no list"));
    th_regions_free(regions);
    return status;
}

static th_status run_records(work *w, json_t **out, th_error *err)
{
    w->pick = whole_argument(w, "pick", 1);
    th_status status = each_page(w, take_lists, err);
    return status ? status : found_records(w, out, err);
}

static th_status take_extracted(work *w, const th_page *page, const th_records_source *source,
                                th_error *err)
{
    th_records *records = NULL;
    th_status status = th_wrapper_extract(w->wrapper, page, source, &records, err);
    if (!status)
        status = add_records(w, source, records, err);
    if (!status && !th_records_count(records))
        note(w, source->page, th_str_from("the wrapper finds no record here"));
    th_records_free(records);
    return status;
}

static th_status run_extract(work *w, json_t **out, th_error *err)
{
    th_wrapper *own = NULL;
    th_status status = find_wrapper(w, &w->wrapper, &own, err);
    if (!status)
        status = each_page(w, take_extracted, err);
    if (!status)
        status = found_records(w, out, err);
    th_wrapper_free(own);
    return status;
}

static th_status take_checked(work *w, const th_page *page, const th_records_source *source,
                              th_error *err)
{
    th_records *records = NULL;
    th_status status = th_wrapper_extract(w->wrapper, page, source, &records, err);
    if (!status)
        status = th_check_add(w->check, page, records, err);
    th_records_free(records);
    return status;
}

/* Leaves out evidence of fields that did not change, then the last ones, until the rest fits. */
static void bound_evidence(work *w, json_t *verdict)
{
    json_t *evidence = json_object_get(verdict, "evidence");
    size_t count = json_array_size(evidence);
    if (json_size(verdict) <= w->set->most_bytes)
        return;
    shorten(verdict);
    for (size_t i = count; i--;) {
        const json_t *one = json_array_get(evidence, i);
        if (!json_is_true(json_object_get(one, "drift")) &&
            !json_is_true(json_object_get(one, "changed")))
            json_array_remove(evidence, i);
    }
    size_t size = 0, kept = 0;
    while (kept < json_array_size(evidence) && size <= w->set->most_bytes)
        size += json_size(json_array_get(evidence, kept++));
    while (json_array_size(evidence) > kept)
        json_array_remove(evidence, kept);
    note(w, (th_str){0}, th_str_from("there is evidence of more fields, which is left out"));
}

static th_status run_verify(work *w, json_t **out, th_error *err)
{
    th_wrapper *own = NULL;
    th_verdict *verdict = NULL;
    th_text text = {0};
    th_status status = find_wrapper(w, &w->wrapper, &own, err);
    if (!status && !th_wrapper_has_profile(w->wrapper))
        status = cli_fail(err, TH_ERR_ARGUMENT,
                          "the wrapper does not know what its values look like: learn it again");
    if (!status)
        status = th_check_new(w->wrapper, false, &w->check, err);
    if (!status)
        status = each_page(w, take_checked, err);
    if (!status)
        status = th_check_verdict(w->check, 0, &verdict, err);
    if (!status)
        status = th_verdict_to_json(verdict, &text, err);
    if (!status && !(*out = json_loadb(text.ptr, text.len, 0, NULL)))
        status = cli_no_memory(err);
    if (!status)
        bound_evidence(w, *out);
    th_text_release(&text);
    th_verdict_free(verdict);
    th_check_free(w->check);
    th_wrapper_free(own);
    return status;
}

static th_status take_into_corpus(work *w, const th_page *page, const th_records_source *source,
                                  th_error *err)
{
    return th_corpus_add(w->corpus, page, source, err);
}

/* The labels of a call, NULL where it has none. */
static th_status read_labels(const work *w, th_labels **out, th_error *err)
{
    const json_t *lines = json_object_get(w->arguments, "labels");
    json_t *examples = json_object_get(w->arguments, "examples"), *value;
    th_status status = TH_OK;
    const char *field;
    *out = NULL;
    if (lines && examples)
        return cli_fail(err, TH_ERR_ARGUMENT, "give either labels or examples");
    if (lines) {
        char *text = NULL;
        size_t size = 0;
        FILE *file = open_memstream(&text, &size);
        for (size_t i = 0; file && i < json_array_size(lines); i++) {
            json_dumpf(json_array_get(lines, i), file, JSON_COMPACT);
            fputc('\n', file);
        }
        if (!file || fclose(file))
            status = cli_no_memory(err);
        if (!status)
            status = th_labels_read((th_str){text, size}, "labels", out, err);
        free(text);
    } else if (examples) {
        status = th_labels_new(out, err);
    }
    json_object_foreach(examples, field, value)
    {
        char example[4096];
        int len = snprintf(example, sizeof example, "%s=%s", field, json_string_value(value));
        if (!status && (size_t)len >= sizeof example)
            status = cli_fail(err, TH_ERR_ARGUMENT, "examples: %.100s is too long", field);
        if (!status)
            status = th_labels_add_example(*out, (th_str){0}, (th_str){example, (size_t)len}, err);
    }
    return status;
}

/* Notes which labelled values of a page are not on it, and counts them. */
static th_status tell_wrong_labels(work *w, const th_labels *labels, size_t index, size_t page,
                                   size_t *wrong, th_error *err)
{
    th_located *located = NULL;
    th_status status =
        th_labels_locate(labels, index, NULL, th_corpus_page(w->corpus, page), &located, err);
    for (size_t i = 0; !status && i < th_located_count(located); i++) {
        const th_finding *f = th_located_get(located, i);
        char line[1024];
        enum { SHOWN = 200 };
        if (f->found != TH_FOUND_NOT)
            continue;
        th_str path = cut(f->path, SHOWN), value = cut(f->value, SHOWN);
        th_str nearest = cut(f->nearest, SHOWN);
        int len = snprintf(line, sizeof line, "%.*s: \"%.*s\" is not on the page%s%.*s%s",
                           (int)path.len, path.ptr, (int)value.len, value.ptr,
                           nearest.ptr ? "; the most similar text is \"" : "", (int)nearest.len,
                           nearest.ptr ? nearest.ptr : "", nearest.ptr ? "\"" : "");
        note(w, th_corpus_name(w->corpus, page), (th_str){line, (size_t)len});
        ++*wrong;
    }
    th_located_free(located);
    return status;
}

/* Labels that a model makes up are refused before anything is learnt from them. */
static th_status check_labels(work *w, const th_labels *labels, th_error *err)
{
    size_t wrong = 0, used = 0, index;
    th_status status = TH_OK;
    for (size_t page = 0; !status && page < th_corpus_count(w->corpus); page++) {
        th_str url = th_page_url(th_corpus_page(w->corpus, page));
        if (!th_labels_find(labels, th_corpus_name(w->corpus, page), &index) &&
            !(url.ptr && th_labels_find(labels, url, &index)))
            continue;
        used++;
        status = tell_wrong_labels(w, labels, index, page, &wrong, err);
    }
    if (!status && !used)
        status = cli_fail(err, TH_ERR_ARGUMENT,
                          "the labels name no page of the inputs; \"page\" must be a page as it is "
                          "called there, such as \"%.*s\"",
                          (int)th_corpus_name(w->corpus, 0).len, th_corpus_name(w->corpus, 0).ptr);
    if (!status && wrong)
        status =
            cli_fail(err, TH_ERR_ARGUMENT,
                     "%zu labelled value%s not on the page: copy values exactly as the page has "
                     "them, or leave them out",
                     wrong, wrong == 1 ? " is" : "s are");
    return status;
}

/* The first records that the wrapper gives for the pages it was learnt from. */
static th_status add_sample(work *w, const th_wrapper *wrapper, json_t *answer, th_error *err)
{
    w->wrapper = wrapper;
    w->limit = SAMPLE;
    th_status status = TH_OK;
    for (size_t i = 0; !status && !w->full && i < th_corpus_count(w->corpus); i++) {
        const th_page *page = th_corpus_page(w->corpus, i);
        th_records_source source = {th_corpus_name(w->corpus, i), th_page_url(page)};
        th_records *records = NULL;
        status = th_wrapper_extract(wrapper, page, &source, &records, err);
        if (!status && th_records_count(records))
            status = add_records(w, &source, records, err);
        th_records_free(records);
        w->full |= w->given >= SAMPLE;
    }
    json_object_set(answer, "sample", w->found);
    return status;
}

static th_status learnt(work *w, th_report *report, const char *path, json_t **out, th_error *err)
{
    const th_lesson *lesson = th_report_lesson(report, 0);
    th_text schema = {0};
    char name[32];
    th_status status = th_schema_print(th_wrapper_schema(lesson->wrapper), true, &schema, err);
    if (!status)
        *out = json_pack("{s:s,s:o,s:I,s:I,s:I}", "engine", th_wrapper_engine(lesson->wrapper),
                         "schema", mcp_text((th_str){schema.ptr, schema.len}), "pages",
                         (json_int_t)lesson->pages, "records", (json_int_t)lesson->records, "wrong",
                         (json_int_t)lesson->wrong);
    if (!status && !*out)
        status = cli_no_memory(err);
    if (!status)
        status = add_sample(w, lesson->wrapper, *out, err);
    if (!status && path)
        status = save_wrapper(lesson->wrapper, path, err);
    if (!status && !path)
        keep_wrapper(w->tools, th_report_take(report, 0), name, sizeof name);
    if (!status)
        json_object_set_new(*out, "wrapper", json_string(path ? path : name));
    th_text_release(&schema);
    return status;
}

static th_status learn_pages(work *w, const th_labels *labels, json_t **out, th_error *err)
{
    th_learn_options options;
    th_report *report = NULL;
    const char *path = text_argument(w, "save_as").ptr;
    th_learn_options_init(&options);
    options.engine = text_argument(w, "engine").ptr;
    options.pick = (uint32_t)whole_argument(w, "pick", 0);
    options.cancel = w->cancel;
    th_corpus_set_labels(w->corpus, labels);
    th_status status = th_learn_check(w->corpus, &options, err);
    if (!status && path)
        status = check_target(w, path, err);
    if (!status)
        status = each_page(w, take_into_corpus, err);
    if (!status && json_object_get(w->arguments, "labels"))
        status = check_labels(w, labels, err);
    if (!status)
        status = th_learn(w->corpus, &options, NULL, &report, err);
    for (size_t i = 0; report && i < th_report_remark_count(report); i++) {
        const th_remark *remark = th_report_remark(report, i);
        if (!remark->detail)
            note(w, remark->page, remark->text);
    }
    if (!status)
        status = learnt(w, report, path, out, err);
    th_report_free(report);
    return status;
}

static th_status run_learn(work *w, json_t **out, th_error *err)
{
    th_labels *labels = NULL;
    th_status status = th_corpus_new(&w->corpus, err);
    if (!status)
        status = read_labels(w, &labels, err);
    if (!status)
        status = learn_pages(w, labels, out, err);
    th_corpus_free(w->corpus);
    th_labels_free(labels);
    return status;
}

typedef struct tool {
    const char *name, *title, *about;
    const argument *arguments;
    bool writes;
    th_status (*run)(work *w, json_t **out, th_error *err);
} tool;

static const tool tools_table[] = {
    {"records", "Records of pages",
     "Finds the main list of each page, without rules, and gives its records. The answer has "
     "`pages`, each with its `records`, and `next` where there are more.",
     record_arguments, false, run_records},
    {"learn", "Learn a wrapper",
     "Learns a wrapper, rules that give the same records for further pages of the site: from pages "
     "alone, or from a few labelled values. Gives the wrapper's name, the fields, and the first "
     "records. Labels are checked against their pages first.",
     learn_arguments, true, run_learn},
    {"extract", "Extract with a wrapper",
     "Runs a wrapper on pages and gives their records, as `records` does.", extract_arguments,
     false, run_extract},
    {"verify", "Verify a wrapper",
     "Says whether a wrapper still reads pages as it did when it was learnt: `verdict` is fine, "
     "changed or drift, with the evidence for each field.",
     verify_arguments, false, run_verify},
};

static const tool *find_tool(const char *name)
{
    for (size_t i = 0; i < sizeof tools_table / sizeof *tools_table; i++)
        if (!strcmp(tools_table[i].name, name))
            return &tools_table[i];
    return NULL;
}

bool mcp_tools_have(const char *name)
{
    return find_tool(name) != NULL;
}

json_t *mcp_tools_list(void)
{
    json_t *list = json_array();
    for (size_t i = 0; i < sizeof tools_table / sizeof *tools_table; i++) {
        const tool *t = &tools_table[i];
        json_array_append_new(list, json_pack("{s:s,s:s,s:s,s:o,s:{s:b,s:b,s:b}}", "name", t->name,
                                              "title", t->title, "description", t->about,
                                              "inputSchema", arguments_schema(t->arguments),
                                              "annotations", "readOnlyHint", !t->writes,
                                              "destructiveHint", 0, "openWorldHint", 1));
    }
    return list;
}

mcp_tools *mcp_tools_new(const mcp_settings *settings)
{
    mcp_tools *tools = calloc(1, sizeof *tools);
    if (tools)
        tools->set = settings;
    return tools;
}

void mcp_tools_free(mcp_tools *tools)
{
    for (size_t i = 0; tools && i < KEPT_WRAPPERS; i++)
        th_wrapper_free(tools->kept[i]);
    free(tools);
}

/* Adds the notes to an error message, as long as there is room. */
static void add_notes(th_error *err, const json_t *notes)
{
    size_t len = strlen(err->message), index;
    json_t *one;
    json_array_foreach((json_t *)notes, index, one)
    {
        const char *text = json_string_value(one);
        size_t more = strlen(text) + 1;
        if (strstr(err->message, text) || len + more >= sizeof err->message)
            continue;
        err->message[len] = '\n';
        memcpy(err->message + len + 1, text, more);
        len += more;
    }
}

th_status mcp_tools_call(mcp_tools *tools, const char *name, const json_t *arguments,
                         th_cancel cancel, json_t **out, th_error *err)
{
    const tool *t = find_tool(name);
    *out = NULL;
    if (!t)
        return cli_fail(err, TH_ERR_ARGUMENT, "unknown tool \"%.100s\"", name);
    work w = {.tools = tools,
              .set = tools->set,
              .arguments = arguments,
              .cancel = cancel,
              .notes = json_array(),
              .found = json_array()};
    w.first = whole_argument(&w, "first", 0);
    w.limit = whole_argument(&w, "limit", DEFAULT_RECORDS);
    if (w.limit > tools->set->most_records)
        w.limit = tools->set->most_records;
    th_status status = check_arguments(t->arguments, arguments, err);
    if (!status)
        status = t->run(&w, out, err);
    if (!status && json_array_size(w.notes))
        json_object_set(*out, "notes", w.notes);
    if (status && status != TH_ERR_CANCELLED)
        add_notes(err, w.notes);
    if (status) {
        json_decref(*out);
        *out = NULL;
    }
    json_decref(w.notes);
    json_decref(w.found);
    return status;
}
