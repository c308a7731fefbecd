/*
 * softmealy_free.c: rules for orders of attributes that were never labelled: s<*,k> and s<k,*>.
 *
 * An edge exists where a labelled tuple had the two neighbours. On a page with another order, or
 * with an attribute missing, the transducer would stay where it is. So all separators before an
 * attribute are learnt from together, whatever was before them, and give s<*,k>; all after it give
 * s<k,*>.
 *
 *     left  items  ... 4 3 2 1 0 | 0 1 2 ...  right items of one labelled separator, outwards
 *     merged with the next one:    each distance becomes the least common ancestor, and a side
 *                                  ends where there is none
 *
 * A rule is a merged row cut to `l` tokens on the left and `r` on the right. On labelled pages each
 * (l, r) is judged by where it fires: a wrong place, before the right one, rules it out. The
 * shortest of those left is taken; where a page is a record, the shortest that has a word of the
 * template or a class in it. Separators whose merged row has no such size left go into rows
 * of their own.
 *
 * Where a value has to be looked into to distinguish its attribute from the others, the edges that
 * lead to it look too: on other pages another attribute may follow the same one. And an
 * attribute that is identified by what was before it alone gets a short rule as its last resort:
 * learn_last.
 *
 * Cost: for each row that is judged one walk along the tokens that equal its innermost item, for
 * all (l, r). How many rows are judged does not grow with the page: see add_instance.
 */
#include "engine/papers/softmealy/softmealy.h"

#include "base/cancel.h"
#include "base/error.h"
#include "base/key_map.h"
#include "page/lex.h"

enum {
    OUTER = 24,    /* tokens of context away from the value: enough for a label and its cell */
    INNER = 3,     /* tokens of context in the value, or right after its end */
    JUDGED = 64,   /* rows without a size, of one attribute */
    BUCKETS = 4096 /* of tokens */
};

/* A row: what some separators have in common. */
struct row {
    th__sm_item left[OUTER], right[OUTER];
    uint32_t left_count, right_count;
    uint32_t l, r; /* chosen */
    bool chosen;
};

/* A place where a row fires. */
struct fire {
    uint32_t at;
    uint8_t left, right; /* how many items fit */
};

/* How often a word, or the value of an attribute, is met. */
struct census_entry {
    uint32_t page, pages, times; /* page: the last that has it */
};

struct order_learner {
    th__sm_samples *samples;
    th__key_map census; /* what is around labelled separators: 1 + its number in */
    TH__VEC(struct census_entry) entries;
    uint32_t **places; /* by page: its tokens, bucket by bucket, each in the order of the page */
    uint32_t **first;  /* by page: where the places of each bucket begin; one more: where all end */
    TH__VEC(struct fire) found;
    bool start; /* s<*,k>; else s<k,*> */
    bool last;  /* a last resort: stronger rules of other attributes keep it from its mistakes */
    uint32_t attribute;
    TH__VEC(struct row) rows;   /* that have a size */
    TH__VEC(uint64_t) hopeless; /* hashes of rows that have none */
    bool left_out;              /* a separator is in no row */
    TH__VEC(th__sm_edge) edges;
    /* By attribute: the right side of s<*,k> where one rule with such a side covers all of them */
    const th__sm_context *told[TH__SM_MAX_ATTRIBUTES];
};

/* ---- what is data, and what is template ---------------------------------------------------------
 *
 * A word, or an attribute of a tag, that is on one page alone is data; without other pages, one
 * that is once on the page. What is data must not be ground in a rule. */

static uint64_t text_key(th_str text)
{
    return th__hash(text.ptr, text.len);
}

static uint64_t mark_key(uint16_t tag, th_str value)
{
    return th__hash_mix(th__hash(value.ptr, value.len), tag);
}

/* Asks for a key, or counts one that was asked for. */
static bool census_meet(struct order_learner *f, uint64_t key, bool ask, uint32_t page)
{
    uint32_t number = th__key_map_get(&f->census, key);
    if (ask && !number) {
        struct census_entry entry = {.page = UINT32_MAX};
        if (!th__vec_push(&f->entries, entry) ||
            !th__key_map_put(&f->census, key, (uint32_t)f->entries.len))
            return false;
    } else if (!ask && number) {
        struct census_entry *entry = &f->entries.data[number - 1];
        entry->times++;
        entry->pages += entry->page != page;
        entry->page = page;
    }
    return true;
}

