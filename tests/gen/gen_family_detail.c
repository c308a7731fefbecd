/*
 * gen_family_detail.c: one record a page: a heading, pictures, a block of labels and values in one
 * of five shapes, texts and sets in sections of their own.
 */
#include "gen_site.h"

typedef struct pair_form {
    const char *open, *row, *label, *value, *row_end,
        *close; /* '@' in label: the words; in open, row: a class */
} pair_form;

static const pair_form pair_forms[] = {
    {"<table class=\"@\"><tbody>\n", "<tr>", "<th scope=\"row\">@</th>", "<td>", "</td></tr>\n",
     "</tbody></table>\n"},
    {"<dl class=\"@\">\n", "", "<dt>@</dt>", "<dd>", "</dd>\n", "</dl>\n"},
    {"<ul class=\"@\">\n", "<li>", "<strong>@:</strong> ", "", "</li>\n", "</ul>\n"},
    {"<div class=\"@\">\n", "<div class=\"@\">", "<div>@</div>", "<div>", "</div></div>\n",
     "</div>\n"},
    {"<div class=\"@\">\n", "<p>", "<span>@</span> ", "", "</p>\n", "</div>\n"},
};

static void dress(gen_site *site, gen_tpl *leaf)
{
    gen_rng rng =
        gen_fork(site->layout_seed, 0xDE7 + (uint64_t)leaf->node->role + leaf->node->id * 8);
    const uint32_t which = gen_below(&rng, 4);
    if (which == 0)
        leaf->in = GEN_S(site, "<span id=\"%s\">", gen_class(site, leaf->node->name)),
        leaf->out = "</span>";
    else if (which == 1)
        leaf->in = GEN_S(site, "<span class=\"%s\">", gen_class(site, "value")),
        leaf->out = "</span>";
    else
        leaf->in = leaf->out = "";
}

static void set_inside(gen_site *site, gen_tpl *tpl)
{
    gen_rng rng = gen_fork(site->layout_seed, 0xDE8 + tpl->level);
    if (tpl->node->type == GEN_LEAF && tpl->level > 0) {
        gen_rng own = gen_fork(site->layout_seed, 0xDE9 + tpl->node->id);
        dress(site, tpl);
        const bool lead = tpl->slot == 0 && tpl->parent->node->type == GEN_TUPLE;
        const uint32_t form = gen_below(&own, 3);
        if (tpl->node->role == GEN_ROLE_TEXT)
            tpl->in = tpl->out = "", tpl->before = "<p>", tpl->after = "</p>\n";
        else if (form == 0)
            tpl->before = GEN_S(site, "<b>%s</b> ", tpl->node->label), tpl->after = "<br>\n";
        else
            tpl->before = lead ? "<span class=\"who\">" : "<span>", tpl->after = "</span> ";
    }
    if (tpl->node->type != GEN_SET || tpl->kids[0]->node->type == GEN_LEAF) {
        tpl->between = ", ";
        return;
    }
    const char *tag = gen_below(&rng, 2) ? "ul" : "div", *kid = tag[0] == 'u' ? "li" : "div";
    const char *name = gen_class(site, tpl->node->name);
    tpl->before = GEN_S(site, "<%s class=\"%s\">\n", tag, name),
    tpl->after = GEN_S(site, "</%s>\n", tag);
    tpl->kids[0]->before = GEN_S(site, "<%s>", kid),
    tpl->kids[0]->after = GEN_S(site, "</%s>\n", kid);
}

static void pair(gen_site *site, gen_tpl *kid, const pair_form *form)
{
    gen_tpl *inner = kid->node->type == GEN_OPTIONAL ? kid->kids[0] : kid;
    const char *row = gen_fill(site, form->row, gen_class(site, "row"));
    if (kid->node->type == GEN_CHOICE) { /* each branch is rows of its own */
        for (uint32_t b = 0; b < kid->count; b++)
            for (uint32_t i = 0; i < kid->kids[b]->count; i++)
                pair(site, kid->kids[b]->kids[i], form); /* leaves: one level */
        return;
    }
    if (inner->node->type == GEN_LEAF)
        dress(site, inner);
    inner->before = GEN_S(site, "%s%s%s%s", row, gen_fill(site, form->label, kid->node->label),
                          form->value, inner->before);
    inner->after = GEN_S(site, "%s%s", inner->after, form->row_end);
    /* an absent value may leave its row behind */
    if (inner != kid && gen_seed(site->layout_seed, 0xDEA + kid->node->id) % 3 == 0)
        kid->absent = GEN_S(site, "%s%s%sn/a%s", row, gen_fill(site, form->label, kid->node->label),
                            form->value, form->row_end);
}

