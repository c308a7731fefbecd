/*
 * softmealy_free.c: rules for orders of attributes that nobody has labelled: s<*,k> and s<k,*>.
 *
 * An edge exists where a labelled tuple had the two neighbours. On a page with another order, or
 * with an attribute missing, the transducer would stay where it is. So all separators before an
 * attribute are learnt from together, whatever stood before them, and give s<*,k>; all after it
 * give s<k,*>.
 *
 *     left  items  ... 4 3 2 1 0 | 0 1 2 ...  right items of one labelled separator, outwards
 *     merged with the next one:    each distance becomes the least common ancestor, and a side
 *                                  ends where there is none
 *
 * A rule is a merged row cut to as many tokens on either side as softmealy_choose.c finds right.
 * Separators whose merged row has no such size left go into rows of their own.
 *
 * Where a value has to be looked into to tell its attribute from the others, the edges that lead to
 * it look too: behind the same attribute another one may come on other pages. And an attribute that
 * was told by what stood before it alone gets a short rule as its last resort: learn_last.
 *
 * What is data must not be ground in a rule: softmealy_census.h tells.
 */
#include "base/error.h"
#include "engine/papers/softmealy/softmealy_finder.h"
#include "page/lex.h"

enum {
    INNER = 3,  /* tokens of context in the value, or right after its end; OUTER: away from it */
    JUDGED = 64 /* rows without a size, of one attribute */
};

/* ---- items ----------------------------------------------------------------------------------- */

static bool read_side(struct finder *f, const th__sm_separator *sep, bool left, th__sm_item *items,
                      uint32_t *count)
{
    *count = th__sm_beside(f->samples, sep, left, left == f->start ? OUTER : INNER);
    for (uint32_t i = 0; i < *count; i++) {
        if (!th__sm_item_of(f->samples, sep->page, th__sm_beside_token(sep, left, i), &items[i]))
            return false;
        th__sm_census_keep(&f->census, f->samples, &items[i]);
        if (th__class_is(items[i].cls, TH_CLASS_BLANK))
            items[i] = (th__sm_item){.cls = items[i].cls};
    }
    return true;
}

/* What two sides have in common; the first becomes it. */
static void join_sides(struct finder *f, th__sm_item *a, uint32_t *count, const th__sm_item *b,
                       uint32_t other)
{
    uint32_t kept = 0;
    while (kept < *count && kept < other) {
        th__sm_item join;
        bool tags = a[kept].ground && b[kept].ground && a[kept].tag && b[kept].tag;
        if ((tags && (a[kept].tag != b[kept].tag || a[kept].cls != b[kept].cls)) ||
            !th__sm_item_join(&a[kept], &b[kept], false, f->samples->arena, &join))
            break;
        a[kept++] = join;
    }
    *count = kept;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static bool row_of(struct finder *f, const th__sm_separator *sep, struct row *row)
{
    *row = (struct row){0};
    return read_side(f, sep, true, row->left, &row->left_count) &&
           read_side(f, sep, false, row->right, &row->right_count);
}

static uint64_t hash_row(const struct row *row)
{
    uint64_t hash = row->left_count;
    for (uint32_t i = 0; i < row->left_count; i++)
        hash = th__hash_mix(hash, th__sm_item_hash(&row->left[i]));
    hash = th__hash_mix(hash, row->right_count);
    for (uint32_t i = 0; i < row->right_count; i++)
        hash = th__hash_mix(hash, th__sm_item_hash(&row->right[i]));
    return hash;
}

/* Chooses the size of a row, unless none was right before: rows of a list say the same again and
 * again. After JUDGED rows without a size, none is looked for: what the labelled places have in
 * common is found among the first, and each costs a walk through the pages. */
static bool choose(struct finder *f, struct row *row)
{
    uint64_t hash = hash_row(row);
    row->chosen = false;
    for (size_t i = 0; i < f->hopeless.len; i++)
        if (f->hopeless.data[i] == hash)
            return true;
    return f->hopeless.len >= JUDGED ||
           (th__sm_row_choose(f, row) && (row->chosen || th__vec_push(&f->hopeless, hash)));
}

/* Puts a separator into the first row that stays right with it, or into one of its own. */
static bool add_instance(struct finder *f, const th__sm_separator *sep)
{
    struct row own;
    if (!row_of(f, sep, &own))
        return false;
    for (size_t i = 0; i < f->rows.len; i++) {
        struct row merged = f->rows.data[i];
        join_sides(f, merged.left, &merged.left_count, own.left, own.left_count);
        join_sides(f, merged.right, &merged.right_count, own.right, own.right_count);
        if (hash_row(&merged) == hash_row(&f->rows.data[i]))
            return true; /* it says nothing new */
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

static bool add_edge(struct finder *f, const struct row *row, th__sm_edge *edge)
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

static bool learn_attribute(struct finder *f, uint32_t attribute, bool start)
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
    if (start)
        f->whole[attribute] = !f->left_out;
    if (start && !f->left_out && f->rows.len == 1 && edge.groups[0].rights->count)
        f->told[attribute] = edge.groups[0].rights;
    return !edge.group_count || th__vec_push(&f->edges, edge);
}

/* What all labelled starts of an attribute have in common, as a last resort: one rule that is
 * shorter than the others. Where it would be wrong, a stronger rule of what does stand there wins:
 *
 *     s<*,email>     <i> | 0Alph Punc(-)       tells emails
 *     s<*,interests> </i> <i> | -              as it was labelled, behind an email
 *     s<*,interests> <i> | -                   anywhere else */
static bool learn_last(struct finder *f, th__sm_edge *edge)
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
        if (any) {
            join_sides(f, row.left, &row.left_count, own.left, own.left_count);
            join_sides(f, row.right, &row.right_count, own.right, own.right_count);
        } else {
            row = own;
        }
        any = true;
    }
    bool ok = th__sm_row_choose(f, &row);
    f->last = false;
    for (uint32_t g = 0; ok && row.chosen && g < edge->group_count; g++)
        if (edge->groups[g].lefts->count <= row.l && edge->groups[g].rights->count <= row.r &&
            th__sm_group_strength(&edge->groups[g]) <= th__sm_row_strength(&row, row.l, row.r))
            row.chosen = false; /* there is one that is as short */
    return ok && (!row.chosen || add_edge(f, &row, edge));
}