static bool census_token(struct order_learner *f, uint32_t page, uint32_t number, bool ask)
{
    const th__sm_tokens *tokens = &f->samples->pages[page].tokens;
    const th__sm_token *token = &tokens->data[number];
    th_attr attr;
    if (token->cls == TH_CLASS_TAG_START) {
        for (th_attr_iter it = th_attrs(tokens->page, token->coarse); th_attr_next(&it, &attr);)
            if (attr.value.ptr && !census_meet(f, mark_key(token->tag, attr.value), ask, page))
                return false;
    } else if (!token->tag) {
        th_str text = th__page_slice(tokens->page, token->start, token->end);
        return census_meet(f, text_key(text), ask, page);
    }
    return true;
}

/* Counts on all pages what is around labelled separators. */
static bool take_census(struct order_learner *f)
{
    const th__sm_samples *s = f->samples;
    if (!th__key_map_init(&f->census, &f->samples->scratch, 512))
        return false;
    for (size_t i = 0; i < s->separators.len; i++)
        for (int left = 0; left < 2; left++) {
            const th__sm_separator *sep = &s->separators.data[i];
            uint32_t room = th__sm_room(&s->pages[sep->page].tokens, sep->at, left);
            for (uint32_t k = 0; k < room && k < OUTER; k++)
                if (!census_token(f, sep->page, th__sm_beside(sep->at, left, k), true))
                    return false;
        }
    for (uint32_t p = 0; p < s->page_count; p++)
        for (uint32_t i = 0; i < s->pages[p].tokens.len; i++)
            census_token(f, p, i, false);
    return true;
}

static bool is_template(const struct order_learner *f, uint64_t key)
{
    uint32_t number = th__key_map_get(&f->census, key);
    if (!number)
        return false;
    const struct census_entry *entry = &f->entries.data[number - 1];
    return f->samples->page_count > 1 ? entry->pages > 1 : entry->times > 1;
}

/* Makes an item of what is template in it. */
static void keep_template(const struct order_learner *f, th__sm_item *item)
{
    if (item->cls == TH_CLASS_TAG_START) {
        th__sm_mark *marks = (th__sm_mark *)item->marks;
        uint16_t kept = 0;
        for (uint32_t i = 0; i < item->mark_count; i++)
            if (!marks[i].value.len || is_template(f, mark_key(item->tag, marks[i].value)))
                marks[kept++] = marks[i];
        item->mark_count = kept;
    } else if (th__class_is(item->cls, TH_CLASS_BLANK) ||
               (item->ground && !item->tag && item->cls != TH_CLASS_PUNCT &&
                !is_template(f, text_key(item->text)))) {
        *item = (th__sm_item){.cls = item->cls};
    }
}

/* ---- tokens by what they are ----------------------------------------------------------------- */

static uint32_t bucket_of(uint16_t tag, unsigned cls, th_str text)
{
    if (tag)
        return (tag * 2u + (cls == TH_CLASS_TAG_END)) % BUCKETS;
    return (uint32_t)(th__hash(text.ptr, text.len) % BUCKETS);
}

static uint32_t token_bucket(const th__sm_tokens *tokens, uint32_t number)
{
    const th__sm_token *token = &tokens->data[number];
    return bucket_of(token->tag, token->cls,
                     th__page_slice(tokens->page, token->start, token->end));
}

static bool index_page(struct order_learner *f, uint32_t number)
{
    const th__sm_tokens *tokens = &f->samples->pages[number].tokens;
    uint32_t len = (uint32_t)tokens->len;
    uint32_t *places = th__arena_alloc(&f->samples->scratch, (len + (size_t)1) * sizeof *places);
    uint32_t *first = th__arena_zero(&f->samples->scratch, BUCKETS + 2, sizeof *first);
    if (!places || !first)
        return false;
    for (uint32_t i = 0; i < len; i++)
        first[token_bucket(tokens, i) + 1]++;
    for (uint32_t b = 0; b < BUCKETS; b++)
        first[b + 1] += first[b];
    for (uint32_t i = len; i-- > 0;) /* from the ends of the buckets, which become their begins */
        places[--first[token_bucket(tokens, i) + 1]] = i;
    first[BUCKETS + 1] = len;
    f->places[number] = places;
    f->first[number] = first + 1;
    return true;
}

