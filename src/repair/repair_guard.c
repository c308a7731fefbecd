/*
 * repair_guard.c: no repair takes away what the old wrapper still gives.
 *
 * Both wrappers are run on the new pages, and what they give is held against each other, page by
 * page (repair_sides.h, repair_compare.h). The old one gives what its users get, fields that are
 * found by their looks (fields_adapt.h) included; the new one has to give as much by its rules
 * alone: its profile, and with it what it knows of looks, is learnt from what these find.
 *
 *   - Fields: values of a field that is not broken have to be values of it again. A value that is
 *     not like the field, or that is now in a field that it is more like, was wrong: it may go.
 *   - Texts: whatever the old wrapper gives that looks like a value of some field has to be in the
 *     new records as well, in whatever column, unless what it reads are no records any more.
 *   - Nothing else: where the old wrapper still has all records, a field that is not broken has the
 *     values that it had, and no others, and no headings or notes are new records.
 *   - Lines: what stands on the page as lines of one element, one below the other, and is given one
 *     after the other, is not torn apart: a line must not end up in a column that was no field
 *     with others in between. Often these are lines of one value.
 *   - Halves: where the old wrapper still has the records, a field that it does not give at all is
 *     given wherever it used to be, or not at all: what stands in a few of its places is most
 *     likely something else.
 *   - Records: as many of them as the old one has with values like those they had, and values of
 *     fields that are not broken together as they were.
 *   - Cuts: records are not cut in places where the page does not part them (repair_signs.h),
 * unless the old wrapper's are cut so as well.
 *
 * Where much is gained, some of what the old wrapper gives may go: it reads parts of values, texts
 * of other fields and records that are several. So values, texts and records that are lost are held
 * against those that are gained, two for one; a value that the field is known to have had counts
 * twice. Fields that the old wrapper hardly gives any more, and labels, are nothing to lose. But
 * where it still has all records, with all of their text, nothing makes up for a loss.
 *
 * Wrappers that were learnt from labels have fields that somebody has named: there nothing makes up
 * for a value, unless the field is broken and gets many more (lost_much).
 */
#include <math.h>

#include "base/error.h"
#include "base/stats.h"
#include "repair/repair_compare.h"
#include "check/missing.h"

/* Of the text of a list so much has to be there. */
#define ITEMS_PART 0.95
/* A field has to be in so much of the places where it used to be. */
#define HALF 0.5
/* Of the text in a list of a record: of two texts the longer may be gone, of more not all but one.
 */
#define LIST_PART 0.33
/* As many records as before: pages of a site have about as many. */
#define SAME_COUNT 0.75
/* A field that matters less than this: see loses_values. */
#define MINOR 0.3
/* A broken field may lose one value where it gains so many. */
#define GAIN 5
/* A record with less than this of its fields is a piece of one: cut in two, it has a half. */
#define PIECE 0.67

enum {
    PARTED = 4,   /* one record in so many may be parted, whatever is gained */
    CUT_PART = 4, /* one record in so many that has a sign of a wrong cut is no exception */
    FEW_PART = 10 /* one record in so many that the old wrapper still gives is hardly any */
};

/* Whether a broken field of labels lost more than a few of the values that it had left, for the
 * many that it has again. */
static bool lost_much(const th__comparison *c)
{
    for (uint32_t f = 0; f < c->repair->profile->count; f++)
        if (c->missed[f] && c->again[f] < c->given[f] + GAIN * c->missed[f])
            return true;
    return false;
}

/* Whether records have so little of the text that they used to have in a list: where a text of
 * every second one is lost as well, it may be what they are about, whatever else they have again.
 */
