/* gen_values.c: one small writer per kind, found through a table. */
#include "gen_values.h"

#include <string.h>

#include "gen_words.h"

/* ---- the pen ---- */

typedef struct named_char {
    const char *utf8, *name;
} named_char;

static const named_char named_chars[] = {
    {"é", "eacute"}, {"ë", "euml"},   {"ö", "ouml"},   {"ü", "uuml"},   {"ø", "oslash"},
    {"í", "iacute"}, {"ó", "oacute"}, {"á", "aacute"}, {"ã", "atilde"}, {"ô", "ocirc"},
    {"£", "pound"},  {"€", "euro"},   {"–", "ndash"},  {"’", "rsquo"},  {"½", "frac12"},
    {"É", "Eacute"}, {"ñ", "ntilde"}, {"ß", "szlig"},  {"¥", "yen"},    {"°", "deg"},
    {"×", "times"},  {"·", "middot"}, {"“", "ldquo"},  {"”", "rdquo"},  {"…", "hellip"},
};

static uint32_t utf8_read(const char *at, uint32_t *len)
{
    const unsigned char *c = (const unsigned char *)at;
    if (*c < 0xE0) {
        *len = 2;
        return (uint32_t)(*c & 0x1F) << 6 | (c[1] & 0x3F);
    }
    *len = 3;
    return (uint32_t)(*c & 0x0F) << 12 | (uint32_t)(c[1] & 0x3F) << 6 | (c[2] & 0x3F);
}

static const char *name_of(const char *at, uint32_t len)
{
    for (size_t i = 0; i < sizeof named_chars / sizeof *named_chars; i++)
        if (strlen(named_chars[i].utf8) == len && memcmp(named_chars[i].utf8, at, len) == 0)
            return named_chars[i].name;
    return NULL;
}

/* One character that is not plain: `at` is a byte of &<>" or the start of a UTF-8 sequence. */
static uint32_t pen_special(gen_pen *pen, const char *at)
{
    const char *escape = *at == '&' ? "&amp;" : *at == '<' ? "&lt;" : *at == '>' ? "&gt;" : NULL;
    if (*at == '"')
        escape = pen->attribute ? "&quot;" : "\"";
    if (escape) {
        th__buf_add(&pen->html, escape, strlen(escape));
        return 1;
    }
    uint32_t len, code = utf8_read(at, &len);
    const char *name = pen->entities == GEN_ENTITY_NAMED ? name_of(at, len) : NULL;
    if (name)
        th__buf_printf(&pen->html, "&%s;", name);
    else if (pen->entities == GEN_ENTITY_DECIMAL)
        th__buf_printf(&pen->html, "&#%u;", code);
    else if (pen->entities == GEN_ENTITY_HEX)
        th__buf_printf(&pen->html, "&#x%X;", code);
    else
        th__buf_add(&pen->html, at, len);
    return len;
}

static bool is_plain(char c)
{
    return (unsigned char)c < 0x80 && c != '&' && c != '<' && c != '>' && c != '"';
}

void gen_pen_text(gen_pen *pen, const char *text)
{
    th__buf_add(&pen->text, text, strlen(text));
    while (*text) {
        size_t run = 0;
        while (text[run] && is_plain(text[run]))
            run++;
        th__buf_add(&pen->html, text, run);
        text += run;
        if (*text)
            text += pen_special(pen, text);
    }
}

void gen_pen_markup(gen_pen *pen, const char *html)
{
    if (!pen->attribute)
        th__buf_add(&pen->html, html, strlen(html));
}

void gen_pen_number(gen_pen *pen, uint64_t number, uint32_t width)
{
    char digits[24];
    uint32_t at = sizeof digits - 1;
    digits[at] = 0;
    do {
        digits[--at] = (char)('0' + number % 10);
        number /= 10;
    } while (number || sizeof digits - 1 - at < width);
    gen_pen_text(pen, digits + at);
}

/* ---- kinds ---- */

typedef void value_writer(gen_pen *pen, gen_rng *rng, uint32_t style, const gen_value_dials *dials);

static const char *word(gen_rng *rng, const gen_words *list)
{
    return list->words[gen_zipf(rng, list->count)];
}

/* Without skew, for what should seldom repeat. */
static const char *even(gen_rng *rng, const gen_words *list)
{
    return list->words[gen_below(rng, list->count)];
}

