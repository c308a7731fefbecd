/* gen_text.c: text with marks ($T, $P, ...): what stands on a page beside its data. */
#include "gen_site.h"

#include <string.h>

#include "gen_values.h"
#include "gen_words.h"

typedef struct mark {
    char letter;
    gen_value_kind kind;
} mark;

/* Marks that are values; their styles come from the site, so that decoys look like the data. */
static const mark marks[] = {
    {'T', GEN_V_TITLE}, {'P', GEN_V_PERSON}, {'C', GEN_V_CATEGORY}, {'M', GEN_V_PRICE},
    {'D', GEN_V_DATE},  {'N', GEN_V_NUMBER}, {'Y', GEN_V_YEAR},     {'L', GEN_V_CITY},
    {'S', GEN_V_TEXT},  {'E', GEN_V_EMAIL},  {'H', GEN_V_PHONE},    {'K', GEN_V_COMPANY},
};

static uint32_t style_of(const gen_site *site, gen_value_kind kind)
{
    const gen_schema *schema = site->schema;
    if (kind == GEN_V_TEXT || kind == GEN_V_NUMBER)
        return 0;
    for (uint32_t i = 0; i < schema->root->count; i++)
        if (schema->root->kids[i]->type == GEN_LEAF && schema->root->kids[i]->kind == kind)
            return schema->root->kids[i]->style;
    return (uint32_t)(gen_seed(site->layout_seed, kind) >> 40);
}

static bool write_value(th__buf *to, gen_site *site, gen_rng *rng, char letter)
{
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        if (marks[i].letter != letter)
            continue;
        const gen_value_dials plain = {0};
        gen_pen pen = {.html = *to, .entities = site->entities};
        gen_value_write(&pen, rng, marks[i].kind, style_of(site, marks[i].kind), &plain);
        *to = pen.html;
        th__buf_release(&pen.text);
        return true;
    }
    return false;
}

static void write_slug(th__buf *to, gen_rng *rng)
{
    const char *from = gen_categories.words[gen_below(rng, gen_categories.count)];
    for (; *from; from++)
        if (th__is_alpha((unsigned char)*from))
            th__buf_add_byte(to, (char)th__lower((unsigned char)*from));
}

/* The mark after a dollar; returns how many bytes it takes. */
static size_t write_mark(th__buf *to, gen_site *site, gen_rng *rng, const gen_live *live,
                         const char *at)
{
    char word[64];
    switch (*at) {
    case '$':
        th__buf_add_byte(to, '$');
        return 1;
    case '[': {
        size_t len = strcspn(at, "]");
        size_t kept = len - 1 < sizeof word ? len - 1 : sizeof word - 1;
        memcpy(word, at + 1, kept);
        word[kept] = 0;
        th__buf_add_str(to, th_str_from(gen_class(site, word)));
        return len + 1;
    }
    case 'W':
        th__buf_add_str(to,
                        th_str_from(gen_small_words.words[gen_zipf(rng, gen_small_words.count)]));
        return 1;
    case 'V':
        th__buf_add_str(to, th_str_from(gen_verbs.words[gen_below(rng, gen_verbs.count)]));
        return 1;
    case 'U':
        write_slug(to, rng);
        return 1;
    case 'Q':
        th__buf_add_str(to, th_str_from(live->subject));
        return 1;
    case 'I':
        th__buf_printf(to, "%u", live->page + 1);
        return 1;
    case 'R':
        th__buf_printf(to, "%u", live->records);
        return 1;
    case 'B': /* the domain's noun */
        th__buf_add_str(to, th_str_from(site->schema->noun));
        return 1;
    case 'X':
        th__buf_printf(to, "%08x", (unsigned)(gen_next(rng) >> 32));
        return 1;
    case '#':
        th__buf_printf(to, "%u", gen_below(rng, 1000));
        return 1;
    default:
        return write_value(to, site, rng, *at) ? 1 : 0;
    }
}

void gen_expand(th__buf *to, gen_site *site, gen_rng *rng, const gen_live *live, const char *text)
{
    while (*text) {
        const char *dollar = strchrnul(text, '$');
        th__buf_add(to, text, (size_t)(dollar - text));
        if (!*dollar)
            return;
        text = dollar + 1 + write_mark(to, site, rng, live, dollar + 1);
    }
}

/* Settles the class marks alone: they are the same on every page. */
static const char *with_classes(gen_site *site, const char *text)
{
    th__buf buf = {0};
    while (*text) {
        size_t run = strcspn(text, "$");
        th__buf_add(&buf, text, run);
        text += run;
        if (text[0] && text[1] == '[') {
            text += 1 + write_mark(&buf, site, NULL, NULL, text + 1);
        } else if (*text) {
            th__buf_add(&buf, text, 1 + (text[1] != 0));
            text += 1 + (text[1] != 0);
        }
    }
    const char *kept = th__arena_copy(&site->arena, th__buf_str(&buf)).ptr;
    th__buf_release(&buf);
    return kept;
}

void gen_add(gen_site *site, gen_pieces *to, bool live, uint32_t min, uint32_t max,
             const char *text)
{
    gen_piece piece = {live ? with_classes(site, text) : NULL, min, max, live};
    if (!live) {
        static const gen_live nothing = {0, 0, ""};
        th__buf buf = {0};
        for (uint32_t n = gen_between(&site->rng, min, max); n > 0; n--)
            gen_expand(&buf, site, &site->rng, &nothing, text);
        piece = (gen_piece){th__arena_copy(&site->arena, th__buf_str(&buf)).ptr, 1, 1, false};
        th__buf_release(&buf);
    }
    if (!piece.text || !th__vec_push(to, piece))
        gen_alloc(&site->arena, SIZE_MAX); /* says that memory is out, and ends */
}
