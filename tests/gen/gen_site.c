/* gen_site.c: puts a site together: seeds, schema, family, patterns, and what applies to any
 * template. */
#include "gen_site.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gen_change.h"

const gen_family *const gen_families[] = {
    &gen_family_table,  &gen_family_dl,        &gen_family_br,     &gen_family_utility,
    &gen_family_cards,  &gen_family_microdata, &gen_family_rows,   &gen_family_columns,
    &gen_family_search, &gen_family_blog,      &gen_family_detail, &gen_family_faculty,
};
const uint32_t gen_family_count = sizeof gen_families / sizeof *gen_families;

/* SoftMealy's table 1: tuples, attributes and attribute permutations of its thirty pages. */
static const uint16_t table1[30][3] = {
    {6, 6, 3},  {8, 3, 2},  {11, 1, 2},   {11, 7, 2}, {15, 4, 4}, {18, 2, 2},
    {18, 7, 5}, {18, 6, 3}, {21, 2, 1},   {21, 1, 1}, {22, 1, 1}, {22, 7, 4},
    {23, 5, 4}, {24, 2, 1}, {25, 6, 5},   {29, 2, 2}, {29, 3, 3}, {29, 1, 1},
    {31, 4, 2}, {32, 5, 2}, {34, 1, 1},   {35, 7, 3}, {35, 4, 2}, {36, 3, 2},
    {39, 2, 1}, {41, 4, 3}, {46, 10, 13}, {48, 3, 2}, {51, 2, 1}, {157, 2, 1}};

/* ---- faculty patterns ---- */

static gen_pattern sample_pattern(gen_rng *rng, const gen_node *root, bool full)
{
    gen_pattern p = {0};
    const bool linked = root->count > 1;
    for (uint32_t i = 0; i < root->count; i++) {
        const bool key = i == linked;
        uint8_t copies = 1;
        if (!full && !key && gen_chance(rng, i == 0 ? 0.3 : 0.4))
            continue;
        if (!full && root->kids[i]->type == GEN_SET && gen_chance(rng, 0.2))
            copies = 2;
        p.slots[p.count] = (uint8_t)i;
        p.copies[p.count++] = copies;
    }
    /* Now and then two neighbours behind the name change places. */
    const uint32_t first = p.count && p.slots[0] == 0 && linked ? 2 : 1;
    if (!full && p.count > first + 1 && gen_chance(rng, 0.2)) {
        const uint32_t at = gen_between(rng, first, p.count - 2u);
        const uint8_t slot = p.slots[at], copies = p.copies[at];
        p.slots[at] = p.slots[at + 1], p.copies[at] = p.copies[at + 1];
        p.slots[at + 1] = slot, p.copies[at + 1] = copies;
    }
    return p;
}

static bool known(const gen_pattern *all, uint32_t count, const gen_pattern *p)
{
    for (uint32_t i = 0; i < count; i++)
        if (memcmp(&all[i], p, sizeof *p) == 0)
            return true;
    return false;
}

/* Adds distinct patterns until there are `wanted`, or no more are found. */
static uint32_t add_patterns(gen_rng *rng, const gen_node *root, gen_pattern *all, uint32_t count,
                             uint32_t wanted)
{
    for (uint32_t tries = 0; count < wanted && tries < 10000; tries++) {
        const gen_pattern p = sample_pattern(rng, root, count == 0);
        if (!known(all, count, &p))
            all[count++] = p;
    }
    return count;
}

static void faculty_patterns(gen_site *site, uint32_t perms)
{
    gen_rng rng = gen_fork(site->layout_seed, 0xFA7);
    site->patterns = gen_alloc(&site->arena, 512 * sizeof *site->patterns);
    site->pattern_count = add_patterns(&rng, site->schema->root, site->patterns, 0, perms);
}

/* The experiment of SoftMealy's section 4.2: ten pages with 85 tuples and 18 permutations to learn
 * from, one page of 69 tuples and 17 permutations, of which 7 were seen. */
