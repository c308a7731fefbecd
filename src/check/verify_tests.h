/* verify_tests.h: what is to be seen of one field, or of all records. verify.c opens with the list.
 */
#ifndef TH_VERIFY_TESTS_H
#define TH_VERIFY_TESTS_H

#include "base/arena.h"
#include "check/strays.h"
#include "check/tally.h"

/* A field of old and what is known of it now. Of the values a sample was looked at. */
typedef struct th__seen {
    const th__field_profile *old;
    const th__field_tally *now;
    th__glance *glances;
    size_t count;
    double mean; /* of their lengths */
    th__presence there;
} th__seen;

/* What a test is asked for, each with what stands before it: whether the difference is large, how
 * likely it is, and words. Most fields of most pages are as they were: nobody asks for more than
 * the first. */
typedef enum th__asked { TH__ASK_LARGE, TH__ASK_CHANCE, TH__ASK_WORDS } th__asked;

enum { TH__WORDS_ROOM = 400 };

typedef struct th__finding {
    th__asked asked;
    bool none;  /* there was nothing to compare */
    bool large; /* enough to count, if it is no chance */
    bool mild;  /* the records are right for all that is known */
    bool part;  /* values begin or end as they did, but do not do both: a part is gone or new */
    bool whole; /* and the records have as much text as before */
    const char *test;
    double p;
    char *words; /* TH__WORDS_ROOM bytes, when they are asked for */
} th__finding;

void TH_PRINTF(5, 6)
    th__found(th__finding *out, const char *test, double p, bool large, const char *format, ...);
void th__tell_more(th__finding *out, const char *words);

/* Of the values that were looked at. */
double th__mean_length(const th__tally *tally, uint32_t field);

/* What a light tally has seen of a field; a thorough one is looked at with the profile's eyes
 * first, in the arena. *kept is what was seen of it before, or NULL, and then what is seen now.
 * False without memory. */
bool th__see_field(const th__tally *tally, uint32_t field, const th__profile *profile,
                   const th__field_profile *old, th__arena *arena, th__glance **kept,
                   th__seen *out);

/* Whether any test of the field finds a large difference that is no likelier than `bar`. Asks no
 * more than that: a test that so few values cannot bring there is not made. */
bool th__field_may_speak(const th__seen *seen, double bar);
/* The most telling of the tests: of those that are large the least likely. Asked for chances, or
 * for words. */
void th__test_field(const th__seen *seen, th__finding *out);

#endif
