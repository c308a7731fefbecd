/* http_message.h: what came over HTTP, or is in an archive: header, chunks, encodings, content. */
#ifndef TH_HTTP_MESSAGE_H
#define TH_HTTP_MESSAGE_H

#include "base/str.h"

/* The next line of text with its end taken off; text moves past it. False when there is no whole
 * line. Lines may end in LF, CR LF or, in old archives, CR CR LF. */
bool th__http_line(th_str *text, th_str *line);
/* A decimal number and nothing else; one above 2^62 is refused. */
bool th__http_number(th_str text, uint64_t *out);
/* Splits "Name: value". */
bool th__http_field(th_str line, th_str *name, th_str *value);

/* Returns true if a Content-Type is one of HTML, and its charset parameter (absent if none). */
bool th__type_is_html(th_str type);
th_str th__type_charset(th_str type);

/*
 * Takes chunks and Content-Encoding off a body. A body that does not look encoded is left. A broken
 * one gives what can be decoded and TH_ERR_FORMAT with *partial set; so does, with TH_OK, one whose
 * chunks break off: err is filled. An encoding that we do not know gives TH_ERR_FORMAT; more than
 * max_bytes TH_ERR_LIMIT. The error's message is a part of a sentence, to follow the record's name.
 */
th_status th__http_decode(th__buf *body, bool chunked, th_str encoding, uint64_t max_bytes,
                          bool *partial, th_error *err);

/* Bytes that are looked at to recognise HTML and binary files. */
enum { TH__SNIFF_LEN = 1024 };

/* Returns true if the bytes begin as an HTML page does. *binary (which may be NULL) is set to
 * "a PDF file", "a binary file", ... when they are clearly not a web page; else to NULL. Static. */
bool th__sniff_html(th_str head, const char **binary);

#endif