static bool lacks_items(const th__comparison *c)
{
    const th__profile *profile = c->repair->profile;
    for (uint32_t i = 0; i < c->now.tally->count && profile->records; i++) {
        const th__field_tally *now = &c->now.tally->fields[i];
        if (!th__is_list_path(now->path) || now->target || c->now.field_of[i] == TH__NO_COLUMN)
            continue;
        const th__field_profile *old = &profile->fields[c->now.field_of[i]];
        double before = expm1(old->length) * (double)old->values / (double)profile->records;
        double after = (double)now->bytes / (double)(c->now.tally->records + 1);
        if (old->values > profile->records && after < LIST_PART * before)
            return true;
    }
    return false;
}

/* A list must not become one of its items, broken or not. */
static bool lost_items(const th__comparison *c)
{
    for (uint32_t i = 0; i < c->old.tally->count; i++) {
        const th__field_tally *old = &c->old.tally->fields[i];
        uint64_t bytes = 0;
        if (!th__is_list_path(old->path) || old->target || c->old.field_of[i] == TH__NO_COLUMN)
            continue;
        for (uint32_t j = 0; j < c->now.tally->count; j++)
            if (c->now.field_of[j] == c->old.field_of[i])
                bytes = c->now.tally->fields[j].bytes;
        if ((double)bytes < ITEMS_PART * (double)old->bytes)
            return true;
    }
    return false;
}

/* Whether a field that was not given is given in less than half of its places, and that is no
 * chance. */
static bool is_half(const th__comparison *c)
{
    for (uint32_t i = 0; i < c->now.tally->count; i++) {
        const th__field_tally *now = &c->now.tally->fields[i];
        uint32_t f = c->now.field_of[i];
        if (f == TH__NO_COLUMN || now->target || !now->values || c->given[f])
            continue;
        const th__field_profile *old = &c->repair->profile->fields[f];
        double usual = th__usual_share(old->values, old->chances);
        if ((double)now->values < HALF * usual * (double)now->chances &&
            th__binomial_lower(now->values, now->chances, usual) < c->repair->alpha)
            return true;
    }
    return false;
}

/* Whether what is gained makes up for what is lost: a few values are lost that were wrong, or that
 * stand in records which are cut otherwise. */
static bool makes_up(const th__comparison *c, uint64_t gained, uint64_t lost)
{
    return !lost || (!th__compare_has_labels(c) && gained >= TH__MAKE_UP * lost);
}

/* Whether the old wrapper gives less than half of the values of a field that the records should
 * have, as many as there are now and not more than there were: the field is broken, too few as it
 * has to show it. */
static bool is_scarce(const th__comparison *c, uint32_t field)
{
    const th__profile *profile = c->repair->profile;
    const th__field_profile *old = &profile->fields[field];
    double before = profile->pages ? (double)profile->records / (double)profile->pages : 0;
    double records = fmin((double)c->now.right, before * (double)c->repair->page_count);
    double usual = old->chances ? fmin(1, (double)old->values / (double)old->chances) : 0;
    return (double)c->given[field] < HALF * usual * records;
}

/* Whether records are about as many a page as before. */
static bool is_as_before(const th__comparison *c, const th__side *s)
{
    const th__profile *profile = c->repair->profile;
    double before = profile->pages ? (double)profile->records / (double)profile->pages : 0;
    double now = s->tally->pages ? (double)s->tally->records / (double)s->tally->pages : 0;
    return fmin(before, now) >= SAME_COUNT * fmax(before, now);
}

/* What few records have, or what goes with a text, is not what they are: then values of other
 * fields make up for it. */
static bool loses_values(const th__comparison *c, uint32_t field)
{
    bool minor =
        th__field_weight(&c->repair->profile->fields[field], c->repair->targets[field]) < MINOR;
    uint64_t gained = c->gained[field];
    for (uint32_t f = 0; minor && f < c->repair->profile->count; f++)
        gained += f == field ? 0 : c->gained[f];
    return !makes_up(c, gained, c->lost[field]) &&
           (th__compare_has_labels(c) || !is_scarce(c, field));
}

/* Whether the old wrapper still has all records. */
static bool has_all(const th__comparison *c)
{
    return 10 * c->old.right >= 9 * c->now.right;
}

