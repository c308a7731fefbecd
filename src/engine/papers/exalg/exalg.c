/*
 * exalg.c: Arasu, Garcia-Molina, "Extracting Structured Data from Web Pages" (SIGMOD 2003, with the
 * appendix of the long version): the template behind pages, and the data that it was filled with,
 * without any labels.
 *
 * The idea
 * --------
 * A page is made of a value and a template: strings around the members of tuples, separators
 * between the items of sets. Tokens (words and tags) that come of one string of the template occur
 * equally often on every page: their occurrence vectors are the same. Sets of tokens with the same
 * vector that are large and on many pages are hardly ever formed by chance. So:
 *
 *   DIFFFORM    tokens at different paths of the tree have different roles: they become dtokens
 *   FINDEQ      equivalence classes: dtokens with one occurrence vector; large and frequent ones
 *               (LFEQs) have at least SIZETHRES dtokens and stand on at least SUPTHRES pages
 *   HANDINV     throws out or cuts classes that are not ordered, or not nested with the others
 *   DIFFEQ      a dtoken inside of an LFEQ, between its third and fourth token, has another role
 *               than one elsewhere; new dtokens, and again from FINDEQ until there are none
 *   CONSTTEMP   what stands between the tokens of a class: nothing, a text, other classes: text,
 *               list, list with separator, one of several, optional
 *   EXVAL       the values of a page
 *
 * An example
 * ----------
 * Pages <h1>Ulysses</h1><ul><li>by Joyce</ul>, <h1>Emma</h1><ul><li>by Austen<li>by Anon</ul>, ...:
 * <h1>, </h1>, <ul>, </ul> occur once on each: the root class, with a text in its first position
 * and occurrences of the class <li>, by, which occurs 1, 2, ... times, in its third. The template
 * is < <h1> * </h1> <ul> {< <li> by * >} </ul> >, the schema <B,{<B>}>. (Two tokens are too few for
 * an LFEQ; real items have more.)
 *
 * Words of the paper in the code: token, dtoken, role, occurrence path, equivalence class, LFEQ,
 * position, PosString; basic type, tuple, set, optional, disjunction.
 *
 * The files
 * ---------
 * As published (--paper): exalg_tokens.c makes strings of tokens and does DIFFFORM, exalg_classes.c
 * has FINDEQ, DIFFEQ and the loop, exalg_invalid.c HANDINV, exalg_construct.c CONSTTEMP. The
 * outcome is a template (exalg_template.h), which exalg_match.c runs on pages, also unseen ones.
 *
 * Better than published (the default): roles come from the tree of elements (exalg_roles.h).
 * Template text has its place there as the paper's LFEQs have, and differentiates what stands
 * behind it; but a role is found by what is at hand (parent, tag, class, label), not by counting,
 * so that optional rows in any order keep their columns, rare ones too, and a surprise on an unseen
 * page stays where it is. exalg_outline.c reads a page, exalg_children.c and exalg_cells.c tell
 * children apart, exalg_lines_learn.c and exalg_slots_learn.c the parts of lines of text (see
 * exalg_lines.h), exalg_items_learn.c elements that look alike, exalg_fields.c and
 * exalg_pieces_learn.c find what is data, exalg_names.c names it,
 * exalg_prune.c leaves out what others say too, exalg_roles.c, exalg_lines_run.c and
 * exalg_roles_run.c run roles on pages. Each deviation is a switch, see exalg.h.
 *
 * exalg_wrapper.c joins both to an engine, leaves pages of another kind out, and sets the floor
 * below which a page counts as one of another template.
 *
 * Cost
 * ----
 * Paper mode: linear in the tokens of all pages in each round of the loop (two or three on most
 * sites, 64 at most) but for HANDINV, see there. Roles: linear in the pages. Running either: linear
 * in the page, a logarithm aside in paper mode.
 *
 * What the paper leaves open is settled in the heads of the files; thresholds are "at least".
 */
#include "engine/papers/exalg/exalg.h"

#include "base/str.h"

#define SWITCH(name)                                                                               \
    {                                                                                              \
#name, offsetof(th__exalg_options, name)                                                   \
    }

const th__exalg_switch th__exalg_switches[] = {
    SWITCH(roles),         SWITCH(inner_markup),  SWITCH(beside),
    SWITCH(pieces),        SWITCH(attributes),    SWITCH(names),
    SWITCH(near_constant), SWITCH(drop_constant), SWITCH(one_element_sets),
    SWITCH(placeholders),  SWITCH(other),         SWITCH(lines),
    SWITCH(drop_mirrored), SWITCH(items),
};
const size_t th__exalg_switch_count = sizeof th__exalg_switches / sizeof *th__exalg_switches;

static void set(th__exalg_options *options, const th__exalg_switch *one, bool value)
{
    *(bool *)((char *)options + one->offset) = value;
}

bool th__exalg_options_set(th__exalg_options *options, th_str name, bool value)
{
    for (size_t i = 0; i < th__exalg_switch_count; i++)
        if (th__str_eq(name, th_str_from(th__exalg_switches[i].name))) {
            set(options, &th__exalg_switches[i], value);
            return true;
        }
    return false;
}

void th__exalg_options_init(th__exalg_options *options)
{
    th__exalg_options_paper(options);
    for (size_t i = 0; i < th__exalg_switch_count; i++)
        set(options, &th__exalg_switches[i], true);
}

void th__exalg_options_paper(th__exalg_options *options)
{
    *options = (th__exalg_options){.size_threshold = 3, .support = 0.25};
}