/* Makes the tokens of all pages ready to be found. False if out of memory. */
static bool index_pages(struct order_learner *f)
{
    th__sm_samples *s = f->samples;
    f->places = th__arena_zero(&s->scratch, s->page_count + 1, sizeof *f->places);
    f->first = th__arena_zero(&s->scratch, s->page_count + 1, sizeof *f->first);
    if (!f->places || !f->first)
        return false;
    for (uint32_t p = 0; p < s->page_count; p++)
        if (!index_page(f, p))
            return false;
    return true;
}

/* ---- where rows fire ------------------------------------------------------------------------- */

static struct fire fire_at(const struct row *row, const th__sm_tokens *tokens, uint32_t at)
{
    th__sm_context left = {row->left, row->left_count}, right = {row->right, row->right_count};
    return (struct fire){at, (uint8_t)th__sm_fit(&left, tokens, at, true),
                         (uint8_t)th__sm_fit(&right, tokens, at, false)};
}

/* Keeps a place, unless the innermost item outside of the value does not fit there. */
static bool push_fire(struct order_learner *f, const struct row *row, const th__sm_tokens *tokens,
                      uint32_t at)
{
    struct fire fire = fire_at(row, tokens, at);
    return (f->start ? fire.left : fire.right) == 0 || th__vec_push(&f->found, fire);
}

/* All places from `low` to `high` where the innermost item outside of the value fits. */
static bool find_fires(struct order_learner *f, const struct row *row, uint32_t number,
                       uint32_t low, uint32_t high)
{
    const th__sm_tokens *tokens = &f->samples->pages[number].tokens;
    const th__sm_item *anchor = f->start ? &row->left[0] : &row->right[0];
    f->found.len = 0;
    if (!(f->start ? row->left_count : row->right_count))
        return true;
    if (!anchor->ground) {
        for (uint32_t at = low; at <= high && at <= tokens->len; at++)
            if (!push_fire(f, row, tokens, at))
                return false;
        return true;
    }
    const uint32_t *first = &f->first[number][bucket_of(anchor->tag, anchor->cls, anchor->text)];
    const uint32_t *places = f->places[number];
    uint32_t before = f->start; /* tokens from the anchor to the place */
    size_t i =
        first[0] + th__count_first(k, first[1] - first[0], places[first[0] + k] + before < low);
    for (; i < first[1] && places[i] + before <= high; i++)
        if (!push_fire(f, row, tokens, places[i] + before))
            return false;
    return true;
}

/* ---- judging --------------------------------------------------------------------------------- */

/* wrong[l][r]: a rule of that size fires where it must not. */
struct judgement {
    bool wrong[OUTER + 1][OUTER + 1];
};

static uint32_t strength(uint32_t ground, uint32_t length)
{
    return ground * 2 * TH__SM_MAX_CONTEXT + length;
}

static uint32_t row_strength(const struct row *row, uint32_t l, uint32_t r)
{
    th__sm_context left = {row->left, l}, right = {row->right, r};
    return strength(th__sm_context_ground(&left) + th__sm_context_ground(&right), l + r);
}

static uint32_t group_strength(const th__sm_group *group)
{
    return strength(th__sm_context_ground(group->lefts) + th__sm_context_ground(group->rights),
                    group->lefts->count + group->rights->count);
}

/* `stronger` is that of a rule that is right there: sizes below it do not get their way. */
static void condemn(struct judgement *j, const struct row *row, const struct fire *fire,
                    uint32_t stronger)
{
    for (uint32_t l = 0; l <= fire->left; l++)
        for (uint32_t r = 0; r <= fire->right; r++)
            j->wrong[l][r] |= !stronger || row_strength(row, l, r) >= stronger;
}

/* The first label of a tuple that does not end (`start`: begin) before a separator: labels do
 * not overlap. */
static uint32_t label_from(const th__sm_samples *s, const th__sm_tuple *tuple, uint32_t at,
                           bool start)
{
    const th__sm_label *labels = s->labels.data + tuple->label;
    return tuple->label + (uint32_t)th__count_first(i, tuple->label_count,
                                                    (start ? labels[i].begin : labels[i].end) < at);
}