/* Whether anything is lost where the old wrapper still has all records, and all of their text: then
 * nothing that is gained is worth it. */
static bool loses_anything(th__comparison *c)
{
    bool lost = th__count_distinct(&c->lost_texts) > 0;
    for (uint32_t f = 0; !lost && f < c->repair->profile->count; f++)
        lost = c->lost[f] && !c->repair->targets[f];
    return lost && has_all(c) && 10 * c->old.bytes >= 9 * c->now.bytes;
}

/* ---- wrong cuts ------------------------------------------------------------------------------ */

/* Whether so many of the new records have a sign that they are cut wrongly that it is not chance,
 * and far more of them than of the old ones. */
static bool is_more(const th__comparison *c, uint64_t now, uint64_t old)
{
    return CUT_PART * now >= c->now.count && now * c->old.count > 2 * old * c->now.count;
}

/* Records of a side without those that are cut wrongly. */
static uint64_t right_without(const th__side *side, uint64_t wrong)
{
    return side->right > wrong ? side->right - wrong : 0;
}

/* Whether most new records hold several of the page's elements: parts of neighbours may be among
 * them. */
static bool are_several_elements(const th__comparison *c)
{
    return 2 * c->now_signs.spanning >= c->now.count;
}

/* Whether columns stand now in this order, now in that. Which is the wrong one is not known: there
 * may be more than those with the less frequent one, so twice as many as the old wrapper has are to
 * be beyond doubt. */
static bool is_swapped(const th__comparison *c)
{
    uint64_t now = th__signs_swapped(&c->now_signs), old = th__signs_swapped(&c->old_signs);
    return are_several_elements(c) && is_more(c, now, old) &&
           right_without(&c->now, now) < 2 * right_without(&c->old, old);
}

/* Whether records are parted more inside than from each other: parts of neighbours are together. In
 * the others that hold several elements they are likely to be as well, and again twice as many are
 * to be beyond doubt. Where the old wrapper gives hardly any, it may well have cut them like this.
 */
static bool is_inverted(const th__comparison *c)
{
    return FEW_PART * c->old.right >= c->now.right &&
           is_more(c, c->now_signs.inverted, c->old_signs.inverted) &&
           right_without(&c->now, c->now_signs.spanning) <
               2 * right_without(&c->old, c->old_signs.inverted);
}

/* Whether records reach over several of the page's elements, where those of the old wrapper, which
 * are as many, are one each: it reads one in two, and that is no reason to put both into one. */
static bool is_spanning(const th__comparison *c)
{
    return has_all(c) && are_several_elements(c) &&
           is_more(c, c->now_signs.spanning, c->old_signs.spanning);
}

/* Whether records are more than before, and have just some of the fields each that they had: these
 * are pieces of records. */
static bool is_in_pieces(const th__comparison *c)
{
    const th__profile *profile = c->repair->profile;
    return !is_as_before(c, &c->now) &&
           c->now.tally->records * profile->pages > profile->records * c->now.tally->pages &&
           th__signs_fullness(&c->now_signs, c->repair) < PIECE;
}

/* Whether a text of every second record is given in several columns: fields that were not found
 * have another's. Where records are gained, that makes up for two. */
static bool is_doubled(const th__comparison *c)
{
    bool all = has_all(c);
    uint64_t now = all ? c->now_signs.doubled : c->now_signs.trebled;
    return 2 * now >= c->now.count &&
           is_more(c, now, all ? c->old_signs.doubled : c->old_signs.trebled);
}

/* Whether a field that is not broken, and that was one text, is a list now: others are among its
 * texts. */
static bool is_listed(const th__comparison *c)
{
    const th__signs *now = &c->now_signs;
    for (uint32_t f = 0; f < c->repair->profile->count; f++)
        if (!c->repair->targets[f] && !c->repair->drifting[f] && now->listed[f] &&
            !th__is_list_path(c->repair->profile->fields[f].path) &&
            CUT_PART * now->listed[f] >= now->with[f])
            return true;
    return false;
}

