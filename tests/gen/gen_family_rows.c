/*
 * gen_family_rows.c: two or three table rows a record: a row for the name, one for the small
 * fields, one for the text, often a spacer row. No element holds a record.
 */
#include "gen_site.h"

static void dress(gen_site *site, gen_tpl *leaf)
{
    gen_rng rng = gen_fork(site->layout_seed, 0x405 + (uint64_t)leaf->node->role);
    const bool css = gen_seed(site->layout_seed, 0x404) % 2;
    if (leaf->node->role == GEN_ROLE_KEY || gen_below(&rng, 3) == 0)
        leaf->in = "<b>", leaf->out = "</b>";
    else if (css)
        leaf->in = GEN_S(site, "<span class=%s>", gen_class(site, "value")), leaf->out = "</span>";
    else
        leaf->in = leaf->out = "";
}

static void visit(gen_site *site, gen_tpl *tpl)
{
    gen_rng rng = gen_fork(site->layout_seed, 0x406 + tpl->node->id);
    if (tpl->node->type == GEN_LEAF && tpl->level > 0) {
        dress(site, tpl);
        tpl->before = tpl->slot == 0 && tpl->parent->node->type == GEN_TUPLE ? ""
                      : gen_below(&rng, 2)                                   ? " "
                                           : GEN_S(site, " %s: ", tpl->node->label);
    }
    if (tpl->node->type != GEN_SET)
        return;
    if (tpl->kids[0]->node->type == GEN_LEAF) {
        tpl->between = ", ";
    } else if (gen_below(&rng, 2)) {
        tpl->before = "<ul>", tpl->after = "</ul>";
        tpl->kids[0]->before = "<li>", tpl->kids[0]->after = "</li>";
    } else {
        tpl->kids[0]->before = "<div>", tpl->kids[0]->after = "</div>\n";
    }
}

/* A small field inside the shared cell of the second row, or a cell of its own. */
static void small_field(gen_site *site, gen_tpl *kid, bool cells, const char *gap)
{
    gen_tpl *inner = kid->node->type == GEN_OPTIONAL ? kid->kids[0] : kid;
    const char *label =
        kid->node->label && GEN_MAYBE(site, 0.6) ? GEN_S(site, "%s: ", kid->node->label) : "";
    if (inner->node->type == GEN_LEAF)
        dress(site, inner);
    inner->before = GEN_S(site, "%s%s%s", cells ? "<td>" : gap, label, inner->before);
    inner->after = GEN_S(site, "%s%s", inner->after, cells ? "</td>\n" : "");
    if (kid != inner || kid->node->type == GEN_SET)
        kid->absent = cells ? "<td>-</td>\n" : "";
    for (uint32_t b = 0; kid->node->type == GEN_CHOICE && b < kid->count; b++)
        for (uint32_t i = 0; i < kid->kids[b]->count; i++) {
            dress(site, kid->kids[b]->kids[i]);
            kid->kids[b]->kids[i]->before =
                gen_fill(site, i ? " (@ " : "@ ", kid->kids[b]->kids[i]->node->label);
            kid->kids[b]->kids[i]->after = i ? ")" : "";
        }
}

static void build(gen_site *site)
{
    site->upper = GEN_MAYBE(site, 0.3);
    site->naming = GEN_MAYBE(site, 0.5) ? GEN_NAME_SHORT : GEN_NAME_PLAIN;
    if (GEN_MAYBE(site, 0.5))
        gen_chrome_nineties(site);
    else
        gen_chrome_noughties(site);
    gen_tpl *root = site->root, *picture = gen_tpl_role(root, GEN_ROLE_IMAGE), *last = NULL;
    gen_tpl_each(site, root, visit);
    /* Texts and sets go to the third row. */
    const bool third = GEN_MAYBE(site, 0.7);
    for (uint32_t i = 0; third && i < root->count && !last; i++)
        if (root->kids[i]->node->role == GEN_ROLE_TEXT && root->kids[i]->node->type == GEN_LEAF)
            last = root->kids[i];
    if (last)
        gen_tpl_move(root, last, root->count);
    uint32_t small = 0;
    for (uint32_t i = 0; i < root->count; i++) {
        const gen_role role = root->kids[i]->node->role;
        small += root->kids[i] != last && role != GEN_ROLE_KEY && role != GEN_ROLE_LINK &&
                 role != GEN_ROLE_IMAGE;
    }
    const bool cells = GEN_MAYBE(site, 0.4), spacer = GEN_MAYBE(site, 0.5);
    const uint32_t width = cells && small > 1 ? small : 2;
    const char *span = GEN_S(site, " colspan=%u", width);
    gen_tpl *key = gen_tpl_leaf(gen_tpl_role(root, GEN_ROLE_KEY));
    dress(site, key);
    gen_tpl_anchor(site, root,
                   picture && GEN_MAYBE(site, 0.5) ? GEN_S(site, "<td%s class=hd>", span)
                                                   : GEN_S(site, "<td%s>", span),
                   "<a href=\"", "\">", "</a>",
                   small
                       ? GEN_S(site, "</td></tr>\n<tr>%s", cells ? "" : GEN_S(site, "<td%s>", span))
                       : "</td>");
    if (picture) {
        gen_tpl *leaf = gen_tpl_leaf(picture);
        leaf->before =
            GEN_S(site, "<td rowspan=%u valign=top><img src=\"", (small > 0) + 1u + (last != NULL));
        leaf->after = "\" width=80></td>\n";
        picture->absent = leaf == picture ? NULL
                                          : GEN_S(site, "<td rowspan=%u></td>\n",
                                                  (small > 0) + 1u + (last != NULL));
        gen_tpl_move(root, picture, 0);
    }
    const char *gap = GEN_ONE(site, " | ", " &nbsp; ", "<br>\n", " &bull; ");
    for (uint32_t i = 0; i < root->count; i++) {
        gen_tpl *kid = root->kids[i];
        const gen_role role = kid->node->role;
        if (kid != last && role != GEN_ROLE_KEY && role != GEN_ROLE_LINK && role != GEN_ROLE_IMAGE)
            small_field(site, kid, cells, gap);
    }
    if (last) {
        dress(site, last);
        last->in = last->out = "";
        last->before = GEN_S(site, "%s</tr>\n<tr><td%s>", cells || !small ? "" : "</td>", span),
        last->after = "</td>";
    }
    gen_layout *l = &site->layout;
    root->loose = !cells;
    if (last)
        last->zone = 1;
    l->open = GEN_ONE(site, "<table width=\"100%\" cellpadding=2>\n",
                      "<table border=0 class=results>\n", "<table>\n<tbody>\n");
    l->close = l->open[7] == '\n' ? "</tbody></table>\n" : "</table>\n";
    l->cycle = GEN_MAYBE(site, 0.3) ? 2 : 1;
    l->record_before[0] = "<tr>", l->record_before[1] = "<tr bgcolor=\"#eef\">";
    const char *end =
        GEN_S(site, "%s</tr>\n%s", !last && !cells && small ? "</td>" : "",
              spacer ? GEN_S(site, "<tr><td%s height=8><hr size=1></td></tr>\n", span) : "");
    l->record_after[0] = l->record_after[1] = end;
    l->adverts[0] =
        GEN_S(site, "<tr><td%s align=center><a href=\"/ads/$#\">$V $T</a></td></tr>\n", span);
    l->adverts[1] = GEN_S(site, "<tr><th%s>$C</th></tr>\n", span);
    l->advert_count = 2;
}

const gen_family gen_family_rows = {"rows", "two or three table rows a record, spacer rows",
                                    GEN_MAKES_LIST, build, dress};
