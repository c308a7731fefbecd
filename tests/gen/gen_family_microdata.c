/*
 * gen_family_microdata.c: schema.org microdata. itemscope on the record, itemprop on its fields,
 * some values in content attributes' company, nested items for sets. The tags themselves vary
 * freely.
 */
#include "gen_site.h"

static const char *prop_of(const gen_node *node)
{
    static const char *const by_role[] = {NULL,    "name",        "url",          "image",
                                          "price", "description", "datePublished"};
    return by_role[node->role] ? by_role[node->role] : node->name;
}

static void dress(gen_site *site, gen_tpl *leaf)
{
    gen_rng rng =
        gen_fork(site->layout_seed, 0x3D + (uint64_t)leaf->node->role + leaf->node->id * 8);
    const char *tag = leaf->node->role == GEN_ROLE_DATE
                          ? "time"
                          : GEN_PICK(&rng, "span", "span", "b", "cite", "span");
    const char *extra = leaf->node->role == GEN_ROLE_PRICE && gen_below(&rng, 2)
                            ? "<meta itemprop=\"priceCurrency\" content=\"USD\">"
                            : "";
    leaf->in = GEN_S(site, "%s<%s itemprop=\"%s\">", extra, tag, prop_of(leaf->node));
    leaf->out = GEN_S(site, "</%s>", tag);
}

static void visit(gen_site *site, gen_tpl *tpl)
{
    gen_rng rng = gen_fork(site->layout_seed, 0x3E + tpl->node->id);
    if (tpl->node->type == GEN_LEAF) {
        if (gen_tpl_is_attr(tpl) || tpl->node->role == GEN_ROLE_KEY)
            return;
        dress(site, tpl);
        if (tpl->parent->node->type == GEN_SET)
            return;
        if (tpl->node->role == GEN_ROLE_TEXT) {
            tpl->in = tpl->out = "";
            tpl->before = GEN_S(site, "<div itemprop=\"%s\">", prop_of(tpl->node)),
            tpl->after = "</div>\n";
            return;
        }
        const uint32_t form = gen_below(&rng, 3);
        tpl->before = form == 0   ? GEN_S(site, "<div>%s ", tpl->node->label)
                      : form == 1 ? "<p>"
                                  : "";
        tpl->after = form == 0 ? "</div>\n" : form == 1 ? "</p>\n" : "\n";
        return;
    }
    if (tpl->node->type != GEN_SET)
        return;
    if (tpl->kids[0]->node->type == GEN_LEAF) {
        tpl->before = GEN_S(site, "<p>%s: ", tpl->node->label), tpl->between = ", ",
        tpl->after = "</p>\n";
    } else {
        const char *tag = gen_below(&rng, 2) ? "div" : "section";
        tpl->kids[0]->before =
            GEN_S(site, "<%s itemprop=\"%s\" itemscope itemtype=\"https://schema.org/%c%s\">", tag,
                  tpl->node->name, tpl->node->name[0] & ~0x20, tpl->node->name + 1);
        tpl->kids[0]->after = GEN_S(site, "</%s>\n", tag);
        tpl->before = gen_below(&rng, 2) ? GEN_S(site, "<h4>%s</h4>\n", tpl->node->label) : "";
    }
}

static void build(gen_site *site)
{
    gen_rng names = gen_fork(site->layout_seed, 0x3C);
    site->naming = (const gen_naming[]){GEN_NAME_PREFIX, GEN_NAME_NUMBER,
                                        GEN_NAME_PLAIN}[gen_below(&names, 3)];
    gen_chrome_modern(site);
    gen_tpl *root = site->root, *picture = gen_tpl_role(root, GEN_ROLE_IMAGE);
    gen_tpl_each(site, root, visit);
    root->loose = true;
    const char *head = GEN_ONE(site, "h2", "h3", "div");
    gen_tpl_anchor(site, root, GEN_S(site, "<%s>", head), "<a itemprop=\"url\" href=\"", "\">",
                   "</a>", GEN_S(site, "</%s>\n", head));
    gen_tpl *key = gen_tpl_leaf(gen_tpl_role(root, GEN_ROLE_KEY));
    key->in = "<span itemprop=\"name\">", key->out = "</span>";
    if (picture) {
        gen_tpl_leaf(picture)->before = GEN_ONE(site, "<img itemprop=\"image\" src=\"",
                                                "<figure><img itemprop=\"image\" src=\"");
        gen_tpl_leaf(picture)->after =
            gen_tpl_leaf(picture)->before[1] == 'f' ? "\"></figure>\n" : "\" alt=\"\">\n";
    }
    static const char *const types[][2] = {
        {"books", "Book"},       {"goods", "Product"},          {"jobs", "JobPosting"},
        {"news", "NewsArticle"}, {"restaurants", "Restaurant"}, {"homes", "Residence"},
        {"films", "Movie"},      {"people", "Person"}};
    const char *type = "Thing";
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (th__str_eq(th_str_from(types[i][0]), th_str_from(site->schema->domain)))
            type = types[i][1];
    gen_layout *l = &site->layout;
    const char *tag = GEN_ONE(site, "article", "div", "li");
    const bool li = tag[0] == 'l';
    l->open =
        li ? "<ul>\n"
           : GEN_ONE(site, "<div itemscope itemtype=\"https://schema.org/ItemList\">\n", "<div>\n");
    l->close = li ? "</ul>\n" : "</div>\n";
    const char *scope = GEN_S(
        site, "%s itemscope itemtype=\"https://schema.org/%s\"",
        li || site->kind == GEN_DETAIL ? "" : GEN_ONE(site, "", " itemprop=\"itemListElement\""),
        type);
    if (site->kind == GEN_DETAIL) {
        l->open = GEN_S(site, "<div%s>\n", scope), l->close = "</div>\n";
        return;
    }
    l->record_before[0] = GEN_S(site, "<%s%s>\n", tag, scope),
    l->record_after[0] = GEN_S(site, "</%s>\n", tag);
    l->adverts[0] = li ? "<li><a href=\"/out/$X\">$V $T</a></li>\n"
                       : "<aside><a href=\"/out/$X\">$V $T</a></aside>\n";
    l->adverts[1] = li ? "<li><h3>$C</h3></li>\n" : "<h3>$C</h3>\n";
    l->advert_count = 2;
}

const gen_family gen_family_microdata = {"microdata", "schema.org itemscope and itemprop",
                                         GEN_MAKES_LIST | GEN_MAKES_DETAIL, build, dress};
