/* css.c: style sheets of pages, made safe. The tokens are those of CSS Syntax Level 3. */
#include "css.h"

#include <string.h>
#include <strings.h>

enum {
    MAX_DEPTH = 200,      /* of brackets; what is deeper ends the sheet */
    REPLACEMENT = 0xFFFD, /* for what is not a character */
    LAST_CODE_POINT = 0x10FFFF
};

/* An image that shows nothing: a mask of it hides its element, as one that is not loaded does. */
#define NOTHING "url(\"data:,\")"

/* What an open bracket means for its content. */
typedef enum meaning {
    PLAIN,
    IMAGES,  /* image-set( and the like: strings are URLs */
    SWALLOW, /* what remains of url("..." is not written */
} meaning;

typedef struct bracket {
    char close;
    meaning is;
    bool unknown; /* of IMAGES: a URL in it is not known before the page is drawn: var( */
    size_t from;  /* where its text begins in the output */
} bracket;

typedef struct reader {
    const char *at, *end;
    const serve_css_names *names;
    serve_text *out;
    serve_text word; /* the last name, string or URL, without escapes */
    bracket open[MAX_DEPTH];
    size_t depth;
    size_t font_face; /* the depth of the block of an @font-face, 0: none; SIZE_MAX: it comes */
    bool start;       /* a rule or a declaration may begin here */
    bool ended;       /* too deep */
} reader;

/* ---- characters ------------------------------------------------------------------------------ */

/* Control characters are written as blanks, and so read as such. */
static bool is_blank(char c)
{
    return ((unsigned char)c <= ' ' && c) || c == 0x7F;
}

