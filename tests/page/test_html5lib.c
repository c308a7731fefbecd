/*
 * html5lib's tokenizer tests against our scanner, attributes, references, comments and doctypes.
 *
 * The cases are not in this repository: THRESH_DATA names a folder with html5lib-tests/tokenizer,
 * and without it the test is skipped. Parse errors are not compared, since we report none. A case
 * that cannot apply is in the table below with its reason; a case in the table that passes is an
 * error, so that the table stays true.
 *
 * The prescan of html5lib-tests/encoding is compared as well.
 */
#include "test.h"

#include <dirent.h>
#include <jansson.h>

#include "base/mem.h"
#include "base/str.h"
#include "base/utf8.h"
#include "page/charref.h"
#include "page/parse.h"
#include "page/page.h"
#include "page/decode.h"

/* --- cases that cannot apply ------------------------------------------------------------------ */

static const struct {
    const char *file, *description, *reason;
} cannot_apply[] = {
#define HALF_PAIR "half a surrogate pair cannot stand in UTF-8: decoding has made it U+FFFD"
    {"unicodeCharsProblematic.test", "Invalid Unicode character U+DFFF", HALF_PAIR},
    {"unicodeCharsProblematic.test", "Invalid Unicode character U+D800", HALF_PAIR},
    {"unicodeCharsProblematic.test",
     "Invalid Unicode character U+DFFF with valid preceding character", HALF_PAIR},
    {"unicodeCharsProblematic.test",
     "Invalid Unicode character U+D800 with valid following character", HALF_PAIR},
#define INFOSET "asks for the changes that an XML infoset needs; we make none"
    {"xmlViolation.test", "Non-XML character", INFOSET},
    {"xmlViolation.test", "Non-XML space", INFOSET},
    {"xmlViolation.test", "Double hyphen in comment", INFOSET},
};

static const char *reason_to_skip(const char *file, const char *description)
{
    for (size_t i = 0; i < sizeof cannot_apply / sizeof *cannot_apply; i++)
        if (strcmp(cannot_apply[i].file, file) == 0 &&
            strcmp(cannot_apply[i].description, description) == 0)
            return cannot_apply[i].reason;
    return NULL;
}

static const struct {
    const char *name;
    th__scan_state state;
} states[] = {
    {"Data state", TH__SCAN_DATA},           {"RCDATA state", TH__SCAN_RCDATA},
    {"RAWTEXT state", TH__SCAN_RAWTEXT},     {"Script data state", TH__SCAN_SCRIPT},
    {"PLAINTEXT state", TH__SCAN_PLAINTEXT}, {"CDATA section state", TH__SCAN_CDATA},
};

/* --- our tokens as the tests write them ------------------------------------------------------- */

static json_t *json_of(th_str text, unsigned chars, bool lower)
{
    th__buf out = {0};
    assert_true(th__decode_chars(text, chars, &out));
    if (lower)
        for (size_t i = 0; i < out.len; i++)
            out.data[i] = (char)th__lower((unsigned char)out.data[i]);
    json_t *string = json_stringn(out.data ? out.data : "", out.len);
    assert_non_null(string);
    th__buf_release(&out);
    return string;
}

static json_t *part_or_null(th_str text, bool lower)
{
    return text.ptr ? json_of(text, TH__CHARS_NUL, lower) : json_null();
}

static void add_characters(json_t *list, json_t *string)
{
    size_t count = json_array_size(list);
    json_t *last = count ? json_array_get(list, count - 1) : NULL;
    if (last && strcmp(json_string_value(json_array_get(last, 0)), "Character") == 0) {
        json_t *before = json_array_get(last, 1);
        th__buf both = {0};
        th__buf_add(&both, json_string_value(before), json_string_length(before));
        th__buf_add(&both, json_string_value(string), json_string_length(string));
        json_array_set_new(last, 1, json_stringn(both.data ? both.data : "", both.len));
        th__buf_release(&both);
        json_decref(string);
    } else if (json_string_length(string)) {
        json_array_append_new(list, json_pack("[s,o]", "Character", string));
    } else {
        json_decref(string);
    }
}