static void grouped(gen_pen *pen, uint64_t number, const char *mark)
{
    if (number >= 1000) {
        grouped(pen, number / 1000, mark); /* at most seven deep */
        gen_pen_text(pen, mark);
        gen_pen_number(pen, number % 1000, 3);
    } else {
        gen_pen_number(pen, number, 1);
    }
}

static void write_title(gen_pen *pen, gen_rng *rng, uint32_t style, const gen_value_dials *dials)
{
    switch (style % 6) {
    case 0: /* books, films */
        if (gen_chance(rng, 0.4))
            gen_pen_text(pen, "The ");
        gen_pen_text(pen, even(rng, &gen_adjectives));
        gen_pen_text(pen, " ");
        gen_pen_text(pen, even(rng, &gen_nouns));
        if (gen_chance(rng, 0.45)) {
            gen_pen_text(pen, GEN_PICK(rng, " of the ", " and the ", " in ", ": A ", " & "));
            gen_pen_text(pen, even(rng, &gen_nouns));
        }
        break;
    case 1: /* goods */
        gen_pen_text(pen, word(rng, &gen_companies));
        gen_pen_text(pen, " ");
        gen_pen_text(pen, even(rng, &gen_adjectives));
        gen_pen_text(pen, " ");
        gen_pen_text(pen, even(rng, &gen_things));
        if (gen_chance(rng, 0.5)) {
            gen_pen_text(pen, GEN_PICK(rng, " ", " X", " PRO-", ", Model "));
            gen_pen_number(pen, gen_between(rng, 10, 9900), 1);
        }
        break;
    case 2: /* jobs */
        if (gen_chance(rng, 0.5))
            gen_pen_text(pen, GEN_PICK(rng, "Senior ", "Junior ", "Lead ", "Assistant "));
        gen_pen_text(pen, even(rng, &gen_jobs));
        gen_pen_text(pen, GEN_PICK(rng, "", " (m/f)", ", ", " - ", " / "));
        if (pen->html.data[pen->html.len - 1] == ' ')
            gen_pen_text(pen, even(rng, &gen_departments));
        break;
    case 3: /* headlines */
        gen_pen_text(pen, even(rng, &gen_adjectives));
        gen_pen_text(pen, " ");
        gen_pen_text(pen, even(rng, &gen_nouns));
        gen_pen_text(pen, GEN_PICK(rng, " opens in ", " returns to ", ": what next for ",
                                   " wins in ", " leaves "));
        gen_pen_text(pen, word(rng, &gen_cities));
        if (gen_chance(rng, 0.2))
            gen_pen_text(pen, "?");
        break;
    case 4: /* places */
        gen_pen_text(pen, GEN_PICK(rng, "Hotel ", "Café ", "The ", "Restaurant ", "", "Casa "));
        gen_pen_text(pen, even(rng, &gen_adjectives));
        gen_pen_text(pen, " ");
        gen_pen_text(pen, even(rng, &gen_nouns));
        break;
    default: /* dwellings, cars: data in the title */
        gen_pen_number(pen, gen_between(rng, 1, 5), 1);
        gen_pen_text(pen,
                     GEN_PICK(rng, " bedroom flat, ", "-room house in ", " x ", " rooms near "));
        gen_pen_text(pen, even(rng, &gen_streets));
        gen_pen_text(pen, ", ");
        gen_pen_text(pen, word(rng, &gen_cities));
    }
}

static void write_person(gen_pen *pen, gen_rng *rng, uint32_t style, const gen_value_dials *dials)
{
    const char *first = even(rng, &gen_first_names), *last = even(rng, &gen_last_names);
    if (style % 5 == 3) {
        gen_pen_text(pen, last);
        gen_pen_text(pen, ", ");
        gen_pen_text(pen, first);
        return;
    }
    if (style % 5 == 4 && gen_chance(rng, 0.5))
        gen_pen_text(pen, "Dr. ");
    gen_pen_text(pen, first);
    if (gen_chance(rng, 0.25)) {
        const char initial[4] = {' ', (char)('A' + gen_below(rng, 26)), '.', 0};
        gen_pen_text(pen, initial);
    }
    gen_pen_text(pen, " ");
    gen_pen_text(pen, last);
}

