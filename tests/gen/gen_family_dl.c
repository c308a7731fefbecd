/*
 * gen_family_dl.c: definition lists. A record is a dt and the dds after it, with no element of its
 * own around them; or a dl a record; fields are one dd each, or share one.
 */
#include "gen_site.h"

#include <string.h>

typedef enum dl_form { DL_ONE_LIST, DL_EACH, DL_SHARED_DD } dl_form;

static dl_form form_of(const gen_site *site)
{
    return (dl_form)(gen_seed(site->layout_seed, 0xD1) % 3);
}

static const char *label_of(const gen_site *site)
{
    static const char *const labels[] = {"@: ", "<i>@:</i> ", "<strong>@</strong> ", "",
                                         "<em>@</em> &#8211; "};
    return labels[gen_seed(site->layout_seed, 0xD2) % 5];
}

static void dress(gen_site *site, gen_tpl *leaf)
{
    gen_rng rng = gen_fork(site->layout_seed, 0xD3 + (uint64_t)leaf->node->role);
    static const char *const forms[][2] = {{"", ""},
                                           {"", ""},
                                           {"<em>", "</em>"},
                                           {"<code>", "</code>"},
                                           {"<strong>", "</strong>"},
                                           {"<q>", "</q>"}};
    const uint32_t which = gen_below(&rng, leaf->node->role == GEN_ROLE_TEXT ? 2 : 6);
    leaf->in = forms[which][0];
    leaf->out = forms[which][1];
}

static void inside_set(gen_site *site, gen_tpl *tpl)
{
    gen_rng rng = gen_fork(site->layout_seed, 0xD4 + tpl->level);
    const bool nested_dl = gen_below(&rng, 2);
    if (tpl->node->type == GEN_LEAF && tpl->level > 0) {
        dress(site, tpl);
        const bool first = tpl->slot == 0 && tpl->parent->node->type == GEN_TUPLE;
        gen_rng outer = gen_fork(site->layout_seed, 0xD4 + tpl->level - 1);
        if (gen_below(&outer, 2)) {
            tpl->before =
                first ? "<dt>"
                      : GEN_S(site, "<dd>%s", gen_fill(site, label_of(site), tpl->node->label));
            tpl->after = first ? "</dt>" : "</dd>";
        } else if (!first) {
            tpl->before = "; ";
        }
    }
    if (tpl->node->type != GEN_SET)
        return;
    if (tpl->kids[0]->node->type == GEN_LEAF) {
        tpl->between = gen_below(&rng, 2) ? ", " : " and ";
    } else if (nested_dl) {
        tpl->before = "<dl>\n", tpl->after = "</dl>\n";
    } else {
        tpl->before = "<ol>\n", tpl->after = "</ol>\n";
        tpl->kids[0]->before = "<li>", tpl->kids[0]->after = "</li>\n";
    }
    if (tpl->level > 0) {
        gen_rng outer = gen_fork(site->layout_seed, 0xD4 + tpl->level - 1);
        if (gen_below(&outer, 2)) { /* inside a dl only dt and dd may stand */
            tpl->before = GEN_S(site, "<dd>%s", tpl->before);
            tpl->after = GEN_S(site, "%s</dd>", tpl->after);
        }
    }
}

static void record_kid(gen_site *site, gen_tpl *kid, bool shared, bool first)
{
    const char *label = gen_fill(site, label_of(site), kid->node->label);
    kid->zone = shared && first;
    const char *open = shared ? (first ? "<dd>" : GEN_ONE(site, "<br>\n", " | ", "<br>")) : "<dd>",
               *close = shared ? "" : "</dd>\n";
    if (kid->node->type == GEN_OPTIONAL) {
        gen_tpl *leaf = kid->kids[0];
        dress(site, leaf);
        leaf->before = GEN_S(site, "%s%s", open, label);
        leaf->after = close;
        kid->absent = shared && first ? "<dd>" : "";
        return;
    }
    if (kid->node->type == GEN_CHOICE) {
        for (uint32_t b = 0; b < kid->count; b++)
            for (uint32_t i = 0; i < kid->kids[b]->count; i++) {
                gen_tpl *leaf = kid->kids[b]->kids[i];
                dress(site, leaf);
                leaf->before = GEN_S(site, "%s%s%s", i ? "" : open, i ? " / " : "",
                                     gen_fill(site, b ? "@: " : label_of(site), leaf->node->label));
            }
        kid->after = close;
        return;
    }
    if (kid->node->type == GEN_LEAF)
        dress(site, kid);
    kid->before = GEN_S(site, "%s%s%s", open, label, kid->before);
    kid->after = GEN_S(site, "%s%s", kid->after, close);
    if (kid->node->type == GEN_SET)
        kid->absent = shared && first ? "<dd>" : "";
}

