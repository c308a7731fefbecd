/* prescan.h: the HTML standard's "prescan a byte stream to determine its encoding". */
#ifndef TH_PRESCAN_H
#define TH_PRESCAN_H

#include "page/encoding.h"

#define TH__PRESCAN_BYTES 1024u

/* The encoding that the start of a page declares in <meta> or an XML declaration, or NULL. */
const th__encoding *th__prescan(th_str start);

#endif