static void write_price(gen_pen *pen, gen_rng *rng, uint32_t style, const gen_value_dials *dials)
{
    static const struct {
        const char *before, *group, *point, *after;
    } forms[] = {{"$", ",", ".", ""},   {"£", ",", ".", ""},    {"", ".", ",", " €"},
                 {"EUR ", "", ".", ""}, {"US $", ",", ".", ""}, {"", " ", ",", " zł"},
                 {"¥", ",", NULL, ""},  {"CHF ", "'", ".", ""}, {"€ ", ".", ",", ""},
                 {"", ",", ".", " USD"}};
    const uint32_t form = style % 10;
    static const uint32_t scales[] = {20, 100, 1000, 25000};
    uint64_t whole = 1 + gen_below(rng, scales[(style / 10) % 4]);
    gen_pen_text(pen, forms[form].before);
    grouped(pen, forms[form].point ? whole : whole * 100, forms[form].group);
    if (forms[form].point && (style / 40) % 3 != 2) {
        gen_pen_text(pen, forms[form].point);
        gen_pen_text(pen, GEN_PICK(rng, "99", "00", "95", "50", "49", "25", "37"));
    }
    gen_pen_text(pen, forms[form].after);
}

static void write_date(gen_pen *pen, gen_rng *rng, uint32_t style, const gen_value_dials *dials)
{
    const uint32_t day = gen_between(rng, 1, 28), month = gen_below(rng, 12),
                   year = 2024 - gen_zipf(rng, 26);
    const char *name = gen_months.words[month];
    char brief[4] = {name[0], name[1], name[2], 0};
    switch (style % 7) {
    case 0:
        gen_pen_number(pen, year, 4), gen_pen_text(pen, "-"), gen_pen_number(pen, month + 1, 2);
        gen_pen_text(pen, "-"), gen_pen_number(pen, day, 2);
        break;
    case 1:
        gen_pen_text(pen, name), gen_pen_text(pen, " "), gen_pen_number(pen, day, 1);
        gen_pen_text(pen, ", "), gen_pen_number(pen, year, 4);
        break;
    case 2:
        gen_pen_number(pen, day, 2), gen_pen_text(pen, "."), gen_pen_number(pen, month + 1, 2);
        gen_pen_text(pen, "."), gen_pen_number(pen, year, 4);
        break;
    case 3:
        gen_pen_number(pen, month + 1, 1), gen_pen_text(pen, "/"), gen_pen_number(pen, day, 1);
        gen_pen_text(pen, "/"), gen_pen_number(pen, year % 100, 2);
        break;
    case 4:
        gen_pen_number(pen, day, 1), gen_pen_text(pen, " "), gen_pen_text(pen, brief);
        gen_pen_text(pen, " "), gen_pen_number(pen, year, 4);
        break;
    case 5:
        gen_pen_text(pen, brief), gen_pen_text(pen, " "), gen_pen_number(pen, year, 4);
        break;
    default:
        gen_pen_number(pen, gen_between(rng, 1, 23), 1);
        gen_pen_text(pen, GEN_PICK(rng, " hours ago", " days ago", " months ago"));
    }
}

static void write_address(gen_pen *pen, gen_rng *rng, uint32_t style, const gen_value_dials *dials)
{
    if (style % 3 == 2) {
        gen_pen_text(pen, even(rng, &gen_streets));
        gen_pen_text(pen, " ");
        gen_pen_number(pen, gen_between(rng, 1, 220), 1);
        gen_pen_text(pen, ", ");
        gen_pen_number(pen, gen_between(rng, 10000, 99000), 5);
        gen_pen_text(pen, " ");
        gen_pen_text(pen, word(rng, &gen_cities));
        return;
    }
    gen_pen_number(pen, gen_between(rng, 1, 12999), 1);
    gen_pen_text(pen, " ");
    gen_pen_text(pen, even(rng, &gen_streets));
    if (style % 3 == 1) {
        gen_pen_text(pen, ",");
        gen_pen_markup(pen, "<br>");
        gen_pen_text(pen, " ");
        gen_pen_text(pen, word(rng, &gen_cities));
        gen_pen_text(pen, ", ");
        gen_pen_text(pen, word(rng, &gen_states));
        gen_pen_text(pen, " ");
        gen_pen_number(pen, gen_between(rng, 1001, 99950), 5);
    }
}

static void write_phone(gen_pen *pen, gen_rng *rng, uint32_t style, const gen_value_dials *dials)
{
    static const char *const forms[] = {"(###) ###-####",  "###-####",        "+44 20 #### ####",
                                        "+1-###-###-####", "0## / ### ## ##", "x####",
                                        "1-800-###-####"};
    char out[2] = {0};
    for (const char *at = forms[style % 7]; *at; at++) {
        out[0] = *at == '#' ? (char)('0' + gen_below(rng, 10)) : *at;
        gen_pen_text(pen, out);
    }
}

