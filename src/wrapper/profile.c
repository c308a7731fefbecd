/* profile.c: profiles as JSON and in words. */
#include "wrapper/profile.h"

#include <math.h>

#include "base/error.h"
#include "base/str.h"
#include "base/vec.h"

/* ---- patterns -------------------------------------------------------------------------------- */

void th__form_print(const th__form *pattern, bool ending, th__buf *out)
{
    for (uint32_t i = 0; i < pattern->len; i++) {
        const th__form_item *item = &pattern->items[ending ? pattern->len - 1 - i : i];
        const char *name = th_class_name((th_class)item->cls);
        if (i)
            th__buf_add_byte(out, ' ');
        if (item->hash)
            th__buf_add_str(out, item->text);
        else
            th__buf_printf(out, "_%c%s_", name[0] - 'a' + 'A', name + 1);
    }
}

/* The class behind _Number_. */
static bool find_wildcard(th_str word, th_class *out)
{
    char name[32];
    if (word.len < 3 || word.len >= sizeof name || word.ptr[0] != '_' ||
        word.ptr[word.len - 1] != '_')
        return false;
    for (size_t i = 1; i + 1 < word.len; i++)
        name[i - 1] = (char)th__lower((unsigned char)word.ptr[i]);
    return th_class_find((th_str){name, word.len - 2}, out);
}

/* Reads a pattern back. Tokens have no blanks in them. */
static bool parse_pattern(th_str text, bool ending, th__form *out)
{
    for (size_t at = 0, end; at < text.len; at = end + 1) {
        th_class cls;
        const char *blank = memchr(text.ptr + at, ' ', text.len - at);
        end = blank ? (size_t)(blank - text.ptr) : text.len;
        th_str word = {text.ptr + at, end - at};
        if (!word.len || out->len == TH__FORM_DEPTH)
            return false;
        out->items[out->len++] =
            find_wildcard(word, &cls)
                ? (th__form_item){.cls = (uint8_t)cls}
                : (th__form_item){.hash = th__hash(word.ptr, word.len) | 1, .text = word};
    }
    for (uint32_t i = 0; ending && i < out->len / 2; i++) {
        th__form_item swap = out->items[i];
        out->items[i] = out->items[out->len - 1 - i];
        out->items[out->len - 1 - i] = swap;
    }
    return out->len > 0;
}

/* ---- writing --------------------------------------------------------------------------------- */

static void write_patterns(const th__forms *patterns, bool ending, const char *key, th__json *json)
{
    th__buf text = {0};
    th__json_key(json, th_str_from(key));
    th__json_begin_array(json);
    for (uint32_t i = 0; i < patterns->count; i++) {
        th__buf_clear(&text);
        th__form_print(&patterns->data[i], ending, &text);
        json->buf->failed |= text.failed;
        th__json_begin_object(json);
        th__json_key(json, TH_STR("pattern"));
        th__json_str(json, th__buf_str(&text));
        th__json_put_uint(json, "count", patterns->data[i].count);
        th__json_end_object(json);
    }
    th__json_end_array(json);
    th__buf_release(&text);
}

/* Four decimals are more than the figures are worth, and keep the file readable. */
static void write_real(th__json *json, const char *key, double number)
{
    th__json_key(json, th_str_from(key));
    th__json_double(json, round(number * 1e4) / 1e4);
}

static void write_texts(th__json *json, const char *key, const th_str *texts, uint32_t count)
{
    th__json_key(json, th_str_from(key));
    th__json_begin_array(json);
    for (uint32_t i = 0; i < count; i++)
        th__json_str(json, texts[i]);
    th__json_end_array(json);
}

static const char *const pattern_keys[TH__ENDS] = {"start", "end"};
static const char *const shape_keys[TH__ENDS] = {"start_shapes", "end_shapes"};
static const char *const word_keys[TH__ENDS] = {"start_worded", "end_worded"};

static void write_field(const th__field_profile *field, th__json *json)
{
    th__json_begin_object(json);
    th__json_key(json, TH_STR("field"));
    th__json_str(json, field->path);
    th__json_put_uint(json, "chances", field->chances);
    th__json_put_uint(json, "values", field->values);
    th__json_put_uint(json, "pages", field->pages);
    if (field->told) {
        th__json_put_uint(json, "told", field->told);
        th__json_put_uint(json, "agreed", field->agreed);
    }
    if (field->headed)
        th__json_put_uint(json, "headed", field->headed);
    th__json_put_uint(json, "sampled", field->sampled);
    th__json_put_uint(json, "distinct", field->distinct);
    write_real(json, "length", field->length);
    write_real(json, "length_sd", field->length_sd);
    for (int end = 0; end < TH__ENDS; end++)
        write_patterns(&field->patterns[end], end == TH__END, pattern_keys[end], json);
    for (int end = 0; end < TH__ENDS; end++)
        write_patterns(&field->shapes[end], end == TH__END, shape_keys[end], json);
    for (int end = 0; end < TH__ENDS; end++)
        if (field->worded[end])
            th__json_put_uint(json, word_keys[end], field->worded[end]);
    write_texts(json, "examples", field->examples, field->example_count);
    if (field->word_count)
        write_texts(json, "words", field->words, field->word_count);
    th__json_end_object(json);
}