static void build(gen_site *site)
{
    const dl_form form = form_of(site);
    const bool detail = site->kind == GEN_DETAIL;
    site->upper = GEN_MAYBE(site, 0.3);
    site->omit = GEN_MAYBE(site, 0.35);
    if (GEN_MAYBE(site, 0.5))
        gen_chrome_nineties(site);
    else
        gen_chrome_noughties(site);
    gen_tpl *root = site->root;
    gen_tpl_each(site, root, inside_set);
    root->loose = true;
    gen_tpl *picture = gen_tpl_role(root, GEN_ROLE_IMAGE),
            *key = gen_tpl_leaf(gen_tpl_role(root, GEN_ROLE_KEY));
    const char *key_open = GEN_ONE(site, "<dt>", "<dt><b>", "<dt><strong>");
    const char *key_close = key_open[4] == 0     ? "</dt>\n"
                            : key_open[5] == 'b' ? "</b></dt>\n"
                                                 : "</strong></dt>\n";
    gen_tpl_anchor(site, root, key_open, "<a href=\"", "\">", "</a>", key_close);
    if (detail) {
        key->before = "<h2>", key->after = "</h2>\n<dl>\n";
    }
    if (picture) { /* behind the key, so that every record starts with its dt */
        gen_tpl *leaf = gen_tpl_leaf(picture);
        leaf->before = "<dd><img src=\"", leaf->after = "\" alt=\"\"></dd>\n";
        gen_tpl_move(root, picture, gen_tpl_role(root, GEN_ROLE_LINK) ? 2 : 1);
    }
    bool first = true;
    for (uint32_t i = 0; i < root->count; i++) {
        gen_tpl *kid = root->kids[i];
        if (kid == picture || (kid->node->role == GEN_ROLE_LINK || kid->node->role == GEN_ROLE_KEY))
            continue;
        if (detail) {
            static const char *const rows[] = {"<dt>@</dt><dd>", "<dt>@:</dt>\n<dd>"};
            const char *open = gen_fill(site, rows[gen_seed(site->layout_seed, 0xD5) % 2],
                                        kid->node->label ? kid->node->label : "Also");
            gen_tpl *inner = kid->node->type == GEN_OPTIONAL ? kid->kids[0] : kid;
            inner->before = GEN_S(site, "%s%s", open, inner->before);
            inner->after = GEN_S(site, "%s</dd>\n", inner->after);
            for (uint32_t b = 0; kid->node->type == GEN_CHOICE && b < kid->count; b++)
                for (uint32_t k = 0; k < kid->kids[b]->count; k++)
                    kid->kids[b]->kids[k]->before =
                        gen_fill(site, k ? ", @ " : "@: ", kid->kids[b]->kids[k]->node->label);
        } else {
            record_kid(site, kid, form == DL_SHARED_DD, first);
            first = false;
        }
    }
    gen_layout *l = &site->layout;
    const char *cls =
        GEN_MAYBE(site, 0.5) ? GEN_S(site, " class=\"%s\"", gen_class(site, "list")) : "";
    l->open = form == DL_EACH || detail ? "" : GEN_S(site, "<dl%s>\n", cls);
    l->close = form == DL_EACH ? "" : "</dl>\n";
    if (form == DL_EACH && !detail) {
        l->record_before[0] = GEN_S(site, "<dl%s>\n", cls);
        l->record_after[0] = "</dl>\n";
        l->adverts[0] = "<p align=\"center\"><a href=\"/ads/$#.html\">$V $T</a></p>\n";
        l->adverts[1] = "<h3>$C</h3>\n";
    } else if (!detail) {
        l->record_after[0] = form == DL_SHARED_DD ? "</dd>\n" : "";
        l->adverts[0] =
            "<dt><small>Advertisement</small></dt>\n<dd><a href=\"/ads/$#.html\">$V $T</a></dd>\n";
        l->adverts[1] = "<dt><h3>$C</h3></dt>\n";
    }
    if (detail)
        l->close = "</dl>\n";
    l->advert_count = detail ? 0 : 2;
}

const gen_family gen_family_dl = {"dl",
                                  "definition lists: dt and the dds after it, or a dl a record",
                                  GEN_MAKES_LIST | GEN_MAKES_DETAIL, build, dress};
