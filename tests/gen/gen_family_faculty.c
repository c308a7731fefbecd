/*
 * gen_family_faculty.c: people of a department, the pages SoftMealy was tried on: itemized by hand,
 * attributes missing, repeated and in several orders, few delimiters.
 */
#include "gen_site.h"

typedef struct faculty_form {
    const char *list, *list_end, *item, *item_end;
} faculty_form;

static const faculty_form forms[] = {
    {"<ul>\n", "</ul>\n", "<li> ", "\n"},
    {"<ol>\n", "</ol>\n", "<li>", "</li>\n"},
    {"<dl>\n", "</dl>\n", "<dt>", "\n"},
    {"", "", "<p>\n", "\n"},
    {"<table border=0>\n", "</table>\n", "<tr><td>", "</td></tr>\n"},
    {"<blockquote>\n", "</blockquote>\n", "", "<br>\n"},
};

static void dress(gen_site *site, gen_tpl *leaf)
{
    /* Few delimiters: two neighbouring attributes often look the same. */
    gen_rng rng = gen_fork(site->layout_seed, 0xFAC + leaf->node->id / 4);
    static const char *const pairs[][2] = {{"<i>", "</i>"}, {"<i>", "</i>"},
                                           {"", ""},        {"<em>", "</em>"},
                                           {"<b>", "</b>"}, {"<font size=-1>", "</font>"}};
    const uint32_t which = leaf->node->role == GEN_ROLE_KEY ? 2 : gen_below(&rng, 6);
    leaf->in = pairs[which][0];
    leaf->out = pairs[which][1];
}

static void build(gen_site *site)
{
    site->upper = GEN_MAYBE(site, 0.6);
    gen_chrome_nineties(site);
    const faculty_form *form = &forms[GEN_MANY(site, 0, 5)];
    gen_tpl *root = site->root, *key = gen_tpl_leaf(gen_tpl_role(root, GEN_ROLE_KEY));
    const char *wrap = GEN_ONE(site, "", "<b>", "<strong>");
    dress(site, key);
    gen_tpl_anchor(site, root, wrap, "<a href=\"", "\">\n    ", "</a>",
                   !*wrap           ? ""
                   : wrap[1] == 'b' ? "</b>"
                                    : "</strong>");
    if (key->parent->node->type == GEN_SET)
        key->parent->between = GEN_ONE(site, " and ", " / ");
    for (uint32_t i = 0; i < root->count; i++) {
        gen_tpl *kid = root->kids[i], *leaf = gen_tpl_leaf(kid);
        gen_rng rng = gen_fork(site->layout_seed, 0xFAD + i);
        if (leaf == key || gen_tpl_is_attr(leaf))
            continue;
        dress(site, leaf);
        const bool labelled = leaf->node->kind == GEN_V_PHONE || leaf->node->kind == GEN_V_YEAR ||
                              gen_chance(&rng, 0.25);
        const char *gap = GEN_PICK(&rng, ", ", ", ", "<br>\n", "; ", " - ");
        kid->before = labelled ? GEN_S(site, "%s%s: ", gap, leaf->node->label) : gap;
        kid->between = GEN_PICK(&rng, ", ", "; ", "<br>");
    }
    gen_layout *l = &site->layout;
    l->open = form->list, l->close = form->list_end;
    l->record_before[0] = form->item, l->record_after[0] = form->item_end;
    /* Headings close and open the list, as hand-made pages do. */
    l->adverts[0] = GEN_S(site, "%s<h3>$C</h3>\n%s", form->list_end, form->list);
    l->adverts[1] = GEN_S(site, "%s<p>$S</p>\n%s", form->list_end, form->list);
    l->advert_count = 2;
}

const gen_family gen_family_faculty = {
    "faculty", "people itemized by hand: missing, repeated, permuted attributes", GEN_MAKES_FACULTY,
    build, dress};
