/* gen_words.h: the word lists that values are made of. Most frequent first: they are drawn by Zipf.
 */
#ifndef GEN_WORDS_H
#define GEN_WORDS_H

#include <stdint.h>

typedef struct gen_words {
    const char *const *words;
    uint32_t count;
} gen_words;

extern const gen_words gen_first_names, gen_last_names, gen_adjectives, gen_nouns, gen_things,
    gen_streets, gen_cities, gen_countries, gen_companies, gen_categories, gen_small_words,
    gen_verbs, gen_jobs, gen_departments, gen_subjects, gen_colours, gen_months, gen_states,
    gen_admin_titles, gen_academic_titles;

#endif
