/* paper_knobs.c: what the papers leave to their users, as one table. */
#include "wrapper/paper_knobs.h"

#include "base/error.h"

typedef enum knob_kind { KNOB_BOOL, KNOB_COUNT, KNOB_REAL, KNOB_TEXT } knob_kind;

/* A variance is a ratio of lengths, so any bound is a matter of taste; 100 is past all use. */
static const struct knob {
    const char *name;
    knob_kind kind;
    size_t offset;
    double least, most; /* of numbers */
} knobs[] = {
    {"paper", KNOB_BOOL, offsetof(th_paper_options, published), 0, 0},
    {"combination", KNOB_COUNT, offsetof(th_paper_options, combination), 1, 32},
    {"threshold", KNOB_REAL, offsetof(th_paper_options, threshold), 0, 2},
    {"table_tags", KNOB_BOOL, offsetof(th_paper_options, table_tags), 0, 0},
    {"encoding", KNOB_TEXT, offsetof(th_paper_options, encoding), 0, 0},
    {"levels", KNOB_COUNT, offsetof(th_paper_options, levels), 1, 3},
    {"lower_encoding", KNOB_TEXT, offsetof(th_paper_options, lower_encoding), 0, 0},
    {"min_length", KNOB_COUNT, offsetof(th_paper_options, min_length), 1, 512},
    {"min_count", KNOB_COUNT, offsetof(th_paper_options, min_count), 2, 1e9},
    {"max_variance", KNOB_REAL, offsetof(th_paper_options, max_variance), 0, 100},
    {"min_density", KNOB_REAL, offsetof(th_paper_options, min_density), 0, 1},
    {"cluster_variance", KNOB_REAL, offsetof(th_paper_options, cluster_variance), 0, 100},
    {"max_mismatch", KNOB_REAL, offsetof(th_paper_options, max_mismatch), 0, 1},
    {"size_threshold", KNOB_COUNT, offsetof(th_paper_options, size_threshold), 1, 1000},
    {"support_threshold", KNOB_REAL, offsetof(th_paper_options, support_threshold), 0, 1},
};
enum { KNOBS = sizeof knobs / sizeof *knobs };

/* A field of the options, seen as its kind. */
typedef union knob_value {
    bool *flag;
    uint32_t *count;
    double *real;
    const char **text;
} knob_value;

static knob_value value_of(const th_paper_options *options, const struct knob *knob)
{
    void *place = (char *)options + knob->offset;
    switch (knob->kind) {
    case KNOB_BOOL:
        return (knob_value){.flag = place};
    case KNOB_COUNT:
        return (knob_value){.count = place};
    case KNOB_REAL:
        return (knob_value){.real = place};
    case KNOB_TEXT:
        break;
    }
    return (knob_value){.text = place};
}

void th_paper_options_init(th_paper_options *options)
{
    *options = (th_paper_options){.combination = 10,
                                  .threshold = 0.3,
                                  .levels = 2,
                                  .min_length = 3,
                                  .min_count = 5,
                                  .max_variance = 0.36,
                                  .min_density = 0.2,
                                  .cluster_variance = 0.1,
                                  .max_mismatch = 0.75,
                                  .size_threshold = 3,
                                  .support_threshold = 0.25};
}

th_status th__paper_options_check(const th_paper_options *options, th_error *err)
{
    for (size_t i = 0; i < KNOBS; i++) {
        const struct knob *knob = &knobs[i];
        knob_value at = value_of(options, knob);
        double value = knob->kind == KNOB_COUNT  ? *at.count
                       : knob->kind == KNOB_REAL ? *at.real
                                                 : knob->least;
        if (!(value >= knob->least && value <= knob->most))
            return th__fail(err, TH_ERR_ARGUMENT, "%s is %g; give a number from %g to %.10g",
                            knob->name, value, knob->least, knob->most);
    }
    return TH_OK;
}

bool th__paper_options_copy(th__arena *arena, const th_paper_options *options,
                            th_paper_options *out)
{
    bool ok = true;
    *out = *options;
    for (size_t i = 0; i < KNOBS; i++) {
        const char **text = value_of(out, &knobs[i]).text;
        if (knobs[i].kind != KNOB_TEXT || !*text)
            continue;
        *text = th__arena_copy(arena, th_str_from(*text)).ptr;
        ok = ok && *text;
    }
    return ok;
}

static bool same(const struct knob *knob, knob_value a, knob_value b)
{
    switch (knob->kind) {
    case KNOB_BOOL:
        return *a.flag == *b.flag;
    case KNOB_COUNT:
        return *a.count == *b.count;
    case KNOB_REAL:
        return *a.real == *b.real;
    case KNOB_TEXT:
        break;
    }
    return !*a.text || !**a.text;
}

void th__paper_options_write(const th_paper_options *options, th__json *json)
{
    th_paper_options defaults;
    th_paper_options_init(&defaults);
    for (size_t i = 0; i < KNOBS; i++) {
        const struct knob *knob = &knobs[i];
        knob_value at = value_of(options, knob);
        if (same(knob, at, value_of(&defaults, knob)))
            continue;
        th__json_key(json, th_str_from(knob->name));
        if (knob->kind == KNOB_BOOL)
            th__json_bool(json, *at.flag);
        else if (knob->kind == KNOB_COUNT)
            th__json_uint(json, *at.count);
        else if (knob->kind == KNOB_REAL)
            th__json_double(json, *at.real);
        else
            th__json_str(json, th_str_from(*at.text));
    }
}

static th_status read_knob(th__rule_reader *reader, json_t *json, const struct knob *knob,
                           th__arena *arena, knob_value to)
{
    uint64_t count = knob->kind == KNOB_COUNT ? *to.count : 0;
    th_str text = {0};
    th_status status = TH_OK;
    if (knob->kind == KNOB_BOOL)
        return th__rule_bool(reader, json, knob->name, to.flag);
    if (knob->kind == KNOB_REAL)
        return th__rule_member_read(
            reader, json,
            &(th__rule_member){
                .key = knob->name, .type = TH__RULE_REAL, .least = knob->least, .most = knob->most},
            to.real);
    if (knob->kind == KNOB_COUNT) {
        status = th__rule_number(reader, json, knob->name, false, (uint64_t)knob->most, &count);
        *to.count = (uint32_t)count;
        return status;
    }
    status = th__rule_text(reader, json, knob->name, false, arena, &text);
    *to.text = text.ptr;
    return status;
}

th_status th__paper_options_read(th__rule_reader *reader, json_t *json, th__arena *arena,
                                 th_paper_options *out)
{
    th_status status = TH_OK;
    th_paper_options_init(out);
    for (size_t i = 0; !status && i < KNOBS; i++)
        status = read_knob(reader, json, &knobs[i], arena, value_of(out, &knobs[i]));
    return status;
}
