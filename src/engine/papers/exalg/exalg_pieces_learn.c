/*
 * exalg_pieces_learn.c: fields inside of one text: behind a label, between gaps; see
 * exalg_pieces.h.
 */
#include "engine/papers/exalg/exalg_draft.h"
#include "engine/papers/exalg/exalg_pieces.h"

static th_str value_source(const th__exalg_learner *l, const th__exalg_draft *d, uint32_t i)
{
    if (d->role.kind == TH__EXALG_SLOT)
        return th__page_slice(l->pages[d->instances[i].page].page, d->spans[i].start,
                              d->spans[i].end);
    uint32_t unit = th__exalg_value_unit(l, d, i);
    return unit == UINT32_MAX ? (th_str){0}
                              : th__exalg_unit_text(&l->pages[d->instances[i].page], unit);
}

/* The first word of a text with the blank behind it; none when that is all. */
static th_str lead_word(th_str text)
{
    size_t end = 0;
    while (end < text.len && !th__is_blank((unsigned char)text.ptr[end]))
        end++;
    /* A capital begins a name rather than a label. */
    bool lead = end && text.ptr[0] >= 'a' && text.ptr[0] <= 'z' && end + 1 < text.len;
    return lead ? (th_str){text.ptr, end} : (th_str){0};
}

/* The label with which all texts of a role begin: up to a colon, or a word ("by"). */
static th_str common_label(const th__exalg_learner *l, const th__exalg_draft *d)
{
    enum { SENTENCE = 60 }; /* bytes: with a word before it it is no label with a value */
    th_str label = {0};
    uint32_t with = 0;
    for (uint32_t i = 0; i < d->count; i++) {
        th_str text = value_source(l, d, i);
        if (!text.len)
            continue;
        if (!with++) {
            label = th__exalg_prefix(text);
            if (!label.ptr && text.len <= SENTENCE)
                label = lead_word(text);
            if (!label.ptr)
                return label;
        }
        if (text.len <= label.len || memcmp(text.ptr, label.ptr, label.len) != 0)
            return (th_str){0};
    }
    return with > 1 ? label : (th_str){0};
}

/* Where the value of an instance stands, inner markup included. */
static th_span value_span(const th__exalg_learner *l, const th__exalg_draft *d, uint32_t i)
{
    if (d->role.kind == TH__EXALG_SLOT)
        return d->spans[i];
    const th__exalg_instance *at = &d->instances[i];
    const th__exalg_outline *o = &l->pages[at->page];
    uint32_t first = th__exalg_value_unit(l, d, i), last = first;
    if (first == UINT32_MAX)
        return (th_span){0};
    last = d->role.kind == TH__EXALG_TEXT ? at->last : o->end_unit[at->at] - 1;
    return (th_span){o->page->tokens[o->units[first].token].start,
                     o->page->tokens[o->units[last].token + 1].start};
}

enum { MOST_PIECES = 8 };

/* How the values of a role are parted by a gap. */
struct parting {
    uint32_t values, parted, pages; /* values, those with a gap, pages that have one */
    uint32_t most;                  /* pieces of one value */
    uint32_t pieces;                /* of all values */
    uint64_t bytes;                 /* of all values */
    uint64_t first[MOST_PIECES];    /* by piece: the hash of the first */
    bool differs[MOST_PIECES];      /* by piece: whether others say something else */
};

static void note_piece(struct parting *p, uint32_t piece, th_str text)
{
    bool readable = false;
    uint64_t hash = th__exalg_text_hash(text, &readable);
    if (!readable)
        return;
    p->differs[piece] |= p->first[piece] && p->first[piece] != hash;
    p->first[piece] = hash;
}

static struct parting part_values(const th__exalg_learner *l, const th__exalg_draft *d, th_str gap,
                                  th_str label)
{
    struct parting p = {0};
    uint32_t page = UINT32_MAX;
    for (uint32_t i = 0; i < d->count; i++) {
        const th_page *here = l->pages[d->instances[i].page].page;
        th_span piece, rest = value_span(l, d, i);
        if (label.ptr)
            rest.start = th__exalg_behind_label(here, rest, label);
        if (rest.start >= rest.end)
            continue;
        uint32_t pieces = 0;
        p.values++;
        p.bytes += rest.end - rest.start;
        while (th__exalg_next_piece(here, &rest, gap, &piece)) {
            if (pieces < MOST_PIECES)
                note_piece(&p, pieces, th__page_slice(here, piece.start, piece.end));
            pieces++;
        }
        p.parted += pieces > 1;
        p.pieces += pieces;
        p.pages += pieces > 1 && d->instances[i].page != page;
        page = pieces > 1 ? d->instances[i].page : page;
        p.most = pieces > p.most ? pieces : p.most;
    }
    return p;
}

