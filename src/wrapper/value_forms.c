/* value_forms.c: values by their ends and lengths. */
#include "wrapper/value_forms.h"

#include <math.h>

#include "data/value_types.h"
#include "index/view.h"
#include "page/lex.h"

/* The class that DataPro takes a leaf of the lattice for: words with a capital are CAPITALIZED
 * unless they are ALLCAPS, as in the paper. */
static uint8_t class_of(unsigned leaf)
{
    return leaf == TH_CLASS_INITCAP ? TH_CLASS_CAPITALIZED : (uint8_t)leaf;
}

/* ---- values ---------------------------------------------------------------------------------- */

/* Tokens of a piece of text: the first ones, the last ones (a ring), and how many. */
typedef struct end_tokens {
    th__dp_token first[TH__DP_DEPTH], ring[TH__DP_DEPTH];
    uint32_t count;
} end_tokens;

static void read_piece(th_str text, end_tokens *out, uint32_t most)
{
    th_lex lex;
    th_page shell;
    th_fine fine;
    out->count = 0;
    th__lex_plain(&lex, &shell, text);
    while (out->count < most && th_lex_next(&lex, &fine)) {
        if (th__class_is(fine.cls, TH_CLASS_BLANK))
            continue;
        th_str word = {text.ptr + fine.start, fine.end - fine.start};
        th__dp_token token = {.text = word, .cls = class_of(fine.cls)};
        if (out->count < TH__DP_DEPTH)
            out->first[out->count] = token;
        out->ring[out->count++ % TH__DP_DEPTH] = token;
    }
}

/* Only tokens that are kept are hashed. */
static th__dp_token hashed(th__dp_token token)
{
    token.hash = th__hash(token.text.ptr, token.text.len) | 1;
    return token;
}

static bool inside_character(char byte)
{
    return ((unsigned char)byte & 0xC0) == 0x80;
}

/* The last bytes of a long value: from a blank on where there is one. */
static th_str tail_window(th_str text)
{
    size_t start = text.len - TH__DP_WINDOW, at = start;
    while (at < text.len && !th__is_blank((unsigned char)text.ptr[at]))
        at++;
    while (start < text.len && inside_character(text.ptr[start]))
        start++;
    at = at < text.len ? at : start;
    return (th_str){text.ptr + at, text.len - at};
}

void th__dp_split(th_str text, th__dp_value *out)
{
    end_tokens head, tail;
    const end_tokens *last = &head;
    bool whole = text.len <= 2 * (size_t)TH__DP_WINDOW;
    /* Of a long value the first few tokens are enough. */
    read_piece(text, &head, whole ? UINT32_MAX : TH__DP_DEPTH);
    out->tokens = head.count;
    if (!whole) {
        read_piece(tail_window(text), &tail, UINT32_MAX);
        last = &tail;
        out->tokens += tail.count;
    }
    uint32_t most = out->tokens <= 3 ? out->tokens : (out->tokens + 1) / 2;
    most = most < TH__DP_DEPTH ? most : TH__DP_DEPTH;
    out->heads = (uint8_t)(head.count < most ? head.count : most);
    out->tails = (uint8_t)(last->count < most ? last->count : most);
    for (uint32_t i = 0; i < out->heads; i++)
        out->head[i] = hashed(head.first[i]);
    for (uint32_t i = 0; i < out->tails; i++)
        out->tail[i] = hashed(last->ring[(last->count - 1 - i) % TH__DP_DEPTH]);
}

/* ---- patterns -------------------------------------------------------------------------------- */

static bool dp_has(const th__dp_value *value, const th__form *pattern, bool endings)
{
    const th__dp_token *tokens = endings ? value->tail : value->head;
    if (pattern->len > (endings ? value->tails : value->heads))
        return false;
    for (uint32_t i = 0; i < pattern->len; i++) {
        const th__form_item *item = &pattern->items[i];
        if (item->hash ? tokens[i].hash != item->hash : !th__class_is(tokens[i].cls, item->cls))
            return false;
    }
    return true;
}

/* Patterns of a wrapper file do not say the classes of their tokens. */
static bool is_letters(th_str token)
{
    end_tokens own;
    read_piece(token, &own, 1);
    return own.count && th__class_is(own.first[0].cls, TH_CLASS_ALPHA);
}

void th__form_words_of(const th__forms *patterns, th__form_words *out)
{
    out->count = 0;
    for (uint32_t i = 0; i < patterns->count && out->count < TH__FORMS_MAX; i++) {
        const th__form *form = &patterns->data[i];
        uint32_t item = 0, same = 0;
        while (item < form->len && !(form->items[item].hash && is_letters(form->items[item].text)))
            item++;
        if (item == form->len || th__is_time_word(form->items[item].text))
            continue;
        while (same < out->count && out->hashes[same] != form->items[item].hash)
            same++;
        out->hashes[same] = form->items[item].hash;
        out->count += same == out->count;
    }
}

