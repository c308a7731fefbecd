/*
 * stalker_landmark.c: from a page to tokens that can be compared, running landmark rules over them,
 * and the notation of rules.
 */
#include "engine/papers/stalker/stalker_landmark.h"

#include "base/vec.h"
#include "index/view.h"
#include "page/page.h"

/* ---- tokens ---------------------------------------------------------------------------------- */

/* Never 0, which stands for no hash. */
static uint32_t fold(uint64_t hash)
{
    uint32_t sym = (uint32_t)(hash ^ hash >> 32);
    return sym ? sym : 1;
}

static uint32_t text_sym(th_str text)
{
    return fold(th__hash(text.ptr, text.len));
}

static uint32_t tag_sym(uint16_t tag, bool end)
{
    return fold(th__hash_mix(end ? 2 : 1, tag));
}

static uint32_t step_sym(uint64_t step_hash)
{
    return fold(th__hash_mix(3, step_hash));
}

struct token_reader {
    TH__VEC(th__stalker_token) tokens;
    th__buf scratch;
    const th_page *page;
    uint32_t coarse; /* the coarse token of the tag at hand, or one before it */
};

/* Of a start tag with a class. */
static uint32_t step_of(struct token_reader *r, const th_fine *fine)
{
    th_str classes = {0};
    while (r->page->tokens[r->coarse].start < fine->start)
        r->coarse++;
    if (!(r->page->tokens[r->coarse].flags & TH_TOKEN_HAS_ATTRS) ||
        !th_attr_get(r->page, r->coarse, "class", &classes) || !th__str_trim(classes).len)
        return 0;
    return step_sym(th__element_hash(fine->tag, classes));
}

static bool add_token(struct token_reader *r, const th_fine *fine)
{
    th__stalker_token token = {
        .start = fine->start, .end = fine->end, .tag = fine->tag, .cls = fine->cls};
    if (th__class_is(fine->cls, TH_CLASS_BLANK) && !th__fine_is_gap(r->page, fine))
        return true;
    if (fine->cls == TH_CLASS_TAG_START) {
        token.sym = tag_sym(fine->tag, false);
        token.step = step_of(r, fine);
    } else if (fine->cls == TH_CLASS_TAG_END) {
        token.sym = tag_sym(fine->tag, true);
    } else if (th__class_is(fine->cls, TH_CLASS_BLANK)) {
        token.sym = text_sym(TH_STR(TH__STALKER_GAP));
    } else if (fine->cls == TH_CLASS_MARKUP) {
        token.sym = 0; /* scripts and comments are known by their class alone */
    } else {
        th_str text = th__fine_text(r->page, fine, &r->scratch);
        if (!text.ptr)
            return false;
        token.sym = text_sym(text);
    }
    return th__vec_push(&r->tokens, token);
}

bool th__stalker_seq_make(th__arena *arena, const th_page *page, th_span span, th__stalker_seq *out)
{
    struct token_reader r = {.page = page};
    th_lex lex;
    th_fine fine;
    bool ok = true;
    th_lex_init(&lex, page, span);
    r.coarse = lex.token;
    while (ok && th_lex_next(&lex, &fine))
        ok = add_token(&r, &fine);
    *out = (th__stalker_seq){.page = page, .count = (uint32_t)r.tokens.len};
    if (ok && r.tokens.len) {
        out->tokens = th__arena_alloc(arena, r.tokens.len * sizeof *out->tokens);
        ok = out->tokens;
        if (ok)
            memcpy(out->tokens, r.tokens.data, r.tokens.len * sizeof *out->tokens);
    }
    th__vec_release(&r.tokens);
    th__buf_release(&r.scratch);
    return ok;
}

uint32_t th__stalker_seq_at(const th__stalker_seq *seq, uint32_t offset)
{
    return (uint32_t)th__count_first(i, seq->count, seq->tokens[i].start < offset);
}

uint32_t th__stalker_start_of(const th__stalker_seq *seq, uint32_t position)
{
    if (position < seq->count)
        return seq->tokens[position].start;
    return seq->count ? seq->tokens[seq->count - 1].end : 0;
}

uint32_t th__stalker_end_of(const th__stalker_seq *seq, uint32_t position)
{
    if (position)
        return seq->tokens[position - 1].end;
    return seq->count ? seq->tokens[0].start : 0;
}

uint32_t th__stalker_before_tags(const th__stalker_seq *seq, uint32_t position)
{
    while (position && seq->tokens[position - 1].cls == TH_CLASS_TAG_START)
        position--;
    return position;
}

uint32_t th__stalker_behind_tags(const th__stalker_seq *seq, uint32_t position)
{
    while (position < seq->count && seq->tokens[position].cls == TH_CLASS_TAG_END)
        position++;
    return position;
}

/* ---- wildcards ------------------------------------------------------------------------------- */

