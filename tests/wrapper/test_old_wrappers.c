/*
 * test_old_wrappers.c: wrapper files of version 0.1 are read, written and run as they were.
 *
 * v0.1/PAGE-ENGINE.json was written by thresh 0.1, from pages of the generator and of examples/;
 * v0.1/PAGE-ENGINE.ndjson is what 0.1 extracted with it from v0.1/PAGE.html. Written again, a file
 * has the same bytes, but for the names of engines that have got another one.
 */
#include "wrapper_test.h"

#include <dirent.h>
#include <jansson.h>
#include <stdio.h>

#include "base/error.h"

static const char *folder;

/* The bytes of a file in the folder, with a NUL behind them. */
static th__buf read_file(const char *name, int len, const char *ending)
{
    char path[1024], bytes[4096];
    th__buf out = {0};
    snprintf(path, sizeof path, "%s/%.*s%s", folder, len, name, ending);
    FILE *file = fopen(path, "rb");
    if (!file)
        fail_msg("%s cannot be read", path);
    for (size_t got; (got = fread(bytes, 1, sizeof bytes, file));)
        assert_true(th__buf_add(&out, bytes, got));
    fclose(file);
    assert_true(th__buf_add_byte(&out, '\0'));
    out.len--;
    return out;
}

static void expect_same(const char *name, const char *what, th_str is, th_str was)
{
    if (!th__str_eq(is, was))
        fail_msg("%s: %s:\n%.*s\nis not\n%.*s", name, what, TH_STR_ARG(is), TH_STR_ARG(was));
}

/* A file with the name that its engine has today. */
static void rename_engine(th__buf *file, const char *engine)
{
    static const char key[] = "\n  \"engine\": \"";
    char *from = strstr(file->data, key);
    assert_non_null(from);
    size_t start = (size_t)(from - file->data) + sizeof key - 1;
    size_t end = start + strcspn(file->data + start, "\"");
    th__buf out = {0};
    assert_true(th__buf_add(&out, file->data, start) &&
                th__buf_add_str(&out, th_str_from(engine)) &&
                th__buf_add(&out, file->data + end, file->len - end));
    th__buf_release(file);
    *file = out;
}

static void check_file(const char *name)
{
    int stem = (int)(strrchr(name, '.') - name);
    th__buf file = read_file(name, stem, ".json");
    th__buf page = read_file(name, (int)strcspn(name, "-"), ".html");
    th__buf expected = read_file(name, stem, ".ndjson");
    th__buf records = {0};
    th_text written = {0};
    th_wrapper *wrapper;
    th_error err;
    if (th_wrapper_read(th__buf_str(&file), name, &wrapper, &err))
        fail_msg("%s", err.message);
    rename_engine(&file, th_wrapper_engine(wrapper));
    assert_int_equal(th_wrapper_write(wrapper, &written, &err), TH_OK);
    expect_same(name, "written again", (th_str){written.ptr, written.len}, th__buf_str(&file));
    assert_int_equal(run_on(wrapper, page.data, &records, &err), TH_OK);
    expect_same(name, "records", th__buf_str(&records), th__buf_str(&expected));
    th_text_release(&written);
    th_wrapper_free(wrapper);
    th__buf_release(&records);
    th__buf_release(&expected);
    th__buf_release(&page);
    th__buf_release(&file);
}

static void each_file(void (*check)(const char *name))
{
    int count = 0;
    DIR *entries = opendir(folder);
    assert_non_null(entries);
    for (struct dirent *entry; (entry = readdir(entries));) {
        const char *ending = strrchr(entry->d_name, '.');
        if (ending && !strcmp(ending, ".json")) {
            check(entry->d_name);
            count++;
        }
    }
    closedir(entries);
    assert_true(count > 15);
}

static void version_0_1(void **state)
{
    each_file(check_file);
}

/* ---- damaged files --------------------------------------------------------------------------- */

/* A file whose values are replaced one by one. */
struct damage {
    const char *name;
    json_t *root;
    const char *page;
    int tried;
};

/* A damaged file is refused with the place of the fault, or it is one that can be run and written.
 */
static void try_damaged(struct damage *d)
{
    char *text = json_dumps(d->root, JSON_COMPACT);
    th_wrapper *wrapper;
    th_error err;
    assert_non_null(text);
    th_status status = th_wrapper_read(th_str_from(text), d->name, &wrapper, &err);
    if (status) {
        if (status != TH_ERR_FORMAT || strncmp(err.message, d->name, strlen(d->name)) ||
            !strchr(err.message + strlen(d->name) + 1, ':'))
            fail_msg("%s names no place", err.message);
    } else {
        th__buf records = {0};
        th_text written = {0};
        assert_int_equal(run_on(wrapper, d->page, &records, &err), TH_OK);
        assert_int_equal(th_wrapper_write(wrapper, &written, &err), TH_OK);
        th_wrapper_free(wrapper);
        assert_int_equal(
            th_wrapper_read((th_str){written.ptr, written.len}, "again", &wrapper, &err), TH_OK);
        th_wrapper_free(wrapper);
        th_text_release(&written);
        th__buf_release(&records);
    }
    free(text);
    d->tried++;
}

/* Puts others in the place of a value, and the value back. */
static void damage_value(struct damage *d, json_t *object, const char *key, size_t index,
                         json_t *value)
{
    static const char *const others[] = {"null", "7", "-1", "0.5", "\"x\"", "[]", "{}", "[{}]"};
    json_incref(value);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        json_t *other = json_loads(others[i], JSON_DECODE_ANY, NULL);
        if (json_is_object(object))
            json_object_set_new(object, key, other);
        else
            json_array_set_new(object, index, other);
        try_damaged(d);
    }
    if (json_is_object(object))
        json_object_set(object, key, value);
    else
        json_array_set(object, index, value);
    json_decref(value);
}

/* All values at any depth; of long lists the first ones. */
static void damage_all(struct damage *d, json_t *json)
{
    enum { ITEMS = 3 };
    const char *key;
    void *next;
    json_t *value;
    size_t i;
    json_object_foreach_safe(json, next, key, value)
    {
        damage_all(d, value);
        damage_value(d, json, key, 0, value);
    }
    if (json_is_array(json))
        json_array_foreach(json, i, value)
        {
            if (i == ITEMS)
                break;
            damage_all(d, value);
            damage_value(d, json, NULL, i, value);
        }
}

static void damage_file(const char *name)
{
    th__buf file = read_file(name, (int)strlen(name), "");
    th__buf page = read_file(name, (int)strcspn(name, "-"), ".html");
    struct damage d = {name, json_loads(file.data, 0, NULL), page.data, 0};
    json_object_del(d.root, "profile"); /* large, and the same for all */
    damage_all(&d, d.root);
    assert_true(d.tried > 100);
    json_decref(d.root);
    th__buf_release(&page);
    th__buf_release(&file);
}

static void damaged(void **state)
{
    each_file(damage_file);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(version_0_1), cmocka_unit_test(damaged)};
    folder = argc > 1 ? argv[1] : "tests/wrapper/v0.1";
    return cmocka_run_group_tests(tests, NULL, NULL);
}
