/*
 * gen_family_table.c: tables of the 1990s. A row a record, a cell a field, a heading row, FONT
 * tags, presentational attributes; sets inside a cell. Detail pages: a row for each label and
 * value.
 */
#include "gen_site.h"

static void dress(gen_site *site, gen_tpl *leaf)
{
    const gen_role role = leaf->node->role;
    gen_rng rng = gen_fork(site->layout_seed, 0x7AB1E + (uint64_t)role * 7 + leaf->level);
    static const char *const plain[][2] = {{"", ""},
                                           {"<font size=2>", "</font>"},
                                           {"<font face=\"Arial\">", "</font>"},
                                           {"<small>", "</small>"},
                                           {"<font size=-1 face=\"Verdana,Arial\">", "</font>"}};
    static const char *const strong[][2] = {{"<b>", "</b>"},
                                            {"<font size=+1>", "</font>"},
                                            {"<font color=\"#990000\"><b>", "</b></font>"},
                                            {"<tt>", "</tt>"},
                                            {"", ""}};
    const bool loud = role == GEN_ROLE_KEY || role == GEN_ROLE_PRICE;
    const uint32_t which = gen_below(&rng, 5);
    leaf->in = loud ? strong[which][0] : plain[which][0];
    leaf->out = loud ? strong[which][1] : plain[which][1];
}

static const char *cell_attrs(gen_site *site, gen_role role)
{
    gen_rng rng = gen_fork(site->layout_seed, 0xCE11 + (uint64_t)role);
    switch (role) {
    case GEN_ROLE_PRICE:
        return GEN_PICK(&rng, " align=right", " align=right nowrap", "");
    case GEN_ROLE_TEXT:
        return GEN_PICK(&rng, " width=\"40%\"", "", " valign=top");
    default:
        return GEN_PICK(&rng, "", " valign=top", " nowrap");
    }
}

/* Below the record: sets in a cell as lines, a small table or a bullet list. */
static void inner(gen_site *site, gen_tpl *tpl)
{
    gen_rng rng = gen_fork(site->layout_seed, 0x1111 + tpl->level);
    const uint32_t form = gen_below(&rng, 3);
    const bool in_tuple = tpl->parent && tpl->parent->node->type == GEN_TUPLE;
    if (tpl->node->type == GEN_LEAF && tpl->level > 0) {
        dress(site, tpl);
        const bool first = in_tuple && tpl->slot == 0;
        if (form == 1) {
            tpl->before = "<td>", tpl->after = "</td>";
            if (tpl->parent->node->type == GEN_OPTIONAL)
                tpl->parent->absent = "<td>&nbsp;</td>";
        } else if (!first) {
            tpl->before = GEN_S(site, "%s", form == 0 ? " | " : " - ");
        }
    }
    if (tpl->node->type != GEN_SET)
        return;
    const bool tuples = tpl->kids[0]->node->type == GEN_TUPLE;
    gen_tpl *kid = tpl->kids[0];
    gen_rng deeper = gen_fork(site->layout_seed, 0x1111 + tpl->level + tuples);
    const uint32_t below = gen_below(&deeper, 3);
    const char *cell = tpl->level > 0 && form == 1 ? "<td>" : "", *end = *cell ? "</td>" : "";
    if (!tuples) {
        tpl->between = gen_below(&rng, 2) ? ", " : "<br>";
    } else if (below == 0) {
        /* lines below a line begin further in, or nobody could tell whose they are */
        const bool lines = tpl->level > 0 && !*cell;
        tpl->between = lines ? "<br>\n&nbsp;&nbsp;" : "<br>\n";
        tpl->before = lines ? tpl->between : cell, tpl->after = end;
    } else if (below == 1) {
        tpl->before = GEN_S(site, "%s<table border=0 cellpadding=1>", cell),
        tpl->after = GEN_S(site, "</table>%s", end);
        kid->before = "<tr>", kid->after = "</tr>\n";
    } else {
        tpl->before = GEN_S(site, "%s<ul>", cell), tpl->after = GEN_S(site, "</ul>%s", end);
        kid->before = "<li>", kid->after = "</li>\n";
    }
    if (*cell)
        tpl->absent = "<td></td>";
}

/* A kid of the record becomes a cell, or a row of label and value. */
static void record_kid(gen_site *site, gen_tpl *kid, const char *open, const char *close,
                       const char *hole)
{
    if (kid->node->type == GEN_OPTIONAL) {
        record_kid(site, kid->kids[0], open, close, hole); /* one level */
        kid->absent = hole;
        return;
    }
    kid->before = GEN_S(site, "%s%s", open, kid->before);
    kid->after = GEN_S(site, "%s%s", kid->after, close);
    if (kid->node->type == GEN_SET)
        kid->absent = hole;
    if (kid->node->type == GEN_LEAF) {
        dress(site, kid);
        kid->absent = kid->node->role == GEN_ROLE_KEY ? NULL : "&nbsp;";
    }
    if (kid->node->type == GEN_CHOICE)
        for (uint32_t b = 0; b < kid->count; b++)
            for (uint32_t i = 0; i < kid->kids[b]->count; i++) {
                gen_tpl *leaf = kid->kids[b]->kids[i];
                dress(site, leaf);
                leaf->before =
                    i || b ? GEN_S(site, "%s<i>%s:</i> ", i ? "<br>" : "", leaf->node->label) : "";
            }
}

