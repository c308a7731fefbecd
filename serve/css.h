/*
 * css.h: style sheets of pages, made safe.
 *
 * A sheet is read token by token, as browsers do, and written again token by token: whatever a
 * token was spelled like (u\72l, comments, odd quotes), it comes out in its plain form. What names
 * a resource is replaced by what the caller knows for it, or by nothing; the rest stays. Links have
 * no href in what we show, so :link becomes [data-href].
 *
 * What comes out has no '<' but before a blank or '=', and no character reference: it is the same
 * text in a <style> of HTML, in one of SVG, and anywhere else.
 */
#ifndef SERVE_CSS_H
#define SERVE_CSS_H

#include <thresh.h>

#include "answer_text.h"

typedef enum serve_css_use { SERVE_CSS_IMAGE, SERVE_CSS_FONT, SERVE_CSS_IMPORT } serve_css_use;

typedef struct serve_css_names {
    /* Writes the address of what a URL names and returns true, or returns false: then there is
     * nothing. It is not asked for data: and for #fragments, which stay. */
    bool (*find)(void *context, th_str url, serve_css_use use, serve_text *out);
    void *context;
} serve_css_names;

typedef enum serve_css_kind {
    SERVE_CSS_SHEET,
    SERVE_CSS_DECLARATIONS, /* of a style attribute; also a value of an attribute of SVG */
} serve_css_kind;

/* Appends the sheet, made safe. NULL names: there are no resources. */
void serve_css(th_str sheet, serve_css_kind kind, const serve_css_names *names, serve_text *out);

#endif
