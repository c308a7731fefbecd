/* gen_change.c: layout changes as operations on template strings. */
#include "gen_change.h"

#include <string.h>

#include "base/str.h"

static void strings_of(gen_site *site, gen_tpl *tpl, const char *(*edit)(gen_site *, const char *))
{
    const char **all[] = {&tpl->before,  &tpl->after, &tpl->in,   &tpl->out, &tpl->absent,
                          &tpl->between, &tpl->head,  &tpl->tail, &tpl->lead};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (*all[i] && **all[i])
            *all[i] = edit(site, *all[i]);
    for (uint32_t i = 0; i < tpl->count; i++) /* as deep as the schema */
        strings_of(site, tpl->kids[i], edit);
}

void gen_strings_each(gen_site *site, const char *(*edit)(gen_site *, const char *))
{
    gen_layout *l = &site->layout;
    const char **all[32] = {&l->open, &l->close, &l->head_open, &l->head_close, &l->between};
    size_t count = 5;
    for (uint32_t i = 0; i < 3; i++)
        all[count++] = &l->record_before[i], all[count++] = &l->record_after[i];
    for (uint32_t i = 0; i < GEN_PARTS; i++) {
        all[count++] = &l->row_open[i], all[count++] = &l->row_close[i];
        all[count++] = &l->cell_open[i], all[count++] = &l->cell_close[i],
        all[count++] = &l->cell_void[i];
    }
    for (uint32_t i = 0; i < l->advert_count; i++)
        all[count++] = &l->adverts[i];
    for (size_t i = 0; i < count; i++)
        if (*all[i] && **all[i])
            *all[i] = edit(site, *all[i]);
    strings_of(site, site->root, edit);
}

/* ---- rename ---- */

static const char *const tag_renames[][2] = {
    {"b", "strong"},  {"i", "em"},     {"h3", "h4"},           {"h2", "h3"},
    {"em", "i"},      {"strong", "b"}, {"article", "section"}, {"small", "span"},
    {"font", "span"}, {"th", "td"},    {"cite", "em"},         {"u", "i"}};

/* The new name of a class or id: another word of the same look. */
static void new_word(th__buf *to, th_str word)
{
    static const char *const heads[] = {"x", "new", "v2", "js", "m", "ui"};
    const uint64_t hash = th__hash(word.ptr, word.len);
    th__buf_printf(to, "%s-%c%c%u", heads[hash % 6], (char)('a' + (hash >> 8) % 26),
                   (char)('a' + (hash >> 16) % 26), (unsigned)(hash >> 24) % 100);
}

static size_t rename_tag(th__buf *to, const char *at)
{
    const size_t slash = at[1] == '/';
    size_t len = 0;
    while (th__is_alpha((unsigned char)at[1 + slash + len]) ||
           th__is_digit((unsigned char)at[1 + slash + len]))
        len++;
    const th_str name = {at + 1 + slash, len};
    for (size_t i = 0; i < sizeof tag_renames / sizeof *tag_renames; i++) {
        if (!th__str_eq_nocase(name, th_str_from(tag_renames[i][0])))
            continue;
        th__buf_add(to, at, 1 + slash);
        th__buf_add_str(to, th_str_from(tag_renames[i][1]));
        return 1 + slash + len;
    }
    th__buf_add(to, at, 1 + slash + len);
    return 1 + slash + len;
}

/* `at` stands on class= or id=; quotes may be missing. */
static size_t rename_words(th__buf *to, const char *at)
{
    size_t used = strcspn(at, "=") + 1;
    const bool quoted = at[used] == '"';
    used += quoted;
    th__buf_add(to, at, used);
    for (;;) {
        const size_t len = strcspn(at + used, quoted ? "\" " : " >");
        if (len)
            new_word(to, (th_str){at + used, len});
        used += len;
        if (!quoted || at[used] != ' ')
            return used;
        th__buf_add_byte(to, ' ');
        used++;
    }
}

static const char *rename_edit(gen_site *site, const char *text)
{
    const char *start = text;
    th__buf buf = {0};
    while (*text) {
        size_t used = 1;
        if (*text == '<' && (th__is_alpha((unsigned char)text[1]) || text[1] == '/'))
            used = rename_tag(&buf, text);
        else if (*text == ' ' && (th__str_starts_nocase(th_str_from(text + 1), TH_STR("class=")) ||
                                  th__str_starts_nocase(th_str_from(text + 1), TH_STR("id=\""))))
            used = rename_words(&buf, text);
        else
            th__buf_add_byte(&buf, *text);
        text += used;
    }
    const char *kept = th__arena_copy(&site->arena, th__buf_str(&buf)).ptr;
    site->edits += strcmp(kept, start) != 0;
    th__buf_release(&buf);
    return kept;
}

/* ---- the others ---- */

static void wrap_leaf(gen_site *site, gen_tpl *tpl)
{
    if (tpl->node->type != GEN_LEAF || gen_tpl_is_attr(tpl))
        return;
    gen_rng rng = gen_fork(site->layout_seed, 0x33A9 + tpl->node->id);
    const char *tag = GEN_PICK(&rng, "span", "span", "bdi", "data");
    tpl->in = GEN_S(site, "<%s data-w=\"%u\">%s", tag, gen_below(&rng, 9), tpl->in);
    tpl->out = GEN_S(site, "%s</%s>", tpl->out, tag);
}

