/*
 * gen_values.h: values of many kinds.
 *
 * A value is written twice at once, by one pen: as the page's bytes (character references, inner
 * markup) and as the text a reader sees. So the truth cannot disagree with the page.
 */
#ifndef GEN_VALUES_H
#define GEN_VALUES_H

#include "gen_random.h"

#include "base/str.h"

typedef enum gen_value_kind {
    GEN_V_TITLE,
    GEN_V_PERSON,
    GEN_V_PRICE,
    GEN_V_DATE,
    GEN_V_ADDRESS,
    GEN_V_PHONE,
    GEN_V_TEXT,
    GEN_V_RATING,
    GEN_V_URL,
    GEN_V_IMAGE,
    GEN_V_CATEGORY,
    GEN_V_CITY,
    GEN_V_COUNTRY,
    GEN_V_COMPANY,
    GEN_V_NUMBER,
    GEN_V_YEAR,
    GEN_V_EMAIL,
    GEN_V_CODE,
    GEN_V_DURATION,
    GEN_V_MEASURE,
    GEN_V_STATUS,
    GEN_V_COLOUR,
    GEN_V_PERCENT,
    GEN_V_ACADEMIC,
    GEN_V_ADMIN,
    GEN_V_ROOM,
    GEN_V_SUBJECT,
    GEN_V_WORDS /* a short phrase */
} gen_value_kind;

/* How characters outside ASCII and the like are written; a site keeps to one. */
typedef enum gen_entity_style {
    GEN_ENTITY_RAW,
    GEN_ENTITY_NAMED,
    GEN_ENTITY_DECIMAL,
    GEN_ENTITY_HEX
} gen_entity_style;

typedef struct gen_pen {
    th__buf html, text; /* grow over a record; a value is a stretch of each */
    gen_entity_style entities;
    bool attribute; /* inside a double-quoted attribute: no markup */
} gen_pen;

typedef struct gen_value_dials {
    double noise, template_words;
    const char *const *labels;
    uint32_t label_count;
} gen_value_dials;

/* Appends one value of the kind. Never empty, no blanks at its ends. */
void gen_value_write(gen_pen *pen, gen_rng *rng, gen_value_kind kind, uint32_t style,
                     const gen_value_dials *dials);
/* True for kinds that may hold markup: titles, texts, phrases. */
bool gen_value_is_prose(gen_value_kind kind);

/* Writes text, characters escaped as needed; and bytes for the page alone. */
void gen_pen_text(gen_pen *pen, const char *text);
void gen_pen_markup(gen_pen *pen, const char *html);
void gen_pen_number(gen_pen *pen, uint64_t number, uint32_t width);

#endif