uint32_t th__form_word_in(const th__form_words *words, const th__dp_value *value)
{
    uint32_t i = 0;
    for (; i < words->count; i++) {
        for (uint32_t j = 0; j < value->heads; j++)
            if (value->head[j].hash == words->hashes[i])
                return i;
        for (uint32_t j = 0; j < value->tails; j++)
            if (value->tail[j].hash == words->hashes[i])
                return i;
    }
    return i;
}

uint32_t th__shape_of(const th__forms *shapes, const th__dp_value *value, int end)
{
    uint32_t i = 0;
    while (i < shapes->count && !dp_has(value, &shapes->data[i], end == TH__END))
        i++;
    return i;
}

/* Returns true if a pattern says more of a value that has both. */
static bool says_more(const th__form *a, const th__form *b)
{
    for (uint32_t i = 0; i < a->len && i < b->len; i++) {
        if (!a->items[i].hash != !b->items[i].hash)
            return a->items[i].hash;
        if (!a->items[i].hash && a->items[i].cls != b->items[i].cls)
            return th__class_is(a->items[i].cls, b->items[i].cls);
    }
    return a->len > b->len;
}

uint32_t th__pattern_of(const th__forms *patterns, const th__dp_value *value, int end)
{
    uint32_t best = patterns->count;
    for (uint32_t i = 0; i < patterns->count; i++)
        if (dp_has(value, &patterns->data[i], end == TH__END) &&
            (best == patterns->count || says_more(&patterns->data[i], &patterns->data[best])))
            best = i;
    return best;
}

/* ---- shapes, of no more tokens than they ask for --------------------------------------------- */

enum { BRIEF = 2 }; /* tokens of a brief shape */

/* Walks the tokens of a text that are no blanks. Most are words of ASCII letters, or signs, which
 * need no lexer; it reads the rest from the first token on that is something else, since what a
 * number is depends on those before it. */
typedef struct token_walk {
    const char *at, *end;
    bool slow;
    th_lex lex;
    th_page shell;
} token_walk;

static void walk_init(token_walk *w, th_str text)
{
    w->at = text.ptr;
    w->end = text.ptr + text.len;
    w->slow = false;
}

static bool walk_slowly(token_walk *w, th__end_token *out)
{
    th_fine fine;
    const char *base = w->shell.text.ptr;
    while (th_lex_next(&w->lex, &fine))
        if (!th__class_is(fine.cls, TH_CLASS_BLANK)) {
            *out = (th__end_token){{base + fine.start, fine.end - fine.start}, class_of(fine.cls)};
            return true;
        }
    return false;
}

static bool is_upper(char c)
{
    return (unsigned char)(c - 'A') < 26;
}

/* Of these, their class, or 0 when it may be something else: a word of ASCII letters, */
static uint8_t plain_word(const char *at, const char *end, const char **word_end)
{
    bool upper = is_upper(*at), lower = !upper;
    for (at++; at < end && th__is_alpha((unsigned char)*at); at++)
        lower |= !is_upper(*at);
    *word_end = at;
    if (at < end && ((unsigned char)*at >= 0x80 || *at == '\'' || th__is_digit((unsigned char)*at)))
        return 0;
    return !upper ? TH_CLASS_LOWER : lower ? TH_CLASS_CAPITALIZED : TH_CLASS_ALLCAPS;
}

/* a number without signs, */
static uint8_t plain_number(const char *at, const char *end, const char **word_end)
{
    while (at < end && th__is_digit((unsigned char)*at))
        at++;
    *word_end = at;
    return at == end || ((unsigned char)*at < 0x80 && *at != '.' && *at != ',' &&
                         !th__is_alpha((unsigned char)*at))
               ? TH_CLASS_NUMBER
               : 0;
}

/* and a sign. */
static uint8_t plain_sign(const char *at, const char *end, const char **word_end)
{
    *word_end = at + 1;
    return (unsigned char)(*at - ' ') < 0x60 && (at + 1 == end || (unsigned char)at[1] < 0x80)
               ? TH_CLASS_PUNCT
               : 0;
}

static bool walk_next(token_walk *w, th__end_token *out)
{
    while (!w->slow && w->at < w->end && th__is_blank((unsigned char)*w->at))
        w->at++;
    if (!w->slow && w->at < w->end) {
        const char *end;
        unsigned char c = (unsigned char)*w->at;
        uint8_t cls = th__is_alpha(c)   ? plain_word(w->at, w->end, &end)
                      : th__is_digit(c) ? plain_number(w->at, w->end, &end)
                                        : plain_sign(w->at, w->end, &end);
        if (cls) {
            *out = (th__end_token){{w->at, (size_t)(end - w->at)}, cls};
            w->at = end;
            return true;
        }
        w->slow = true;
        th__lex_plain(&w->lex, &w->shell, (th_str){w->at, (size_t)(w->end - w->at)});
    }
    return w->slow && walk_slowly(w, out);
}

