/*
 * value_forms.h: what a value looks like: the tokens at its two ends, its length; and how much some
 * values are like those of a field's profile. DataPro (check/profile_learn.c) learns the forms that
 * profiles hold; verification, repair and the fields of changed pages (fields_adapt.h) go by them.
 */
#ifndef TH_VALUE_FORMS_H
#define TH_VALUE_FORMS_H

#include "base/str.h"
#include "wrapper/profile.h"

enum {
    TH__DP_DEPTH = TH__FORM_DEPTH,  /* tokens of a pattern at most */
    TH__DP_WINDOW = 48,             /* bytes at each end of a long value that are examined */
    TH__DP_LONG = 2 * TH__DP_WINDOW /* a value is long that has more than both */
};

/* A token of a value. */
typedef struct th__dp_token {
    uint64_t hash; /* of its text */
    th_str text;
    uint8_t cls; /* one of DataPro's classes: see class_of in value_forms.c */
} th__dp_token;

/* The parts of a value that count: its first tokens, and its last ones from the end backwards. */
typedef struct th__dp_value {
    th__dp_token head[TH__DP_DEPTH], tail[TH__DP_DEPTH];
    uint8_t heads, tails;
    uint32_t tokens; /* that it has; of a long value the examined ones */
} th__dp_value;

/* Reads a value; its tokens are views of text. */
void th__dp_split(th_str text, th__dp_value *out);

/* The words by which patterns differ: of each, the one nearest to the end of the values that it is
 * about ("St." and "Blvd." of addresses). Names of months and the like are left out: they change.
 */
typedef struct th__form_words {
    uint64_t hashes[TH__FORMS_MAX];
    uint32_t count;
} th__form_words;

void th__form_words_of(const th__forms *patterns, th__form_words *out);
/* Which of the words a value has at either end: the first, or their number when it has none. */
uint32_t th__form_word_in(const th__form_words *words, const th__dp_value *value);

/* Which of the shapes a value has: the first that fits, or their number when none does. */
uint32_t th__shape_of(const th__forms *shapes, const th__dp_value *value, int end);

/* Which of DataPro's patterns a value has, words included: the most specific that fits, a word
 * before a class and a longer one before its beginning; or their number when none does. */
uint32_t th__pattern_of(const th__forms *patterns, const th__dp_value *value, int end);

/* The same of shapes, of no more of a text than brief ones ask for: two tokens at each end. */
typedef struct th__end_token {
    th_str text;
    uint8_t cls;
} th__end_token;

typedef struct th__ends {
    th_str text;
    th__end_token token[TH__ENDS][2]; /* of the ending: from the end backwards */
    uint8_t count[TH__ENDS];
} th__ends;

/* Precomputes data for comparing values (brief forms, hashes of examples), in the arena; called
 * once per profile by its maker. Without it everything works, but slower. False if out of
 * memory. */
bool th__profile_prepare(th__profile *profile, th__arena *arena);

/* The measure of lengths: ln(1 + bytes). */
double th__log_length(size_t bytes);

/* An examined value. */
typedef struct th__sample {
    th_str text;                     /* a long one: its two ends */
    uint64_t hash;                   /* of the whole */
    double length;                   /* ln(1 + bytes) of the whole */
    uint64_t page;                   /* where it was, counted from 0 */
    const struct th__around *around; /* the texts around it: check/neighbours.h; or NULL */
    th__dp_value value;
} th__sample;

/* What verification keeps of a value. Most are never examined: expensive parts are computed on
 * demand. */
typedef struct th__glance {
    th_str text;             /* a long one: its two ends */
    size_t bytes;            /* of the whole */
    bool read;               /* the rest is known: */
    uint64_t hash;           /* of the whole; that of a long one is known from the first */
    uint8_t shape[TH__ENDS]; /* of the field's profile: see th__shape_of */
    double length;           /* ln(1 + bytes) */
} th__glance;

/* Works out the rest, for a field. */
void th__glance_read(th__glance *glance, const th__field_profile *field);

/* Calls back with the hash of each word of a text that has at least two letters. */
typedef void (*th__word_fn)(void *context, th_str word, uint64_t hash);
void th__words_of(th_str text, th__word_fn word, void *context);

/* How much values are like those of a field, each from 0 to 1: by how they begin or end (0.5 where
 * the field has no shapes to go by), by the mean of their lengths, and by the share of the field's
 * examples that are among them. */
double th__known_values(const th__field_profile *field, const th__sample *values, size_t count);
/* The mean of the first three. */
double th__look_likeness(const th__field_profile *field, const th__sample *values, size_t count);

/* How likely the field is to have a value: how usual its beginning, ending and length are; 0 to 1,
 * and 1 for a value that it had. */
double th__value_likeness(const th__field_profile *field, const th__sample *value);
/* Returns true if that is at least so much; the shapes of a glance are those of the field. */
bool th__is_likely(const th__field_profile *field, const th__glance *value, double least);

/* A text as any field sees it: its ends are read when a field asks for them. */
typedef struct th__seen_text {
    th_str text;
    uint64_t hash;
    double length; /* ln(1 + bytes) */
    bool read;
    th__ends ends; /* when they are read */
} th__seen_text;

/* th__is_likely, of a text. */
bool th__text_is_likely(const th__field_profile *field, th__seen_text *seen, double least);

#endif