static void inner_markup(gen_pen *pen, gen_rng *rng, const char *text)
{
    static const char *const pairs[][2] = {{"<b>", "</b>"},
                                           {"<i>", "</i>"},
                                           {"<a href=\"/topic/more.html\">", "</a>"},
                                           {"<em>", "</em>"},
                                           {"<strong>", "</strong>"},
                                           {"<span style=\"white-space:nowrap\">", "</span>"},
                                           {"<u>", "</u>"}};
    const uint32_t which = gen_zipf(rng, 7);
    gen_pen_markup(pen, pairs[which][0]);
    gen_pen_text(pen, text);
    gen_pen_markup(pen, pairs[which][1]);
}

static void sentence(gen_pen *pen, gen_rng *rng, const gen_value_dials *dials)
{
    const uint32_t words = gen_between(rng, 5, 14);
    for (uint32_t i = 0; i < words; i++) {
        if (i == 0) {
            gen_pen_text(pen, even(rng, &gen_adjectives));
            continue;
        }
        gen_pen_text(pen, gen_chance(rng, 0.06) ? ", " : " ");
        const char *next =
            gen_chance(rng, 0.07) ? word(rng, &gen_nouns) : word(rng, &gen_small_words);
        if (dials->noise > 0 && gen_chance(rng, dials->noise * 0.15))
            inner_markup(pen, rng, next);
        else
            gen_pen_text(pen, next);
    }
    gen_pen_text(pen, GEN_PICK(rng, ".", ".", ".", ".", "!", "…"));
}

static void write_text(gen_pen *pen, gen_rng *rng, uint32_t style, const gen_value_dials *dials)
{
    static const uint8_t most[] = {1, 2, 3, 5};
    const uint32_t sentences = gen_between(rng, 1, most[style % 4]);
    for (uint32_t i = 0; i < sentences; i++) {
        if (i && dials->noise > 0 && gen_chance(rng, dials->noise * 0.5))
            gen_pen_markup(pen, GEN_PICK(rng, "<br>", "<br><br>", "<br />"));
        if (i)
            gen_pen_text(pen, " ");
        sentence(pen, rng, dials);
    }
}

static void write_rating(gen_pen *pen, gen_rng *rng, uint32_t style, const gen_value_dials *dials)
{
    const uint32_t tenths = 50 - gen_zipf(rng, 40);
    gen_pen_number(pen, tenths / 10, 1);
    if (style % 4 != 3) {
        gen_pen_text(pen, ".");
        gen_pen_number(pen, tenths % 10, 1);
    }
    gen_pen_text(pen, (const char *const[]){"", " / 5", " out of 5", " stars"}[style % 4]);
}

static void slug(gen_pen *pen, gen_rng *rng)
{
    for (uint32_t i = 0; i < 3; i++) {
        const char *from = even(rng, i == 1 ? &gen_small_words : &gen_nouns);
        char low[32];
        uint32_t len = 0;
        for (; *from && len < sizeof low - 1; from++)
            if ((*from | 32) >= 'a' && (*from | 32) <= 'z')
                low[len++] = (char)(*from | 32);
        low[len] = 0;
        if (i)
            gen_pen_text(pen, "-");
        gen_pen_text(pen, low);
    }
}

static void write_url(gen_pen *pen, gen_rng *rng, uint32_t style, const gen_value_dials *dials)
{
    switch (style % 5) {
    case 0:
        gen_pen_text(pen, "/item/");
        slug(pen, rng);
        gen_pen_text(pen, "-");
        gen_pen_number(pen, gen_between(rng, 1000, 999999), 1);
        break;
    case 1:
        gen_pen_text(pen, "detail.asp?id=");
        gen_pen_number(pen, gen_between(rng, 100, 99999), 1);
        gen_pen_text(pen, "&cat=");
        gen_pen_number(pen, gen_zipf(rng, 30), 1);
        break;
    case 2:
        gen_pen_text(pen, "http://www.example.com/");
        slug(pen, rng);
        gen_pen_text(pen, ".html");
        break;
    case 3:
        gen_pen_text(pen, "https://example.org/~");
        slug(pen, rng);
        gen_pen_text(pen, "/");
        break;
    default:
        gen_pen_text(pen, "/p/");
        gen_pen_number(pen, gen_next(rng) >> 34, 1);
        gen_pen_text(pen, "?ref=list");
    }
}