/* Returns true if `at` lies inside a value of the tuple, where no start is looked for. */
static bool inside_value(const th__sm_samples *s, const th__sm_tuple *tuple, uint32_t at)
{
    uint32_t i = label_from(s, tuple, at + 1, false);
    return i < tuple->label + tuple->label_count && at > s->labels.data[i].begin;
}

/* Returns true if a value of the attribute begins at a separator. */
static bool is_own(const th__sm_samples *s, const th__sm_tuple *tuple, uint32_t attribute,
                   uint32_t at)
{
    uint32_t i = label_from(s, tuple, at, true);
    return i < tuple->label + tuple->label_count && s->labels.data[i].begin == at &&
           s->attributes.data[s->labels.data[i].attribute].same_as == attribute;
}

/* The strongest rule s<*,j> that fits where a labelled value of j begins, and looks into it: what
 * is before a value means nothing in another order. 0: none does. */
static uint32_t strongest(const struct order_learner *f, const th__sm_tuple *tuple, uint32_t at)
{
    const th__sm_tokens *tokens = &f->samples->pages[tuple->page].tokens;
    uint32_t best = 0;
    for (size_t e = 0; e < f->edges.len; e++) {
        const th__sm_edge *edge = &f->edges.data[e];
        if (edge->from != TH__SM_ANY || !f->told[th__sm_attribute_of(edge->to)] ||
            !is_own(f->samples, tuple, th__sm_attribute_of(edge->to), at))
            continue;
        for (uint32_t g = 0; g < edge->group_count; g++) {
            const th__sm_context *left = edge->groups[g].lefts, *right = edge->groups[g].rights;
            uint32_t own = group_strength(&edge->groups[g]);
            if (own > best && th__sm_fits(left, tokens, at, true) &&
                th__sm_fits(right, tokens, at, false))
                best = own;
        }
    }
    return best;
}

/* A start: everywhere in the tuple outside of values, until the attribute is there; to the end when
 * it may come again, or is missing. */
static bool judge_start(struct order_learner *f, const struct row *row, const th__sm_tuple *tuple,
                        struct judgement *j)
{
    const th__sm_samples *s = f->samples;
    const th__sm_label *labels = s->labels.data + tuple->label;
    uint32_t low = s->one_record ? 0 : labels[0].begin;
    uint32_t high = s->one_record ? (uint32_t)s->pages[tuple->page].tokens.len
                                  : labels[tuple->label_count - 1].end;
    for (uint32_t i = 0; i < tuple->label_count; i++)
        if (s->attributes.data[labels[i].attribute].same_as == f->attribute &&
            !s->attributes.data[f->attribute].many) {
            high = labels[i].begin;
            break;
        }
    if (!find_fires(f, row, tuple->page, low, high))
        return false;
    for (size_t i = 0; i < f->found.len; i++) {
        const struct fire *fire = &f->found.data[i];
        if (!is_own(s, tuple, f->attribute, fire->at) && !inside_value(s, tuple, fire->at))
            condemn(j, row, fire, f->last ? strongest(f, tuple, fire->at) : 0);
    }
    return true;
}

/* An end: nowhere inside a value of the attribute, nor where it begins. */
static bool judge_end(struct order_learner *f, const struct row *row, const th__sm_tuple *tuple,
                      struct judgement *j)
{
    const th__sm_samples *s = f->samples;
    for (uint32_t i = 0; i < tuple->label_count; i++) {
        const th__sm_label *label = &s->labels.data[tuple->label + i];
        if (s->attributes.data[label->attribute].same_as != f->attribute)
            continue;
        for (uint32_t at = label->begin; at < label->end; at++) {
            struct fire fire = fire_at(row, &s->pages[tuple->page].tokens, at);
            condemn(j, row, &fire, 0);
        }
    }
    return true;
}

static bool judge(struct order_learner *f, const struct row *row, struct judgement *j)
{
    *j = (struct judgement){0};
    for (size_t i = 0; i < f->samples->tuples.len; i++)
        if (!(f->start ? judge_start : judge_end)(f, row, &f->samples->tuples.data[i], j))
            return false;
    return true;
}

/* Returns true if one of the nearest `l` tokens outside of a value identifies the place: a word of
 * the template, or a tag with a class, an id or the like. */
