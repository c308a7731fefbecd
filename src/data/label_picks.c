/* label_picks.c: which place of a value is meant, said by hand. */
#include "data/label_picks.h"

#include "base/error.h"
#include "base/str.h"

/* A number at the beginning of a text; cuts it off. */
static bool read_number(th_str *text, uint32_t *out)
{
    uint64_t number = 0;
    size_t len = 0;
    while (len < text->len && len < 10 && th__is_digit((unsigned char)text->ptr[len]))
        number = 10 * number + (uint64_t)(text->ptr[len++] - '0');
    *text = (th_str){text->ptr + len, text->len - len};
    *out = (uint32_t)number;
    return len && number <= UINT32_MAX;
}

th_status th__label_pick_read(th_str text, th__label_pick *out, th_error *err)
{
    size_t equals = th__str_find(text, TH_STR("="));
    th_str rest = text;
    *out = (th__label_pick){0};
    if (equals != SIZE_MAX) {
        out->field = th__str_trim((th_str){text.ptr, equals});
        rest = (th_str){text.ptr + equals + 1, text.len - equals - 1};
    }
    bool ok = (equals == SIZE_MAX || out->field.len) && read_number(&rest, &out->number);
    if (ok && rest.len && rest.ptr[0] == '-') {
        rest = (th_str){rest.ptr + 1, rest.len - 1};
        out->span.start = out->number;
        out->number = 0;
        ok = read_number(&rest, &out->span.end) && out->span.end > out->span.start;
    } else {
        ok = ok && out->field.ptr && out->number;
    }
    if (ok && !rest.len)
        return TH_OK;
    return th__fail(err, TH_ERR_ARGUMENT,
                    "\"%.*s\" picks no place: write FIELD=N, the N-th place that `thresh labels` "
                    "shows, or START-END, its bytes",
                    TH_STR_ARG(text));
}

/* Whether a path, record.title or records[3].authors[0], is of a field. */
static bool is_of(th_str path, th_str field)
{
    size_t dot = th__str_find(path, TH_STR("."));
    size_t at = dot == SIZE_MAX ? path.len : dot + 1, matched = 0;
    while (at < path.len) {
        if (path.ptr[at] == '[') {
            while (at < path.len && path.ptr[at] != ']')
                at++;
            at++;
            continue;
        }
        if (matched == field.len || field.ptr[matched] != path.ptr[at])
            return false;
        matched++;
        at++;
    }
    return matched == field.len;
}

static th_status apply(const th__label_pick *pick, th_finding *f, th_error *err)
{
    if (pick->number > f->place_count)
        return th__fail(err, TH_ERR_ARGUMENT,
                        "%.*s: \"%.*s\" stands in %u place%s, and number %u was asked for: "
                        "`thresh labels` shows them",
                        TH_STR_ARG(f->path), TH_STR_ARG(f->value), f->place_count,
                        f->place_count == 1 ? "" : "s", pick->number);
    uint32_t first = pick->number ? pick->number - 1 : 0, count = pick->number ? 1 : 0;
    /* Places that lie in a span stand in a row, texts and attributes apart. */
    for (uint32_t i = 0; !pick->number && i < f->place_count; i++) {
        th_span span = f->places[i].span;
        bool inside = pick->span.start <= span.start && span.end <= pick->span.end;
        if (inside && !count)
            first = i;
        count += inside && first + count == i;
    }
    if (!count && pick->field.ptr)
        return th__fail(err, TH_ERR_ARGUMENT, "%.*s: \"%.*s\" does not stand in bytes %u-%u",
                        TH_STR_ARG(f->path), TH_STR_ARG(f->value), pick->span.start,
                        pick->span.end);
    if (!count)
        return TH_OK;
    f->places += first;
    f->place_count = f->total = count;
    f->found = count == 1 ? TH_FOUND_ONCE : TH_FOUND_MANY;
    return TH_OK;
}

th_status th__label_picks_apply(const th__label_picks *picks, th_finding *f, th_error *err)
{
    th_status status = TH_OK;
    for (size_t i = 0; !status && f->place_count && i < picks->len; i++) {
        const th__label_pick *pick = &picks->data[i];
        if (!pick->field.ptr || is_of(f->path, pick->field))
            status = apply(pick, f, err);
    }
    return status;
}