static void write_image(gen_pen *pen, gen_rng *rng, uint32_t style, const gen_value_dials *dials)
{
    gen_pen_text(pen, (const char *const[]){"/img/", "images/thumb_", "https://cdn.example.com/i/",
                                            "pic/"}[style % 4]);
    gen_pen_number(pen, gen_next(rng) >> 40, 6);
    gen_pen_text(pen, (const char *const[]){".jpg", ".gif", ".jpg?w=120&h=90", ".png"}[style % 4]);
}

static void write_number(gen_pen *pen, gen_rng *rng, uint32_t style, const gen_value_dials *dials)
{
    static const uint32_t scales[] = {20, 900, 60000, 5000000};
    grouped(pen, gen_below(rng, scales[style % 4]), (style / 4) % 3 ? "," : "");
    gen_pen_text(
        pen, (const char *const[]){"", "", " views", " reviews", " in stock"}[(style / 12) % 5]);
}

static void write_year(gen_pen *pen, gen_rng *rng, uint32_t style, const gen_value_dials *dials)
{
    gen_pen_number(pen, 2024 - gen_zipf(rng, 60), 4);
}

static void write_email(gen_pen *pen, gen_rng *rng, uint32_t style, const gen_value_dials *dials)
{
    slug(pen, rng);
    gen_pen_text(pen, (const char *const[]){"@example.com", "@example.org",
                                            " at example dot edu"}[style % 3]);
}

static void write_code(gen_pen *pen, gen_rng *rng, uint32_t style, const gen_value_dials *dials)
{
    static const char *const forms[] = {"978-#-###-#####-#", "@@-####", "########", "@#####-@@",
                                        "#### ####"};
    char out[2] = {0};
    for (const char *at = forms[style % 5]; *at; at++) {
        out[0] = *at == '#'   ? (char)('0' + gen_below(rng, 10))
                 : *at == '@' ? (char)('A' + gen_below(rng, 26))
                              : *at;
        gen_pen_text(pen, out);
    }
}

static void write_duration(gen_pen *pen, gen_rng *rng, uint32_t style, const gen_value_dials *dials)
{
    const uint32_t minutes = gen_between(rng, 1, 200);
    if (style % 3 == 0) {
        gen_pen_number(pen, minutes, 1);
        gen_pen_text(pen, " min");
    } else if (style % 3 == 1) {
        gen_pen_number(pen, minutes / 60, 1), gen_pen_text(pen, ":"),
            gen_pen_number(pen, minutes % 60, 2);
    } else {
        gen_pen_number(pen, 1 + minutes / 60, 1), gen_pen_text(pen, "h "),
            gen_pen_number(pen, minutes % 60, 2);
        gen_pen_text(pen, "m");
    }
}

static void write_measure(gen_pen *pen, gen_rng *rng, uint32_t style, const gen_value_dials *dials)
{
    gen_pen_number(pen, gen_between(rng, 1, 300), 1);
    if (style % 5 == 4) {
        gen_pen_text(pen, " × ");
        gen_pen_number(pen, gen_between(rng, 1, 300), 1);
    }
    gen_pen_text(pen, (const char *const[]){" cm", " kg", " g", "\"", " mm", " m²"}[style % 6]);
}

static void write_status(gen_pen *pen, gen_rng *rng, uint32_t style, const gen_value_dials *dials)
{
    static const char *const forms[] = {
        "In stock",    "Available", "New",       "Ships within 24 hours",
        "Used - good", "Sold out",  "Pre-order", "Refurbished",
        "2 left",      "Full time", "Part time", "On backorder",
        "Like new"};
    gen_pen_text(pen, forms[gen_zipf(rng, 13)]);
}

static void write_percent(gen_pen *pen, gen_rng *rng, uint32_t style, const gen_value_dials *dials)
{
    gen_pen_text(pen, style % 2 ? "-" : "");
    gen_pen_number(pen, gen_between(rng, 1, 80), 1);
    gen_pen_text(pen, "%");
}

static void write_academic(gen_pen *pen, gen_rng *rng, uint32_t style, const gen_value_dials *dials)
{
    gen_pen_text(pen, word(rng, &gen_academic_titles));
    if (style % 2 == 0 || gen_chance(rng, 0.3)) {
        gen_pen_text(pen, " of ");
        gen_pen_text(pen, word(rng, &gen_departments));
    }
}

static void write_admin(gen_pen *pen, gen_rng *rng, uint32_t style, const gen_value_dials *dials)
{
    gen_pen_text(pen, word(rng, &gen_admin_titles));
    gen_pen_text(pen, style % 2 ? " of " : ", ");
    gen_pen_text(pen, even(rng, &gen_departments));
}

