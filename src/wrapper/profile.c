/* profile.c: profiles as JSON and in words. */
#include "wrapper/profile.h"

#include <math.h>

#include "base/error.h"
#include "base/str.h"
#include "wrapper/value_forms.h"
#include "wrapper/wrapper.h"

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
static bool read_pattern(th_str text, bool ending, th__form *out)
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

static th_status parse_pattern(th__rule_reader *reader, th_str text, int ending, void *form)
{
    return read_pattern(text, ending, form)
               ? TH_OK
               : th__rule_fault(reader,
                                "must be 1 to %d words or classes with single blanks between them, "
                                "such as \"_Number_ _Capitalized_\"",
                                TH__FORM_DEPTH);
}

static void print_pattern(const void *root, const void *form, int ending, th__buf *out)
{
    th__form_print(form, ending, out);
}

/* ---- the table ------------------------------------------------------------------------------- */

#define FORM(ending)                                                                               \
    {.key = "pattern",                                                                             \
     .type = TH__RULE_PARSED,                                                                      \
     .parse = parse_pattern,                                                                       \
     .print = print_pattern,                                                                       \
     .way = ending,                                                                                \
     .flags = TH__NEEDED},                                                                         \
    {                                                                                              \
        TH__UINT("count", th__form, count, 0, UINT32_MAX), .flags = TH__NEEDED                     \
    }
static const th__rule_member start_form[] = {FORM(false)}, end_form[] = {FORM(true)};
static const th__rule_shape start_shape = TH__SHAPE(th__form, start_form);
static const th__rule_shape end_shape = TH__SHAPE(th__form, end_form);

/* The largest counts that the statistics accept. */
#define MOST_COUNT                ((uint64_t)1 << 48)
#define COUNT(key, struct_, name) TH__UINT(key, struct_, name, 0, MOST_COUNT)
#define FORMS(key, name, end)                                                                      \
    TH__LIST(key, th__field_profile, name[end].data, name[end].count,                              \
             *((end) == TH__END ? &end_shape : &start_shape), 0, TH__FORMS_MAX)

static const th__rule_member near_members[] = {
    {TH__TEXT("text", th__neighbour, text), .flags = TH__NEEDED},
    {TH__UINT("at", th__neighbour, at, 1, UINT32_MAX), .flags = TH__NEEDED},
    {TH__UINT("count", th__neighbour, count, 0, UINT32_MAX), .flags = TH__NEEDED},
};
static const th__rule_shape near_shape = TH__SHAPE(th__neighbour, near_members);
#define NEAR(key, end)                                                                             \
    TH__LIST(key, th__field_profile, around[end].data, around[end].count, near_shape, 0,           \
             TH__NEIGHBOURS_MAX)

static const th__rule_member field_members[] = {
    {TH__TEXT("field", th__field_profile, path), .flags = TH__NEEDED},
    {COUNT("chances", th__field_profile, chances), .flags = TH__NEEDED},
    {COUNT("values", th__field_profile, values), .flags = TH__NEEDED},
    {COUNT("pages", th__field_profile, pages), .flags = TH__NEEDED},
    {COUNT("told", th__field_profile, told)},
    {COUNT("agreed", th__field_profile, agreed), .flags = TH__ALWAYS,
     TH__ONLY_IF(th__field_profile, told, ~1u)},
    {COUNT("headed", th__field_profile, headed)},
    {COUNT("sampled", th__field_profile, sampled), .flags = TH__NEEDED},
    {COUNT("distinct", th__field_profile, distinct), .flags = TH__NEEDED},
    {TH__REAL("length", th__field_profile, length, 0, 100), .flags = TH__ALWAYS | TH__ROUNDED},
    {TH__REAL("length_sd", th__field_profile, length_sd, 0, 100),
     .flags = TH__ALWAYS | TH__ROUNDED},
    {FORMS("start", patterns, TH__START), .flags = TH__NEEDED},
    {FORMS("end", patterns, TH__END), .flags = TH__NEEDED},
    {FORMS("start_shapes", shapes, TH__START), .flags = TH__NEEDED},
    {FORMS("end_shapes", shapes, TH__END), .flags = TH__NEEDED},
    {COUNT("start_worded", th__field_profile, worded[TH__START])},
    {COUNT("end_worded", th__field_profile, worded[TH__END])},
    {TH__LIST("examples", th__field_profile, examples, example_count, th__texts_shape, 0,
              TH__EXAMPLES_MAX),
     .flags = TH__ALWAYS},
    {TH__LIST("words", th__field_profile, words, word_count, th__texts_shape, 0, TH__WORDS_MAX)},
    {TH__TEXT("element", th__field_profile, element)},
    {TH__REAL("position", th__field_profile, position, 0, 1), .flags = TH__ROUNDED},
    {TH__REAL("position_sd", th__field_profile, position_sd, 0, 1), .flags = TH__ROUNDED},
    {NEAR("before", TH__START)},
    {NEAR("after", TH__END)},
};
static const th__rule_shape field_shape = TH__SHAPE(th__field_profile, field_members);