void th__profile_write(const th__profile *profile, th__json *json)
{
    th__json_begin_object(json);
    th__json_put_uint(json, "pages", profile->pages);
    th__json_put_uint(json, "empty_pages", profile->empty_pages);
    th__json_put_uint(json, "records", profile->records);
    th__json_put_uint(json, "least", profile->least);
    th__json_put_uint(json, "most", profile->most);
    write_real(json, "explained", profile->explained);
    write_real(json, "explained_least", profile->explained_least);
    th__json_key(json, TH_STR("fields"));
    th__json_begin_array(json);
    for (uint32_t i = 0; i < profile->count; i++)
        write_field(&profile->fields[i], json);
    th__json_end_array(json);
    th__json_end_object(json);
}

/* ---- reading --------------------------------------------------------------------------------- */

static th_status read_pattern(th__rule_reader *reader, json_t *json, bool ending, th__arena *arena,
                              th__form *out)
{
    th_str text = {0};
    uint64_t count = 0;
    if (!json_is_object(json))
        return th__rule_fault(reader, "must be an object");
    th_status status = th__rule_text(reader, json, "pattern", true, arena, &text);
    if (!status)
        status = th__rule_number(reader, json, "count", true, UINT32_MAX, &count);
    out->count = (uint32_t)count;
    if (!status && !parse_pattern(text, ending, out))
        status = th__rule_fault(reader,
                                "must be 1 to %d words or classes with single blanks between them, "
                                "such as \"_Number_ _Capitalized_\"",
                                TH__FORM_DEPTH);
    return status;
}

static th_status read_patterns(th__rule_reader *reader, json_t *field, const char *key, bool ending,
                               th__arena *arena, th__forms *out)
{
    json_t *array;
    th_status status = th__rule_array(reader, field, key, 0, TH__FORMS_MAX, &array);
    if (status)
        return status;
    size_t count = json_array_size(array), mark = th__rule_enter(reader, key);
    out->data = th__arena_zero(arena, count + 1, sizeof *out->data);
    if (!out->data)
        status = th__fail_memory(reader->err);
    for (size_t i = 0; !status && i < count; i++) {
        size_t item = th__rule_enter_item(reader, i);
        status = read_pattern(reader, json_array_get(array, i), ending, arena, &out->data[i]);
        th__rule_leave(reader, item);
    }
    out->count = (uint32_t)count;
    th__rule_leave(reader, mark);
    return status;
}

/* Counts are limited to what the statistics take. */
#define MOST_COUNT ((uint64_t)1 << 48)

typedef struct count_key {
    const char *key;
    uint64_t *out;
} count_key;

static th_status read_counts(th__rule_reader *reader, json_t *json, const count_key *keys,
                             size_t count)
{
    th_status status = TH_OK;
    for (size_t i = 0; !status && i < count; i++)
        status = th__rule_number(reader, json, keys[i].key, true, MOST_COUNT, keys[i].out);
    return status;
}

/* Texts of an array that may be absent. */
static th_status read_texts(th__rule_reader *reader, json_t *field, const char *key, size_t most,
                            th__arena *arena, th_str **out, uint32_t *out_count)
{
    json_t *array;
    if (!json_object_get(field, key))
        return TH_OK;
    th_status status = th__rule_array(reader, field, key, 0, most, &array);
    if (status)
        return status;
    size_t count = json_array_size(array);
    th_str *texts = th__arena_zero(arena, count + 1, sizeof *texts);
    if (!texts)
        return th__fail_memory(reader->err);
    for (size_t i = 0; i < count; i++) {
        json_t *text = json_array_get(array, i);
        if (!json_is_string(text))
            return th__rule_fault(reader, "%s must be texts", key);
        texts[i] =
            th__arena_copy(arena, (th_str){json_string_value(text), json_string_length(text)});
        if (!texts[i].ptr)
            return th__fail_memory(reader->err);
    }
    *out = texts;
    *out_count = (uint32_t)count;
    return TH_OK;
}