static json_t *start_tag(const th_page *page, uint32_t token)
{
    json_t *attributes = json_object();
    th_attr attr;
    for (th_attr_iter it = th_attrs(page, token); th_attr_next(&it, &attr);) {
        json_t *name = json_of(attr.name, TH__CHARS_NUL, true);
        const char *key = json_string_value(name);
        if (!json_object_get(attributes, key))
            json_object_set_new(attributes, key,
                                json_of(attr.value.ptr ? attr.value : TH_STR(""),
                                        TH__CHARS_REFS | TH__CHARS_ATTRIBUTE | TH__CHARS_NUL,
                                        false));
        json_decref(name);
    }
    json_t *tag = json_pack("[s,o,o]", "StartTag",
                            json_of(th_token_name(page, token), TH__CHARS_NUL, true), attributes);
    if (page->tokens[token].flags & TH_TOKEN_SELF_CLOSING)
        json_array_append_new(tag, json_true());
    return tag;
}

static void add_token(json_t *list, const th_page *page, uint32_t token)
{
    th_str text = th__token_text(page, token);
    switch (page->tokens[token].kind) {
    case TH_TOKEN_TEXT:
        add_characters(list, json_of(text, TH__CHARS_REFS, false));
        break;
    case TH_TOKEN_RCDATA:
        add_characters(list, json_of(text, TH__CHARS_REFS | TH__CHARS_NUL, false));
        break;
    case TH_TOKEN_RAW:
        add_characters(list, json_of(text, TH__CHARS_NUL, false));
        break;
    case TH_TOKEN_CDATA:
        add_characters(list, json_of(th__cdata_text(text), 0, false));
        break;
    case TH_TOKEN_START:
        json_array_append_new(list, start_tag(page, token));
        break;
    case TH_TOKEN_END:
        json_array_append_new(
            list,
            json_pack("[s,o]", "EndTag", json_of(th_token_name(page, token), TH__CHARS_NUL, true)));
        break;
    case TH_TOKEN_COMMENT:
        json_array_append_new(
            list,
            json_pack("[s,o]", "Comment", json_of(th__comment_text(text), TH__CHARS_NUL, false)));
        break;
    case TH_TOKEN_DOCTYPE: {
        th__doctype doctype = th__doctype_read(text);
        json_array_append_new(
            list, json_pack("[s,o,o,o,b]", "DOCTYPE", part_or_null(doctype.name, true),
                            part_or_null(doctype.public_id, false),
                            part_or_null(doctype.system_id, false), !doctype.force_quirks));
        break;
    }
    default:
        break;
    }
}

static json_t *our_tokens(th_str input, th__scan_state state, th_str last_start_tag)
{
    th__scan scan = {0};
    assert_true(th__scan_text(&scan, input, state, last_start_tag));
    th_page page = {.text = input, .tokens = scan.tokens, .token_count = scan.count - 1};
    json_t *list = json_array();
    for (uint32_t i = 0; i < page.token_count; i++)
        add_token(list, &page, i);
    th__scan_release(&scan);
    return list;
}

/* --- their cases ------------------------------------------------------------------------------ */

static int hex_at(const char *at, const char *end)
{
    int value = 0;
    if (end - at < 6 || at[0] != '\\' || at[1] != 'u')
        return -1;
    for (int i = 2; i < 6; i++) {
        const char *digits = "0123456789abcdef";
        const char *digit = strchr(digits, th__lower((unsigned char)at[i]));
        if (!digit || !at[i])
            return -1;
        value = value * 16 + (int)(digit - digits);
    }
    return value;
}

