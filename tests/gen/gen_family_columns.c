/*
 * gen_family_columns.c: records side by side. Either whole records in a row of cells, or, as in
 * MDR's figures 17 and 18, the names of a group in one row and the rest in the next: then a record
 * is not one stretch of the page. A variant puts all names in the first row and all the rest in the
 * second.
 */
#include "gen_site.h"

static void dress(gen_site *site, gen_tpl *leaf)
{
    gen_rng rng = gen_fork(site->layout_seed, 0xC01 + (uint64_t)leaf->node->role * 2 + leaf->level);
    static const char *const forms[][2] = {{"<b>", "</b>"},           {"", ""},
                                           {"<span>", "</span>"},     {"<i>", "</i>"},
                                           {"<strong>", "</strong>"}, {"<small>", "</small>"}};
    const uint32_t which = gen_below(&rng, 6);
    leaf->in = forms[which][0];
    leaf->out = forms[which][1];
}

static void visit(gen_site *site, gen_tpl *tpl)
{
    gen_rng rng = gen_fork(site->layout_seed, 0xC02 + tpl->node->id);
    const char *line = gen_seed(site->layout_seed, 0xC03) % 2 ? "<br>" : "<div>";
    const char *end = line[1] == 'd' ? "</div>\n" : "\n";
    if (tpl->node->type == GEN_LEAF && !gen_tpl_is_attr(tpl) && tpl->node->role != GEN_ROLE_KEY) {
        dress(site, tpl);
        const char *label = gen_below(&rng, 2) ? GEN_S(site, "%s: ", tpl->node->label) : "";
        if (tpl->parent->node->type == GEN_SET)
            return;
        tpl->before = tpl->level
                          ? (tpl->slot == 0 && tpl->parent->node->type == GEN_TUPLE ? "" : " / ")
                          : GEN_S(site, "%s%s", line, label);
        tpl->after = tpl->level ? "" : end;
    }
    if (tpl->node->type != GEN_SET)
        return;
    tpl->before = tpl->level ? " (" : GEN_S(site, "%s%s ", line, tpl->node->label);
    tpl->between = gen_below(&rng, 2) ? ", " : "; ";
    tpl->after = tpl->level ? ")" : end;
}

static void build(gen_site *site)
{
    site->naming = GEN_MAYBE(site, 0.5) ? GEN_NAME_PREFIX : GEN_NAME_CAMEL;
    const bool table = GEN_MAYBE(site, 0.7);
    if (table && GEN_MAYBE(site, 0.6))
        gen_chrome_nineties(site);
    else
        gen_chrome_noughties(site);
    site->upper = table && GEN_MAYBE(site, 0.3);
    gen_tpl *root = site->root, *picture = gen_tpl_role(root, GEN_ROLE_IMAGE);
    gen_tpl_each(site, root, visit);
    gen_tpl_anchor(site, root, "", "<a href=\"", "\">", "</a>", GEN_ONE(site, "\n", "<br>\n"));
    dress(site, gen_tpl_leaf(gen_tpl_role(root, GEN_ROLE_KEY)));
    if (picture) {
        gen_tpl_leaf(picture)->before = "<img src=\"";
        gen_tpl_leaf(picture)->after =
            GEN_ONE(site, "\" border=0><br>\n", "\" width=100 height=75 alt=\"\">\n");
    }
    gen_layout *l = &site->layout;
    const uint32_t form = table ? GEN_MANY(site, 0, 2) : 0;
    l->across = form == 2 ? GEN_MANY(site, 4, 9) : GEN_MANY(site, 2, 5);
    l->parts = form ? 2 : 1;
    root->loose = form == 0;
    if (form) { /* names (with picture and link) above, the rest below */
        uint32_t rest = 0;
        for (uint32_t i = 0; i < root->count; i++) {
            const gen_role role = root->kids[i]->node->role;
            const bool name =
                root->kids[i]->node->type != GEN_SET &&
                (role == GEN_ROLE_KEY || role == GEN_ROLE_LINK || role == GEN_ROLE_IMAGE);
            root->kids[i]->part = name ? 0 : 1;
            rest += !name;
        }
        l->parts = rest ? 2 : 1;
    }
    const char *row =
        table ? "<tr>\n"
              : GEN_S(site, "<div class=\"%s\">\n", GEN_ONE(site, "row", "clearfix", "line"));
    const char *row_end = table ? "</tr>\n" : "</div>\n";
    const char *item = gen_class(site, "item");
    for (uint32_t part = 0; part < l->parts; part++) {
        l->row_open[part] = part && GEN_MAYBE(site, 0.3) ? "<tr bgcolor=\"#f4f4f4\">\n" : row;
        l->row_close[part] = row_end;
        l->cell_open[part] =
            table ? GEN_S(site, "<td valign=%s>", part ? "top" : GEN_ONE(site, "top", "bottom"))
                  : GEN_S(site, "<div class=\"col %s\">", item);
        l->cell_close[part] = table ? "</td>\n" : "</div>\n";
        l->cell_void[part] = table ? "<td>&nbsp;</td>\n" : "";
    }
    l->open = table ? GEN_ONE(site, "<table cellpadding=8>\n", "<table border=0 width=\"100%\">\n",
                              "<table border=1>\n")
                    : GEN_S(site, "<div class=\"%s\">\n", gen_class(site, "list"));
    l->close = table ? "</table>\n" : "</div>\n";
    l->adverts[0] =
        table ? GEN_S(site,
                      "<tr><td colspan=%u align=center><a href=\"/ads/$#\">$V $T</a></td></tr>\n",
                      l->across)
              : GEN_S(site, "<div class=\"%s\"><a href=\"/ads/$#\">$V $T</a></div>\n",
                      gen_class(site, "ad"));
    l->adverts[1] =
        table ? GEN_S(site, "<tr><td colspan=%u><hr></td></tr>\n", l->across) : "<h4>$C</h4>\n";
    l->advert_count = 2;
}

const gen_family gen_family_columns = {"columns",
                                       "records side by side, whole or intertwined row by row",
                                       GEN_MAKES_LIST, build, dress};