static th_status read_field(th__rule_reader *reader, json_t *json, th__arena *arena,
                            th__field_profile *out)
{
    const count_key counts[] = {{"chances", &out->chances},
                                {"values", &out->values},
                                {"pages", &out->pages},
                                {"sampled", &out->sampled},
                                {"distinct", &out->distinct}};
    if (!json_is_object(json))
        return th__rule_fault(reader, "must be an object");
    th_status status = th__rule_text(reader, json, "field", true, arena, &out->path);
    if (!status)
        status = read_counts(reader, json, counts, sizeof counts / sizeof *counts);
    if (!status)
        status = th__rule_number(reader, json, "told", false, MOST_COUNT, &out->told);
    if (!status)
        status = th__rule_number(reader, json, "agreed", false, MOST_COUNT, &out->agreed);
    if (!status)
        status = th__rule_number(reader, json, "headed", false, MOST_COUNT, &out->headed);
    if (!status)
        status = th__rule_real(reader, json, "length", false, 0, 100, &out->length);
    if (!status)
        status = th__rule_real(reader, json, "length_sd", false, 0, 100, &out->length_sd);
    if (!status)
        status = read_texts(reader, json, "examples", TH__EXAMPLES_MAX, arena, &out->examples,
                            &out->example_count);
    if (!status)
        status =
            read_texts(reader, json, "words", TH__WORDS_MAX, arena, &out->words, &out->word_count);
    for (int end = 0; !status && end < TH__ENDS; end++) {
        bool ending = end == TH__END;
        status = read_patterns(reader, json, pattern_keys[end], ending, arena, &out->patterns[end]);
        if (!status)
            status = read_patterns(reader, json, shape_keys[end], ending, arena, &out->shapes[end]);
        if (!status)
            status =
                th__rule_number(reader, json, word_keys[end], false, MOST_COUNT, &out->worded[end]);
    }
    return status;
}

static th_status read_fields(th__rule_reader *reader, json_t *json, th__arena *arena,
                             th__profile *out)
{
    json_t *array;
    th_status status = th__rule_array(reader, json, "fields", 0, TH__PROFILE_MAX_FIELDS, &array);
    if (status)
        return status;
    size_t count = json_array_size(array), mark = th__rule_enter(reader, "fields");
    out->fields = th__arena_zero(arena, count + 1, sizeof *out->fields);
    if (!out->fields)
        status = th__fail_memory(reader->err);
    for (size_t i = 0; !status && i < count; i++) {
        size_t item = th__rule_enter_item(reader, i);
        status = read_field(reader, json_array_get(array, i), arena, &out->fields[i]);
        th__rule_leave(reader, item);
    }
    out->count = (uint32_t)count;
    th__rule_leave(reader, mark);
    return status;
}

th_status th__profile_read(th__rule_reader *reader, json_t *json, th__arena *arena,
                           th__profile **out)
{
    th__profile *profile = th__arena_zero(arena, 1, sizeof *profile);
    if (!profile)
        return th__fail_memory(reader->err);
    const count_key counts[] = {{"pages", &profile->pages},
                                {"empty_pages", &profile->empty_pages},
                                {"records", &profile->records},
                                {"least", &profile->least},
                                {"most", &profile->most}};
    th_status status = read_counts(reader, json, counts, sizeof counts / sizeof *counts);
    if (!status)
        status = th__rule_real(reader, json, "explained", false, 0, 1, &profile->explained);
    if (!status)
        status =
            th__rule_real(reader, json, "explained_least", false, 0, 1, &profile->explained_least);
    if (!status)
        status = read_fields(reader, json, arena, profile);
    if (!status && !th__profile_prepare(profile, arena))
        status = th__fail_memory(reader->err);
    *out = profile;
    return status;
}

/* ---- what is made once ------------------------------------------------------------------------
 */

double th__form_usual(const th__forms *forms, uint64_t sampled, uint32_t form)
{
    uint64_t left = sampled, most = 1, own = 0;
    for (uint32_t i = 0; i <= forms->count; i++) {
        uint64_t count = i < forms->count ? forms->data[i].count : left;
        count = count < left ? count : left;
        left -= count;
        most = count > most ? count : most;
        own = i == form ? count : own;
    }
    return !forms->count ? 0.5 : (double)own / (double)most;
}

static bool make_brief(th__forms *forms, uint64_t sampled, th__arena *arena)
{
    enum { MOST = 2 };
    th__brief *briefs = th__arena_zero(arena, forms->count + 1, sizeof *briefs);
    if (!briefs)
        return false;
    for (uint32_t i = 0; i < forms->count; i++) {
        const th__form *form = &forms->data[i];
        if (form->len > MOST)
            return true;
        briefs[i].len = (uint8_t)form->len;
        for (uint32_t j = 0; j < form->len; j++) {
            const th__form_item *item = &form->items[j];
            briefs[i].cls[j] = item->cls;
            briefs[i].text[j] = item->hash ? item->text.ptr : NULL;
            briefs[i].text_len[j] = (uint32_t)item->text.len;
        }
    }
    for (uint32_t i = 0; i <= forms->count; i++)
        briefs[i].usual = th__form_usual(forms, sampled, i);
    forms->brief = briefs;
    return true;
}