static void wrap(gen_site *site)
{
    gen_tpl_each(site, site->root, wrap_leaf);
    gen_layout *l = &site->layout;
    l->open =
        GEN_S(site, "<div class=\"w-outer\"><div class=\"w-inner\">\n%s", l->open ? l->open : "");
    l->close = GEN_S(site, "%s</div></div>\n", l->close ? l->close : "");
}

static bool reorder(gen_site *site)
{
    uint32_t places[80];
    gen_tpl *root = site->root, *kept[80];
    const uint32_t found =
        gen_tpl_movable((const gen_tpl *const *)root->kids, root->count, places, 80);
    if (found < 2)
        return false;
    const uint32_t by = 1 + (uint32_t)(gen_seed(site->layout_seed, 0x0DE4) % (found - 1));
    for (uint32_t i = 0; i < found; i++)
        kept[i] = root->kids[places[(i + by) % found]];
    for (uint32_t i = 0; i < found; i++)
        root->kids[places[i]] = kept[i];
    return true;
}

static void leaf_paths(th__buf *to, const gen_node *node)
{
    if (node->type == GEN_LEAF)
        th__buf_printf(to, "%s\"%s\"", to->len ? "," : "", node->path);
    for (uint32_t i = 0; i < node->count; i++) /* as deep as the schema */
        leaf_paths(to, node->kids[i]);
}

static const char *delete_one(gen_site *site)
{
    uint32_t places[80];
    const uint32_t found =
        gen_tpl_movable((const gen_tpl *const *)site->root->kids, site->root->count, places, 80);
    if (!found)
        return NULL;
    gen_tpl *kid = site->root->kids[places[gen_seed(site->layout_seed, 0xDE1E) % found]];
    kid->dropped = true;
    th__buf paths = {0};
    leaf_paths(&paths, kid->node);
    const char *kept = th__arena_copy(&site->arena, th__buf_str(&paths)).ptr;
    th__buf_release(&paths);
    return kept;
}

static const gen_family *other_family(const gen_site *site)
{
    const unsigned makes = 1u << site->kind;
    uint32_t start = (uint32_t)(gen_seed(site->layout_seed, 0x07E4) % gen_family_count);
    for (uint32_t i = 0; i < gen_family_count; i++) {
        const gen_family *family = gen_families[(start + i) % gen_family_count];
        if (family != site->family && (family->makes & makes))
            return family;
    }
    return site->family;
}

static void restyle_leaf(gen_site *site, gen_tpl *tpl)
{
    if (tpl->node->type != GEN_LEAF || gen_tpl_is_attr(tpl))
        return;
    const char *in = tpl->in;
    site->lender->dress(site, tpl);
    site->edits += strcmp(in, tpl->in) != 0;
}

/* Lends the inline markup of another family; the next one is asked where it makes no difference. */
static bool restyle(gen_site *site, gen_change_note *note)
{
    const uint32_t start = (uint32_t)(gen_seed(site->layout_seed, 0x07E4) % gen_family_count);
    site->naming = (gen_naming)((site->naming + 3) % 8);
    for (uint32_t i = 0; i < gen_family_count; i++) {
        site->lender = gen_families[(start + i) % gen_family_count];
        if (site->lender == site->family)
            continue;
        site->edits = 0;
        gen_tpl_each(site, site->root, restyle_leaf);
        note->family_after = site->lender->name;
        if (site->edits)
            return true;
    }
    return false;
}

void gen_change_apply(gen_site *site, gen_change change, uint32_t index, gen_change_note *note)
{
    *note = (gen_change_note){.asked = change, .done = change};
    switch (change) {
    case GEN_CHANGE_NONE:
        return;
    case GEN_CHANGE_RENAME:
        site->edits = 0;
        gen_strings_each(site, rename_edit);
        if (site->edits)
            return;
        break;
    case GEN_CHANGE_DELETE:
        note->deleted = delete_one(site);
        if (note->deleted)
            return;
        break;
    case GEN_CHANGE_REORDER:
        if (reorder(site))
            return;
        break;
    case GEN_CHANGE_RESTYLE:
        if (restyle(site, note))
            return;
        break;
    case GEN_CHANGE_REDESIGN:
        note->family_after = other_family(site)->name;
        gen_site_rebuild(site, other_family(site));
        return;
    case GEN_CHANGE_CONTENT:
        site->value_seed = gen_seed(site->value_seed, 0xC047);
        return;
    case GEN_CHANGE_WRAP:
        break;
    }
    /* Also where the template had nothing to rename, move, delete or restyle. */
    note->done = GEN_CHANGE_WRAP;
    wrap(site);
}

void gen_change_json(th__buf *to, const gen_site *before, const gen_site *after,
                     const gen_change_note *note)
{
    th__buf_printf(to,
                   "{\"site\":\"%s\",\"change\":\"%s\",\"done\":\"%s\",\"kind\":\"%s\",\"family\":"
                   "\"%s\",\"lender\":",
                   before->name, gen_change_name(note->asked), gen_change_name(note->done),
                   gen_kind_name(before->kind), before->family->name);
    th__buf_printf(to, note->family_after ? "\"%s\"" : "null", note->family_after);
    th__buf_printf(to, ",\"deleted\":");
    th__buf_printf(to, "[%s]", note->deleted ? note->deleted : "");
    th__buf_printf(to, ",\"pages\":[");
    for (uint32_t i = 0; i < before->pages; i++)
        th__buf_printf(to, "%s[\"before/%s/page-%03u.html\",\"after/%s/page-%03u.html\"]",
                       i ? "," : "", before->name, i, after->name, i);
    th__buf_printf(to, "]}\n");
}