const th__wildcard th__wildcards[TH__WILDCARDS] = {
    {"_Number_", TH_CLASS_NUMBER},
    {"_AllCaps_", TH_CLASS_ALLCAPS},
    {"_Capitalized_", TH_CLASS_CAPITALIZED},
    {"_Alphabetic_", TH_CLASS_ALPHA},
    {"_AlphaNum_", TH_CLASS_WORD},
    {"_Punctuation_", TH_CLASS_PUNCT},
    {"_HtmlTag_", TH_CLASS_HTML},
};

/* ---- running --------------------------------------------------------------------------------- */

static bool matches_at(const th__landmark *landmark, const th__stalker_token *tokens)
{
    for (uint32_t i = 0; i < landmark->count; i++)
        if (!th__mark_matches(&landmark->marks[i], &tokens[i]))
            return false;
    return true;
}

static uint32_t skip_to(const th__landmark *landmark, const th__stalker_seq *seq, uint32_t first,
                        uint32_t last)
{
    for (uint32_t at = first; at + landmark->count <= last; at++)
        if (matches_at(landmark, &seq->tokens[at]))
            return landmark->until ? at : at + landmark->count;
    return TH__NO_MATCH;
}

static uint32_t back_to(const th__landmark *landmark, const th__stalker_seq *seq, uint32_t first,
                        uint32_t last)
{
    for (uint32_t at = last; at >= first + landmark->count; at--)
        if (matches_at(landmark, &seq->tokens[at - landmark->count]))
            return landmark->until ? at : at - landmark->count;
    return TH__NO_MATCH;
}

uint32_t th__disjunct_run(const th__disjunct *disjunct, bool backward, const th__stalker_seq *seq,
                          uint32_t first, uint32_t last)
{
    uint32_t at = backward ? last : first;
    for (uint32_t i = 0; i < disjunct->count && at != TH__NO_MATCH; i++)
        at = backward ? back_to(&disjunct->landmarks[i], seq, first, at)
                      : skip_to(&disjunct->landmarks[i], seq, at, last);
    return at;
}

uint32_t th__rule_run(const th__landmark_rule *rule, const th__stalker_seq *seq, uint32_t first,
                      uint32_t last, uint32_t *which)
{
    for (uint32_t i = 0; i < rule->count; i++) {
        uint32_t at = th__disjunct_run(&rule->disjuncts[i], rule->backward, seq, first, last);
        if (which)
            *which = i;
        if (at != TH__NO_MATCH)
            return at;
    }
    if (rule->to_end)
        return rule->backward ? first : last;
    return TH__NO_MATCH;
}

uint32_t th__rule_next(const th__landmark_rule *rule, const th__stalker_seq *seq, uint32_t first,
                       uint32_t last, uint64_t *spent)
{
    for (uint32_t i = 0; i < rule->count && i < TH__STALKER_MAX_DISJUNCTS; i++) {
        if (*spent >> i & 1)
            continue;
        uint32_t at = th__disjunct_run(&rule->disjuncts[i], rule->backward, seq, first, last);
        if (at != TH__NO_MATCH)
            return at;
        *spent |= UINT64_C(1) << i;
    }
    return TH__NO_MATCH;
}

/* ---- notation --------------------------------------------------------------------------------
 *
 * Tokens are between blanks. A backslash is before a bracket or backslash, and before a first
 * "_" or "<" that is a sign or a word and no wildcard or tag. */

static void write_mark(const th__mark *mark, th__buf *out)
{
    for (size_t i = 0; i < mark->text.len; i++) {
        char c = mark->text.ptr[i];
        bool lead = i == 0 && mark->kind == TH__MARK_TEXT && (c == '_' || c == '<');
        if (c == '(' || c == ')' || c == '\\' || lead)
            th__buf_add_byte(out, '\\');
        th__buf_add_byte(out, c);
    }
}

void th__disjunct_write(const th__disjunct *disjunct, bool backward, th__buf *out)
{
    static const char *const names[2][2] = {{"SkipTo(", "SkipUntil("}, {"BackTo(", "BackUntil("}};
    for (uint32_t i = 0; i < disjunct->count; i++) {
        const th__landmark *landmark = &disjunct->landmarks[i];
        if (i)
            th__buf_add_byte(out, ' ');
        th__buf_add_str(out, th_str_from(names[backward][landmark->until]));
        for (uint32_t m = 0; m < landmark->count; m++) {
            if (m)
                th__buf_add_byte(out, ' ');
            write_mark(&landmark->marks[m], out);
        }
        th__buf_add_byte(out, ')');
    }
}

struct notation {
    const char *at, *end;
    th__arena *arena;
    bool backward;
    const char *problem;
};

static bool fault(struct notation *n, const char *problem)
{
    n->problem = problem;
    return false;
}

/* Returns true if a step has a class: a point of a tag's name has a backslash before it. */
static bool has_class(th_str step)
{
    for (size_t i = 0; i < step.len; i += step.ptr[i] == '\\' ? 2 : 1)
        if (step.ptr[i] == '.')
            return true;
    return false;
}