static uint8_t first_tokens(th_str text, th__end_token *out)
{
    token_walk w;
    uint8_t count = 0;
    walk_init(&w, text);
    while (count < BRIEF && walk_next(&w, &out[count]))
        count++;
    return count;
}

/* The last tokens, backwards. What comes after a blank is read in the same way whatever comes
 * before it: so the last word is read, and then the one before it as long as that is too little. */
static uint8_t last_tokens(th_str text, th__end_token *out)
{
    const char *start = text.ptr + text.len, *end;
    uint8_t count = 0;
    while (start > text.ptr && count < BRIEF) {
        th__end_token token, last[BRIEF] = {0};
        uint8_t found = 0;
        token_walk w;
        for (end = start; end > text.ptr && th__is_blank((unsigned char)end[-1]);)
            end--;
        for (start = end; start > text.ptr && !th__is_blank((unsigned char)start[-1]);)
            start--;
        walk_init(&w, (th_str){start, (size_t)(end - start)});
        while (walk_next(&w, &token)) {
            last[1] = last[0];
            last[0] = token;
            found += found < BRIEF;
        }
        for (uint8_t i = 0; i < found && count < BRIEF; i++)
            out[count++] = last[i];
    }
    return count;
}

static void ends_of(th_str text, th__ends *out)
{
    bool whole = text.len <= 2 * (size_t)TH__DP_WINDOW;
    out->text = text;
    out->count[TH__START] = first_tokens(text, out->token[TH__START]);
    out->count[TH__END] = last_tokens(whole ? text : tail_window(text), out->token[TH__END]);
}

static uint8_t brief_shape_of(const th__forms *shapes, const th__end_token *tokens, uint32_t count)
{
    for (uint32_t i = 0; i < shapes->count; i++) {
        const th__brief *shape = &shapes->brief[i];
        bool fits = shape->len <= count;
        for (uint32_t j = 0; fits && j < shape->len; j++)
            fits = shape->text[j]
                       ? th__str_eq(tokens[j].text, (th_str){shape->text[j], shape->text_len[j]})
                       : th__class_is(tokens[j].cls, shape->cls[j]);
        if (fits)
            return (uint8_t)i;
    }
    return (uint8_t)shapes->count;
}

/* The shapes of a field at the two ends, as th__dp_split and th__shape_of give them. */
static void shapes_of(const th__field_profile *field, const th__ends *ends, uint8_t out[TH__ENDS])
{
    const th__forms *shapes = field->shapes;
    th__dp_value value;
    bool brief = shapes[TH__START].brief && shapes[TH__END].brief;
    if (!brief)
        th__dp_split(ends->text, &value);
    for (int end = 0; end < TH__ENDS; end++)
        out[end] = brief ? brief_shape_of(&shapes[end], ends->token[end], ends->count[end])
                         : (uint8_t)th__shape_of(&shapes[end], &value, end);
}

double th__log_length(size_t bytes)
{
    return log1p((double)bytes);
}

void th__glance_read(th__glance *glance, const th__field_profile *field)
{
    th__ends ends;
    if (glance->read)
        return;
    glance->read = true;
    if (glance->bytes <= TH__DP_LONG)
        glance->hash = th__hash(glance->text.ptr, glance->text.len);
    glance->length = th__log_length(glance->bytes);
    ends_of(glance->text, &ends);
    shapes_of(field, &ends, glance->shape);
}

void th__words_of(th_str text, th__word_fn word, void *context)
{
    th_lex lex;
    th_page shell;
    th_fine fine;
    th__lex_plain(&lex, &shell, text);
    while (th_lex_next(&lex, &fine)) {
        th_str part = {text.ptr + fine.start, fine.end - fine.start};
        if (part.len >= 2 && th__class_is(fine.cls, TH_CLASS_ALPHA))
            word(context, part, th__hash(part.ptr, part.len) | 1);
    }
}

/* ---- what a profile prepares once ------------------------------------------------------------ */

/* How usual a form is among so many values that were looked at, against the most usual one: 0 to 1.
 * The number of forms means values that have none of them. */
static double form_usual(const th__forms *forms, uint64_t sampled, uint32_t form)
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
        briefs[i].usual = form_usual(forms, sampled, i);
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

static void hash_neighbours(th__neighbours *near)
{
    for (uint32_t i = 0; i < near->count; i++)
        near->data[i].hash = th__leaf_hash(near->data[i].text);
}

