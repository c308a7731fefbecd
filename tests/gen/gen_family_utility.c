/*
 * gen_family_utility.c: nested div and article with utility or hashed classes, icons, data
 * attributes, comment markers of client-side frameworks. Classes say nothing about meaning.
 */
#include "gen_site.h"

static void dress(gen_site *site, gen_tpl *leaf)
{
    gen_rng rng =
        gen_fork(site->layout_seed, 0x0711 + (uint64_t)leaf->node->role + leaf->level * 16);
    const char *tag = GEN_PICK(&rng, "span", "span", "div", "p");
    if (leaf->node->kind == GEN_V_TEXT || leaf->node->kind == GEN_V_ADDRESS)
        tag = "div";
    leaf->in = GEN_S(
        site, "<%s class=\"%s\">", tag,
        gen_class(site, GEN_S(site, "leaf-%u-%u", (unsigned)leaf->node->role, leaf->node->id % 3)));
    leaf->out = GEN_S(site, "</%s>", tag);
}

static const char *icon(gen_rng *rng)
{
    return GEN_PICK(
        rng, "", "", "<svg class=\"h-4 w-4\" viewBox=\"0 0 20 20\"><path d=\"M10 2l8 8\"/></svg>",
        "<svg aria-hidden=\"true\" viewBox=\"0 0 24 24\"><use href=\"#i-star\"></use></svg>",
        "<i class=\"icon\"></i>");
}

static void visit(gen_site *site, gen_tpl *tpl)
{
    gen_rng rng = gen_fork(site->layout_seed, 0x0712 + tpl->node->id);
    gen_rng look = gen_fork(site->layout_seed, 0x0713 + tpl->level);
    if (tpl->node->type == GEN_LEAF) {
        if (gen_tpl_is_attr(tpl) || tpl->node->role == GEN_ROLE_KEY)
            return;
        dress(site, tpl);
        const char *box = gen_class(site, GEN_S(site, "box%u", tpl->node->id % 4));
        const uint32_t form = gen_below(&rng, 4);
        if (tpl->parent->node->type == GEN_SET) {
            tpl->before = "", tpl->after = "";
        } else if (form == 0) {
            tpl->before = GEN_S(site, "<div class=\"%s\">%s", box, icon(&rng)),
            tpl->after = "</div>";
        } else if (form == 1) {
            tpl->before = GEN_S(site, "<div class=\"%s\"><span class=\"%s\">%s</span>", box,
                                gen_class(site, "lbl"), tpl->node->label);
            tpl->after = "</div>";
        } else if (form == 2) {
            tpl->before =
                GEN_S(site, "<div class=\"%s\"><div class=\"%s\">", box, gen_class(site, "in")),
            tpl->after = "</div></div>";
        }
        return;
    }
    if (tpl->node->type == GEN_CHOICE) {
        for (uint32_t b = 0; b < tpl->count; b++) {
            tpl->kids[b]->before = GEN_S(site, "<div class=\"%s\" data-state=\"%u\">",
                                         gen_class(site, GEN_S(site, "state%u", b)), b);
            tpl->kids[b]->after = "</div>";
        }
        return;
    }
    if (tpl->node->type != GEN_SET)
        return;
    const char *tag = gen_below(&look, 2) ? "ul" : "div", *kid = tag[0] == 'u' ? "li" : "div";
    tpl->before =
        GEN_S(site, "<%s class=\"%s\">", tag, gen_class(site, GEN_S(site, "set%u", tpl->level)));
    if (gen_below(&look, 3) == 0 && tag[0] == 'd')
        tpl->before = GEN_S(site, "%s<h4>%s</h4>", tpl->before, tpl->node->label);
    tpl->after = GEN_S(site, "</%s>", tag);
    gen_tpl *element = tpl->kids[0];
    element->before = GEN_S(site, "<%s class=\"%s\">%s", kid,
                            gen_class(site, GEN_S(site, "el%u", tpl->level)), element->before);
    if (element->node->type == GEN_TUPLE || element->node->type == GEN_LEAF)
        element->after = GEN_S(site, "</%s>", kid);
}

/* The element's own strings are set by its visit after the set's; so leaves of sets are wrapped
 * last. */
static void wrap_elements(gen_site *site, gen_tpl *tpl)
{
    if (tpl->node->type == GEN_LEAF && tpl->parent && tpl->parent->node->type == GEN_SET) {
        const char *kid = tpl->parent->before[1] == 'u' ? "li" : "div";
        tpl->before = GEN_S(site, "<%s>", kid);
        tpl->after = GEN_S(site, "</%s>", kid);
    }
}