/* What a mark written without a backslash before it means. */
static bool read_meaning(struct notation *n, bool escaped, th__mark *mark)
{
    th_str text = mark->text;
    if (!escaped && text.ptr[0] == '_' && text.len > 1) {
        for (size_t i = 0; i < TH__WILDCARDS; i++)
            if (th__str_eq(text, th_str_from(th__wildcards[i].name))) {
                mark->kind = TH__MARK_WILD;
                mark->cls = th__wildcards[i].cls;
                return true;
            }
        return fault(n, "names an unknown wildcard");
    }
    if (!escaped && text.ptr[0] == '<' && text.len > 1) {
        bool end = text.ptr[1] == '/';
        th_str name = {text.ptr + 1 + end, text.len - 1 - end};
        uint16_t tag;
        if (name.len < 2 || name.ptr[name.len - 1] != '>' ||
            !th__is_alpha((unsigned char)name.ptr[0]))
            return fault(n, "has an invalid tag: write <name>, </name> or <name.class>");
        name.len--;
        uint64_t hash = th__step_hash(name, &tag);
        bool step = has_class(name) && !end;
        mark->kind = step ? TH__MARK_STEP : TH__MARK_TAG;
        mark->sym = step ? step_sym(hash) : tag_sym(tag, end);
        return true;
    }
    mark->kind = TH__MARK_TEXT;
    mark->sym = text_sym(text);
    return true;
}

static bool read_mark(struct notation *n, th__mark *mark)
{
    th__buf text = {0};
    bool escaped = *n->at == '\\';
    while (n->at < n->end && *n->at != ' ' && *n->at != ')' && *n->at != '(') {
        if (*n->at == '\\' && ++n->at == n->end)
            break;
        th__buf_add_byte(&text, *n->at++);
    }
    *mark = (th__mark){0};
    if (!text.failed && text.len)
        mark->text = th__arena_copy(n->arena, th__buf_str(&text));
    bool failed = text.failed || (text.len && !mark->text.ptr), empty = !text.len;
    th__buf_release(&text);
    if (failed)
        return fault(n, NULL);
    return empty ? fault(n, "has an empty token") : read_meaning(n, escaped, mark);
}

static bool read_word(struct notation *n, th__landmark *landmark)
{
    static const th_str words[2][2] = {{{"SkipTo(", 7}, {"SkipUntil(", 10}},
                                       {{"BackTo(", 7}, {"BackUntil(", 10}}};
    th_str rest = {n->at, (size_t)(n->end - n->at)};
    for (int until = 0; until < 2; until++) {
        th_str word = words[n->backward][until];
        if (th__str_starts(rest, word)) {
            landmark->until = until;
            n->at += word.len;
            return true;
        }
    }
    return fault(n, n->backward ? "must be made of BackTo(...) and BackUntil(...)"
                                : "must be made of SkipTo(...) and SkipUntil(...)");
}

static bool read_landmark(struct notation *n, th__landmark *out)
{
    th__mark marks[TH__STALKER_MAX_TOKENS];
    *out = (th__landmark){0};
    if (!read_word(n, out))
        return false;
    for (;;) {
        if (out->count == TH__STALKER_MAX_TOKENS)
            return fault(n, "has a landmark of more than 32 tokens");
        if (n->at == n->end)
            return fault(n, "has a landmark without its closing bracket");
        if (!read_mark(n, &marks[out->count++]))
            return false;
        if (n->at == n->end || *n->at == '(')
            return fault(n, "has a landmark without its closing bracket");
        if (*n->at++ == ')')
            break;
    }
    out->marks = th__arena_alloc(n->arena, out->count * sizeof *out->marks);
    if (!out->marks)
        return fault(n, NULL);
    memcpy(out->marks, marks, out->count * sizeof *out->marks);
    return true;
}

bool th__disjunct_read(th_str text, th__arena *arena, bool backward, th__disjunct *out,
                       const char **problem)
{
    struct notation n = {text.ptr, text.ptr + text.len, arena, backward, NULL};
    th__landmark landmarks[TH__STALKER_MAX_LANDMARKS];
    *out = (th__disjunct){0};
    bool ok = true;
    while (ok && n.at < n.end) {
        if (out->count == TH__STALKER_MAX_LANDMARKS)
            ok = fault(&n, "has more than 8 landmarks");
        else
            ok = read_landmark(&n, &landmarks[out->count++]);
        if (ok && n.at < n.end && (*n.at++ != ' ' || n.at == n.end))
            ok = fault(&n, "must have one blank between its landmarks");
    }
    if (ok && out->count) {
        out->landmarks = th__arena_alloc(arena, out->count * sizeof *out->landmarks);
        if (out->landmarks)
            memcpy(out->landmarks, landmarks, out->count * sizeof *out->landmarks);
        else
            ok = fault(&n, NULL);
    }
    *problem = n.problem;
    return ok;
}
