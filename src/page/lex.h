/* lex.h: inside view of the fine tokens of thresh.h; lex.c has the decisions. */
#ifndef TH_LEX_H
#define TH_LEX_H

#include "base/str.h"
#include "page/page.h"

/* Bit c of a class's mask is set when the class is a c. */
extern const uint32_t th__class_masks[TH_CLASS_COUNT];

static inline bool th__class_is(unsigned what, unsigned ancestor)
{
    return th__class_masks[what] >> ancestor & 1;
}

/* The least common ancestor: the common ancestors form a chain, and a child's number is above its
 * parent's. */
static inline th_class th__class_join(unsigned a, unsigned b)
{
    return (th_class)(31 - __builtin_clz(th__class_masks[a] & th__class_masks[b]));
}

/* Returns true for a letter of a script that has no blanks between words: Chinese, Japanese,
 * Korean.
 */
bool th__is_east(uint32_t code);

/* Walks the fine tokens of one coarse token that is whole: th_lex_init without the search. */
void th__lex_token(th_lex *lex, const th_page *page, uint32_t token);

/* The text of a fine token, references decoded: a view of the page where there are none, else of
 * scratch, which is overwritten. Absent if out of memory. */
th_str th__fine_text(const th_page *page, const th_fine *fine, th__buf *scratch);

/* Returns true if a blank is more than one character with a no-break space among them: pages of old
 * part values by such gaps. */
bool th__fine_is_gap(const th_page *page, const th_fine *fine);

/* Walks the fine tokens of text that is not on a page: no markup, no references. `shell` is room
 * for a page that holds nothing but the text; both outlive the lex. Texts are cut at 4 GiB. */
void th__lex_plain(th_lex *lex, th_page *shell, th_str text);

#endif