static void build(gen_site *site)
{
    gen_rng names = gen_fork(site->layout_seed, 0xDE6);
    site->naming = (gen_naming)gen_below(&names, 6);
    if (GEN_MAYBE(site, 0.6))
        gen_chrome_modern(site);
    else
        gen_chrome_noughties(site);
    gen_tpl *root = site->root, *picture = gen_tpl_role(root, GEN_ROLE_IMAGE);
    gen_tpl_each(site, root, set_inside);
    const pair_form *form = &pair_forms[GEN_MANY(site, 0, 4)];
    gen_tpl *key = gen_tpl_leaf(gen_tpl_role(root, GEN_ROLE_KEY));
    const char *head = GEN_ONE(site, "<h1>", "<h2>", "<div class=\"name\">"),
               *head_end = head[1] == 'd'   ? "</div>\n"
                           : head[2] == '1' ? "</h1>\n"
                                            : "</h2>\n";
    key->before = head,
    key->after = GEN_S(
        site, "%s%s", head_end,
        GEN_ONE(site, "",
                "<p><a href=\"#buy\">Order</a> | <a href=\"#print\">Print this page</a></p>\n"));
    if (picture)
        gen_tpl_leaf(picture)->before =
            GEN_S(site, "<div class=\"%s\"><img src=\"", gen_class(site, "image")),
        gen_tpl_leaf(picture)->after = "\" alt=\"\"></div>\n";
    /* Pairs first, then texts, then sets; each kind in its zone. */
    gen_tpl *kids[80];
    uint32_t count = 0;
    for (uint32_t zone = 0; zone < 4; zone++) {
        bool first = true;
        for (uint32_t i = 0; i < root->count; i++) {
            gen_tpl *kid = root->kids[i];
            const gen_role role = kid->node->role;
            const bool set = kid->node->type == GEN_SET && kid->kids[0]->node->type == GEN_TUPLE;
            const uint32_t own = role == GEN_ROLE_KEY || role == GEN_ROLE_IMAGE ? 0
                                 : set                                          ? 3
                                 : role == GEN_ROLE_TEXT                        ? 2
                                                                                : 1;
            if (own != zone)
                continue;
            kids[count++] = kid;
            kid->zone = zone;
            if (zone == 1) {
                pair(site, kid, form);
                if (first)
                    kid->lead = gen_fill(site, form->open, gen_class(site, "list"));
            } else if (zone == 2) {
                gen_tpl *inner = gen_tpl_leaf(kid);
                inner->before = GEN_S(site, "<h3>%s</h3>\n<div>", kid->node->label),
                inner->after = "</div>\n";
            } else if (zone == 3) {
                kid->before =
                    GEN_S(site, "<section><h3>%s</h3>\n%s", kid->node->label, kid->before);
                kid->after = GEN_S(site, "%s</section>\n", kid->after);
            }
            if (zone > 1 && first && count > 1 && kids[count - 2]->zone == 1)
                kid->lead = form->close;
            first = false;
        }
    }
    for (uint32_t i = 0; i < count; i++)
        root->kids[i] = kids[i];
    gen_layout *l = &site->layout;
    l->open = GEN_S(site, "<div class=\"%s\">\n", gen_class(site, "detail"));
    l->close = GEN_S(site, "%s</div>\n", count && kids[count - 1]->zone == 1 ? form->close : "");
}

const gen_family gen_family_detail = {
    "detail", "one record a page: labels and values in five shapes, sections", GEN_MAKES_DETAIL,
    build, dress};