static bool hash_examples(th__field_profile *field, th__arena *arena)
{
    uint64_t *hashes = th__arena_zero(arena, field->example_count + 1, sizeof *hashes);
    if (!hashes)
        return false;
    for (uint32_t i = 0; i < field->example_count; i++)
        hashes[i] = th__hash(field->examples[i].ptr, field->examples[i].len);
    field->example_hashes = hashes;
    return true;
}

bool th__profile_prepare(th__profile *profile, th__arena *arena)
{
    bool ok = true;
    for (uint32_t i = 0; ok && i < profile->count; i++) {
        th__field_profile *field = &profile->fields[i];
        ok = hash_examples(field, arena);
        for (int end = 0; ok && end < TH__ENDS; end++)
            ok = make_brief(&field->shapes[end], field->sampled, arena);
    }
    return ok;
}

/* ---- in words -------------------------------------------------------------------------------- */

static void explain_patterns(const th__field_profile *field, int end, th__buf *out)
{
    enum { SHOWN = 8 };
    const th__forms *patterns = &field->patterns[end];
    uint64_t left = field->sampled;
    if (!field->sampled)
        return;
    th__buf_printf(out, "  %s", end == TH__START ? "begins  " : "ends    ");
    for (uint32_t i = 0; i < patterns->count && i < SHOWN; i++) {
        th__buf_add_str(out, i ? TH_STR(", ") : TH_STR(""));
        th__form_print(&patterns->data[i], end == TH__END, out);
        th__buf_printf(out, " (%u)", patterns->data[i].count);
        left -= patterns->data[i].count < left ? patterns->data[i].count : left;
    }
    if (left)
        th__buf_printf(out, "%s%s (%llu)", patterns->count ? ", " : "",
                       patterns->count ? "otherwise" : "in no way of its own",
                       (unsigned long long)left);
    th__buf_add_byte(out, '\n');
}

enum { SHOWN_EXAMPLES = 3 };

static void explain_field(const th__field_profile *field, th__buf *out)
{
    uint64_t missing =
        field->chances - (field->values < field->chances ? field->values : field->chances);
    th__buf_printf(out, "%.*s\n  %llu value%s", TH_STR_ARG(field->path),
                   (unsigned long long)field->values, field->values == 1 ? "" : "s");
    if (field->values && !missing)
        th__buf_add_str(out, TH_STR(", never missing"));
    else if (field->values)
        th__buf_printf(out, ", missing %llu of %llu times", (unsigned long long)missing,
                       (unsigned long long)field->chances);
    if (field->sampled)
        th__buf_printf(out, ", about %.0f bytes each (%.0f to %.0f)", expm1(field->length),
                       fmax(0, expm1(field->length - 2 * field->length_sd)),
                       expm1(field->length + 2 * field->length_sd));
    if (field->sampled > 1)
        th__buf_printf(out, ", %llu of %llu differ", (unsigned long long)field->distinct,
                       (unsigned long long)field->sampled);
    if (field->told)
        th__buf_printf(out, ", rules agree on %llu of %llu", (unsigned long long)field->agreed,
                       (unsigned long long)field->told);
    if (field->headed)
        th__buf_printf(out, ", %llu in the title of the page", (unsigned long long)field->headed);
    th__buf_add_byte(out, '\n');
    for (int end = 0; end < TH__ENDS; end++)
        explain_patterns(field, end, out);
    for (uint32_t i = 0; i < field->word_count; i++)
        th__buf_printf(out, "%s%.*s", i ? ", " : "  most have ", TH_STR_ARG(field->words[i]));
    if (field->word_count)
        th__buf_add_byte(out, '\n');
    for (uint32_t i = 0; i < field->example_count && i < SHOWN_EXAMPLES; i++)
        th__buf_printf(out, "%s%.*s", i ? " | " : "  such as ", TH_STR_ARG(field->examples[i]));
    if (field->example_count)
        th__buf_add_byte(out, '\n');
}

void th__profile_explain(const th__profile *profile, th__buf *out)
{
    th__buf_printf(out, "profile of %llu page%s, %llu record%s", (unsigned long long)profile->pages,
                   profile->pages == 1 ? "" : "s", (unsigned long long)profile->records,
                   profile->records == 1 ? "" : "s");
    if (profile->pages > 1)
        th__buf_printf(out, " (%llu to %llu a page)", (unsigned long long)profile->least,
                       (unsigned long long)profile->most);
    if (profile->empty_pages)
        th__buf_printf(out, ", none on %llu", (unsigned long long)profile->empty_pages);
    th__buf_printf(out, "\n%.0f%% of the text of the pages is in values\n",
                   100 * profile->explained);
    for (uint32_t i = 0; i < profile->count; i++)
        explain_field(&profile->fields[i], out);
}