bool th__profile_prepare(th__profile *profile, th__arena *arena)
{
    bool ok = true;
    for (uint32_t i = 0; ok && i < profile->count; i++) {
        th__field_profile *field = &profile->fields[i];
        ok = hash_examples(field, arena);
        hash_neighbours(&field->around[TH__START]);
        hash_neighbours(&field->around[TH__END]);
        for (int end = 0; ok && end < TH__ENDS; end++)
            ok = make_brief(&field->shapes[end], field->sampled, arena);
    }
    return ok;
}

/* ---- likeness -------------------------------------------------------------------------------- */

/* One minus the distance of the distributions of shapes. Neutral if the old values had none. */
static double shape_likeness(const th__field_profile *field, const th__sample *values, size_t count,
                             int end)
{
    enum { BINS = TH__FORMS_MAX + 1 };
    const th__forms *shapes = &field->shapes[end];
    double now[BINS] = {0}, apart = 0, left = 1;
    double n = (double)count, old = (double)field->sampled;
    if (!shapes->count || !n || !old)
        return 0.5;
    for (size_t i = 0; i < count; i++)
        now[th__shape_of(shapes, &values[i].value, end)] += 1 / n;
    for (uint32_t i = 0; i < shapes->count; i++) {
        double was = fmin(left, shapes->data[i].count / old);
        apart += fabs(was - now[i]);
        left -= was;
    }
    apart += fabs(left - now[shapes->count]);
    return 1 - apart / 2;
}

static double length_likeness(const th__field_profile *field, double length)
{
    /* 0.3 is the usual deviation of lengths if only few were seen. */
    double apart = (length - field->length) / (field->length_sd + 0.3);
    return exp(-apart * apart / 4);
}

/* The share of the field's examples that the column has. */
double th__known_values(const th__field_profile *field, const th__sample *values, size_t count)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < field->example_count; i++) {
        th_str text = field->examples[i];
        uint64_t hash =
            field->example_hashes ? field->example_hashes[i] : th__hash(text.ptr, text.len);
        size_t j = 0;
        while (j < count && values[j].hash != hash)
            j++;
        found += j < count;
    }
    return field->example_count ? (double)found / field->example_count : 0;
}

double th__look_likeness(const th__field_profile *field, const th__sample *values, size_t count)
{
    double length = 0;
    for (size_t i = 0; i < count; i++)
        length += values[i].length / (double)count;
    return (shape_likeness(field, values, count, TH__START) +
            shape_likeness(field, values, count, TH__END) + length_likeness(field, length)) /
           3;
}

/* How usual a shape is, against the most usual one. */
static double shape_usual(const th__field_profile *field, uint32_t has, int end)
{
    const th__forms *shapes = &field->shapes[end];
    return shapes->brief ? shapes->brief[has].usual : form_usual(shapes, field->sampled, has);
}

static bool is_example(const th__field_profile *field, uint64_t hash)
{
    for (uint32_t i = 0; i < field->example_count; i++) {
        th_str text = field->examples[i];
        if (hash ==
            (field->example_hashes ? field->example_hashes[i] : th__hash(text.ptr, text.len)))
            return true;
    }
    return false;
}

double th__value_likeness(const th__field_profile *field, const th__sample *value)
{
    if (is_example(field, value->hash))
        return 1;
    double usual = length_likeness(field, value->length);
    for (int end = 0; end < TH__ENDS; end++)
        usual *= shape_usual(field, th__shape_of(&field->shapes[end], &value->value, end), end);
    return cbrt(usual);
}

static double cube(double x)
{
    return x * x * x;
}

bool th__is_likely(const th__field_profile *field, const th__glance *value, double least)
{
    if (is_example(field, value->hash))
        return true;
    double usual = length_likeness(field, value->length);
    for (int end = 0; end < TH__ENDS && usual >= cube(least); end++)
        usual *= shape_usual(field, value->shape[end], end);
    return usual >= cube(least);
}

bool th__text_is_likely(const th__field_profile *field, th__seen_text *seen, double least)
{
    th__dp_value value;
    if (is_example(field, seen->hash))
        return true;
    double usual = length_likeness(field, seen->length), bar = cube(least);
    if (usual < bar)
        return false;
    bool brief = field->shapes[TH__START].brief && field->shapes[TH__END].brief;
    if (!brief)
        th__dp_split(seen->text, &value);
    else if (!seen->read)
        ends_of(seen->text, &seen->ends);
    seen->read |= brief;
    for (int end = 0; end < TH__ENDS && usual >= bar; end++) {
        const th__forms *shapes = &field->shapes[end];
        usual *=
            shape_usual(field,
                        brief ? brief_shape_of(shapes, seen->ends.token[end], seen->ends.count[end])
                              : th__shape_of(shapes, &value, end),
                        end);
    }
    return usual >= bar;
}
