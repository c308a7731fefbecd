/*
 * gen_family_blog.c: posts and news: header, byline sentence ("Posted by X on Y in Z"), body of
 * paragraphs, footer. Fields stand inside running template text.
 */
#include "gen_site.h"

static void dress(gen_site *site, gen_tpl *leaf)
{
    gen_rng rng = gen_fork(site->layout_seed, 0xB106 + leaf->node->id);
    const char *form =
        GEN_PICK(&rng, "<a href=\"#\" rel=\"tag\">", "<time>", "<strong>", "<span>", "");
    leaf->in = form;
    leaf->out = !*form           ? ""
                : form[1] == 'a' ? "</a>"
                : form[1] == 't' ? "</time>"
                : form[3] == 't' ? "</strong>"
                                 : "</span>";
    if (leaf->node->kind == GEN_V_TEXT || leaf->node->kind == GEN_V_TITLE ||
        leaf->node->kind == GEN_V_WORDS)
        leaf->in = leaf->out = ""; /* may hold links of their own */
}

static void visit(gen_site *site, gen_tpl *tpl)
{
    static const char *const lead[] = {" by ", " on ",    " in ",    " from ",
                                       " at ", ", with ", " under ", " for "};
    if (tpl->node->type == GEN_LEAF && !gen_tpl_is_attr(tpl) && tpl->node->role != GEN_ROLE_KEY) {
        dress(site, tpl);
        if (tpl->parent->node->type == GEN_SET)
            return;
        const bool branch = tpl->parent->parent && tpl->parent->parent->node->type == GEN_CHOICE;
        if (tpl->node->role == GEN_ROLE_TEXT && tpl->level == 0 && !branch) {
            tpl->before = "<p>", tpl->after = "</p>\n";
        } else if (!(tpl->level && tpl->slot == 0 && tpl->parent->node->type == GEN_TUPLE)) {
            const bool named = tpl->node->kind == GEN_V_NUMBER || tpl->node->kind == GEN_V_RATING ||
                               tpl->node->kind == GEN_V_CODE;
            tpl->before = named ? GEN_S(site, ", %s: ", tpl->node->label)
                                : lead[(tpl->node->id + site->layout_seed) % 8];
        }
    }
    if (tpl->node->type != GEN_SET)
        return;
    if (tpl->kids[0]->node->type == GEN_LEAF) {
        tpl->before = lead[(tpl->node->id + site->layout_seed) % 8], tpl->between = " and ";
    } else {
        tpl->before = GEN_S(site, "<div class=\"%s\"><h4>%s</h4>\n",
                            gen_class(site, tpl->node->name), tpl->node->label),
        tpl->after = "</div>\n";
        tpl->kids[0]->before = tpl->level ? "<span>" : "<blockquote>",
        tpl->kids[0]->after = tpl->level ? "</span> " : "</blockquote>\n";
    }
}

static bool in_byline(const gen_tpl *kid)
{
    return kid->node->role != GEN_ROLE_TEXT &&
           !(kid->node->type == GEN_SET && kid->kids[0]->node->type == GEN_TUPLE);
}

static void build(gen_site *site)
{
    site->naming = GEN_MAYBE(site, 0.5) ? GEN_NAME_PREFIX : GEN_NAME_BEM;
    if (GEN_MAYBE(site, 0.5))
        gen_chrome_modern(site);
    else
        gen_chrome_noughties(site);
    gen_tpl *root = site->root, *picture = gen_tpl_role(root, GEN_ROLE_IMAGE), *block = NULL;
    gen_tpl_each(site, root, visit);
    const uint32_t all = root->count;
    for (uint32_t i = 0, seen = 0; seen < all; seen++) {
        if (in_byline(root->kids[i]))
            i++;
        else
            gen_tpl_move(root, root->kids[i], root->count);
    }
    for (uint32_t i = 0; i < root->count && !block; i++)
        if (!in_byline(root->kids[i]))
            block = root->kids[i];
    for (uint32_t i = 0; i < root->count; i++)
        root->kids[i]->zone = !in_byline(root->kids[i]);
    root->loose = true;
    const char *byline = GEN_ONE(site, "<p class=\"byline\">Posted",
                                 "<div class=\"postmeta\">Published", "<small>Filed"),
               *byline_end = byline[1] == 'p'   ? "</p>\n"
                             : byline[1] == 'd' ? "</div>\n"
                                                : "</small>\n";
    const char *head = GEN_ONE(site, "h2", "h3", "h1");
    gen_tpl_anchor(site, root, GEN_S(site, "<header><%s>", head), "<a rel=\"bookmark\" href=\"",
                   "\">", "</a>", GEN_S(site, "</%s></header>\n%s", head, byline));
    if (picture) {
        gen_tpl_leaf(picture)->before = "<figure><img src=\"",
        gen_tpl_leaf(picture)->after = "\" alt=\"\"><figcaption>Photo</figcaption></figure>\n";
        gen_tpl_move(root, picture, 0);
    }
    if (block)
        block->lead = byline_end;
    gen_layout *l = &site->layout;
    const char *tag = GEN_ONE(site, "article", "div", "section");
    l->record_before[0] = GEN_S(site, "<%s class=\"%s\">\n", tag, gen_class(site, "item"));
    l->record_after[0] =
        GEN_S(site, "%s<footer>%s</footer></%s>\n", block ? "" : byline_end,
              GEN_ONE(site, "<a href=\"#\">Read more</a>",
                      "<a href=\"#c\">Leave a comment</a> | <a href=\"#p\">Permalink</a>",
                      "<button>Like</button><button>Share</button>"),
              tag);
    l->open = GEN_ONE(site, "", "<div class=\"stream\">\n"), l->close = *l->open ? "</div>\n" : "";
    l->adverts[0] = GEN_S(
        site, "<div class=\"%s\"><ins data-ad=\"$#\"></ins><a href=\"/out/$X\">$V $T</a></div>\n",
        gen_class(site, "ad"));
    l->adverts[1] = "<h2 class=\"dayline\">$D</h2>\n";
    l->adverts[2] = GEN_S(site, "<%s class=\"%s\"><p><a href=\"/promo/$#\">$T</a></p></%s>\n", tag,
                          gen_class(site, "promo"), tag);
    l->advert_count = 3;
}

const gen_family gen_family_blog = {"blog", "posts: byline sentences, paragraphs, footers",
                                    GEN_MAKES_LIST, build, dress};
