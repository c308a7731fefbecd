/* gen_template.c: the mechanics of template trees. Nothing here knows a tag. */
#include "gen_site.h"

#include <string.h>

gen_tpl *gen_tpl_new(gen_site *site, const gen_node *node)
{
    gen_tpl *tpl = gen_alloc(&site->arena, sizeof *tpl);
    *tpl = (gen_tpl){.node = node,
                     .before = "",
                     .after = "",
                     .in = "",
                     .out = "",
                     .between = "",
                     .count = node->count};
    tpl->kids = node->count ? gen_alloc(&site->arena, node->count * sizeof *tpl->kids) : NULL;
    for (uint32_t i = 0; i < node->count; i++) { /* as deep as the schema */
        tpl->kids[i] = gen_tpl_new(site, node->kids[i]);
        tpl->kids[i]->parent = tpl;
        tpl->kids[i]->slot = i;
    }
    return tpl;
}

static void each(gen_site *site, gen_tpl *tpl, uint32_t level, void (*visit)(gen_site *, gen_tpl *))
{
    tpl->level = level;
    visit(site, tpl);
    for (uint32_t i = 0; i < tpl->count; i++)
        each(site, tpl->kids[i],
             level + (tpl->node->type == GEN_SET && tpl->node->kids[0]->type == GEN_TUPLE), visit);
}

void gen_tpl_each(gen_site *site, gen_tpl *tpl, void (*visit)(gen_site *, gen_tpl *))
{
    each(site, tpl, tpl->level, visit);
}

gen_tpl *gen_tpl_leaf(gen_tpl *kid)
{
    while (kid->node->type == GEN_OPTIONAL || kid->node->type == GEN_SET)
        kid = kid->kids[0];
    return kid;
}

bool gen_tpl_is_attr(const gen_tpl *leaf)
{
    return leaf->node->role == GEN_ROLE_LINK || leaf->node->role == GEN_ROLE_IMAGE;
}

gen_tpl *gen_tpl_role(const gen_tpl *tuple, gen_role role)
{
    for (uint32_t i = 0; i < tuple->count; i++)
        if (tuple->kids[i]->node->role == role &&
            gen_tpl_leaf(tuple->kids[i])->node->type == GEN_LEAF)
            return tuple->kids[i];
    return NULL;
}

void gen_tpl_move(gen_tpl *tuple, gen_tpl *kid, uint32_t place)
{
    uint32_t at = 0;
    while (at < tuple->count && tuple->kids[at] != kid)
        at++;
    if (at == tuple->count)
        return;
    memmove(tuple->kids + at, tuple->kids + at + 1, (tuple->count - at - 1) * sizeof *tuple->kids);
    place = place < tuple->count ? place : tuple->count - 1;
    memmove(tuple->kids + place + 1, tuple->kids + place,
            (tuple->count - place - 1) * sizeof *tuple->kids);
    tuple->kids[place] = kid;
}

uint32_t gen_tpl_movable(const gen_tpl *const *kids, uint32_t count, uint32_t *indices,
                         uint32_t cap)
{
    uint32_t best = 0, most = 0;
    for (uint32_t pass = 0; pass < 2; pass++) { /* find the largest zone, then list it */
        uint32_t sizes[8] = {0}, found = 0;
        for (uint32_t i = 0; i < count; i++) {
            const gen_role role = kids[i]->node->role;
            if (role == GEN_ROLE_KEY || role == GEN_ROLE_LINK || role == GEN_ROLE_IMAGE ||
                kids[i]->lead || kids[i]->dropped)
                continue;
            const uint32_t zone = (kids[i]->zone + kids[i]->part * 4) % 8;
            if (pass == 0 && ++sizes[zone] > most)
                most = sizes[zone], best = zone;
            if (pass == 1 && zone == best && found < cap)
                indices[found++] = i;
        }
        if (pass == 1)
            return found;
    }
    return 0;
}

void gen_tpl_anchor(gen_site *site, gen_tpl *tuple, const char *open, const char *a_open,
                    const char *a_mid, const char *a_close, const char *close)
{
    gen_tpl *link = gen_tpl_role(tuple, GEN_ROLE_LINK),
            *key_kid = gen_tpl_role(tuple, GEN_ROLE_KEY);
    gen_tpl *key = gen_tpl_leaf(key_kid);
    key->after = close;
    if (!link) {
        key->before = open;
        return;
    }
    gen_tpl *url = gen_tpl_leaf(link);
    url->before = GEN_S(site, "%s%s", open, a_open);
    url->after = a_mid;
    link->glue = true;
    if (link->node->type == GEN_OPTIONAL)
        link->absent = open;
    key->tail = a_close;
    key->tail_slot = link->slot;
}