static void faculty_unseen(gen_site *site)
{
    faculty_patterns(site, 18);
    gen_rng rng = gen_fork(site->layout_seed, 0xFA8);
    const uint32_t all =
        add_patterns(&rng, site->schema->root, site->patterns, site->pattern_count, 28);
    site->last_patterns = gen_alloc(&site->arena, 64 * sizeof *site->last_patterns);
    for (uint32_t i = 0; i < 7 && i < site->pattern_count; i++)
        site->last_patterns[site->last_pattern_count++] = site->patterns[i];
    for (uint32_t i = site->pattern_count; i < all; i++)
        site->last_patterns[site->last_pattern_count++] = site->patterns[i];
    site->pages = 11;
    site->records = (gen_range){4, 13};
    site->ramp = true; /* 4 + 5 + ... + 13 = 85 */
    site->last_records = (gen_range){69, 69};
}

static void faculty_init(gen_site *site, uint32_t index)
{
    const gen_options *o = site->options;
    gen_rng rng = gen_fork(site->layout_seed, 0xFA6);
    uint32_t attrs = gen_between(&rng, o->attrs.min, o->attrs.max),
             perms = gen_between(&rng, o->perms.min, o->perms.max);
    const bool unseen = o->profile && strcmp(o->profile, "unseen") == 0;
    const gen_rng schema = gen_fork(site->layout_seed, 0x5C4);
    if (unseen) {
        site->schema = gen_schema_faculty(&site->arena, schema, 12);
        faculty_unseen(site);
        return;
    }
    if (o->profile) {
        uint32_t nt = 0;
        if (strcmp(o->profile, "table1") == 0)
            nt = table1[index % 30][0], attrs = table1[index % 30][1],
            perms = table1[index % 30][2];
        else
            sscanf(o->profile, "%u,%u,%u", &nt, &attrs, &perms); /* checked in main */
        site->records = (gen_range){nt, nt};
        site->pages = o->pages_given ? o->pages : 1;
    }
    site->schema = gen_schema_faculty(&site->arena, schema, attrs);
    faculty_patterns(site, perms);
}

/* ---- what applies to any template ---- */