/* Undoes the second escape of "doubleEscaped". False when the text has half a surrogate pair, which
 * UTF-8 cannot hold: a page never reaches the scanner with one. */
static bool unescape(th_str in, th__buf *out)
{
    const char *at = in.ptr, *end = in.ptr + in.len;
    bool whole = true;
    while (at < end) {
        int code = hex_at(at, end), low = code < 0 ? -1 : hex_at(at + 6, end);
        char bytes[4];
        if (code < 0) {
            th__buf_add_byte(out, *at++);
            continue;
        }
        at += 6;
        if (code >= 0xD800 && code < 0xDC00 && low >= 0xDC00 && low < 0xE000) {
            code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
            at += 6;
        } else if (code >= 0xD800 && code < 0xE000) {
            whole = false;
        }
        th__buf_add(out, bytes, th__utf8_encode((uint32_t)code, bytes));
    }
    return whole;
}

static bool unescape_json(json_t *value, json_t **out)
{
    bool whole = true;
    if (json_is_string(value)) {
        th__buf text = {0};
        whole = unescape((th_str){json_string_value(value), json_string_length(value)}, &text);
        *out = json_stringn(text.data ? text.data : "", text.len);
        th__buf_release(&text);
    } else if (json_is_array(value)) {
        *out = json_array();
        for (size_t i = 0; i < json_array_size(value); i++) {
            json_t *item;
            whole &= unescape_json(json_array_get(value, i), &item);
            json_array_append_new(*out, item);
        }
    } else if (json_is_object(value)) {
        const char *key;
        json_t *item, *made;
        *out = json_object();
        json_object_foreach(value, key, item)
        {
            th__buf name = {0};
            whole &= unescape(th_str_from(key), &name);
            whole &= unescape_json(item, &made);
            th__buf_add_byte(&name, '\0');
            json_object_set_new(*out, name.data, made);
            th__buf_release(&name);
        }
    } else {
        *out = json_incref(value);
    }
    return whole;
}

static size_t passed, failed, skipped;

/* `whole` is false for a case that UTF-8 cannot express: it counts as different. */
static void run_state(const char *file, const char *description, json_t *input, json_t *output,
                      bool whole, const char *state_name, const char *last_start_tag)
{
    size_t i = 0;
    while (i < sizeof states / sizeof *states && strcmp(states[i].name, state_name) != 0)
        i++;
    assert_true(i < sizeof states / sizeof *states);
    json_t *ours = our_tokens((th_str){json_string_value(input), json_string_length(input)},
                              states[i].state, th_str_from(last_start_tag));
    bool same = whole && json_equal(ours, output);
    const char *reason = reason_to_skip(file, description);
    if (reason && !same) {
        skipped++;
        print_message("skipped: %s: %s (%s): %s\n", file, description, state_name, reason);
    } else if (same && !reason) {
        passed++;
    } else {
        failed++;
        char *want = json_dumps(output, JSON_COMPACT), *got = json_dumps(ours, JSON_COMPACT);
        print_message("%s: %s: %s (%s)\n  input %s\n  want  %s\n  got   %s\n",
                      same ? "PASSES though listed as inapplicable" : "FAILED", file, description,
                      state_name, json_string_value(input), want, got);
        free(want);
        free(got);
    }
    json_decref(ours);
}

static void run_case(const char *file, json_t *test)
{
    json_t *input = json_incref(json_object_get(test, "input"));
    json_t *output = json_incref(json_object_get(test, "output"));
    json_t *initial = json_object_get(test, "initialStates");
    const char *description = json_string_value(json_object_get(test, "description"));
    const char *last = json_string_value(json_object_get(test, "lastStartTag"));
    bool whole = true;
    if (json_is_true(json_object_get(test, "doubleEscaped"))) {
        json_t *plain_input, *plain_output;
        whole = unescape_json(input, &plain_input) & unescape_json(output, &plain_output);
        json_decref(input);
        json_decref(output);
        input = plain_input;
        output = plain_output;
    }
    if (!initial)
        run_state(file, description, input, output, whole, "Data state", last);
    for (size_t i = 0; i < json_array_size(initial); i++)
        run_state(file, description, input, output, whole,
                  json_string_value(json_array_get(initial, i)), last);
    json_decref(input);
    json_decref(output);
}