static bool is_newline(char c)
{
    return c == '\n' || c == '\r' || c == '\f';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static int hex_value(char c)
{
    return is_digit(c)              ? c - '0'
           : (c >= 'a' && c <= 'f') ? c - 'a' + 10
           : (c >= 'A' && c <= 'F') ? c - 'A' + 10
                                    : -1;
}

static bool is_name_start(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '\0' ||
           (unsigned char)c >= 0x80;
}

static bool is_name_char(char c)
{
    return is_name_start(c) || is_digit(c) || c == '-';
}

/* The byte at a distance from here; a blank behind the end. */
static char peek(const reader *r, size_t ahead)
{
    return ahead < (size_t)(r->end - r->at) ? r->at[ahead] : ' ';
}

static bool is_escape(const reader *r, size_t ahead)
{
    return ahead + 1 < (size_t)(r->end - r->at) && r->at[ahead] == '\\' &&
           !is_newline(r->at[ahead + 1]);
}

static bool is_name(const reader *r, size_t ahead)
{
    if ((size_t)(r->end - r->at) <= ahead)
        return false;
    if (peek(r, ahead) == '-')
        return peek(r, ahead + 1) == '-' || is_escape(r, ahead + 1) ||
               ((size_t)(r->end - r->at) > ahead + 1 && is_name_start(peek(r, ahead + 1)));
    return is_name_start(peek(r, ahead)) || is_escape(r, ahead);
}

static bool is_number(const reader *r)
{
    size_t sign = peek(r, 0) == '+' || peek(r, 0) == '-';
    return is_digit(peek(r, sign)) || (peek(r, sign) == '.' && is_digit(peek(r, sign + 1)));
}

/* One character of UTF-8, which may be broken. */
static uint32_t take_char(reader *r)
{
    unsigned char first = (unsigned char)*r->at++;
    int more = first >= 0xF0 ? 3 : first >= 0xE0 ? 2 : first >= 0xC2 ? 1 : 0;
    static const uint32_t least[] = {0, 0x80, 0x800, 0x10000};
    if (first < 0x80)
        return first ? first : REPLACEMENT;
    if (!more || first > 0xF4 || r->end - r->at < more)
        return REPLACEMENT;
    uint32_t code = first & (0x3Fu >> more);
    for (int i = 0; i < more; i++) {
        if (((unsigned char)r->at[i] & 0xC0) != 0x80)
            return REPLACEMENT;
        code = code << 6 | ((unsigned char)r->at[i] & 0x3F);
    }
    if (code < least[more] || code > LAST_CODE_POINT || (code >= 0xD800 && code < 0xE000))
        return REPLACEMENT;
    r->at += more;
    return code;
}

static void put_char(serve_text *out, uint32_t code)
{
    char bytes[4];
    if (code < 0x80) {
        bytes[0] = (char)code;
        serve_put(out, bytes, 1);
        return;
    }
    size_t more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    static const uint32_t first[] = {0, 0xC0, 0xE0, 0xF0};
    bytes[0] = (char)(first[more] | code >> 6 * more);
    for (size_t i = 1; i <= more; i++)
        bytes[i] = (char)(0x80 | (code >> 6 * (more - i) & 0x3F));
    serve_put(out, bytes, more + 1);
}

/* Behind a backslash. */
static uint32_t take_escape(reader *r)
{
    uint32_t code = 0;
    int digits = 0;
    if (r->at == r->end)
        return REPLACEMENT;
    for (; digits < 6 && r->at < r->end && hex_value(*r->at) >= 0; digits++)
        code = code * 16 + (uint32_t)hex_value(*r->at++);
    if (!digits)
        return take_char(r);
    if (r->at < r->end && is_blank(*r->at)) {
        r->at += *r->at == '\r' && peek(r, 1) == '\n';
        r->at++;
    }
    return !code || code > LAST_CODE_POINT || (code >= 0xD800 && code < 0xE000) ? REPLACEMENT
                                                                                : code;
}

/* ---- words ----------------------------------------------------------------------------------- */

static bool is_word(const reader *r, const char *word)
{
    return r->word.len == strlen(word) && !strncasecmp(r->word.ptr, word, r->word.len);
}

static bool is_one_of(const reader *r, const char *const *words)
{
    for (; *words; words++)
        if (is_word(r, *words))
            return true;
    return false;
}

static void take_name(reader *r)
{
    r->word.len = 0;
    while (r->at < r->end && (is_name_char(*r->at) || is_escape(r, 0))) {
        bool escaped = *r->at == '\\';
        r->at += escaped;
        put_char(&r->word, escaped ? take_escape(r) : take_char(r));
    }
}

/* The string that begins here. One that a newline ends is broken: what it has is given. */
static void take_string(reader *r)
{
    char quote = *r->at++;
    r->word.len = 0;
    while (r->at < r->end && *r->at != quote && !is_newline(*r->at)) {
        if (*r->at != '\\') {
            put_char(&r->word, take_char(r));
            continue;
        }
        r->at++;
        if (r->at < r->end && is_newline(*r->at)) {
            r->at += *r->at == '\r' && peek(r, 1) == '\n';
            r->at++;
        } else if (r->at < r->end) {
            put_char(&r->word, take_escape(r));
        }
    }
    if (r->at < r->end && *r->at == quote)
        r->at++;
}

/* Reads the content of url(...) without quotes, up to its bracket. False: it is broken. */
static bool take_bare_url(reader *r)
{
    bool good = true;
    r->word.len = 0;
    for (; r->at < r->end && *r->at != ')';) {
        if (is_escape(r, 0)) {
            r->at++;
            put_char(&r->word, take_escape(r));
        } else if (is_blank(*r->at)) {
            while (r->at < r->end && is_blank(*r->at))
                r->at++;
            good = good && (r->at == r->end || *r->at == ')');
        } else {
            unsigned char c = (unsigned char)*r->at;
            good = good && !strchr("\"'(\\", c) && c > ' ' && c != 0x7F;
            put_char(&r->word, take_char(r));
        }
    }
    r->at += r->at < r->end;
    return good;
}

static void skip_blanks(reader *r)
{
    while (r->at < r->end) {
        if (is_blank(*r->at) || (*r->at == '\\' && !is_escape(r, 0))) {
            r->at++;
        } else if (*r->at == '/' && peek(r, 1) == '*') {
            const char *close = memmem(r->at + 2, (size_t)(r->end - r->at - 2), "*/", 2);
            r->at = close ? close + 2 : r->end;
        } else {
            return;
        }
    }
}

/* Writes a name so that it is read as the same name. */
static void put_name(serve_text *out, const serve_text *word, bool whole)
{
    for (size_t i = 0; i < word->len; i++) {
        char c = word->ptr[i];
        bool first = i == 0 || (i == 1 && word->ptr[0] == '-');
        bool plain = is_name_char(c) && c && !(whole && first && is_digit(c)) &&
                     !(c == '-' && (word->len == 1 || (i && word->len == 2)));
        if (plain)
            serve_put(out, &c, 1);
        else
            serve_printf(out, "\\%x ", (unsigned char)c);
    }
}

static void put_string(serve_text *out, const char *text, size_t len)
{
    serve_put(out, "\"", 1);
    for (size_t i = 0, from = 0; i <= len; i++) {
        unsigned char c = i < len ? (unsigned char)text[i] : 0;
        if (i < len && c >= ' ' && c != 0x7F && !strchr("\"\\<>&", c))
            continue;
        serve_put(out, text + from, i - from);
        if (i < len)
            serve_printf(out, "\\%x ", c);
        from = i + 1;
    }
    serve_put(out, "\"", 1);
}

/* ---- resources ------------------------------------------------------------------------------- */

/* Returns true if a URL has its content in itself, and is an image or a font. */
static bool is_data_url(th_str url)
{
    static const char *const types[] = {"image/",
                                        "font/",
                                        "application/font",
                                        "application/x-font",
                                        "application/vnd.ms-fontobject",
                                        "application/octet-stream",
                                        NULL};
    if (url.len < 5 || strncasecmp(url.ptr, "data:", 5))
        return false;
    for (const char *const *type = types; *type; type++)
        if (url.len - 5 >= strlen(*type) && !strncasecmp(url.ptr + 5, *type, strlen(*type)))
            return true;
    return false;
}

/* Writes url("...") for the URL that was read. False: there is nothing of that name. */
static bool put_resource(reader *r, serve_css_use use)
{
    serve_text found = {0};
    th_str url = {r->word.ptr ? r->word.ptr : "", r->word.len};
    while (url.len && is_blank(*url.ptr))
        url = (th_str){url.ptr + 1, url.len - 1};
    bool stays = use != SERVE_CSS_IMPORT && (is_data_url(url) || (url.len && *url.ptr == '#'));
    bool data = url.len > 4 && !strncasecmp(url.ptr, "data:", 5);
    bool good = stays || (url.len && !data && r->names &&
                          r->names->find(r->names->context, url, use, &found));
    if (good) {
        serve_puts(r->out, "url(");
        put_string(r->out, stays ? url.ptr : found.ptr, stays ? url.len : found.len);
        serve_puts(r->out, ")");
    }
    r->out->failed |= found.failed;
    serve_text_release(&found);
    return good;
}

static void put_image(reader *r)
{
    if (!put_resource(r,
                      r->font_face && r->font_face <= r->depth ? SERVE_CSS_FONT : SERVE_CSS_IMAGE))
        serve_puts(r->out, NOTHING);
}

/* ---- brackets -------------------------------------------------------------------------------- */

static void open_bracket(reader *r, char close, meaning is, size_t from)
{
    if (r->depth == MAX_DEPTH) {
        r->ended = true;
        return;
    }
    r->open[r->depth++] = (bracket){.close = close, .is = is, .from = from};
    r->start = close == '}';
    if (r->font_face == SIZE_MAX)
        r->font_face = close == '}' ? r->depth : 0;
}

static void close_bracket(reader *r)
{
    const bracket *b = &r->open[--r->depth];
    if (r->font_face != SIZE_MAX && r->font_face > r->depth)
        r->font_face = 0;
    r->start = b->close == '}';
    if (b->is == SWALLOW) {
        r->out->len = b->from;
        return;
    }
    serve_put(r->out, &b->close, 1);
    if (b->is != IMAGES || !b->unknown)
        return;
    r->out->len = b->from;
    serve_puts(r->out, NOTHING);
}

/* ---- tokens ---------------------------------------------------------------------------------- */

static void step(reader *r);

/* Leaves out what follows, up to the end of the declaration or rule. */
static void skip_statement(reader *r)
{
    size_t depth = r->depth, from = r->out->len;
    while (r->at < r->end && !r->ended && r->depth >= depth) {
        if (r->depth == depth && (*r->at == ';' || (depth && *r->at == r->open[depth - 1].close)))
            break;
        bool block = *r->at == '{' && r->depth == depth;
        step(r);
        if (block) {
            while (r->at < r->end && !r->ended && r->depth > depth)
                step(r);
            break;
        }
    }
    r->at += r->at < r->end && *r->at == ';';
    while (r->depth > depth) /* the sheet ends in it */
        close_bracket(r);
    r->out->len = from;
    serve_puts(r->out, " "); /* nothing may grow together */
    r->start = true;
}

/* url( and src( with a string. What may follow it in the brackets changes how it is fetched. */
static void put_quoted_url(reader *r)
{
    take_string(r);
    put_image(r);
    open_bracket(r, ')', SWALLOW, r->out->len);
}

static void put_function(reader *r)
{
    static const char *const of_images[] = {"image-set",  "-webkit-image-set",  "image",
                                            "cross-fade", "-webkit-cross-fade", NULL};
    static const char *const late[] = {"var", "env", "attr", "if", "inherit", "random-item", NULL};
    size_t from = r->out->len;
    if (is_word(r, "url") || is_word(r, "src")) {
        bool bare = is_word(r, "url");
        const char *back = r->at;
        skip_blanks(r);
        if (bare) { /* a comment is none in a URL without quotes */
            r->at = back;
            while (r->at < r->end && is_blank(*r->at))
                r->at++;
        }
        if (r->at < r->end && (*r->at == '"' || *r->at == '\'')) {
            put_quoted_url(r);
        } else if (bare) {
            if (take_bare_url(r))
                put_image(r);
            else
                serve_puts(r->out, NOTHING);
        } else {
            open_bracket(r, ')', IMAGES, from);
            if (!r->ended)
                r->open[r->depth - 1].unknown = true;
        }
        return;
    }
    if (is_word(r, "expression")) {
        serve_puts(r->out, "none ");
        open_bracket(r, ')', SWALLOW, r->out->len);
        return;
    }
    if (is_one_of(r, late))
        for (size_t i = 0; i < r->depth; i++)
            r->open[i].unknown = true;
    put_name(r->out, &r->word, true);
    serve_puts(r->out, "(");
    open_bracket(r, ')', is_one_of(r, of_images) ? IMAGES : PLAIN, from);
}

/* Properties that fetch what no browser of today knows, and one that would hide the pointer. */
static bool is_refused_property(reader *r)
{
    static const char *const refused[] = {"behavior", "-ms-behavior", "-moz-binding", "cursor",
                                          NULL};
    const char *back = r->at;
    if (!r->start || !is_one_of(r, refused))
        return false;
    skip_blanks(r);
    bool is = r->at < r->end && *r->at == ':';
    r->at = back;
    return is;
}

static void put_word(reader *r)
{
    take_name(r);
    if (r->at < r->end && *r->at == '(') {
        r->at++;
        r->start = false;
        put_function(r);
        return;
    }
    if (is_refused_property(r)) {
        skip_statement(r);
        return;
    }
    put_name(r->out, &r->word, true);
    r->start = false;
}

/* Links of the page have no href here. */
static bool put_link_class(reader *r)
{
    static const char *const links[] = {"link", "any-link", "-webkit-any-link", NULL};
    const char *back = r->at;
    if (!is_name(r, 1) || (r->out->len && r->out->ptr[r->out->len - 1] == ':'))
        return false;
    r->at++;
    take_name(r);
    if (is_one_of(r, links) && peek(r, 0) != '(') {
        serve_puts(r->out, "[data-href]");
        return true;
    }
    r->at = back;
    return false;
}

static void put_import(reader *r)
{
    size_t from = r->out->len;
    bool named = false;
    skip_blanks(r);
    if (r->at < r->end && (*r->at == '"' || *r->at == '\'')) {
        take_string(r);
        named = true;
    } else if (is_name(r, 0)) {
        take_name(r);
        named = is_word(r, "url") && peek(r, 0) == '(';
        if (named) {
            r->at++;
            while (r->at < r->end && is_blank(*r->at))
                r->at++;
            if (r->at < r->end && (*r->at == '"' || *r->at == '\'')) {
                take_string(r);
                skip_blanks(r);
                named = r->at < r->end && *r->at == ')';
                r->at += named;
            } else {
                named = take_bare_url(r);
            }
        }
    }
    serve_puts(r->out, "@import ");
    if (named && !r->depth && put_resource(r, SERVE_CSS_IMPORT)) {
        r->start = false; /* its conditions follow */
        return;
    }
    r->out->len = from;
    skip_statement(r);
}

static void put_at_word(reader *r)
{
    r->at++;
    take_name(r);
    if (is_word(r, "import")) {
        put_import(r);
        return;
    }
    if (is_word(r, "charset") || is_word(r, "namespace")) {
        skip_statement(r);
        return;
    }
    if (is_word(r, "font-face"))
        r->font_face = SIZE_MAX;
    serve_puts(r->out, "@");
    put_name(r->out, &r->word, true);
    r->start = false;
}

static void put_number(reader *r)
{
    const char *from = r->at;
    r->at += *r->at == '+' || *r->at == '-';
    while (r->at < r->end && is_digit(*r->at))
        r->at++;
    if (peek(r, 0) == '.' && is_digit(peek(r, 1)))
        for (r->at++; r->at < r->end && is_digit(*r->at);)
            r->at++;
    if (peek(r, 0) == 'e' || peek(r, 0) == 'E') {
        size_t sign = peek(r, 1) == '+' || peek(r, 1) == '-';
        if (is_digit(peek(r, 1 + sign)))
            for (r->at += 1 + sign; r->at < r->end && is_digit(*r->at);)
                r->at++;
    }
    serve_put(r->out, from, (size_t)(r->at - from));
    if (is_name(r, 0)) {
        take_name(r);
        put_name(r->out, &r->word, true);
    }
}

/* Marks that are more than themselves in HTML, and all that is one byte. */
static void put_mark(reader *r)
{
    char c = *r->at++;
    if (c == '<') {
        bool parted = r->at < r->end && (*r->at == '=' || is_blank(*r->at));
        serve_puts(r->out, parted ? "<" : "< ");
    } else if (c == '&') {
        /* what follows it may be left out, and must not make a character reference then */
        char next = peek(r, 0);
        serve_puts(r->out, next && strchr(" .:[>+~*,){/]};", next) ? "&" : "&/**/");
    } else if (c == '\\') {
        serve_puts(r->out, " "); /* escapes nothing */
        return;
    } else {
        serve_put(r->out, &c, 1);
    }
    r->start = c == ';' || c == '}';
}

static bool begins(const reader *r, const char *text)
{
    return (size_t)(r->end - r->at) >= strlen(text) && !memcmp(r->at, text, strlen(text));
}

/* Blanks and comments: they separate words and mean nothing else. */
static bool put_gap(reader *r)
{
    if (begins(r, "<!--") || begins(r, "-->")) {
        r->at += *r->at == '<' ? 4 : 3;
        serve_puts(r->out, " ");
        return true;
    }
    if (is_blank(*r->at)) {
        while (r->at < r->end && is_blank(*r->at))
            r->at++;
        serve_puts(r->out, " ");
        return true;
    }
    if (!begins(r, "/*"))
        return false;
    const char *close = memmem(r->at + 2, (size_t)(r->end - r->at - 2), "*/", 2);
    r->at = close ? close + 2 : r->end;
    serve_puts(r->out, "/**/");
    return true;
}

static void step(reader *r)
{
    char c = *r->at;
    if (put_gap(r))
        return;
    if (c == '"' || c == '\'') {
        take_string(r);
        r->start = false;
        if (r->depth && r->open[r->depth - 1].is == IMAGES) {
            serve_puts(r->out, " "); /* a name before it does not end here, as before a quote */
            put_image(r);
        } else {
            put_string(r->out, r->word.ptr ? r->word.ptr : "", r->word.len);
        }
    } else if (is_number(r)) {
        put_number(r);
        r->start = false;
    } else if (is_name(r, 0)) {
        put_word(r);
    } else if (c == '#' && (is_name_char(peek(r, 1)) || is_escape(r, 1)) && r->end - r->at > 1) {
        r->at++;
        take_name(r);
        serve_puts(r->out, "#");
        put_name(r->out, &r->word, false);
        r->start = false;
    } else if (c == '@' && is_name(r, 1)) {
        put_at_word(r);
    } else if (c == '(' || c == '[' || c == '{') {
        r->at++;
        serve_put(r->out, &c, 1);
        open_bracket(r, c == '(' ? ')' : c == '[' ? ']' : '}', PLAIN, r->out->len);
    } else if (r->depth && c == r->open[r->depth - 1].close) {
        r->at++;
        close_bracket(r);
    } else if (c != ':' || !put_link_class(r)) {
        put_mark(r);
    }
}

void serve_css(th_str sheet, serve_css_kind kind, const serve_css_names *names, serve_text *out)
{
    reader r = {.at = sheet.ptr ? sheet.ptr : "", .names = names, .out = out, .start = true};
    r.end = r.at + sheet.len;
    if (kind == SERVE_CSS_SHEET && begins(&r, "\xEF\xBB\xBF"))
        r.at += 3;
    while (r.at < r.end && !r.ended && !out->failed)
        step(&r);
    while (r.depth)
        close_bracket(&r);
    out->failed |= r.word.failed;
    serve_text_release(&r.word);
}
