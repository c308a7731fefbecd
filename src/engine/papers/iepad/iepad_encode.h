/*
 * iepad_encode.h: a page as IEPAD's token string.
 *
 * Every tag is a token of its own name, start and end apart; the text between two tags is the token
 * <TEXT>. The schemes differ in which tags they skip; what stands between two tags that are kept is
 * then one <TEXT>, with the skipped tags in it.
 *
 *     page         <li><b>Congo</b> 242<br></li>
 *     all-tag      <li> <b> <TEXT> </b> <TEXT> <br> </li>
 *     block-level  <li> <TEXT> <br> </li>               <TEXT> stands for <b>Congo</b> 242
 *
 * The paper's figure 4, which lists the tags of each class, is lost; the classes are reconstructed
 * from the reference it cites (Wilbur, HTML 3.2), with these decisions: <br> is a block-level tag,
 * since figure 6 has it in block-level patterns; fields of forms are special; tags that HTML has
 * got since are block-level when browsers give them lines of their own, else special, or logical or
 * physical where they took the place of one that was.
 */
#ifndef TH_IEPAD_ENCODE_H
#define TH_IEPAD_ENCODE_H

#include "base/arena.h"
#include "base/str.h"
#include "page/page.h"
#include "strings/pattern.h"

typedef enum th__iepad_scheme {
    TH__IEPAD_ALL_TAG,     /* skips no tag */
    TH__IEPAD_NO_PHYSICAL, /* skips <b>, <i>, <tt>, ... */
    TH__IEPAD_NO_SPECIAL,  /* skips <a>, <img>, <font>, <span>, ... */
    TH__IEPAD_NO_LOGICAL,  /* skips <em>, <strong>, <cite>, ... */
    TH__IEPAD_BLOCK_LEVEL, /* skips all three */
    TH__IEPAD_SCHEME_COUNT
} th__iepad_scheme;

typedef enum th__iepad_class {
    TH__IEPAD_BLOCK,
    TH__IEPAD_LOGICAL,
    TH__IEPAD_PHYSICAL,
    TH__IEPAD_SPECIAL
} th__iepad_class;

/* How a page is encoded; a rule keeps it. */
typedef struct th__iepad_encoding {
    th__iepad_scheme scheme;
    /* Leaves out what no reader sees: head, scripts, styles, templates. */
    bool skip_hidden;
    /* Text-level tags that show something without a text (images, fields, frames) are text: a
     * record keeps its form whether its picture has a caption or not. */
    bool media_as_text;
} th__iepad_encoding;

/* "all-tag", "no-physical", ... Static. */
const char *th__iepad_scheme_name(th__iepad_scheme scheme);
bool th__iepad_scheme_find(th_str name, th__iepad_scheme *out);
th__iepad_class th__iepad_class_of(uint16_t tag);

/* Tokens as numbers: <TEXT> is 0, a start tag twice its tag id, an end tag one more. */
#define TH__IEPAD_TEXT 0u

static inline uint32_t th__iepad_symbol(uint16_t tag, bool end)
{
    return (uint32_t)tag * 2 + end;
}

static inline uint16_t th__iepad_symbol_tag(uint32_t symbol)
{
    return (uint16_t)(symbol / 2);
}

typedef struct th__iepad_string {
    uint32_t *symbols;
    uint32_t *first, *last; /* the page's tokens that a symbol stands for, both included */
    uint32_t len;
    uint32_t cap;
} th__iepad_string;

/* Encodes the page's tokens from..to (not included); replaces what is in out, which starts as {0}
 * and keeps its memory from use to use. */
th_status th__iepad_encode(const th_page *page, const th__iepad_encoding *encoding, uint32_t from,
                           uint32_t to, th__iepad_string *out, th_error *err);
void th__iepad_string_release(th__iepad_string *string);

/* Names of tags that are not in HTML, so that a pattern with them can be written. */
typedef struct th__iepad_names {
    th__arena arena;
    struct th__iepad_name {
        uint16_t tag;
        th_str name;
    } * list;
    size_t len, cap;
} th__iepad_names;

void th__iepad_names_init(th__iepad_names *names);
void th__iepad_names_release(th__iepad_names *names);
/* Enters a tag's name, in lower case. False without memory. */
bool th__iepad_names_add(th__iepad_names *names, uint16_t tag, th_str name);
/* Enters the names of a pattern's tags as the page has them. False without memory. */
bool th__iepad_names_of(const th_page *page, const th__pattern *pattern, th__iepad_names *names);
/* Appends a symbol as the paper writes it: <TEXT>, <li>, </li>. `names` may be NULL. The type is
 * th__symbol_name's, so that it serves th__pattern_print. */
void th__iepad_symbol_print(const void *names, uint32_t symbol, th__buf *out);

#endif