static const char *folder(void)
{
    return getenv("THRESH_DATA");
}

static void tokenizer(void **state)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/html5lib-tests/tokenizer", folder());
    DIR *dir = opendir(path);
    assert_non_null(dir);
    for (struct dirent *entry; (entry = readdir(dir));) {
        if (!th__str_ends_nocase(th_str_from(entry->d_name), TH_STR(".test")))
            continue;
        snprintf(path, sizeof path, "%s/html5lib-tests/tokenizer/%s", folder(), entry->d_name);
        json_error_t error;
        json_t *root = json_load_file(path, JSON_ALLOW_NUL, &error);
        if (!root)
            fail_msg("%s: line %d: %s", path, error.line, error.text);
        json_t *tests = json_object_get(root, "tests");
        if (!tests)
            tests = json_object_get(root, "xmlViolationTests");
        for (size_t i = 0; i < json_array_size(tests); i++)
            run_case(entry->d_name, json_array_get(tests, i));
        json_decref(root);
    }
    closedir(dir);
    print_message("%zu passed, %zu failed, %zu skipped\n", passed, failed, skipped);
    assert_int_equal(failed, 0);
    assert_true(passed > 6000);
}

/* --- encodings -------------------------------------------------------------------------------- */

static size_t run_encodings(const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/html5lib-tests/encoding/%s", folder(), name);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    static char content[1 << 20];
    th_str rest = {content, fread(content, 1, sizeof content, file)};
    fclose(file);
    size_t cases = 0;
    for (size_t at; (at = th__str_find(rest, TH_STR("#data\n"))) != SIZE_MAX;) {
        rest = (th_str){rest.ptr + at + 6, rest.len - at - 6};
        size_t middle = th__str_find(rest, TH_STR("\n#encoding\n"));
        assert_true(middle != SIZE_MAX);
        th_str data = {rest.ptr, middle}, label = {rest.ptr + middle + 11, 0};
        while (label.ptr + label.len < rest.ptr + rest.len && label.ptr[label.len] != '\n')
            label.len++;
        const th__encoding *want = th__encoding_find(label);
        /* As th__decode does: the first 1,024 bytes, then all, where a parser of a whole page
         * changes its mind at a late <meta>. */
        size_t first = data.len < TH__PRESCAN_BYTES ? data.len : TH__PRESCAN_BYTES;
        const th__encoding *got = th__prescan((th_str){data.ptr, first});
        if (!got)
            got = th__prescan(data);
        if (th__str_starts(data, TH_STR("\xEF\xBB\xBF")))
            got = th__encoding_find(TH_STR("utf-8")); /* a mark comes before the prescan */
        if (!got)                                     /* their default */
            got = th__encoding_find(TH_STR("windows-1252"));
        if (want != got)
            fail_msg("%s: %.*s\n  want %.*s got %s", name, (int)data.len, data.ptr, (int)label.len,
                     label.ptr, got->name);
        rest = (th_str){label.ptr, (size_t)(rest.ptr + rest.len - label.ptr)};
        cases++;
    }
    return cases;
}

static void encodings(void **state)
{
    size_t cases = run_encodings("tests1.dat") + run_encodings("tests2.dat") +
                   run_encodings("test-yahoo-jp.dat");
    print_message("%zu encodings\n", cases);
    assert_true(cases > 60);
}

int main(void)
{
    if (!folder()) {
        puts("skipped: THRESH_DATA is not set to a folder that holds html5lib-tests");
        return 77;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tokenizer),
        cmocka_unit_test(encodings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