/* Whether records are cut in wrong places, where the old wrapper still gives some. Pages of one
 * record each are not cut. */
static bool is_cut_wrongly(const th__comparison *c)
{
    const th__profile *profile = c->repair->profile;
    if (!c->old.right || profile->records < TH__SIGN_RECORDS * profile->pages)
        return false;
    if (is_swapped(c) || is_inverted(c) || is_in_pieces(c))
        return true;
    /* Where the old wrapper still has the records, there is more to lose. One whose records are
     * several of the page's each never read them: which are read, and how, is chance before and
     * after. */
    return 2 * c->old.right >= c->now.right && !th__compare_has_labels(c) &&
           (is_spanning(c) || is_doubled(c) || is_listed(c) || th__signs_repeat(c->repair));
}

bool th__compare_is_worse(th__comparison *c)
{
    for (uint32_t f = 0; f < c->repair->profile->count; f++)
        if (loses_values(c, f))
            return true;
    if (is_cut_wrongly(c))
        return true;
    bool labels = th__compare_has_labels(c);
    if (!labels && loses_anything(c))
        return true;
    /* Records that were several each are parted: there are many more now, and as many as before.
     * Else, most of those that are found stay whole. */
    bool several = !labels && 2 * c->now.right >= 3 * c->old.right && is_as_before(c, &c->now) &&
                   !is_as_before(c, &c->old);
    if (!labels && !several && PARTED * c->parted > c->old.right)
        return true;
    /* What has less than half as many records as there are, or half of their text, is not the
     * list any more. */
    if (2 * c->old.right < c->now.right || (!labels && 2 * c->old.bytes < c->now.bytes))
        return !labels && c->old.right && lacks_items(c) &&
               2 * th__count_distinct(&c->lost_texts) >= c->old.right;
    if (lost_much(c) || is_half(c))
        return true;
    /* Where the old one still has all records, none is added that is hardly one, or none at all.
     * Labels say what is a record: where they are as many as before, none is added. */
    bool all = has_all(c);
    if (!labels && all && c->now.count - c->now.right > c->old.count - c->old.right)
        return true;
    /* Nor does another engine put more into them: that cuts otherwise, and may put two into one. */
    if (!labels && all && c->strange && c->now.wrapper->engine != c->repair->wrapper->engine)
        return true;
    bool added = !labels || c->now.tally->records > c->old.tally->records;
    if (added && c->now.thin > c->old.thin &&
        10 * c->old.right + 9 * c->now.thin >= 9 * c->now.right)
        return true;
    /* Where the old one still has all records, fields that are not broken get nothing new. */
    for (uint32_t f = 0; all && f < c->repair->profile->count; f++)
        if (c->added[f])
            return true;
    /* A record that is gained makes up for one that is torn. */
    if (c->old.right + c->torn > c->now.right && c->torn)
        return true;
    bool parted = c->parted && !several;
    return c->now.right < c->old.right ||
           (parted && !makes_up(c, c->now.right - c->old.right, c->parted)) ||
           !makes_up(c, th__count_distinct(&c->gained_texts), th__count_distinct(&c->lost_texts)) ||
           lost_items(c);
}

th_status th__repair_guard(th_repair *repair, const th_wrapper *now, const th__tally *tally,
                           bool *worse, th_error *err)
{
    th__comparison c;
    th_status status = th__compare_init(&c, repair, now, tally) ? TH_OK : th__fail_memory(err);
    for (uint32_t i = 0; !status && i < repair->page_count; i++) {
        status = th__repair_check(repair, err);
        if (!status)
            status = th__compare_page(&c, &repair->pages[i], err);
    }
    *worse = !status && th__compare_is_worse(&c);
    th__compare_release(&c);
    return status;
}
