/*
 * gen_family_search.c: results of a search engine: heading with a link, snippet with bold words, a
 * grey line of small fields with separators, cached and similar links that are template.
 */
#include "gen_site.h"

static void dress(gen_site *site, gen_tpl *leaf)
{
    gen_rng rng = gen_fork(site->layout_seed, 0x5EA + (uint64_t)leaf->node->role);
    const char *tag = GEN_PICK(&rng, "span", "cite", "span", "font");
    leaf->in = GEN_S(
        site, "<%s%s>", tag,
        tag[0] == 'f' ? " color=\"#008000\""
                      : GEN_S(site, " class=%s", gen_class(site, gen_below(&rng, 2) ? "st" : "f")));
    leaf->out = GEN_S(site, "</%s>", tag);
    if (leaf->node->role == GEN_ROLE_PLAIN && gen_below(&rng, 2))
        leaf->in = leaf->out = "";
}

static const char *separator(const gen_site *site)
{
    static const char *const all[] = {" - ", " &middot; ", " | ", " &ndash; ", ", "};
    return all[gen_seed(site->layout_seed, 0x5EB) % 5];
}

/* Whether the kid stands in the grey line; texts and sets of tuples have lines of their own. */
static bool in_line(const gen_tpl *kid)
{
    return kid->node->role != GEN_ROLE_TEXT &&
           !(kid->node->type == GEN_SET && kid->kids[0]->node->type == GEN_TUPLE);
}

static void visit(gen_site *site, gen_tpl *tpl)
{
    gen_rng rng = gen_fork(site->layout_seed, 0x5EC + tpl->node->id);
    if (tpl->node->type == GEN_LEAF && !gen_tpl_is_attr(tpl) && tpl->node->role != GEN_ROLE_KEY) {
        dress(site, tpl);
        if (tpl->parent->node->type == GEN_SET)
            return;
        const bool lead = tpl->level && tpl->slot == 0 && tpl->parent->node->type == GEN_TUPLE;
        const bool branch = tpl->parent->parent && tpl->parent->parent->node->type == GEN_CHOICE;
        if (tpl->node->role == GEN_ROLE_TEXT && tpl->level == 0 && !branch) {
            tpl->in = tpl->out = "";
            tpl->before = GEN_S(site, "<div class=%s>", gen_class(site, "snip")),
            tpl->after = "</div>\n";
        } else if (!lead) {
            tpl->before = GEN_S(
                site, "%s%s", separator(site),
                branch || gen_below(&rng, 3) == 0 ? GEN_S(site, "%s: ", tpl->node->label) : "");
        }
    }
    if (tpl->node->type != GEN_SET)
        return;
    if (tpl->kids[0]->node->type == GEN_LEAF) {
        tpl->before = separator(site), tpl->between = "; ";
    } else {
        tpl->before = GEN_S(site, "<table class=%s>", gen_class(site, "links")),
        tpl->after = "</table>\n";
        tpl->kids[0]->before = "<tr><td>", tpl->kids[0]->after = "</td></tr>\n";
    }
}

static void build(gen_site *site)
{
    gen_rng names = gen_fork(site->layout_seed, 0x5E9);
    site->naming = (const gen_naming[]){GEN_NAME_SHORT, GEN_NAME_NUMBER, GEN_NAME_PLAIN,
                                        GEN_NAME_HASHED}[gen_below(&names, 4)];
    if (GEN_MAYBE(site, 0.5))
        gen_chrome_noughties(site);
    else
        gen_chrome_modern(site);
    gen_tpl *root = site->root, *picture = gen_tpl_role(root, GEN_ROLE_IMAGE);
    gen_tpl_each(site, root, visit);
    /* Blocks after the line; the line opens with a constant link, so that separators come between.
     */
    uint32_t kept = root->count;
    for (uint32_t i = 0, seen = 0; seen < kept; seen++) {
        if (in_line(root->kids[i]))
            i++;
        else
            gen_tpl_move(root, root->kids[i], root->count);
    }
    const char *cached = GEN_ONE(site, "<a href=\"/cache\">Cached</a>", "<span>Web result</span>",
                                 "<a href=\"/similar\">Similar pages</a>", "<small>Result</small>");
    const char *line_open = GEN_S(site, "<div class=%s>%s", gen_class(site, "line"), cached);
    const char *head = GEN_ONE(site, "h3", "h3", "h2", "p");
    gen_tpl_anchor(
        site, root, GEN_S(site, "<%s class=%s>", head, gen_class(site, "r")), "<a href=\"",
        GEN_ONE(site, "\">", "\" onmousedown=\"return rwt(this)\">", "\" target=_blank>"), "</a>",
        GEN_S(site, "</%s>\n%s", head, line_open));
    if (picture) {
        gen_tpl_leaf(picture)->before = "<a class=th href=\"#\"><img src=\"",
        gen_tpl_leaf(picture)->after = "\" width=\"72\"></a>\n";
    }
    /* The line ends before the first block, or with the record. */
    gen_tpl *block = NULL;
    for (uint32_t i = 0; i < root->count && !block; i++)
        if (!in_line(root->kids[i]))
            block = root->kids[i];
    for (uint32_t i = 0; i < root->count; i++)
        root->kids[i]->zone = !in_line(root->kids[i]);
    root->loose = true;
    gen_layout *l = &site->layout;
    const bool ordered = GEN_MAYBE(site, 0.35);
    const char *item = gen_class(site, "g");
    l->open = ordered ? "<ol start=\"1\">\n"
                      : GEN_S(site, "<div id=\"%s\"><!--a-->\n",
                              GEN_ONE(site, "res", "ires", "search-results"));
    l->close = ordered ? "</ol>\n" : "<!--z--></div>\n";
    l->record_before[0] = GEN_S(site, ordered ? "<li class=%s>" : "<div class=%s>", item);
    l->record_after[0] = GEN_S(site, "%s%s\n", block ? "" : "</div>", ordered ? "</li>" : "</div>");
    if (block)
        block->lead = "</div>\n";
    l->adverts[0] =
        GEN_S(site, ordered ? "<li class=ads><b>Ad</b> <a href=\"/aclk?$X\">$T</a> $S</li>\n"
                            : "<div class=ads><b>Ad</b> <a href=\"/aclk?$X\">$T</a> $S</div>\n");
    l->adverts[1] = ordered ? "<li><b>Related searches:</b> <a href=\"?q=$U\">$C</a>, <a "
                              "href=\"?q=$U\">$C</a></li>\n"
                            : "<div><b>Related searches:</b> <a href=\"?q=$U\">$C</a>, <a "
                              "href=\"?q=$U\">$C</a></div>\n";
    l->advert_count = 2;
}

const gen_family gen_family_search = {
    "search", "search results: heading link, grey line with separators, snippet", GEN_MAKES_LIST,
    build, dress};