static bool identifies_place(const struct row *row, uint32_t l)
{
    for (uint32_t i = 0; i < l; i++) {
        const th__sm_item *item = &row->left[i];
        if (item->ground && (item->mark_count || th__class_is(item->cls, TH_CLASS_WORD)))
            return true;
    }
    return false;
}

/* Takes the shortest size that is never wrong; where a page is a record, the shortest of those that
 * identify the place, if there are any. False if out of memory; there may be no size at all. */
static bool choose_size(struct order_learner *f, struct row *row)
{
    struct judgement j;
    bool places = f->start && f->samples->one_record, found = false;
    row->chosen = false;
    if (th__cancelled(f->samples->cancel) || !judge(f, row, &j))
        return false;
    for (uint32_t sum = 1; !found && sum <= row->left_count + row->right_count; sum++)
        for (uint32_t r = f->start ? 0 : 1; !found && r <= sum && r <= row->right_count; r++) {
            uint32_t l = sum - r;
            if (l > row->left_count || (f->start && !l) || j.wrong[l][r])
                continue;
            found = !places || identifies_place(row, l);
            if (row->chosen && !found)
                continue;
            row->chosen = true;
            row->l = l;
            row->r = r;
        }
    return true;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static bool read_side(struct order_learner *f, const th__sm_separator *sep, bool left,
                      th__sm_item *items, uint32_t *count)
{
    uint32_t room = th__sm_room(&f->samples->pages[sep->page].tokens, sep->at, left);
    uint32_t most = left == f->start ? OUTER : INNER;
    *count = room < most ? room : most;
    for (uint32_t i = 0; i < *count; i++) {
        uint32_t token = th__sm_beside(sep->at, left, i);
        if (!th__sm_item_of(f->samples, sep->page, token, &items[i]))
            return false;
        keep_template(f, &items[i]);
    }
    return true;
}

/* What two sides have in common; the first becomes it. False if out of memory. */
static bool join_sides(struct order_learner *f, th__sm_item *a, uint32_t *count,
                       const th__sm_item *b, uint32_t other)
{
    uint32_t kept = 0;
    bool failed = false;
    while (kept < *count && kept < other) {
        th__sm_item join;
        bool tags = a[kept].ground && b[kept].ground && a[kept].tag && b[kept].tag;
        if ((tags && (a[kept].tag != b[kept].tag || a[kept].cls != b[kept].cls)) ||
            !th__sm_item_join(&a[kept], &b[kept], false, f->samples->arena, &join, &failed))
            break;
        a[kept++] = join;
    }
    *count = kept;
    return !failed;
}

/* What two rows have in common; the first becomes it. False if out of memory. */
static bool join_rows(struct order_learner *f, struct row *a, const struct row *b)
{
    return join_sides(f, a->left, &a->left_count, b->left, b->left_count) &&
           join_sides(f, a->right, &a->right_count, b->right, b->right_count);
}

static bool row_of(struct order_learner *f, const th__sm_separator *sep, struct row *row)
{
    *row = (struct row){0};
    return read_side(f, sep, true, row->left, &row->left_count) &&
           read_side(f, sep, false, row->right, &row->right_count);
}

/* The same for equal items. */
static uint64_t hash_item(const th__sm_item *item)
{
    uint64_t hash = item->cls * 2u + item->ground;
    if (!item->ground)
        return hash;
    if (item->cls != TH_CLASS_TAG_START && item->cls != TH_CLASS_TAG_END)
        return th__hash_mix(hash + item->count, th__hash(item->text.ptr, item->text.len));
    hash = th__hash_mix(hash, item->tag);
    for (uint32_t i = 0; i < item->mark_count; i++) {
        const th__sm_mark *mark = &item->marks[i];
        for (size_t k = 0; k < mark->name.len; k++)
            hash = th__hash_mix(hash, th__lower((unsigned char)mark->name.ptr[k]));
        hash = th__hash_mix(hash + mark->words, th__hash(mark->value.ptr, mark->value.len));
    }
    return hash;
}

static uint64_t hash_row(const struct row *row)
{
    uint64_t hash = row->left_count;
    for (uint32_t i = 0; i < row->left_count; i++)
        hash = th__hash_mix(hash, hash_item(&row->left[i]));
    hash = th__hash_mix(hash, row->right_count);
    for (uint32_t i = 0; i < row->right_count; i++)
        hash = th__hash_mix(hash, hash_item(&row->right[i]));
    return hash;
}

/* Chooses the size of a row, unless none was right before: the rows of a list are often equal.
 * After JUDGED rows without a size, none is looked for: what the labelled places have in common is
 * found among the first, and each costs a walk through the pages. */
static bool choose(struct order_learner *f, struct row *row)
{
    uint64_t hash = hash_row(row);
    row->chosen = false;
    for (size_t i = 0; i < f->hopeless.len; i++)
        if (f->hopeless.data[i] == hash)
            return true;
    return f->hopeless.len >= JUDGED ||
           (choose_size(f, row) && (row->chosen || th__vec_push(&f->hopeless, hash)));
}

/* Puts a separator into the first row that stays right with it, or into one of its own. */
static bool add_instance(struct order_learner *f, const th__sm_separator *sep)
{
    struct row own;
    if (!row_of(f, sep, &own))
        return false;
    for (size_t i = 0; i < f->rows.len; i++) {
        struct row merged = f->rows.data[i];
        if (!join_rows(f, &merged, &own))
            return false;
        if (hash_row(&merged) == hash_row(&f->rows.data[i]))
            return true; /* it adds nothing */
        if (!choose(f, &merged))
            return false;
        if (merged.chosen) {
            f->rows.data[i] = merged;
            return true;
        }
    }
    if (!choose(f, &own))
        return false;
    /* A row without a size gets none by what more separators have in common with it. */
    f->left_out |= !own.chosen;
    return !own.chosen || th__vec_push(&f->rows, own);
}

static bool add_edge(struct order_learner *f, const struct row *row, th__sm_edge *edge)
{
    th__arena *arena = f->samples->arena;
    th__sm_context *sides = th__arena_zero(arena, 2, sizeof *sides);
    th__sm_item *items = th__arena_alloc(arena, (row->l + row->r + 1) * sizeof *items);
    if (!sides || !items)
        return false;
    memcpy(items, row->left, row->l * sizeof *items);
    memcpy(items + row->l, row->right, row->r * sizeof *items);
    sides[0] = (th__sm_context){items, row->l};
    sides[1] = (th__sm_context){items + row->l, row->r};
    edge->groups[edge->group_count++] = (th__sm_group){&sides[0], &sides[1], 1, 1, false};
    return true;
}

static bool learn_attribute(struct order_learner *f, uint32_t attribute, bool start)
{
    const th__sm_samples *s = f->samples;
    th__sm_state state = th__sm_attribute_state(attribute);
    f->attribute = attribute;
    f->start = start;
    f->rows.len = f->hopeless.len = 0;
    f->left_out = false;
    for (size_t i = 0; i < s->separators.len; i++) {
        const th__sm_separator *sep = &s->separators.data[i];
        if ((start ? sep->to : sep->from) == state && !add_instance(f, sep))
            return false;
    }
    if (!f->rows.len)
        return true;
    th__sm_edge edge = {.from = start ? TH__SM_ANY : state, .to = start ? state : TH__SM_ANY};
    edge.groups = th__arena_zero(s->arena, f->rows.len + 1, sizeof *edge.groups);
    if (!edge.groups)
        return false;
    for (size_t i = 0; i < f->rows.len; i++)
        if (!add_edge(f, &f->rows.data[i], &edge))
            return false;
    if (start && !f->left_out && f->rows.len == 1 && edge.groups[0].rights->count)
        f->told[attribute] = edge.groups[0].rights;
    return !edge.group_count || th__vec_push(&f->edges, edge);
}

/* What all labelled starts of an attribute have in common, as a last resort: one rule that is
 * shorter than the others. Where it would be wrong, a stronger rule of what is there wins:
 *
 *     s<*,email>     <i> | 0Alph Punc(-)       identifies emails
 *     s<*,interests> </i> <i> | -              as it was labelled, after an email
 *     s<*,interests> <i> | -                   anywhere else */
static bool learn_last(struct order_learner *f, th__sm_edge *edge)
{
    const th__sm_samples *s = f->samples;
    struct row row = {0};
    bool any = false;
    f->attribute = th__sm_attribute_of(edge->to);
    f->start = f->last = true;
    for (size_t i = 0; i < s->separators.len; i++) {
        struct row own;
        if (s->separators.data[i].to != edge->to)
            continue;
        if (!row_of(f, &s->separators.data[i], &own))
            return false;
        if (!any)
            row = own;
        else if (!join_rows(f, &row, &own))
            return false;
        any = true;
    }
    bool ok = choose_size(f, &row);
    f->last = false;
    for (uint32_t g = 0; ok && row.chosen && g < edge->group_count; g++)
        if (edge->groups[g].lefts->count <= row.l && edge->groups[g].rights->count <= row.r &&
            group_strength(&edge->groups[g]) <= row_strength(&row, row.l, row.r))
            row.chosen = false; /* there is one that is as short */
    return ok && (!row.chosen || add_edge(f, &row, edge));
}

/* ---- all ------------------------------------------------------------------------------------- */

/* Returns true if s<*,k> is among the edges: then the separators that were labelled need no edge.
 */
static bool has_start(const struct order_learner *f, th__sm_state state)
{
    for (size_t i = 0; i < f->edges.len; i++)
        if (f->edges.data[i].to == state)
            return true;
    return false;
}

/* An edge was learnt of what its two states have between them; s<*,k> of what distinguishes k from
 * all others. Where the value has to be looked into for that, the edge looks too: on other pages
 * another attribute may follow the same one. */
static bool narrow(th__sm_edge *edge, const th__sm_context *told, th__arena *arena)
{
    th__sm_group *groups = th__arena_zero(arena, edge->group_count + 1, sizeof *groups);
    if (!groups)
        return false;
    for (uint32_t g = 0; g < edge->group_count; g++) {
        uint32_t longest = 0;
        groups[g] = edge->groups[g];
        for (uint32_t r = 0; r < groups[g].right_count; r++)
            if (groups[g].rights[r].count > longest)
                longest = groups[g].rights[r].count;
        if (groups[g].string || longest >= told->count)
            continue;
        groups[g].rights = (th__sm_context *)told;
        groups[g].right_count = 1;
    }
    edge->groups = groups;
    return true;
}

static bool merge_edges(struct order_learner *f, th__sm_rules *rules)
{
    uint32_t count = 0;
    th__sm_edge *all =
        th__arena_zero(f->samples->arena, rules->edge_count + f->edges.len + 1, sizeof *all);
    if (!all)
        return false;
    for (uint32_t i = 0; i < rules->edge_count; i++) {
        const th__sm_edge *edge = &rules->edges[i];
        bool into_value = th__sm_is_attribute(edge->to) && !th__sm_is_attribute(edge->from);
        bool out_of_page = f->samples->one_record && edge->to == TH__SM_END;
        if (f->samples->one_record && (out_of_page || (into_value && has_start(f, edge->to))))
            continue;
        all[count] = *edge;
        const th__sm_context *told =
            into_value && !f->samples->one_record ? f->told[th__sm_attribute_of(edge->to)] : NULL;
        if (told && edge->from != TH__SM_BEGIN && !narrow(&all[count], told, f->samples->arena))
            return false;
        count++;
    }
    for (size_t i = 0; i < f->edges.len; i++)
        all[count++] = f->edges.data[i];
    rules->edges = all;
    rules->edge_count = count;
    return th__sm_rules_compile(rules, f->samples->arena);
}

th_status th__sm_free_learn(th__sm_samples *s, th__sm_rules *rules, th_error *err)
{
    struct order_learner f = {.samples = s};
    bool ok = index_pages(&f) && take_census(&f);
    for (uint32_t k = 0; ok && k < s->attributes.len; k++)
        if (s->attributes.data[k].same_as == k)
            ok = learn_attribute(&f, k, true) && learn_attribute(&f, k, false);
    for (size_t i = 0; ok && !s->one_record && i < f.edges.len; i++)
        if (f.edges.data[i].from == TH__SM_ANY &&
            !f.told[th__sm_attribute_of(f.edges.data[i].to)]) /* else that rule is enough */
            ok = learn_last(&f, &f.edges.data[i]);
    ok = ok && merge_edges(&f, rules);
    th__vec_release(&f.entries);
    th__vec_release(&f.found);
    th__vec_release(&f.rows);
    th__vec_release(&f.hopeless);
    th__vec_release(&f.edges);
    return ok ? TH_OK : th__fail_memory(err);
}
