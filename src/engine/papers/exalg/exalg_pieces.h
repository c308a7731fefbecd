/*
 * exalg_pieces.h: values that stand in one text.
 *
 * A gap is a sign with blanks around it, between fields ("4.6 | Sold out") or between the items of
 * a set ("navy; green"). The text stays a field as it is; its pieces are fields beside it.
 */
#ifndef TH_EXALG_PIECES_H
#define TH_EXALG_PIECES_H

#include "page/page.h"
#include "page/signs.h"

/* Returns true if a sign is a gap between fields: "|", "/", ... */
bool th__exalg_is_field_gap(const th__sign *sign);

/* Takes the next piece off a span; false when nothing is left. Tags are no text. */
bool th__exalg_next_piece(const th_page *page, th_span *rest, th_str gap, th_span *piece);

/* Where what stands behind a label begins; the end of the span when the label is not there. */
uint32_t th__exalg_behind_label(const th_page *page, th_span span, th_str label);

/* Whether a field gap stands right before a token, on its line. */
bool th__exalg_gap_before(const th_page *page, uint32_t token);

#endif
