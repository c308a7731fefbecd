/*
 * gen_family_cards.c: li cards of shops around 2010: ul.products > li.product with a media box, a
 * heading, meta lines, buttons. Class names mean something (plain, prefixed, BEM or camel case).
 */
#include "gen_site.h"

static void dress(gen_site *site, gen_tpl *leaf)
{
    gen_rng rng = gen_fork(site->layout_seed, 0xCA4D + (uint64_t)leaf->node->role);
    const char *tag = leaf->node->role == GEN_ROLE_PRICE
                          ? GEN_PICK(&rng, "span", "strong", "ins")
                          : GEN_PICK(&rng, "span", "em", "small", "span");
    leaf->in =
        GEN_S(site, "<%s class=\"%s\">", tag,
              gen_class(site, leaf->node->role == GEN_ROLE_PRICE ? "price" : leaf->node->name));
    leaf->out = GEN_S(site, "</%s>", tag);
}

static void visit(gen_site *site, gen_tpl *tpl)
{
    gen_rng rng = gen_fork(site->layout_seed, 0xCA4E + tpl->node->id);
    const bool labelled = gen_seed(site->layout_seed, 0xCA4F) % 3 != 0;
    if (tpl->node->type == GEN_LEAF) {
        if (gen_tpl_is_attr(tpl) || tpl->node->role == GEN_ROLE_KEY)
            return;
        dress(site, tpl);
        if (tpl->parent->node->type == GEN_SET)
            return;
        if (tpl->node->role == GEN_ROLE_TEXT) {
            tpl->in = tpl->out = "";
            tpl->before = GEN_S(site, "  <div class=\"%s\">", gen_class(site, "text")),
            tpl->after = "</div>\n";
            return;
        }
        const char *label = labelled && gen_below(&rng, 3)
                                ? GEN_S(site, "<span class=\"%s\">%s:</span> ",
                                        gen_class(site, "label"), tpl->node->label)
                                : "";
        const char *tag = gen_below(&rng, 2) ? "p" : "div";
        tpl->before =
            tpl->level ? label
                       : GEN_S(site, "  <%s class=\"%s\">%s", tag, gen_class(site, "meta"), label);
        tpl->after = tpl->level ? " " : GEN_S(site, "</%s>\n", tag);
        return;
    }
    if (tpl->node->type == GEN_CHOICE && tpl->level == 0) {
        tpl->before = GEN_S(site, "  <div class=\"%s\">\n", gen_class(site, "offer")),
        tpl->after = "  </div>\n";
        return;
    }
    if (tpl->node->type != GEN_SET)
        return;
    if (tpl->kids[0]->node->type == GEN_LEAF) {
        tpl->before =
            GEN_S(site, "  <p class=\"%s\">%s: ", gen_class(site, "tags"), tpl->node->label);
        tpl->between = gen_below(&rng, 2) ? ", " : " ", tpl->after = "</p>\n";
    } else {
        tpl->before = GEN_S(site, "  <h4>%s</h4>\n  <ul class=\"%s\">\n", tpl->node->label,
                            gen_class(site, tpl->node->name)),
        tpl->after = "  </ul>\n";
        tpl->kids[0]->before = "    <li>", tpl->kids[0]->after = "</li>\n";
    }
}

static void build(gen_site *site)
{
    gen_rng names = gen_fork(site->layout_seed, 0xCA4C);
    site->naming = (const gen_naming[]){GEN_NAME_PLAIN, GEN_NAME_PREFIX, GEN_NAME_BEM,
                                        GEN_NAME_CAMEL, GEN_NAME_SHORT}[gen_below(&names, 5)];
    gen_chrome_noughties(site);
    gen_tpl *root = site->root, *picture = gen_tpl_role(root, GEN_ROLE_IMAGE);
    gen_tpl_each(site, root, visit);
    root->loose = true;
    const char *head = GEN_ONE(site, "h3", "h2", "h4", "p");
    gen_tpl_anchor(site, root, GEN_S(site, "  <%s class=\"%s\">", head, gen_class(site, "title")),
                   "<a href=\"", "\">", "</a>", GEN_S(site, "</%s>\n", head));
    if (picture) {
        gen_tpl_leaf(picture)->before =
            GEN_S(site, "  <div class=\"%s\"><img src=\"", gen_class(site, "image"));
        gen_tpl_leaf(picture)->after = "\" width=\"120\" height=\"90\" alt=\"\" /></div>\n";
    }
    gen_layout *l = &site->layout;
    const char *list = GEN_ONE(site, "ul", "ol", "ul"), *item = gen_class(site, "item");
    if (site->kind == GEN_DETAIL) {
        l->open = GEN_S(site, "<div class=\"%s\">\n", item), l->close = "</div>\n";
        return;
    }
    const char *buttons =
        GEN_ONE(site, "", "  <a class=\"button\" href=\"#\">More</a>\n",
                "  <form action=\"/cart.php\" method=\"post\"><input type=\"hidden\" name=\"n\" "
                "value=\"1\" /><input type=\"submit\" value=\"Buy\" /></form>\n");
    l->open = GEN_S(site, "<%s class=\"%s\">\n", list, gen_class(site, "list")),
    l->close = GEN_S(site, "</%s>\n", list);
    l->cycle = GEN_MAYBE(site, 0.35) ? 3 : 1; /* the last of a row of three has its own class */
    l->record_before[0] = l->record_before[1] = GEN_S(site, "<li class=\"%s\">\n", item);
    l->record_before[2] = GEN_S(site, "<li class=\"%s last\">\n", item);
    l->record_after[0] = l->record_after[1] = l->record_after[2] =
        GEN_S(site, "%s</li>\n", buttons);
    l->adverts[0] = GEN_S(site,
                          "<li class=\"%s\"><a href=\"http://ads.example.com/?$X\"><img "
                          "src=\"/ads/$#.gif\" alt=\"$V\" /></a></li>\n",
                          gen_class(site, "ad"));
    l->adverts[1] = GEN_S(site, "<li class=\"heading\"><h3>$C</h3></li>\n");
    l->adverts[2] =
        GEN_S(site,
              "</%s>\n<div class=\"%s\"><script "
              "type=\"text/javascript\">show_ad($#);</script></div>\n<%s class=\"%s\">\n",
              list, gen_class(site, "ad"), list, gen_class(site, "list"));
    l->advert_count = 3;
}

const gen_family gen_family_cards = {
    "cards", "li cards of shops, class names that mean something; adverts may split the list",
    GEN_MAKES_LIST | GEN_MAKES_DETAIL, build, dress};
