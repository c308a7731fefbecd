/*
 * gen_family_br.c: runs of text parted by br. Often nothing holds a record together but the hr, the
 * blank line or the bold name it starts with.
 */
#include "gen_site.h"

typedef struct br_style {
    const char *label, *line, *inline_gap, *element_gap;
} br_style;

static br_style style_of(gen_site *site)
{
    gen_rng rng = gen_fork(site->layout_seed, 0xB12);
    br_style s;
    s.label = GEN_PICK(&rng, "@: ", "<b>@:</b> ", "<u>@</u>: ", "", "<font color=gray>@</font> ");
    s.line = GEN_PICK(&rng, "<br>\n", "<br>\n", "<br/>", "<br clear=all>\n");
    s.inline_gap = GEN_PICK(&rng, ", ", " - ", " | ", " / ", "&nbsp;&nbsp;", " &middot; ");
    s.element_gap = GEN_PICK(&rng, ", ", "; ", " &amp; ", " / ");
    return s;
}

static void dress(gen_site *site, gen_tpl *leaf)
{
    gen_rng rng =
        gen_fork(site->layout_seed, 0xB13 + (uint64_t)leaf->node->role * 3 + (leaf->level > 0));
    static const char *const forms[][2] = {{"", ""},        {"", ""},
                                           {"", ""},        {"<i>", "</i>"},
                                           {"<b>", "</b>"}, {"<font color=red>", "</font>"}};
    const uint32_t which = leaf->node->role == GEN_ROLE_KEY
                               ? 0
                               : gen_below(&rng, leaf->node->role == GEN_ROLE_PRICE ? 6 : 4);
    leaf->in = forms[which][0];
    leaf->out = forms[which][1];
}

static void visit(gen_site *site, gen_tpl *tpl)
{
    const br_style s = style_of(site);
    if (tpl->node->type == GEN_LEAF) {
        if (gen_tpl_is_attr(tpl) || tpl->node->role == GEN_ROLE_KEY)
            return;
        dress(site, tpl);
        gen_rng rng = gen_fork(site->layout_seed, 0xB14 + tpl->node->id);
        const bool lead = tpl->parent->node->type == GEN_TUPLE && tpl->slot == 0 && tpl->level > 0;
        const bool element = tpl->parent->node->type == GEN_SET;
        const bool own_line = tpl->level == 0 && gen_chance(&rng, 0.7);
        if (!element && !lead)
            tpl->before = GEN_S(site, "%s%s", own_line ? s.line : s.inline_gap,
                                own_line ? gen_fill(site, s.label, tpl->node->label) : "");
        return;
    }
    if (tpl->node->type != GEN_SET)
        return;
    if (tpl->kids[0]->node->type == GEN_LEAF) {
        tpl->before = GEN_S(site, "%s%s", s.line, gen_fill(site, s.label, tpl->node->label));
        tpl->between = s.element_gap;
        return;
    }
    static const char *const bullets[] = {"- ", "&nbsp;&nbsp;&nbsp;", "* ", "&#8226; "};
    gen_rng rng = gen_fork(site->layout_seed, 0xB15 + tpl->level);
    if (gen_below(&rng, 3) == 0) {
        tpl->before = GEN_S(site, "%s%s\n<blockquote>", s.line, tpl->node->label);
        tpl->between = "<br>\n", tpl->after = "</blockquote>\n";
    } else {
        tpl->kids[0]->before =
            GEN_S(site, "%s%s", s.line, bullets[(gen_below(&rng, 4) + tpl->level) % 4]);
        if (gen_below(&rng, 2))
            tpl->before = GEN_S(site, "%s<i>%s</i>", s.line, tpl->node->label);
    }
}

static void build(gen_site *site)
{
    site->upper = GEN_MAYBE(site, 0.4);
    if (GEN_MAYBE(site, 0.6))
        gen_chrome_nineties(site);
    else
        gen_chrome_noughties(site);
    gen_tpl *root = site->root, *picture = gen_tpl_role(root, GEN_ROLE_IMAGE);
    gen_tpl_each(site, root, visit);
    root->loose = true;
    const char *key_open = GEN_ONE(site, "<b>", "<font size=\"+1\">", "", "<big>", "<strong>");
    const char *key_close = !*key_open           ? ""
                            : key_open[1] == 'f' ? "</font>"
                            : key_open[1] == 's' ? "</strong>"
                            : key_open[2] == 'i' ? "</big>"
                                                 : "</b>";
    if (site->kind == GEN_DETAIL)
        key_open = "<h3>", key_close = "</h3>\n";
    gen_tpl_anchor(site, root, key_open, "<a href=\"", "\">", "</a>", key_close);
    if (picture) {
        gen_tpl_leaf(picture)->before = "<img src=\"";
        gen_tpl_leaf(picture)->after =
            GEN_ONE(site, "\" align=left hspace=5>\n", "\" border=\"0\" alt=\"photo\"><br>\n");
    }
    gen_layout *l = &site->layout;
    if (site->kind == GEN_DETAIL) {
        l->open = GEN_ONE(site, "<p>\n", "<div>\n", "<blockquote>\n");
        l->close = l->open[1] == 'p'   ? "</p>\n"
                   : l->open[1] == 'd' ? "</div>\n"
                                       : "</blockquote>\n";
        return;
    }
    switch (GEN_MANY(site, 0, 4)) {
    case 0: /* a rule between */
        l->open = "<hr>\n", l->between = "\n<hr>\n", l->close = "\n<hr>\n";
        break;
    case 1: /* paragraphs, never closed */
        l->record_before[0] = "<p>\n", l->record_after[0] = "\n";
        break;
    case 2: /* empty lines */
        l->open = "<div>\n", l->between = "<br><br>\n", l->close = "\n</div>\n";
        break;
    case 3: /* paragraphs, closed */
        l->record_before[0] = "<p>", l->record_after[0] = "</p>\n";
        break;
    default: /* one cell of a table */
        l->open = "<table border=0><tr><td>\n", l->between = "\n<p>\n",
        l->close = "\n</td></tr></table>\n";
    }
    l->adverts[0] = GEN_S(site, "%s<center><a href=\"/ads/$#\">$V $T</a></center>%s",
                          l->between ? l->between : "", l->between ? l->between : "\n");
    l->adverts[1] = GEN_S(site, "%s<h4>$C</h4>\n", l->between ? l->between : "");
    l->advert_count = 2;
}

const gen_family gen_family_br = {
    "br", "runs of text parted by br, hr, p; little or no markup of their own",
    GEN_MAKES_LIST | GEN_MAKES_DETAIL, build, dress};