static void write_room(gen_pen *pen, gen_rng *rng, uint32_t style, const gen_value_dials *dials)
{
    gen_pen_number(pen, gen_between(rng, 100, 699), 1);
    gen_pen_text(pen, GEN_PICK(rng, " Jorgensen", " Annex", " Tower B", " Main", " West Hall"));
}

static void write_subject(gen_pen *pen, gen_rng *rng, uint32_t style, const gen_value_dials *dials)
{
    const uint32_t first = gen_zipf(rng, gen_subjects.count);
    gen_pen_text(pen, gen_subjects.words[first]);
    if (style % 2 && gen_chance(rng, 0.6)) {
        gen_pen_text(pen, " and ");
        gen_pen_text(pen, gen_subjects.words[(first + 7) % gen_subjects.count]);
    }
}

static void write_words(gen_pen *pen, gen_rng *rng, uint32_t style, const gen_value_dials *dials)
{
    gen_pen_text(pen, even(rng, &gen_adjectives));
    for (uint32_t i = gen_between(rng, 1, 3); i > 0; i--) {
        gen_pen_text(pen, " ");
        gen_pen_text(pen, word(rng, &gen_small_words));
    }
}

#define WRITE_FROM(kind, list)                                                                     \
    static void write_##kind(gen_pen *pen, gen_rng *rng, uint32_t style,                           \
                             const gen_value_dials *dials)                                         \
    {                                                                                              \
        gen_pen_text(pen, word(rng, &list));                                                       \
    }
WRITE_FROM(category, gen_categories)
WRITE_FROM(city, gen_cities)
WRITE_FROM(country, gen_countries)
WRITE_FROM(company, gen_companies)
WRITE_FROM(colour, gen_colours)

static value_writer *const writers[] = {
    [GEN_V_TITLE] = write_title,       [GEN_V_PERSON] = write_person,
    [GEN_V_PRICE] = write_price,       [GEN_V_DATE] = write_date,
    [GEN_V_ADDRESS] = write_address,   [GEN_V_PHONE] = write_phone,
    [GEN_V_TEXT] = write_text,         [GEN_V_RATING] = write_rating,
    [GEN_V_URL] = write_url,           [GEN_V_IMAGE] = write_image,
    [GEN_V_CATEGORY] = write_category, [GEN_V_CITY] = write_city,
    [GEN_V_COUNTRY] = write_country,   [GEN_V_COMPANY] = write_company,
    [GEN_V_NUMBER] = write_number,     [GEN_V_YEAR] = write_year,
    [GEN_V_EMAIL] = write_email,       [GEN_V_CODE] = write_code,
    [GEN_V_DURATION] = write_duration, [GEN_V_MEASURE] = write_measure,
    [GEN_V_STATUS] = write_status,     [GEN_V_COLOUR] = write_colour,
    [GEN_V_PERCENT] = write_percent,   [GEN_V_ACADEMIC] = write_academic,
    [GEN_V_ADMIN] = write_admin,       [GEN_V_ROOM] = write_room,
    [GEN_V_SUBJECT] = write_subject,   [GEN_V_WORDS] = write_words,
};

bool gen_value_is_prose(gen_value_kind kind)
{
    return kind == GEN_V_TITLE || kind == GEN_V_TEXT || kind == GEN_V_WORDS;
}

void gen_value_write(gen_pen *pen, gen_rng *rng, gen_value_kind kind, uint32_t style,
                     const gen_value_dials *dials)
{
    const bool prose = gen_value_is_prose(kind) && !pen->attribute;
    if (prose && dials->label_count && gen_chance(rng, dials->template_words)) {
        gen_pen_text(pen, dials->labels[gen_below(rng, dials->label_count)]);
        gen_pen_text(pen, GEN_PICK(rng, ": ", " ", " of ", " - "));
    }
    if (prose && kind != GEN_V_TEXT && gen_chance(rng, dials->noise * 0.4)) {
        inner_markup(pen, rng, even(rng, &gen_adjectives));
        gen_pen_text(pen, " ");
    }
    writers[kind](pen, rng, style, dials);
    if (prose && gen_chance(rng, dials->noise * 0.25)) {
        gen_pen_text(pen, " ");
        inner_markup(
            pen, rng,
            GEN_PICK(rng, "(2nd edition)", "<new>", "R&D", "\"sale\"", "[reprint]", "½ off"));
    }
}