static void build_list(gen_site *site)
{
    gen_tpl *root = site->root;
    const bool image_cell = GEN_MAYBE(site, 0.7), numbered = GEN_MAYBE(site, 0.2);
    uint32_t columns = numbered;
    for (uint32_t i = 0; i < root->count; i++) {
        gen_tpl *kid = root->kids[i], *leaf = gen_tpl_leaf(kid);
        const gen_role role = kid->node->role;
        if (role == GEN_ROLE_LINK && leaf->node->type == GEN_LEAF)
            continue;
        const char *open = GEN_S(site, "<td%s>", cell_attrs(site, role));
        if (role == GEN_ROLE_IMAGE) {
            leaf->before = GEN_S(site, "%s<img src=\"", open);
            leaf->after = "\" width=60 height=45></td>\n";
            kid->absent = kid == leaf  ? NULL
                          : image_cell ? "<td>&nbsp;</td>\n"
                                       : "<td><img src=\"/noimage.gif\"></td>\n";
        } else if (role == GEN_ROLE_KEY) {
            dress(site, leaf);
            gen_tpl_anchor(site, root, open, "<a href=\"", "\">", "</a>", "</td>\n");
        } else {
            record_kid(site, kid, open, "</td>\n", "<td>&nbsp;</td>\n");
        }
        kid->head = GEN_S(site, "<th>%s</th>",
                          role == GEN_ROLE_IMAGE          ? "&nbsp;"
                          : kid->node->type == GEN_CHOICE ? "Details"
                                                          : kid->node->label);
        columns++;
    }
    gen_layout *l = &site->layout;
    l->open =
        GEN_ONE(site, "<table border=1 cellpadding=3 cellspacing=0 width=\"95%\">\n",
                "<table border=0 cellspacing=1>\n", "<center>\n<table border cellpadding=4>\n",
                "<table width=600><caption>$Q</caption>\n");
    l->close = l->open[1] == 'c' ? "</table>\n</center>\n" : "</table>\n";
    if (GEN_MAYBE(site, 0.7)) {
        l->head_open = numbered ? "<tr bgcolor=\"#cccccc\"><th>#</th>" : "<tr bgcolor=\"#cccccc\">";
        l->head_close = "</tr>\n";
    }
    l->cycle = GEN_MAYBE(site, 0.4) ? 2 : 1;
    l->record_before[0] = numbered ? "<tr><td>&#149;</td>\n" : "<tr>\n";
    l->record_before[1] =
        numbered ? "<tr bgcolor=\"#f0f0f0\"><td>&#149;</td>\n" : "<tr bgcolor=\"#f0f0f0\">\n";
    l->record_after[0] = l->record_after[1] = "</tr>\n";
    l->adverts[0] = GEN_S(site,
                          "<tr><td colspan=%u align=center bgcolor=\"#ffffcc\"><a "
                          "href=\"/ads/$#\">$T: $V now!</a></td></tr>\n",
                          columns);
    l->adverts[1] =
        GEN_S(site, "<tr><th colspan=%u align=left><font size=+1>$C</font></th></tr>\n", columns);
    l->advert_count = 2;
}

static void label_row(gen_site *site, gen_tpl *kid, const char *label)
{
    record_kid(site, kid, GEN_S(site, "<tr>%s<td>", gen_fill(site, label, kid->node->label)),
               "</td></tr>\n", "");
}

static void build_detail(gen_site *site)
{
    gen_tpl *root = site->root;
    const char *label =
        GEN_ONE(site, "<td align=right><b>@:</b></td>", "<th align=left bgcolor=\"#dddddd\">@</th>",
                "<td><font size=2>@</font></td>");
    for (uint32_t i = 0; i < root->count; i++) {
        gen_tpl *kid = root->kids[i], *leaf = gen_tpl_leaf(kid);
        if (kid->node->role == GEN_ROLE_IMAGE) {
            leaf->before = "<tr><td colspan=2 align=center><img src=\"",
            leaf->after = "\" border=0></td></tr>\n";
            continue;
        }
        if (kid->node->role == GEN_ROLE_KEY) {
            leaf->before = "<tr><td colspan=2><h2>", leaf->after = "</h2></td></tr>\n";
            continue;
        }
        for (uint32_t b = 0; kid->node->type == GEN_CHOICE && b < kid->count; b++)
            for (uint32_t k = 0; k < kid->kids[b]->count; k++)
                label_row(site, kid->kids[b]->kids[k], label);
        if (kid->node->type != GEN_CHOICE)
            label_row(site, kid, label);
    }
    site->layout.open = GEN_ONE(site, "<table border=1 cellpadding=2>\n",
                                "<table border=0 width=\"80%\">\n", "<table>\n");
    site->layout.close = "</table>\n";
}

static void build(gen_site *site)
{
    site->upper = GEN_MAYBE(site, 0.5);
    site->omit = GEN_MAYBE(site, 0.45);
    gen_chrome_nineties(site);
    gen_tpl_each(site, site->root, inner);
    if (site->kind == GEN_DETAIL)
        build_detail(site);
    else
        build_list(site);
}

const gen_family gen_family_table = {"table",
                                     "1990s tables: a row a record, FONT, omitted end tags",
                                     GEN_MAKES_LIST | GEN_MAKES_DETAIL, build, dress};