/* Texts of which a good part has a gap, on several pages, and that are no prose. */
static bool is_parted(const struct parting *p, uint32_t least_percent)
{
    enum { PROSE = 160 };
    return p->pages >= 2 && p->parted * 100 >= p->values * least_percent &&
           p->most <= MOST_PIECES && p->bytes <= (uint64_t)PROSE * p->values;
}

/* Returns true if all values have the same number of pieces. */
static bool is_in_step(const struct parting *p)
{
    return p->pieces == p->most * p->values;
}

static bool add_piece(th__exalg_learner *l, uint32_t parent, th_str label, th_str gap,
                      uint32_t ordinal)
{
    th__exalg_role role = {.kind = TH__EXALG_PIECE, .ordinal = ordinal};
    uint64_t key = th__hash_mix(th__hash(label.ptr, label.len), ordinal);
    if (label.ptr && !(role.label = th__arena_copy(l->arena, label)).ptr)
        return false;
    if (gap.ptr && !(role.gap = th__arena_copy(l->arena, gap)).ptr)
        return false;
    if (gap.ptr)
        key = th__hash_mix(key, th__hash(gap.ptr, gap.len));
    if (!th__exalg_add_part(l, parent, role, key))
        return false;
    th__exalg_role *added = &l->drafts.data[l->drafts.len - 1].role;
    added->ordinal = ordinal;
    added->many |= gap.ptr && ordinal == TH__EXALG_NO_ROLE;
    return true;
}

/* Fields, or else items of a set, between the gaps of a text. */
static bool find_parts(th__exalg_learner *l, uint32_t index, th_str label)
{
    bool slot = l->drafts.data[index].role.kind == TH__EXALG_SLOT;
    const th__sign *fields = NULL; /* what is between fields is not between items */
    for (size_t g = 0; !slot && g < th__sign_count; g++) {
        const th__sign *sign = &th__signs[g];
        th_str gap = sign->text;
        bool listed = sign->flags & TH__SIGN_TIGHT && sign->flags & TH__SIGN_ITEMS;
        if (!listed && !th__exalg_is_field_gap(sign))
            continue;
        struct parting p = part_values(l, &l->drafts.data[index], gap, label);
        if (!is_parted(&p, th__sign_is_common(sign) ? 30 : 5))
            continue;
        /* Commas stand in names and sentences: "Hughes, Martin". Three parts each are fields. */
        if (listed && (p.most < 3 || !is_in_step(&p)))
            continue;
        for (uint32_t n = 0; n < p.most; n++)
            if (p.differs[n] && !add_piece(l, index, label, gap, n))
                return false;
        fields = is_in_step(&p) || !th__sign_is_common(sign) ? sign : NULL;
        break;
    }
    /* Commas are everywhere; behind a label they may part the items of a set. */
    bool set = slot && !l->drafts.data[index].role.label.ptr; /* it must show that it is one */
    bool labelled =
        slot || label.ptr || l->drafts.data[index].role.anchor || th__exalg_row_of(l, index);
    for (size_t g = 0; labelled && g < th__sign_count; g++) {
        th_str gap = th__signs[g].text;
        if (!(th__signs[g].flags & TH__SIGN_ITEMS) || &th__signs[g] == fields)
            continue;
        struct parting p = part_values(l, &l->drafts.data[index], gap, label);
        enum { ITEM = 40 }; /* bytes: what is longer is a sentence with a comma */
        if (set && (p.most < 3 || p.parted * 10 > p.values * 9))
            continue; /* always parted: "Hughes, Martin" */
        if (is_parted(&p, 20) && p.bytes <= (uint64_t)ITEM * p.pieces)
            return add_piece(l, index, label, gap, TH__EXALG_NO_ROLE);
    }
    return true;
}

/* A value behind a label in one text is a field of its own, beside the text as it stands; and so
 * are values between gaps. */
bool th__exalg_find_pieces(th__exalg_learner *l)
{
    size_t count = l->drafts.len;
    for (uint32_t i = 0; i < count; i++) {
        const th__exalg_role *role = &l->drafts.data[i].role;
        if (role->use != TH__EXALG_DATA ||
            (role->kind > TH__EXALG_TEXT && role->kind != TH__EXALG_SLOT))
            continue;
        th_str label = common_label(l, &l->drafts.data[i]);
        if (label.ptr && !add_piece(l, i, label, (th_str){0}, TH__EXALG_NO_ROLE))
            return false;
        if (!find_parts(l, i, label))
            return false;
    }
    return true;
}