/* ---- all ------------------------------------------------------------------------------------- */

static bool prepare(struct finder *f)
{
    th__sm_samples *s = f->samples;
    if (!th__sm_finder_index(f))
        return false;
    for (size_t i = 0; i < s->separators.len; i++)
        if (!th__sm_census_ask(&f->census, s, &s->separators.data[i], OUTER))
            return false;
    th__sm_census_take(&f->census, s);
    return true;
}

/* Whether s<*,k> is among the edges: then the separators that were labelled need no edge. */
static bool has_start(const struct finder *f, th__sm_state state)
{
    for (size_t i = 0; i < f->edges.len; i++)
        if (f->edges.data[i].to == state)
            return true;
    return false;
}

/* Whether the edges from a dummy give way to s<*,k>: one of them was taken apart, and all that they
 * lead to has rules without it. */
static bool gives_way(const struct finder *f, const th__sm_rules *rules, th__sm_state from)
{
    bool apart = false;
    for (uint32_t i = 0; i < rules->edge_count; i++) {
        const th__sm_edge *edge = &rules->edges[i];
        if (edge->from != from)
            continue;
        apart |= edge->apart;
        if (!f->whole[th__sm_attribute_of(edge->to)])
            return false;
    }
    return apart;
}

/* An edge was learnt of what its two states have between them; s<*,k> of what tells k from all
 * others. Where the value has to be looked into for that, the edge looks too: another attribute may
 * come behind the same one on other pages. */
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

static bool merge_edges(struct finder *f, th__sm_rules *rules)
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
        if (!f->samples->one_record && into_value && edge->from != TH__SM_BEGIN &&
            gives_way(f, rules, edge->from))
            continue;
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
    struct finder f = {.samples = s};
    bool ok = prepare(&f);
    for (uint32_t k = 0; ok && k < s->attributes.len; k++)
        if (s->attributes.data[k].same_as == k)
            ok = learn_attribute(&f, k, true) && learn_attribute(&f, k, false);
    for (size_t i = 0; ok && !s->one_record && i < f.edges.len; i++)
        if (f.edges.data[i].from == TH__SM_ANY &&
            !f.told[th__sm_attribute_of(f.edges.data[i].to)]) /* else it is told already */
            ok = learn_last(&f, &f.edges.data[i]);
    ok = ok && merge_edges(&f, rules);
    th__sm_census_release(&f.census);
    th__vec_release(&f.found);
    th__vec_release(&f.rows);
    th__vec_release(&f.hopeless);
    th__vec_release(&f.edges);
    return ok ? TH_OK : th__fail_memory(err);
}