static void build(gen_site *site)
{
    gen_rng names = gen_fork(site->layout_seed, 0x0710);
    site->naming = gen_below(&names, 2) ? GEN_NAME_UTILITY : GEN_NAME_HASHED;
    gen_chrome_modern(site);
    gen_tpl *root = site->root, *picture = gen_tpl_role(root, GEN_ROLE_IMAGE);
    gen_tpl_each(site, root, visit);
    gen_tpl_each(site, root, wrap_elements);
    root->loose = true;
    const char *head = GEN_ONE(site, "h2", "h3", "div", "p");
    gen_tpl_anchor(site, root,
                   GEN_S(site, "<div class=\"%s\"><%s class=\"%s\">", gen_class(site, "headbox"),
                         head, gen_class(site, "head")),
                   "<a href=\"", GEN_S(site, "\" class=\"%s\">", gen_class(site, "a")), "</a>",
                   GEN_S(site, "</%s></div>", head));
    if (picture) {
        gen_tpl_leaf(picture)->before =
            GEN_S(site, "<div class=\"%s\"><img loading=\"lazy\" src=\"", gen_class(site, "pic"));
        gen_tpl_leaf(picture)->after = "\" alt=\"\"></div>";
        if (GEN_MAYBE(site, 0.5))
            picture->absent = picture == gen_tpl_leaf(picture)
                                  ? NULL
                                  : GEN_S(site,
                                          "<div class=\"%s\"><svg viewBox=\"0 0 9 9\"><path d=\"M0 "
                                          "0\"/></svg></div>",
                                          gen_class(site, "pic"));
    }
    const char *tag = GEN_ONE(site, "div", "article", "div", "section"),
               *item = gen_class(site, "item");
    const bool deep = GEN_MAYBE(site, 0.5), framework = GEN_MAYBE(site, 0.4);
    gen_layout *l = &site->layout;
    l->open = GEN_S(site, "<div class=\"%s\"%s>\n%s", gen_class(site, "list"),
                    GEN_ONE(site, "", " data-testid=\"results\"", " role=\"list\""),
                    framework ? "<!--[-->" : "");
    l->close = framework ? "<!--]--></div>\n" : "</div>\n";
    if (site->kind == GEN_DETAIL) {
        l->open =
            GEN_S(site, "<div class=\"%s\"><div class=\"%s\">\n", gen_class(site, "detail"), item),
        l->close = "</div></div>\n";
        return;
    }
    l->record_before[0] =
        GEN_S(site, "<%s class=\"%s\">%s", tag, item,
              deep ? GEN_S(site, "<div class=\"%s\">", gen_class(site, "inner")) : "");
    l->record_after[0] = GEN_S(site, "%s<button class=\"%s\">%s</button></%s>%s\n",
                               deep ? "</div>" : "", gen_class(site, "btn"),
                               GEN_ONE(site, "Save", "Add to cart", "View details", "Compare"), tag,
                               framework ? "<!---->" : "");
    l->cycle = GEN_MAYBE(site, 0.2) ? 2 : 1;
    l->record_before[1] =
        GEN_S(site, "<%s class=\"%s is-even\">%s", tag, item,
              deep ? GEN_S(site, "<div class=\"%s\">", gen_class(site, "inner")) : "");
    l->record_after[1] = l->record_after[0];
    l->adverts[0] = GEN_S(site,
                          "<div class=\"%s\"><div id=\"ad-$#\"><span>Sponsored</span><a "
                          "href=\"/out/$X\">$V $T</a></div></div>\n",
                          gen_class(site, "ad"));
    l->adverts[1] = GEN_S(site, "<h2 class=\"%s\">$C</h2>\n", gen_class(site, "grp"));
    /* an advert that is dressed as a record, as they like to be */
    l->adverts[2] = GEN_S(site,
                          "<%s class=\"%s\"><div class=\"%s\"><span>Ad</span> <a "
                          "href=\"/out/$X\">$T</a></div></%s>\n",
                          tag, item, gen_class(site, "sponsor"), tag);
    l->advert_count = 3;
}

const gen_family gen_family_utility = {"utility",
                                       "nested div and article with utility or hashed classes",
                                       GEN_MAKES_LIST | GEN_MAKES_DETAIL, build, dress};
