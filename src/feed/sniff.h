/* sniff.h: what bytes are, told by their beginning. */
#ifndef TH_SNIFF_H
#define TH_SNIFF_H

#include "base/str.h"

/* Looked at to tell HTML and binary files. */
enum { TH__SNIFF_LEN = 1024 };

/* "a PDF file", "a binary file", ... when the bytes are clearly no web page; else NULL. Static. */
const char *th__sniff_binary(th_str head);
/* Returns true if the bytes begin as an HTML page does. */
bool th__sniff_html(th_str head);

#endif