static bool is_omissible(th_str name)
{
    static const char *const names[] = {"td", "tr", "li", "dd", "dt", "th"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (th__str_eq_nocase(name, th_str_from(names[i])))
            return true;
    return false;
}

static size_t name_length(const char *at)
{
    size_t len = 0;
    while (th__is_alpha((unsigned char)at[len]) || th__is_digit((unsigned char)at[len]))
        len++;
    return len;
}

/* A start tag in capitals, from '<' to '>' or the end of the string; values keep their case. */
static size_t copy_upper(th__buf *to, const char *at)
{
    size_t used = 0;
    bool quoted = false, value = false;
    for (; at[used] && (quoted || used == 0 || at[used - 1] != '>'); used++) {
        char c = at[used];
        if (c == '"')
            quoted = !quoted;
        if (c == '=')
            value = true;
        else if (c == ' ' && !quoted)
            value = false;
        th__buf_add_byte(to, !quoted && !value && c >= 'a' && c <= 'z' ? (char)(c - 32) : c);
    }
    return used;
}

static const char *edit_tags(gen_site *site, const char *text)
{
    th__buf buf = {0};
    while (*text) {
        const size_t slash = text[0] == '<' && text[1] == '/';
        const size_t len = text[0] == '<' ? name_length(text + 1 + slash) : 0;
        if (!len) {
            th__buf_add_byte(&buf, *text++);
        } else if (site->omit && slash && text[2 + len] == '>' &&
                   is_omissible((th_str){text + 2, len})) {
            text += 3 + len;
        } else if (site->upper) {
            text += copy_upper(&buf, text);
        } else {
            th__buf_add(&buf, text, 1 + slash + len);
            text += 1 + slash + len;
        }
    }
    const char *kept = th__arena_copy(&site->arena, th__buf_str(&buf)).ptr;
    th__buf_release(&buf);
    return kept ? kept : "";
}

static void edit_pieces(gen_site *site, gen_pieces *pieces)
{
    const bool omit = site->omit;
    site->omit = false; /* the surroundings close their tags */
    for (size_t i = 0; i < pieces->len; i++)
        pieces->data[i].text = edit_tags(site, pieces->data[i].text);
    site->omit = omit;
}

/* Whether a value of the leaf may hold the sign, by looking at a good number of them. */
static bool stands_in_values(const gen_site *site, const gen_node *leaf, const char *sign)
{
    const gen_value_dials plain = {0};
    gen_pen pen = {.entities = GEN_ENTITY_NAMED}; /* "&amp;", as templates write it */
    gen_rng rng = gen_fork(site->layout_seed, 0x516 + leaf->id);
    for (int i = 0; i < 200; i++) {
        gen_value_write(&pen, &rng, leaf->kind, leaf->style, &plain);
        gen_pen_markup(&pen, "\n");
    }
    th__buf_add_byte(&pen.html, '\0');
    const bool found = !pen.html.failed && strstr(pen.html.data, sign);
    th__buf_release(&pen.html);
    th__buf_release(&pen.text);
    return found;
}

/* Bare values in a row are parted by a sign that none of them holds: "Film & TV & Music" parted by
 * " & " has no right answer. */
static void part_values(gen_site *site, gen_tpl *tpl)
{
    static const char *const signs[] = {", ", "; ", " / ", " | "};
    if (tpl->node->type != GEN_SET || tpl->kids[0]->node->type != GEN_LEAF || !*tpl->between)
        return;
    const gen_tpl *leaf = tpl->kids[0];
    if (*leaf->before || *leaf->in || *leaf->out || *leaf->after)
        return;
    const size_t count = sizeof signs / sizeof *signs;
    for (size_t i = 0; i < count && stands_in_values(site, leaf->node, tpl->between); i++)
        tpl->between = signs[i];
}

static void build(gen_site *site)
{
    site->rng = gen_fork(site->layout_seed, 0x1A7);
    site->prefix = GEN_ONE(site, "prd", "item", "shop", "lst", "app", "card", "res", "my");
    site->naming = GEN_NAME_PLAIN;
    site->upper = site->omit = false;
    site->layout = (gen_layout){.cycle = 1, .open = "", .close = ""};
    site->top.len = site->bottom.len = 0;
    site->root = gen_tpl_new(site, site->schema->root);
    site->family->build(site);
    gen_tpl_each(site, site->root, part_values);
    if (site->upper || site->omit) {
        gen_strings_each(site, edit_tags);
        if (site->upper) {
            edit_pieces(site, &site->top);
            edit_pieces(site, &site->bottom);
        }
    }
}

static const gen_family *family_of(const gen_options *options, uint32_t index)
{
    const unsigned makes = 1u << options->kind;
    const bool all = strcmp(options->family, "all") == 0;
    const gen_family *fit[32];
    uint32_t count = 0;
    for (uint32_t i = 0; i < gen_family_count; i++)
        if ((gen_families[i]->makes & makes) &&
            (all || strcmp(options->family, gen_families[i]->name) == 0))
            fit[count++] = gen_families[i];
    return fit[index % count]; /* main has checked that there is one */
}

void gen_site_init(gen_site *site, const gen_options *options, uint32_t index)
{
    *site = (gen_site){.options = options,
                       .kind = options->kind,
                       .pages = options->pages,
                       .records = options->records};
    const uint64_t seed = gen_seed(options->seed, index);
    th__arena_init(&site->arena);
    site->layout_seed = gen_seed(seed, 1);
    site->value_seed = gen_seed(seed, 2);
    site->family = family_of(options, index);
    gen_rng look = gen_fork(site->layout_seed, 0xE4);
    static const gen_entity_style styles[] = {GEN_ENTITY_RAW, GEN_ENTITY_RAW, GEN_ENTITY_NAMED,
                                              GEN_ENTITY_DECIMAL, GEN_ENTITY_HEX};
    site->entities = styles[gen_below(&look, 5)];
    snprintf(site->name, sizeof site->name, "%s-%04u", site->family->name, index);
    if (site->kind == GEN_FACULTY)
        faculty_init(site, index);
    else
        site->schema = gen_schema_sample(&site->arena, gen_fork(site->layout_seed, 0x5C4), options);
    build(site);
}

void gen_site_rebuild(gen_site *site, const gen_family *family)
{
    site->family = family;
    build(site);
}

void gen_site_release(gen_site *site)
{
    th__vec_release(&site->top);
    th__vec_release(&site->bottom);
    th__arena_release(&site->arena);
}