const char *gen_fill(gen_site *site, const char *pattern, const char *text)
{
    th__buf buf = {0};
    for (; *pattern; pattern++) {
        if (*pattern == '@')
            th__buf_add_str(&buf, th_str_from(text));
        else
            th__buf_add_byte(&buf, *pattern);
    }
    const char *kept = th__arena_copy(&site->arena, th__buf_str(&buf)).ptr;
    th__buf_release(&buf);
    return kept ? kept : "";
}

/* ---- class names ---- */

typedef struct synonym {
    const char *meaning, *words;
} synonym;

static const synonym synonyms[] = {
    {"title", "title|name|heading|headline|ttl"},
    {"price", "price|cost|amount|money"},
    {"text", "desc|description|summary|excerpt|body"},
    {"item", "item|product|entry|result|record|card|row"},
    {"list", "list|items|results|products|grid|listing"},
    {"image", "thumb|image|photo|pic|media"},
    {"label", "label|lbl|key|term|caption"},
    {"value", "value|val|data|info"},
    {"nav", "nav|menu|navigation|topmenu"},
    {"footer", "footer|foot|bottom|site-info"},
    {"side", "sidebar|side|aside|left-col|rail"},
    {"date", "date|time|posted|when"},
    {"meta", "meta|details|attrs|info-line"},
    {"header", "header|head|masthead|banner-top"},
    {"crumbs", "breadcrumb|crumbs|path|trail"},
    {"ad", "ad|promo|sponsored|banner|advert"},
    {"related", "related|similar|also|recommend"},
    {"pager", "pagination|pager|pages|paging"},
    {"tags", "tags|tagcloud|topics|labels"},
    {"wrap", "wrap|wrapper|container|outer|inner|box"},
};

static const char *synonym_of(gen_rng *rng, const char *meaning, th__arena *arena)
{
    for (size_t i = 0; i < sizeof synonyms / sizeof *synonyms; i++) {
        if (strcmp(synonyms[i].meaning, meaning) != 0)
            continue;
        const char *words = synonyms[i].words;
        uint32_t count = 1;
        for (const char *at = words; *at; at++)
            count += *at == '|';
        for (uint32_t skip = gen_below(rng, count); skip > 0; skip--)
            words = strchr(words, '|') + 1;
        return gen_str(arena, "%.*s", (int)strcspn(words, "|"), words);
    }
    return meaning;
}

static const char *utility(gen_rng *rng, th__arena *arena)
{
    const char *first =
        GEN_PICK(rng, "flex", "block", "grid", "relative", "inline-flex", "w-full", "col-span-2");
    const char *second =
        GEN_PICK(rng, "mt-2", "p-4", "px-3 py-1", "gap-2", "mb-1", "mx-auto", "space-y-2");
    const char *third = GEN_PICK(rng, "text-sm", "text-base", "font-medium", "text-gray-600",
                                 "leading-6", "rounded-lg", "border", "shadow-sm", "truncate");
    return gen_str(arena, "%s %s %s", first, second, third);
}

const char *gen_class(gen_site *site, const char *meaning)
{
    gen_rng rng = gen_fork(site->layout_seed, th__hash(meaning, strlen(meaning)));
    const char *word = synonym_of(&rng, meaning, &site->arena);
    char *text;
    switch (site->naming) {
    case GEN_NAME_PLAIN:
        return word;
    case GEN_NAME_PREFIX:
        return GEN_S(site, "%s-%s", site->prefix, word);
    case GEN_NAME_BEM:
        return GEN_S(site, "%s__%s", site->prefix, word);
    case GEN_NAME_CAMEL:
        text = (char *)(uintptr_t)GEN_S(site, "%s%s", site->prefix, word);
        if (text[strlen(site->prefix)] >= 'a' && text[strlen(site->prefix)] <= 'z')
            text[strlen(site->prefix)] &= ~0x20;
        return text;
    case GEN_NAME_HASHED: {
        static const char digits[] = "0123456789abcdefghijklmnopqrstuvwxyz";
        char hash[7] = {0};
        for (int i = 0; i < 6; i++)
            hash[i] = digits[gen_below(&rng, 36)];
        return GEN_S(site, "%s-%s", gen_below(&rng, 2) ? "css" : "sc", hash);
    }
    case GEN_NAME_SHORT: {
        char brief[5] = {word[0], 0};
        int len = 1;
        for (const char *at = word + 1; *at && len < 4; at++)
            if (!strchr("aeiou-", *at))
                brief[len++] = *at;
        return GEN_S(site, "%s", brief);
    }
    case GEN_NAME_UTILITY:
        return utility(&rng, &site->arena);
    case GEN_NAME_NUMBER:
        return GEN_S(site, "%c%u", "cgst"[gen_below(&rng, 4)], gen_below(&rng, 90) + 1);
    }
    return word;
}

bool gen_wants(gen_site *site, double p)
{
    /* 0.7, the default of --chrome, is the realistic measure. */
    return gen_chance(&site->rng, p * site->options->chrome / 0.7);
}