static th_status check_profile(th__rule_reader *reader, void *profile)
{
    return th__profile_prepare(profile, reader->arena) ? TH_OK : th__fail_memory(reader->err);
}

static const th__rule_member profile_members[] = {
    {COUNT("pages", th__profile, pages), .flags = TH__NEEDED},
    {COUNT("empty_pages", th__profile, empty_pages), .flags = TH__NEEDED},
    {COUNT("records", th__profile, records), .flags = TH__NEEDED},
    {COUNT("least", th__profile, least), .flags = TH__NEEDED},
    {COUNT("most", th__profile, most), .flags = TH__NEEDED},
    {TH__REAL("explained", th__profile, explained, 0, 1), .flags = TH__ALWAYS | TH__ROUNDED},
    {TH__REAL("explained_least", th__profile, explained_least, 0, 1),
     .flags = TH__ALWAYS | TH__ROUNDED},
    {TH__LIST("fields", th__profile, fields, count, field_shape, 0, TH__PROFILE_MAX_FIELDS),
     .flags = TH__NEEDED},
};
const th__rule_shape th__profile_shape =
    TH__CHECKED_SHAPE(th__profile, profile_members, check_profile);

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
                       patterns->count ? "otherwise" : "in no common way",
                       (unsigned long long)left);
    th__buf_add_byte(out, '\n');
}

enum { SHOWN_EXAMPLES = 3 };

/* The texts next to values: those further away are for comparing. */
static void explain_neighbours(const th__neighbours *near, const char *side, th__buf *out)
{
    bool some = false;
    for (uint32_t i = 0; i < near->count && near->data[i].at == 1; i++) {
        th__buf_printf(out, "%s%.*s (%u)", some ? ", " : side, TH_STR_ARG(near->data[i].text),
                       near->data[i].count);
        some = true;
    }
    if (some)
        th__buf_add_byte(out, '\n');
}

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
    explain_neighbours(&field->around[TH__START], "  behind  ", out);
    explain_neighbours(&field->around[TH__END], "  before  ", out);
    /* Values of a list are all over their page. */
    if (field->position > 0 && field->position_sd <= 0.1)
        th__buf_printf(out, "  at      %.0f%% of the page (%.0f to %.0f)\n", 100 * field->position,
                       100 * fmax(0, field->position - 2 * field->position_sd),
                       100 * fmin(1, field->position + 2 * field->position_sd));
    for (uint32_t i = 0; i < field->example_count && i < SHOWN_EXAMPLES; i++)
        th__buf_printf(out, "%s%.*s", i ? " | " : "  such as ", TH_STR_ARG(field->examples[i]));
    if (field->example_count)
        th__buf_add_byte(out, '\n');
}

static void explain(const th__profile *profile, th__buf *out)
{
    th__buf_printf(out, "profile of %llu page%s, %llu record%s", (unsigned long long)profile->pages,
                   profile->pages == 1 ? "" : "s", (unsigned long long)profile->records,
                   profile->records == 1 ? "" : "s");
    if (profile->pages > 1)
        th__buf_printf(out, " (%llu to %llu per page)", (unsigned long long)profile->least,
                       (unsigned long long)profile->most);
    if (profile->empty_pages)
        th__buf_printf(out, ", none on %llu", (unsigned long long)profile->empty_pages);
    th__buf_printf(out, "\n%.0f%% of the text of the pages is in values\n",
                   100 * profile->explained);
    for (uint32_t i = 0; i < profile->count; i++)
        explain_field(&profile->fields[i], out);
}

th_status th_wrapper_explain_profile(const th_wrapper *wrapper, th_text *out, th_error *err)
{
    th__buf buf = {.data = out->ptr, .cap = out->cap};
    if (wrapper->profile)
        explain(wrapper->profile, &buf);
    else
        th__buf_printf(&buf, TH__NO_PROFILE "\n");
    return th__buf_give(&buf, out, err);
}

/* ---- verdicts -------------------------------------------------------------------------------- */

void th__evidence_write(const th_evidence *evidence, th_str pages, th__json *json)
{
    th__json_begin_object(json);
    th__json_key(json, TH_STR("field"));
    if (evidence->path.ptr)
        th__json_str(json, evidence->path);
    else
        th__json_null(json);
    th__json_key(json, TH_STR("drift"));
    th__json_bool(json, evidence->drift);
    th__json_key(json, TH_STR("changed"));
    th__json_bool(json, evidence->changed);
    th__json_put_text(json, "test", th_str_from(evidence->test));
    th__json_key(json, TH_STR("p"));
    th__json_double(json, evidence->p);
    th__json_put_text(json, "words", evidence->words);
    th__json_key(json, TH_STR("examples"));
    th__json_begin_array(json);
    for (uint32_t i = 0; i < evidence->example_count; i++)
        th__json_str(json, evidence->examples[i]);
    th__json_end_array(json);
    if (pages.len) {
        th__json_key(json, TH_STR("pages"));
        th__buf_add_str(json->buf, pages);
    }
    th__json_end_object(json);
}
