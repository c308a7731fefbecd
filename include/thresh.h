/*
 * thresh.h: the public interface of libthresh, and the only public header.
 *
 * A tour
 * ------
 * Thresh separates the data on a web page from the template around it. A page comes in as bytes
 * and becomes an immutable th_page: tokens in source order and a tree of elements in preorder.
 * Everything that is taken from a page keeps its byte offsets in the page's UTF-8 text.
 *
 *     th_feed   ──next──▶ th_input (bytes, name, URL)           where pages come from
 *     th_parser ─parse──▶ th_page  (tokens, nodes, text)        what a page is
 *     th_regions_find ──▶ th_regions (lists of records, ranked) what a page holds, without labels
 *     th_corpus ─learn──▶ th_wrapper ─extract─▶ th_records      what was learnt, run on other pages
 *     th_schema, th_records, th_labels, th_writer               what data is, and how it goes out
 *
 * A first program:
 *
 *     th_error err;
 *     th_parser *parser;
 *     th_page *page;
 *     if (th_parser_new(NULL, &parser, &err) ||
 *         th_parser_parse(parser, bytes, NULL, &page, &err)) {
 *         fprintf(stderr, "%s\n", err.message);
 *         ...
 *     }
 *     for (uint32_t n = 1; n < th_page_node_count(page); n++) { ... th_page_node(page, n) ... }
 *     th_page_free(page);
 *     th_parser_free(parser);
 *
 * Conventions
 * -----------
 * - A function that can fail returns a th_status (0 is TH_OK), takes its result as an out-parameter
 *   and, last, a th_error that the caller owns. The error is untouched on success and may be NULL.
 *   Its message is complete: it can be printed as it is.
 * - new/free make and destroy a heap object; init sets the defaults of an options struct, which
 *   must be called before its fields are changed. NULL options mean the defaults. An options struct
 *   begins with its size, which init sets to what the caller was compiled with: new members come at
 *   the end, and a caller that does not know them gets their defaults. (init is a macro; a binding
 *   calls the function behind it with the size of its own struct.)
 * - Freeing NULL does nothing.
 * - "Borrowed" results live as long as the object they come from.
 * - A handle belongs to one thread at a time. A th_page is immutable and may be read by many.
 * - The library never prints and never exits.
 */
#ifndef THRESH_H
#define THRESH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define TH_API               __attribute__((visibility("default")))
#define TH_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#else
#define TH_API
#define TH_PRINTF(fmt, args)
#endif

/* ---------------------------------------------------------------------------------------------
 * Status, errors, text views, memory
 * ------------------------------------------------------------------------------------------ */

typedef enum th_status {
    TH_OK = 0,
    TH_DONE,         /* an iteration has no more items; not an error */
    TH_ERR_MEMORY,   /* out of memory */
    TH_ERR_IO,       /* reading or writing failed: a file, a pipe, a disk */
    TH_ERR_NETWORK,  /* fetching failed or was refused */
    TH_ERR_FORMAT,   /* outside data that we cannot use: an archive, labels, a wrapper */
    TH_ERR_LIMIT,    /* a named limit was passed */
    TH_ERR_ARGUMENT, /* the caller asked for something that makes no sense */
    TH_ERR_CANCELLED /* the caller's callback asked to stop */
} th_status;

#define TH_NO_OFFSET UINT64_MAX

/* Long work can be ended from outside: `asked` is called now and then by the thread that does the
 * work, often enough that the work ends well within a second. Once it has returned true it must
 * keep returning true. The call then fails with TH_ERR_CANCELLED and has no result. All zero: the
 * work cannot be cancelled. */
typedef struct th_cancel {
    bool (*asked)(void *context);
    void *context;
} th_cancel;

/* What went wrong. Owned by the caller, filled only on failure. The message says it all; what else
 * is known of the place is there for programs. Texts are NUL-terminated UTF-8 and empty where not
 * known. */
typedef struct th_error {
    th_status status;
    uint64_t offset;       /* byte in the input at fault, or TH_NO_OFFSET */
    char message[1024];    /* what, where and what to do, without a newline */
    uint32_t line, column; /* in the input, counted from 1; 0: not known */
    char path[256];        /* of the JSON value at fault: rules.records[0].path; cut if longer */
    char field[128];       /* the field that it is about; cut if longer */
} th_error;

/* A view of text that somebody else owns. Not NUL-terminated. {NULL, 0} means absent. */
typedef struct th_str {
    const char *ptr;
    size_t len;
} th_str;

/* The view of a NUL-terminated string; absent for NULL. */
TH_API th_str th_str_from(const char *text);

/* A stretch of a page's UTF-8 text: bytes start (included) to end (excluded). */
typedef struct th_span {
    uint32_t start, end;
} th_span;

/* One word for a status: "ok", "memory", "io", ... Static. */
TH_API const char *th_status_name(th_status status);

/* The version of the library, as "1.2.3". Static. */
TH_API const char *th_version(void);

/*
 * Replaces the allocator of the whole library; call it before anything else, once. `resize` acts as
 * realloc: NULL memory allocates, size 0 frees and returns NULL. It may return NULL at any time:
 * the library then answers TH_ERR_MEMORY and leaks nothing. NULL restores the C library's.
 */
TH_API void th_set_allocator(void *(*resize)(void *context, void *memory, size_t size),
                             void *context);

/* ---------------------------------------------------------------------------------------------
 * Page: bytes become tokens, a tree and text
 *
 * Tokens tile the source: token i covers the bytes from its start to the start of token i + 1.
 * The tree holds the elements in preorder. Node 0 is the document; every other node is a start tag
 * of the source, and none is invented. The subtree of node n is the range n .. end.
 * ------------------------------------------------------------------------------------------ */

typedef struct th_parser th_parser;
typedef struct th_page th_page;

typedef enum th_token_kind {
    TH_TOKEN_TEXT,    /* character data, references not yet decoded */
    TH_TOKEN_START,   /* <name ...> */
    TH_TOKEN_END,     /* </name> */
    TH_TOKEN_RCDATA,  /* the content of title or textarea: text with references */
    TH_TOKEN_RAW,     /* the content of script, style, ...: text without references */
    TH_TOKEN_CDATA,   /* <![CDATA[ ... ]]> inside svg or math */
    TH_TOKEN_COMMENT, /* <!-- ... -->, and what the standard turns into a comment */
    TH_TOKEN_DOCTYPE, /* <!doctype ...> */
    TH_TOKEN_DROPPED  /* bytes the standard drops: a tag cut off by the end of the file, </> */
} th_token_kind;

enum {
    TH_TOKEN_SELF_CLOSING = 1, /* a start tag that ends in "/>" */
    TH_TOKEN_LEAF = 2, /* a start tag that opens nothing: void, or self-closing in svg or math */
    TH_TOKEN_HAS_ATTRS = 4, /* there is something between the tag's name and its end */
    TH_TOKEN_BLANK = 8,     /* text of nothing but white space and control characters */
    TH_TOKEN_FOREIGN = 16   /* a tag inside svg or math */
};

typedef struct th_token {
    uint32_t start; /* first byte; the end is the start of the next token */
    uint16_t
        tag; /* tag id of a start or end tag, else 0. The same name has the same id on all pages */
    uint8_t kind;  /* th_token_kind */
    uint8_t flags; /* TH_TOKEN_... */
} th_token;

typedef struct th_node {
    uint32_t token;     /* its start tag; 0 for the document */
    uint32_t token_end; /* one past its last token: past its end tag where it has one */
    uint32_t parent;    /* node; the document is its own parent */
    uint32_t end;       /* one past the last node of its subtree */
    uint32_t path; /* tag path id: equal for nodes of this page with the same tags above them */
} th_node;

typedef struct th_path {
    uint64_t hash;   /* equal on all pages for the same tag path */
    uint32_t parent; /* path id of the parent; path 0 is the document */
    uint16_t tag;
    uint16_t depth; /* 0 for the document */
} th_path;

typedef struct th_parser_options {
    size_t size;        /* of this struct; 0: as it is here */
    uint64_t max_bytes; /* a larger page is refused: 1 GiB unless set, 4 GiB - 16 at most */
    uint32_t max_depth; /* elements deeper than this become siblings at that depth: 512 */
} th_parser_options;

/* What is known of a page besides its bytes. */
typedef struct th_page_source {
    th_str url;     /* where it came from, or absent */
    th_str charset; /* the charset of its HTTP header, or absent */
} th_page_source;

TH_API void th_parser_options_defaults(th_parser_options *options, size_t size);
#define th_parser_options_init(options) th_parser_options_defaults((options), sizeof *(options))

/* A parser keeps its working memory from page to page. Caller frees. */
TH_API th_status th_parser_new(const th_parser_options *options, th_parser **out, th_error *err);
TH_API void th_parser_free(th_parser *parser);

/*
 * Makes a page of bytes. Broken HTML is data, never an error; only memory and limits fail. Of a
 * document of JSON the page is the HTML that shows it: docs/PAGE-MODEL.md.
 * The page borrows `bytes` where they are valid UTF-8 (no copy is made): keep them until
 * th_page_free. `source` may be NULL; its strings are copied. Caller frees the page.
 */
TH_API th_status th_parser_parse(th_parser *parser, th_str bytes, const th_page_source *source,
                                 th_page **out, th_error *err);
/* The same, and the page owns a copy of the bytes, which may go. */
TH_API th_status th_parser_parse_copy(th_parser *parser, th_str bytes, const th_page_source *source,
                                      th_page **out, th_error *err);
TH_API void th_page_free(th_page *page);
/* A copy that borrows nothing: bytes and page may go. Caller frees. */
TH_API th_status th_page_copy(const th_page *page, th_page **out, th_error *err);

/* The page's UTF-8 text, to which every offset refers. Borrowed. */
TH_API th_str th_page_text(const th_page *page);
/* The page's URL as given, or absent. Borrowed. */
TH_API th_str th_page_url(const th_page *page);
/* The encoding the page was read as ("utf-8", "windows-1252", ...), and how it was found
 * ("bom", "http", "meta", "valid utf-8", "guess", "default"). Static or borrowed. */
TH_API const char *th_page_encoding(const th_page *page);
TH_API const char *th_page_encoding_reason(const th_page *page);
/* Bytes of memory that the page holds, the borrowed text not counted. */
TH_API size_t th_page_memory(const th_page *page);
/* The number of elements deeper than max_depth. */
TH_API uint32_t th_page_flattened(const th_page *page);

/* Returns true if the page carries data in a script: JSON, or a variable such as __NEXT_DATA__ of a
 * page that is drawn in the browser. *name is what the largest of them is called. Borrowed. */
TH_API bool th_page_script_data(const th_page *page, th_str *name);
/* Returns true if scripts seem to draw the page: it has some, and hardly any text. */
TH_API bool th_page_is_drawn(const th_page *page);

typedef enum th_arrival {
    TH_ARRIVED,           /* where it was asked for, or elsewhere on the same host */
    TH_ARRIVED_ELSEWHERE, /* redirected to another host */
    TH_ARRIVED_LOGIN      /* redirected to what looks like a login page, on any host */
} th_arrival;

/* Where a fetch of the URL `asked` ended, by the page's own URL and what is on it. */
TH_API th_arrival th_page_arrival(const th_page *page, th_str asked);

TH_API uint32_t th_page_token_count(const th_page *page);
/* All tokens, and one more that starts at the end of the text. Borrowed. */
TH_API const th_token *th_page_tokens(const th_page *page);
TH_API th_span th_page_token_span(const th_page *page, uint32_t token);

/* The nodes in preorder, node 0 the document. Borrowed. */
TH_API uint32_t th_page_node_count(const th_page *page);
TH_API const th_node *th_page_node(const th_page *page, uint32_t node);
/* Tag ids of the nodes in preorder: the tag string of a subtree is a slice of it. Borrowed. */
TH_API const uint16_t *th_page_node_tags(const th_page *page);
/* From the first byte of the start tag to the last of the end tag, or of what it holds. */
TH_API th_span th_page_node_span(const th_page *page, uint32_t node);
/* The innermost node that holds the byte. */
TH_API uint32_t th_page_node_at(const th_page *page, uint32_t offset);

TH_API uint32_t th_page_path_count(const th_page *page);
TH_API const th_path *th_page_path(const th_page *page, uint32_t path);

/* The id of a tag name (any case), and the lower-case name of a standard tag (absent for others:
 * theirs is in the source, see th_token_name). */
TH_API uint16_t th_tag_id(th_str name);
TH_API th_str th_tag_name(uint16_t tag);
/* The name of a start or end tag as written in the source. Borrowed. */
TH_API th_str th_token_name(const th_page *page, uint32_t token);

/* An attribute: its name and raw value as in the source, quotes left out; value.ptr is NULL for an
 * attribute without "=". */
typedef struct th_attr {
    th_str name;
    th_str value;
} th_attr;

/* Walks the attributes of a start tag. */
typedef struct th_attr_iter {
    const char *at, *end;
} th_attr_iter;

/* for (th_attr_iter it = th_attrs(page, token); th_attr_next(&it, &attr);) ... A repeated name is
 * given again: the standard keeps the first, as th_attr_get does. */
TH_API th_attr_iter th_attrs(const th_page *page, uint32_t token);
TH_API bool th_attr_next(th_attr_iter *iter, th_attr *out);
/* The raw value of the first attribute of that name (compared without case). */
TH_API bool th_attr_get(const th_page *page, uint32_t token, const char *name, th_str *value);

/* ---------------------------------------------------------------------------------------------
 * Page: text, links and fine tokens
 * ------------------------------------------------------------------------------------------ */

/* Text that the library makes for the caller: start with {0}, use it again and again (each function
 * replaces what is in it and grows it when needed), release it at the end. NUL-terminated. */
typedef struct th_text {
    char *ptr;
    size_t len, cap;
} th_text;

TH_API void th_text_release(th_text *text);

/*
 * The text of a span as a reader sees it: references decoded, white space folded to single blanks
 * and trimmed, markup gone. Block tags, <br> and images separate words, inline tags do not. The
 * content of script, style, template, noscript and iframe is left out when the span holds the start
 * tag. A span inside one tag is read as an attribute's value.
 */
TH_API th_status th_page_span_text(const th_page *page, th_span span, th_text *out, th_error *err);
TH_API th_status th_page_node_text(const th_page *page, uint32_t node, th_text *out, th_error *err);
/* The raw value of an attribute as text: references decoded, line ends made LF, blanks kept. */
TH_API th_status th_attr_text(th_str value, th_text *out, th_error *err);

/*
 * A link as an absolute URL: `href` is an attribute's text (see th_attr_text). It refers to the
 * page's first <base href>, else to the page's URL; if neither is known, a relative link stays as
 * written. So do links that name something else than a place: javascript:, mailto:, data:, ...
 */
TH_API th_status th_page_resolve(const th_page *page, th_str href, th_text *out, th_error *err);
/* The same for a link of something else, a style sheet say, whose URL is `base`. */
TH_API th_status th_url_resolve(th_str base, th_str href, th_text *out, th_error *err);

/* The part of an attribute of the page that a field may have as its value: without surrounding
 * blanks, and of a srcset the address for the most pixels. False if it is empty or of a kind that
 * never holds data: class, style, event handlers. */
TH_API bool th_attr_span(const th_page *page, const th_attr *attr, th_span *out);
/* Returns true if values of an attribute of that name are addresses: href, src, data-src, ... */
TH_API bool th_attr_is_link(th_str name);
/* Where the address of an image is, given its start tag: in its src or, where that only holds the
 * place for an image that is loaded later, in data-src and the like, or in a srcset. False when it
 * has none. */
TH_API bool th_image_span(const th_page *page, uint32_t token, th_span *out);

/*
 * The classes of fine tokens, one tree for all engines. A number is above its parent's.
 *
 *     ANY ─┬─ WORD ─┬─ ALPHA ─┬─ CAPITALIZED ─┬─ ALLCAPS     ASU, A
 *          │        │         │               └─ INITCAP     Professor, McCoy, O'Neil
 *          │        │         ├─ LOWER                       and, iPhone, don't
 *          │        │         └─ UNCASED                     letters without case: Chinese, Hebrew
 *          │        ├─ NUMBER                                42, 3.50, 1,200
 *          │        └─ MIXED                                 H2O, 512a, 3D
 *          └─ NONWORD ─┬─ HTML ─┬─ TAG_START                 <a href=x>
 *                      │        ├─ TAG_END                   </a>
 *                      │        └─ MARKUP                    comments, doctypes, scripts, ...
 *                      ├─ PUNCT                              one sign: , ( $ &amp;
 *                      └─ BLANK ─┬─ NEWLINE                  a run of line ends
 *                                ├─ TAB                      a run of tabs
 *                                └─ SPACE                    a run of other blanks
 *
 * SoftMealy's CAlph, C1Alph, CnAlph, 0Alph, Num, Html, Punc, NL, Tab and Spc are ALLCAPS, INITCAP,
 * CAPITALIZED, LOWER, NUMBER, HTML, PUNCT, NEWLINE, TAB and SPACE; its words and nonwords are WORD
 * and NONWORD. STALKER's _AlphaNum_, _Alphabetic_, _Capitalized_, _AllCaps_, _Number_,
 * _Punctuation_ and _HtmlTag_ are WORD, ALPHA, CAPITALIZED, ALLCAPS, NUMBER, PUNCT and HTML.
 */
typedef enum th_class {
    TH_CLASS_ANY,
    TH_CLASS_WORD,
    TH_CLASS_ALPHA,
    TH_CLASS_CAPITALIZED,
    TH_CLASS_ALLCAPS,
    TH_CLASS_INITCAP,
    TH_CLASS_LOWER,
    TH_CLASS_UNCASED,
    TH_CLASS_NUMBER,
    TH_CLASS_MIXED,
    TH_CLASS_NONWORD,
    TH_CLASS_HTML,
    TH_CLASS_TAG_START,
    TH_CLASS_TAG_END,
    TH_CLASS_MARKUP,
    TH_CLASS_PUNCT,
    TH_CLASS_BLANK,
    TH_CLASS_NEWLINE,
    TH_CLASS_TAB,
    TH_CLASS_SPACE,
    TH_CLASS_COUNT
} th_class;

/* "any", "word", "alpha", ... Static. */
TH_API const char *th_class_name(th_class cls);
/* The class of that name. False for none. */
TH_API bool th_class_find(th_str name, th_class *out);
/* Returns true if every token of class `cls` is one of class `ancestor`; a class is itself. */
TH_API bool th_class_is(th_class cls, th_class ancestor);
/* The smallest class that both are. */
TH_API th_class th_class_join(th_class a, th_class b);

enum {
    TH_FINE_REFS = 1,     /* holds character references: its text is not its source */
    TH_FINE_ATTRIBUTE = 2 /* is inside a tag */
};

/* A fine token. The fine tokens of a span tile it. */
typedef struct th_fine {
    uint32_t start, end; /* source bytes */
    uint32_t count;      /* of a blank: how many characters, a CRLF counted once; else 1 */
    uint16_t tag;        /* tag id of a tag, else 0 */
    uint8_t cls;         /* th_class, a leaf of the tree */
    uint8_t flags;       /* TH_FINE_... */
} th_fine;

/* Walks the fine tokens of a span. Needs no release; the fields are the library's. */
typedef struct th_lex {
    const th_page *page;
    uint32_t at, end;   /* what is left of the span */
    uint32_t text_end;  /* end of the text that is being read */
    uint32_t token;     /* the coarse token at text_end */
    uint8_t mode;       /* how that text is read */
    uint8_t no_joining; /* digits joined by "." or "," would be a date or a list */
} th_lex;

/* th_lex_init(&lex, page, span); while (th_lex_next(&lex, &fine)) ... The page outlives the lex. A
 * span inside one tag is read as an attribute's value, one inside a script or comment as text. */
TH_API void th_lex_init(th_lex *lex, const th_page *page, th_span span);
TH_API bool th_lex_next(th_lex *lex, th_fine *out);
/* The text of a fine token, references decoded. */
TH_API th_status th_fine_text(const th_page *page, const th_fine *fine, th_text *out,
                              th_error *err);

/* ---------------------------------------------------------------------------------------------
 * Feed: where pages come from
 *
 * An input is a file, a folder, "-" for standard input, "@list" (a file with one input a line), an
 * http or https URL, or a WARC or ARC archive (plain, gzip or zstd). Folders, lists and archives
 * open into many pages; all pages come in the order of the inputs. One page at a time is held in
 * memory, and for URLs those few that were fetched ahead.
 * ------------------------------------------------------------------------------------------ */

typedef struct th_feed th_feed;
typedef struct th_input th_input;

typedef struct th_feed_options {
    size_t size;                 /* of this struct; 0: as it is here */
    bool allow_private;          /* fetch from loopback, private and link-local addresses */
    bool ignore_robots;          /* fetch even what robots.txt disallows */
    const char *user_agent;      /* NULL: "thresh/VERSION" */
    uint32_t max_redirects;      /* 10 */
    uint32_t timeout_ms;         /* of one try of a fetch, redirects included: 30000 */
    uint32_t connect_timeout_ms; /* 10000 */
    uint64_t max_bytes;          /* largest page, in a file, a record or a response: 256 MiB */
    uint32_t parallel;           /* fetches at once: 8 */
    uint32_t host_delay_ms;      /* pause between two fetches from one host: 500; 0 for none */
    const char *stdin_name;      /* the name of the page that "-" gives: "-" */
    bool files_only;             /* refuse standard input, pipes and devices: they may never end */
    th_cancel cancel;            /* ends th_feed_next, also while it waits for a slow host */
    uint32_t split, split_of;    /* only part `split` (from 0) of `split_of` equal ones; 0, 0: all.
                                    Files named as archives are split by their bytes, as
                                    th_feed_parts does; other files and URLs are dealt out in turn */
    /* Asked before a file or URL is opened: true leaves it out; *start may be raised, then the
     * pages before that byte of an archive are left out. NULL: all are read. */
    bool (*skip)(void *context, const char *name, uint64_t *start);
    void *skip_context;
    /* A fetch that fails for a time (429, 500, 502, 503, 504, no answer, no connection) is tried
     * again, after a wait that doubles each time, or the one that the server asks for. */
    uint32_t retries;       /* 3 */
    uint32_t retry_wait_ms; /* before the first of them: 1000 */
    uint32_t max_wait_ms;   /* the longest wait that a server can ask for: 120000 */
    /*
     * Headers to send, "Name: value". ${NAME} in a value is replaced by a variable of the
     * environment; such a value is secret: it is sent to the site (scheme, host and port) of the
     * first URL alone, and messages do not show it. Headers that are secret by their name
     * (Authorization, Cookie, X-Api-Key, ...) need such a value.
     */
    const char *const *headers;
    size_t header_count;
    const char *cookie_jar; /* a file of Netscape's format, read and written back; NULL: none */
    const char *proxy;      /* URL of a proxy, in which ${NAME} is replaced too; NULL: none */
    const char *site_file;  /* accounts and logins of sites: see docs/FEEDS.md; NULL: none */
    const char *cache;      /* a folder that keeps what is fetched, made if missing; NULL: none */
    uint64_t cache_age_s;   /* use what is younger without asking the server: 0, as servers say */
    const char *warc; /* a WARC archive that keeps what is fetched, made or added to; NULL: none */
    /* Pages are drawn by Chromium, which runs their scripts, and come as it shows them: in UTF-8,
     * with the URL that they have then. The timeout is that of the fetch and again of the drawing.
     * Pages of files and archives are drawn without loading anything. */
    bool render;
    const char *render_wait_for; /* a CSS selector: a page is drawn when an element matches; NULL */
    uint32_t render_scroll;      /* scroll down at most so often while that makes a page grow: 0 */
    /* What URLs and archives give is taken whatever its type: style sheets, images, ... Files are
     * pages all the same. */
    bool any_type;
} th_feed_options;

TH_API void th_feed_options_defaults(th_feed_options *options, size_t size);
#define th_feed_options_init(options) th_feed_options_defaults((options), sizeof *(options))

/* Nothing is opened before the first th_feed_next. The inputs and options are copied. Caller
 * frees. */
TH_API th_status th_feed_new(const char *const *inputs, size_t count,
                             const th_feed_options *options, th_feed **out, th_error *err);
TH_API void th_feed_free(th_feed *feed);

/* Bytes that are not in a local file. `read` reads up to len bytes from an offset on, as many as it
 * has at once; *got is 0 only at the end. It is called by one thread at a time, but not always by
 * the same one. `release` (which may be NULL) ends it. */
typedef struct th_reader {
    th_status (*read)(void *context, uint64_t offset, void *into, size_t len, size_t *got,
                      th_error *err);
    void (*release)(void *context);
    void *context;
    uint64_t size; /* of the whole file */
} th_reader;

/*
 * A part of a file: its pages that start at byte `start` or later and before `end` (UINT64_MAX: to
 * the end of the file). In an archive these are the records of the members of gzip, or frames of
 * zstd, that start there; a file that is a page itself starts at byte 0. Parts that cover the file
 * without a gap give each page once, wherever they are cut, and each damaged place too. Bytes
 * inside compressed data that look like a member are not taken for one: a record must start there.
 */
typedef struct th_feed_part {
    const char *name; /* the file; where there is a reader, what messages and origins call it */
    uint64_t start, end;
    th_reader reader; /* reads the bytes, if reader.read is there; else the file is opened */
} th_feed_part;

/* A feed of parts of files, in this order. The names and options are copied; the readers belong to
 * the feed, also when this fails, and are released at its end. Caller frees. */
TH_API th_status th_feed_parts(const th_feed_part *parts, size_t count,
                               const th_feed_options *options, th_feed **out, th_error *err);

/*
 * The next page. TH_OK with *out (caller frees), TH_DONE at the end, or an error for one input,
 * record or damaged place, after which the next call goes on with what follows.
 */
TH_API th_status th_feed_next(th_feed *feed, th_input **out, th_error *err);

/* Bytes taken from files so far (compressed where they are), and the total where all inputs are
 * plain files, else 0: for a progress bar. May be called from any thread. */
TH_API uint64_t th_feed_bytes_read(const th_feed *feed);
TH_API uint64_t th_feed_bytes_total(const th_feed *feed);
/* Archive records so far that are not pages: requests, images, redirects, revisits, ... */
TH_API uint64_t th_feed_records_skipped(const th_feed *feed);

TH_API void th_input_free(th_input *input);
/* What a user should know about how the page was drawn; absent as a rule. Borrowed. */
TH_API th_str th_input_note(const th_input *input);
/* The path or URL as given, the path of a file in a folder, or the target URI of a record. These
 * views are borrowed from the input. */
TH_API th_str th_input_name(const th_input *input);
/* Where it was read: the name, or for a record the archive and the byte where the record (in gzip:
 * its member) starts, "crawl.warc.gz@12345"; a record inside a member adds its place there, "+678".
 */
TH_API th_str th_input_origin(const th_input *input);
/* The same as numbers: the file, the byte where the record or its member starts, and how far inside
 * the member's inflated bytes the record starts. A page that is not in an archive has its own name,
 * 0 and 0. */
TH_API th_str th_input_file(const th_input *input);
TH_API uint64_t th_input_offset(const th_input *input);
TH_API uint64_t th_input_offset_inside(const th_input *input);
TH_API th_str th_input_bytes(const th_input *input);
/* The URL to resolve links with (after redirects), or absent. */
TH_API th_str th_input_url(const th_input *input);
/* The charset of the HTTP header, or absent. */
TH_API th_str th_input_charset(const th_input *input);
/* Both, as th_parser_parse wants them. Borrowed. */
TH_API void th_input_source(const th_input *input, th_page_source *out);

/* Makes an input from memory and copies everything given; name and bytes are required. Caller
 * frees. */
TH_API th_status th_input_new(th_str name, const th_page_source *source, th_str bytes,
                              th_input **out, th_error *err);

/* Returns true if pages can be rendered: Chromium is installed. */
TH_API bool th_can_render(void);

/* Posts JSON to an http or https URL: a webhook. Uses only allow_private, user_agent, the timeouts
 * and cancel of the options; sends no headers or cookies and uses no proxy. Does not follow
 * redirects. A status other than 2xx is an error. Messages name the host only, because the URL may
 * contain a secret. */
TH_API th_status th_post_json(const char *url, th_str json, const th_feed_options *options,
                              th_error *err);

/* Pages from elsewhere: a feed calls `next` as th_feed_next is called, and `release` (which may be
 * NULL) at its end. */
typedef struct th_feed_source {
    th_status (*next)(void *context, th_input **out, th_error *err);
    void (*release)(void *context);
    void *context;
} th_feed_source;

/* A feed of such pages. The source belongs to the feed, also when this fails. Caller frees. */
TH_API th_status th_feed_from(const th_feed_source *source, th_feed **out, th_error *err);

/* What th_feed_map does with each page. */
typedef struct th_feed_job {
    /* Runs in any thread; each worker has its own parser. *result is handed to emit. */
    th_status (*work)(void *context, th_parser *parser, const th_input *input, void **result,
                      th_error *err);
    /*
     * Runs in the calling thread, in input order, once for each page and each error of the feed;
     * input is NULL when the feed itself failed. `status` and `err` are those of work or of the
     * feed. The result belongs to emit; the input lives until emit returns. Anything but TH_OK
     * stops the run.
     */
    th_status (*emit)(void *context, const th_input *input, th_status status, void *result,
                      const th_error *err);
    /* Frees results that are never emitted because the run stopped; may be NULL. */
    void (*discard)(void *context, void *result);
    void *context;
} th_feed_job;

/*
 * Takes every page of the feed through job->work in `jobs` threads (0: one for each processor) and
 * emits the results in input order. At most 2 x jobs pages are held at once. Returns TH_OK at the
 * end of the feed even if inputs failed (emit was called for each), or the status with which emit
 * stopped the run.
 */
TH_API th_status th_feed_map(th_feed *feed, unsigned jobs, const th_parser_options *options,
                             const th_feed_job *job, th_error *err);

/* ---------------------------------------------------------------------------------------------
 * Data: schema
 *
 * EXALG's types. A field is a text; a tuple has members; a list repeats its item; an optional may
 * be missing; a choice is one of its alternatives. A schema is a tree of types, immutable once
 * finished, and may be read by many threads. It is built from the leaves up:
 *
 *     th_schema_new(&schema, &err);
 *     th_type *book[] = {th_schema_field(schema, title, TH_NOTE_TEXT),
 *                        th_schema_list(schema, authors, th_schema_field(...))};
 *     th_type *root = th_schema_list(schema, books, th_schema_tuple(schema, none, book, 2));
 *     if (th_schema_finish(schema, root, &err)) ...
 *
 * A building function returns NULL when something failed; NULL may be passed on, and
 * th_schema_finish reports what it was. A list at the root means many records per page, anything
 * else one record per page.
 * ------------------------------------------------------------------------------------------ */

typedef struct th_schema th_schema;
typedef struct th_type th_type; /* a node of a schema; lives as long as its schema */

typedef enum th_type_kind {
    TH_TYPE_FIELD,
    TH_TYPE_TUPLE,
    TH_TYPE_LIST,
    TH_TYPE_OPTIONAL,
    TH_TYPE_CHOICE
} th_type_kind;

/* What a field's text is. Values stay text whatever the note says. */
typedef enum th_note {
    TH_NOTE_TEXT,
    TH_NOTE_NUMBER,
    TH_NOTE_PRICE,
    TH_NOTE_DATE,
    TH_NOTE_TIME,
    TH_NOTE_URL,
    TH_NOTE_IMAGE,
    TH_NOTE_EMAIL,
    TH_NOTE_PHONE
} th_note;

enum { TH_SCHEMA_MAX_DEPTH = 64, TH_SCHEMA_MAX_TYPES = 65536, TH_SCHEMA_MAX_NAME = 1024 };

/* "text", "number", ... Static. */
TH_API const char *th_note_name(th_note note);
/* "field", "tuple", ... Static. */
TH_API const char *th_type_kind_name(th_type_kind kind);

/* An empty schema to build on. Caller frees. */
TH_API th_status th_schema_new(th_schema **out, th_error *err);
/* Adds an owner: th_schema_free must be called one more time. Returns schema. */
TH_API th_schema *th_schema_retain(const th_schema *schema);
TH_API void th_schema_free(th_schema *schema);

/* Names are copied and may be absent or empty; a member of a tuple that has none is called field_N
 * after its position. A type is used once: as one member, item, alternative or root. */
TH_API th_type *th_schema_field(th_schema *schema, th_str name, th_note note);
TH_API th_type *th_schema_tuple(th_schema *schema, th_str name, th_type *const *members,
                                size_t count);
TH_API th_type *th_schema_list(th_schema *schema, th_str name, th_type *item);
TH_API th_type *th_schema_optional(th_schema *schema, th_type *item);
TH_API th_type *th_schema_choice(th_schema *schema, th_str name, th_type *const *alternatives,
                                 size_t count);
/* Makes root the schema's root, after which the schema does not change. */
TH_API th_status th_schema_finish(th_schema *schema, th_type *root, th_error *err);

/* The root, and the type of one record: the root, or its item when the root is a list. */
TH_API const th_type *th_schema_root(const th_schema *schema);
TH_API const th_type *th_schema_record_type(const th_schema *schema);
TH_API bool th_schema_equal(const th_schema *a, const th_schema *b);
/* The schema that records of all of them fit: members are brought together by their names, what is
 * missing somewhere is optional, and what is a list somewhere is a list. Members that differ in
 * kind otherwise become a choice. Caller frees. */
TH_API th_status th_schema_union(const th_schema *const *schemas, size_t count, th_schema **out,
                                 th_error *err);

TH_API th_type_kind th_type_get_kind(const th_type *type);
/* The name; that of the item for an optional, and for a list without a name. Borrowed. */
TH_API th_str th_type_name(const th_type *type);
TH_API th_note th_type_note(const th_type *type);
/* Members, alternatives, or the one item. */
TH_API size_t th_type_count(const th_type *type);
TH_API const th_type *th_type_child(const th_type *type, size_t index);

/* The schema in the papers' notation: <B,{<B,B>},(B)?,B|{B}>. With names, a field is written as its
 * name instead of B, and the other types follow their name and a colon. */
TH_API th_status th_schema_print(const th_schema *schema, bool names, th_text *out, th_error *err);
/* The schema as JSON, and back. Reading checks everything and names the JSON path at fault. */
TH_API th_status th_schema_to_json(const th_schema *schema, th_text *out, th_error *err);
TH_API th_status th_schema_from_json(th_str json, th_schema **out, th_error *err);

/* ---------------------------------------------------------------------------------------------
 * Data: records
 *
 * The records of one page: an instance of a schema, each text with its place on the page. Values
 * are built from the top down in slots. A slot begins as null; what its type is follows from the
 * schema (an optional is looked through), so that a value cannot be at odds with it.
 *
 *     th_records_new(schema, page, &records, &err);
 *     th_value *book = th_records_add(records);                         a tuple of nulls
 *     th_records_set_text(records, th_value_slot(book, 0), text, span);
 *     th_records_set_text(records, th_records_append(records, th_value_slot(book, 1)), ...);
 *     if (th_records_status(records, &err)) ...                        once, at the end
 *
 * A building function returns NULL when something failed (memory, or a slot of another type); NULL
 * may be passed on, and th_records_status reports what it was.
 * ------------------------------------------------------------------------------------------ */

typedef struct th_records th_records;
typedef struct th_value th_value; /* lives as long as its records */

typedef enum th_value_kind {
    TH_VALUE_NULL, /* missing */
    TH_VALUE_TEXT,
    TH_VALUE_TUPLE, /* as many items as its type has members */
    TH_VALUE_LIST,
    TH_VALUE_CHOICE /* one item, of the alternative that th_value_which returns */
} th_value_kind;

/* Which page records are from. */
typedef struct th_records_source {
    th_str page; /* as the user named it: a path or a URL */
    th_str url;  /* its URL where known, or absent */
} th_records_source;

/* No records yet. Keeps the finished schema alive; copies the strings. Caller frees. */
TH_API th_status th_records_new(const th_schema *schema, const th_records_source *source,
                                th_records **out, th_error *err);
TH_API void th_records_free(th_records *records);

TH_API const th_schema *th_records_schema(const th_records *records);
TH_API th_str th_records_page(const th_records *records);
TH_API th_str th_records_url(const th_records *records);
/* How much of the page the wrapper that gave the records explained, 0 to 1; below 0 if its engine
 * does not measure it. A page of which too little is explained has another template and no record.
 */
TH_API double th_records_explained(const th_records *records);
TH_API size_t th_records_count(const th_records *records);
TH_API const th_value *th_records_get(const th_records *records, size_t index);
/* The first thing that went wrong while building, or TH_OK. */
TH_API th_status th_records_status(const th_records *records, th_error *err);

/* The schema with what texts mean beside them: behind a field with the note number a field
 * NAME_value, behind a price NAME_value and NAME_currency, behind a date NAME_iso. Caller frees. */
TH_API th_status th_schema_typed(const th_schema *schema, th_schema **out, th_error *err);
/* The records with these fields. Texts are read by what all values of a field on the page have in
 * common (1.234,50 or 1,234.50; 3/4 or 4/3); what is ambiguous is missing. `schema` is that of
 * th_schema_typed, or NULL: it is made. Caller frees. */
TH_API th_status th_records_typed(const th_records *records, const th_schema *schema,
                                  th_records **out, th_error *err);

/* The records as a JSON array; with spans texts become {"value":, "start":, "end":}. */
TH_API th_status th_records_to_json(const th_records *records, bool spans, th_text *out,
                                    th_error *err);

/* One more record: a null slot, or, when the record's type is a tuple, a tuple of nulls. */
TH_API th_value *th_records_add(th_records *records);
/* Text is copied, blanks and references are the caller's business. Span {0, 0}: place not known. */
TH_API void th_records_set_text(th_records *records, th_value *slot, th_str text, th_span span);
/* A number that is not from the page, with so many decimals: the JSON forms write it as a number.
 */
TH_API void th_records_set_number(th_records *records, th_value *slot, double number, int decimals);
/* Makes a null slot a tuple of nulls; returns the slot. */
TH_API th_value *th_records_set_tuple(th_records *records, th_value *slot);
/* Makes a null slot an empty list; returns the slot. */
TH_API th_value *th_records_set_list(th_records *records, th_value *slot);
/* One more item at the end of a list (a null slot becomes a list): a null slot, or a tuple of
 * nulls. */
TH_API th_value *th_records_append(th_records *records, th_value *list);
/* Chooses an alternative for a null slot; returns the slot of its value, as for append. */
TH_API th_value *th_records_choose(th_records *records, th_value *slot, size_t alternative);
/* The item slot of a tuple, list or choice; NULL past its items. */
TH_API th_value *th_value_slot(th_value *value, size_t index);
/* The span of a tuple, list or choice; a text's span is set with the text. */
TH_API void th_value_set_span(th_value *value, th_span span);

TH_API th_value_kind th_value_get_kind(const th_value *value);
/* Its type, optionals looked through. */
TH_API const th_type *th_value_type(const th_value *value);
/* The text of a text value, else absent. Borrowed. */
TH_API th_str th_value_text(const th_value *value);
TH_API th_span th_value_span(const th_value *value);
TH_API size_t th_value_count(const th_value *value);
TH_API const th_value *th_value_item(const th_value *value, size_t index);
/* The alternative of a choice, else 0. */
TH_API size_t th_value_which(const th_value *value);

/* Where bytes go. A write takes all of them or fails with TH_ERR_IO and its own message. */
typedef struct th_sink {
    th_status (*write)(void *context, const char *bytes, size_t len, th_error *err);
    void *context;
} th_sink;

/* ---------------------------------------------------------------------------------------------
 * Survey: what the columns of many records look like
 *
 * For each column: its type (a th_note, from four in five of its values), how many records have it,
 * on which pages, its numbers read as th_records_typed reads them, a histogram, the most frequent
 * values, and outliers: values that are far from the others ("far"), much longer ("long"), not of
 * the type of the column ("no number", "no date"), or that occur again in a column that is
 * otherwise different in each record ("twice"); and records without a value that four in five have
 * ("missing"). docs/API.md describes the JSON.
 * ------------------------------------------------------------------------------------------ */

typedef struct th_survey th_survey;

/* Caller frees. */
TH_API th_status th_survey_new(th_survey **out, th_error *err);
TH_API void th_survey_free(th_survey *survey);
/* Takes in a record as th_project_records gives it: an object as JSON. */
TH_API th_status th_survey_add(th_survey *survey, th_str page, th_str json, th_error *err);
TH_API th_status th_survey_to_json(th_survey *survey, th_text *out, th_error *err);

/* ---------------------------------------------------------------------------------------------
 * Regions: the lists of a page, without labels
 *
 * A region is a part of a page that an engine takes for a list of records. The first is the answer;
 * the others are for those who know better.
 * ------------------------------------------------------------------------------------------ */

typedef struct th_regions th_regions;

typedef struct th_region {
    const char *engine; /* static */
    double score;       /* comparable within a page only */
    double confidence;  /* 0..1: how likely it is the main list of the page, from how far it is
                         * ahead of the other regions asked for; comparable between pages */
    const th_records *records;
    /* iepad: the record pattern as its paper writes it, <p><TEXT>[<br>|-]; absent of other engines.
     * Variance and density are those of the repeat that it was made of. Regularity is how even
     * the distances of its records are: 1 if all are the same, 0 if they vary by as much as they
     * are long. */
    th_str pattern;
    double variance, density, regularity;
    /* Its records are data that the page carries beside its text: JSON in a script, or microdata.
     */
    bool data;
} th_region;

/* What the papers behind the engines leave to their users, with the papers' values. `published` is
 * for all engines that have a paper, each of the others for one; lists and paths look at none. */
typedef struct th_paper_options {
    bool published; /* as the paper has it, without what we made better */

    uint32_t combination; /* mdr: K, nodes of a generalized node at most: 10 (1 to 32) */
    double threshold;     /* mdr: T, how far similar tag strings may differ: 0.3 (0 to 2) */
    bool table_tags;      /* mdr: records of table and form tags alone; part of published */

    const char *encoding; /* iepad: "all-tag", "no-physical", "no-special", "no-logical" or
                             "block-level"; NULL: "block-level" */
    uint32_t levels;      /* iepad: of alignment: 2 (1 to 3); the first divides records, the next
                             divide the texts of the one before */
    const char *lower_encoding; /* iepad: of the second level; NULL: "all-tag". The third's is
                                   "all-tag" */
    uint32_t min_length;        /* iepad: of a maximal repeat, in tokens: 3 (1 to 512) */
    uint32_t min_count;         /* iepad: of its occurrences, and of records: 5 (2 and more) */
    double max_variance;        /* iepad: 0.36 */
    double min_density;         /* iepad: 0.2 */
    double cluster_variance;    /* iepad: up to which occurrences are clustered together: 0.1 */
    double max_mismatch;        /* iepad: share of a pattern's columns with options or alternatives:
                                   0.75; half where it is not published and all values are these */

    uint32_t size_threshold;  /* exalg: SIZETHRES, tokens of an equivalence class at least: 3 (1 to
                                 1000) */
    double support_threshold; /* exalg: SUPTHRES, as the share of the pages (template: of the
                                 elements of a role) that have what is the template's: 0.25 (0 to
                                 1); never fewer than two pages */
} th_paper_options;

TH_API void th_paper_options_init(th_paper_options *options);

/* Follows an engine of a paper: its inner steps, in the paper's words, a line each. th_regions_find
 * and th_learn write them where they are given one; an engine that has none writes none. */
typedef struct th_trace {
    th_sink sink;     /* gets whole lines */
    bool json;        /* a JSON object per line, with "step" and "depth"; else text */
    th_status status; /* the first failure: nothing is written behind it. Begin with TH_OK */
    th_error error;
} th_trace;

typedef struct th_regions_options {
    size_t size;        /* of this struct; 0: as it is here */
    uint32_t most;      /* regions given at most: 10 */
    const char *engine; /* "lists" (or "auto"), "mdr" or "iepad"; NULL: "lists" */
    th_paper_options paper;
    th_cancel cancel;
    th_trace *trace;  /* mdr, iepad: receives the steps of the search; may be NULL */
    bool text_only;   /* lists: not in the data that the page carries in scripts and microdata */
    bool all_columns; /* lists, mdr: give constant columns and duplicates too. There are at most 60
                       * columns in any case: `other` has the texts of the rest */
} th_regions_options;

TH_API void th_regions_options_defaults(th_regions_options *options, size_t size);
#define th_regions_options_init(options) th_regions_options_defaults((options), sizeof *(options))
/* Finds the lists of a page, best first. A page without a list has none: that is not an error.
 * `source` names the page in the records and may be NULL. Caller frees. */
TH_API th_status th_regions_find(const th_page *page, const th_records_source *source,
                                 const th_regions_options *options, th_regions **out,
                                 th_error *err);
TH_API void th_regions_free(th_regions *regions);
TH_API size_t th_regions_count(const th_regions *regions);
/* How many the engine found, at least: more than th_regions_count where `most` left some out. */
TH_API size_t th_regions_found(const th_regions *regions);
/* Borrowed. */
TH_API const th_region *th_regions_get(const th_regions *regions, size_t index);

/* ---------------------------------------------------------------------------------------------
 * Corpus: the pages that are looked at together
 *
 * A corpus holds pages with their names and URLs, labels, and which of the pages are built alike.
 * A folder often holds pages of several templates, and some that belong to none: pages are put into
 * clusters by their markup, the largest first, and what belongs to none is an outlier. Time and
 * memory are linear in the pages.
 *
 *     th_corpus_new(&corpus, &err);
 *     th_corpus_add_bytes(corpus, name, bytes, NULL, &err);            for each page
 *     th_learn(corpus, NULL, &wrapper, NULL, &err);                    see below
 *     th_corpus_free(corpus);
 * ------------------------------------------------------------------------------------------ */

typedef struct th_corpus th_corpus;
typedef struct th_labels th_labels; /* see below */

#define TH_NO_CLUSTER SIZE_MAX

/* Caller frees. */
TH_API th_status th_corpus_new(th_corpus **out, th_error *err);
TH_API void th_corpus_free(th_corpus *corpus);

/* Adds a page. It is copied unless it owns its bytes already (th_page_copy, th_parser_parse_copy),
 * so that page and bytes may go. `source` names the page and may be NULL. */
TH_API th_status th_corpus_add(th_corpus *corpus, const th_page *page,
                               const th_records_source *source, th_error *err);
/* Parses and adds a page, which owns a copy of the bytes. `source` may be NULL. */
TH_API th_status th_corpus_add_bytes(th_corpus *corpus, th_str name, th_str bytes,
                                     const th_page_source *source, th_error *err);
/* Adds what clusters need of a page, a few kilobytes, and not the page itself: nothing can be
 * learnt from it. For very many pages. */
TH_API th_status th_corpus_look(th_corpus *corpus, const th_page *page,
                                const th_records_source *source, th_error *err);
/* Gives the labels of pages, which are found by their names or URLs, in place of those it has;
 * NULL: none. They must outlive what is learnt from the corpus. */
TH_API void th_corpus_set_labels(th_corpus *corpus, const th_labels *labels);

/* The pages in the order in which they were added. Borrowed; a page that was only looked at, or
 * that was dropped, is NULL. */
TH_API size_t th_corpus_count(const th_corpus *corpus);
TH_API const th_page *th_corpus_page(const th_corpus *corpus, size_t index);
TH_API th_str th_corpus_name(const th_corpus *corpus, size_t index);
/* Frees the pages; names and clusters stay. */
TH_API void th_corpus_drop_pages(th_corpus *corpus);

/* Finds the clusters of the pages so far; th_learn does so by itself where it needs them. The order
 * in which pages were added does not matter: they are taken in the order of their names. */
TH_API th_status th_corpus_find_clusters(th_corpus *corpus, th_error *err);
/* How many clusters there are: each has two pages at least. */
TH_API size_t th_corpus_cluster_count(const th_corpus *corpus);
/* How many pages a cluster has. */
TH_API size_t th_corpus_cluster_size(const th_corpus *corpus, size_t cluster);
/* The cluster of a page; TH_NO_CLUSTER for an outlier. */
TH_API size_t th_corpus_cluster(const th_corpus *corpus, size_t index);
/* Where a further page belongs; TH_NO_CLUSTER if it is like none. The corpus does not change: many
 * threads may ask. */
TH_API th_status th_corpus_place(const th_corpus *corpus, const th_page *page, size_t *cluster,
                                 th_error *err);

/* ---------------------------------------------------------------------------------------------
 * Wrappers: what was learnt of a kind of page, to be run on others
 *
 * th_learn makes a wrapper of the pages of a corpus: a schema and the rules of an engine. A wrapper
 * goes into a file (docs/WRAPPER-FORMAT.md) and turns pages into records without searching anew. It
 * does not change once it is made, and many threads may share it. Rules are data: they run nothing,
 * read nothing, and cost no more than page size times number of rules.
 *
 *     th_learn(corpus, NULL, &wrapper, NULL, &err);
 *     th_wrapper_extract(wrapper, other_page, NULL, &records, &err);
 * ------------------------------------------------------------------------------------------ */

typedef struct th_wrapper th_wrapper;
typedef struct th_report th_report;

typedef struct th_learn_options {
    size_t size;        /* of this struct; 0: as it is here */
    const char *engine; /* "lists", "mdr", "iepad", "template", "exalg", "softmealy", "stalker",
                           "seams" or "paths"; "auto" or NULL: chosen by what the pages are and
                           what is labelled */
    uint32_t pick;     /* which region of the first page that has one, counted from 1; the pages are
                          then not put into clusters. 0: the first */
    uint32_t cluster;  /* which cluster to learn from, counted from 1. 0: the largest */
    bool all_clusters; /* learn from each; the wrappers are in the report */
    bool records_only; /* leave out clusters of lists: their lessons have no wrapper */
    bool no_profile;   /* do not give the wrapper a profile (see th_check_profile) */
    uint32_t most;     /* pages of a cluster that are learnt from. 0: all */
    const char *date;  /* for the wrapper's provenance, as ISO 8601; NULL: none is written */
    const char *without;       /* softmealy: mechanisms to leave out, names separated by commas:
                                  "ground-html", "no-blanks", "check", "free-order", "resync". NULL:
                                  nothing */
    const th_wrapper *correct; /* softmealy: a wrapper to correct, with labels of what it reads
                                  wrong. NULL: learn anew */
    const char
        *slots; /* iepad: the slots to keep, with new names: "text_1=title,link_1". NULL: all */
    bool whole_lines; /* lists, mdr: texts with several values in inline elements stay one field.
                         With labels both is tried */
    th_paper_options paper;
    th_cancel cancel;
    const th_span *headings; /* lists, mdr: texts of the first page that are headings: fields of the
                                records below them, besides headings that are found anyway. NULL:
                                none; labels above records are found without it */
    size_t heading_count;
    th_trace *trace; /* exalg: receives the steps of learning; may be NULL */
    bool one_record; /* the pages have one record each: do not look whether they are lists */
    bool tidy; /* lists, mdr: leave out columns that are constant or duplicates on these pages, and
                * put what only a few records have into a column "other". Labelled columns always
                * stay */
    bool text_only;         /* not from the data that pages carry in scripts and microdata */
    const char *attributes; /* lists, mdr: attributes whose values are fields too, with commas
                               between: "data-sku,title". NULL: none; labelled ones are found
                               without it */
    bool whole_list; /* a single labelled record is one of a list, all of which is wanted, whichever
                        list of the page it is. Otherwise that is so for the main list alone */
    const char *columns; /* see th_wrapper_set_columns; NULL: all, as they are learnt */
    const char *join;
} th_learn_options;

TH_API void th_learn_options_defaults(th_learn_options *options, size_t size);
#define th_learn_options_init(options) th_learn_options_defaults((options), sizeof *(options))

/*
 * Learns a wrapper from the pages of a corpus, and decides what was not asked for:
 *
 *  - with labels (th_corpus_set_labels) all pages are learnt from: the engine is the one that does
 *    best on labelled pages that it has not seen;
 *  - without, the pages are put into clusters, and the largest is learnt from: its lists, or one
 *    record per page, whichever explains more of what the pages differ in;
 *  - with `pick`, or an engine that looks for lists, all pages are learnt from, in their order;
 *  - pages that carry data in scripts are learnt from by that data if it has labelled values that
 *    their text lacks, or without labels if the best list of most of them is there.
 *
 * The wrapper gets a profile of what it gives for these pages, for th_check. *out (NULL where
 * all_clusters is set: the report has the wrappers) and *report, each of which the caller frees,
 * may be NULL if it is not wanted. There is a report even if learning fails, unless memory is
 * short: its remarks say what would help.
 */
TH_API th_status th_learn(th_corpus *corpus, const th_learn_options *options, th_wrapper **out,
                          th_report **report, th_error *err);
/* Fails for options that th_learn would refuse whatever the pages are: to report them early. The
 * labels of the corpus count. */
TH_API th_status th_learn_check(const th_corpus *corpus, const th_learn_options *options,
                                th_error *err);

/* What the pages of one template hold, lists of records or one record each, and the evidence. */
typedef struct th_kind {
    bool lists;
    size_t pages;     /* that were looked at; 0: too few to decide */
    double list_bits; /* of what differs between them: what is in rows of their main lists */
    double page_bits; /* and what is at places of the page, where lists have none for it */
    size_t rows;      /* of their main lists */
    double linked;    /* how many of these lead somewhere, from 0 to 1 */
} th_kind;

/* What was learnt from one cluster, or from all pages. */
typedef struct th_lesson {
    bool clustered;            /* the pages were put into clusters first */
    size_t cluster;            /* that was learnt from; TH_NO_CLUSTER: all pages */
    th_kind kind;              /* where that was to be found out */
    const th_wrapper *wrapper; /* NULL: none was learnt. Borrowed; see th_report_take */
    th_str failure;            /* why not, where others were learnt; or absent */
    size_t pages, records;     /* that were learnt from: labelled ones where there are labels */
    size_t others;             /* pages without labels, where there are labels */
    size_t wrong; /* labelled values that the wrapper does not give as labelled on the labelled
                     pages themselves; remarks name them. A list of values counts as one */
} th_lesson;

/* A remark for the user: which pages were left out, which place of a value was taken, which label
 * would help. */
typedef struct th_remark {
    th_str page; /* the page that it is about, or absent */
    th_str text;
    bool detail; /* for those who want to know more: all is well, and this is why */
} th_remark;

TH_API void th_report_free(th_report *report);
/* One lesson, or with all_clusters one for each cluster in their order. Borrowed. */
TH_API size_t th_report_count(const th_report *report);
TH_API const th_lesson *th_report_lesson(const th_report *report, size_t index);
/* The wrapper of a lesson, which it does not have any more; NULL if it has none. Caller frees. */
TH_API th_wrapper *th_report_take(th_report *report, size_t index);
/* Borrowed. */
TH_API size_t th_report_remark_count(const th_report *report);
TH_API const th_remark *th_report_remark(const th_report *report, size_t index);

/* Returns true if bytes look like a wrapper file; th_wrapper_read checks them. */
TH_API bool th_wrapper_is(th_str bytes);
/* Reads a wrapper file. `name` is what messages call it; they name the JSON path at fault. Caller
 * frees. */
TH_API th_status th_wrapper_read(th_str bytes, const char *name, th_wrapper **out, th_error *err);
/* The wrapper as a file. */
TH_API th_status th_wrapper_write(const th_wrapper *wrapper, th_text *out, th_error *err);
TH_API void th_wrapper_free(th_wrapper *wrapper);

/*
 * Chooses the columns of what the wrapper gives: "title=bike,price:number,city+street=place". Items
 * are in their order: the name of a column now, or several with + that become one; = and the new
 * name (otherwise the first); : and what it is: number, price, date (which adds the fields of
 * th_records_typed), text or any. "*" is all others. A backslash before a sign makes it part of a
 * name. `join` is the text between merged values; NULL: a blank. The wrapper loses its profile: see
 * th_check_profile.
 */
TH_API th_status th_wrapper_set_columns(th_wrapper *wrapper, const char *columns, const char *join,
                                        th_error *err);

/* The name of its engine. Static. */
TH_API const char *th_wrapper_engine(const th_wrapper *wrapper);
/* The schema of its records. Borrowed. */
TH_API const th_schema *th_wrapper_schema(const th_wrapper *wrapper);
/* The pages that it was learnt from, as they were named. A name is borrowed; absent beyond the
 * last.
 */
TH_API size_t th_wrapper_page_count(const th_wrapper *wrapper);
TH_API th_str th_wrapper_page_name(const th_wrapper *wrapper, size_t index);
/* Returns true if it was learnt from a page with the same text. */
TH_API bool th_wrapper_knows_page(const th_wrapper *wrapper, const th_page *page);
/* Schema, rules and provenance for people to read. */
TH_API th_status th_wrapper_explain(const th_wrapper *wrapper, th_text *out, th_error *err);
/* The rules as a graph in the language of Graphviz, where they are one: softmealy's transducer. */
TH_API th_status th_wrapper_graph(const th_wrapper *wrapper, th_text *out, th_error *err);

/* The template behind the pages that it was learnt from, for people to read, with the values of
 * some pages beside it: what th_wrapper_extract gave for them, `count` of them or none. Only the
 * engines template and exalg have templates. */
TH_API th_status th_wrapper_template(const th_wrapper *wrapper, const th_records *const *pages,
                                     size_t count, th_text *out, th_error *err);

/* Returns true if a wrapper reads the data that pages carry beside their text: JSON in scripts, and
 * microdata. Its rules are about that data and not about the elements of the page. */
TH_API bool th_wrapper_reads_data(const th_wrapper *wrapper);
/* Counted from 1; one more for each repair. */
TH_API uint32_t th_wrapper_version(const th_wrapper *wrapper);
/* Returns true if it knows what its values look like: see th_check_profile. */
TH_API bool th_wrapper_has_profile(const th_wrapper *wrapper);
/* The profile for people to read, or how to get one. */
TH_API th_status th_wrapper_explain_profile(const th_wrapper *wrapper, th_text *out, th_error *err);

/* The records of a page. A page without any gives none: that is not an error. `source` names the
 * page in the records and may be NULL. Caller frees. */
TH_API th_status th_wrapper_extract(const th_wrapper *wrapper, const th_page *page,
                                    const th_records_source *source, th_records **out,
                                    th_error *err);

/*
 * A page that arrives piece by piece, read in memory that does not grow with it: for wrappers whose
 * engine reads a page once from its beginning to its end (softmealy). Bytes are UTF-8; invalid ones
 * become U+FFFD. Records come out as soon as they are complete:
 *
 *     th_stream_new(wrapper, NULL, &stream, &err);
 *     th_stream_feed(stream, bytes, &records, &err);        again and again; records may be NULL
 *     th_stream_finish(stream, &records, &err);
 *     th_stream_free(stream);
 */
typedef struct th_stream th_stream;

/* Returns true if pages can be streamed through a wrapper. */
TH_API bool th_wrapper_streams(const th_wrapper *wrapper);
/* The wrapper must live as long as the stream. `source` names the page and may be NULL. Caller
 * frees. */
TH_API th_status th_stream_new(const th_wrapper *wrapper, const th_records_source *source,
                               th_stream **out, th_error *err);
/* The next bytes. *out are the records that are complete since the last call, NULL when there are
 * none; caller frees. After a failure every further call fails. */
TH_API th_status th_stream_feed(th_stream *stream, th_str bytes, th_records **out, th_error *err);
/* The page has ended. */
TH_API th_status th_stream_finish(th_stream *stream, th_records **out, th_error *err);
TH_API void th_stream_free(th_stream *stream);

/* ---------------------------------------------------------------------------------------------
 * Doubts: what to label next
 *
 * An engine that learns several ways to find a value (views) knows where it may be wrong: if two
 * views disagree, at least one of them is. It may also be wrong on a page with something that no
 * labelled page has. The page with most of this is the one whose label teaches most.
 * ------------------------------------------------------------------------------------------ */

typedef struct th_doubts th_doubts;

enum { TH_VIEWS_MOST = 3 };

/* One of the values that a view finds. */
typedef struct th_answer_value {
    th_str text;
    th_span span;
} th_answer_value;

/* What one view finds. */
typedef struct th_answer {
    const char *view; /* "structure", "forward", "backward", "other". Static */
    th_str text;      /* absent: the view finds nothing; several values have " | " between them */
    th_span span;     /* of the first */
    uint32_t more;    /* values behind the first that `text` has: a few of them at most */
    const th_answer_value *values; /* all of them, in the order in which extraction gives them */
    uint32_t count;
} th_answer;

/* A value about which the views disagree. */
typedef struct th_doubt {
    th_str field;      /* "restaurants.address"; empty: text that may be of a field that no labelled
                          page has */
    th_str spot;       /* of such text: where it is, in the same words on every page of the site;
                          else absent */
    double contention; /* 0 to 1: how much of the views' weight is against the best answer */
    const char *why;   /* the evidence against that answer, in a few words. Static */
    uint32_t place;    /* a byte near by, for order on the page */
    th_answer answers[TH_VIEWS_MOST];
    uint32_t answer_count;
    uint32_t chosen; /* which of them extraction would take */
} th_doubt;

/* Where a wrapper is in doubt on a page, most contended first. An engine with only one view of a
 * field doubts values that are missing. Fails for engines that do not learn from labels. Caller
 * frees. */
TH_API th_status th_wrapper_doubts(const th_wrapper *wrapper, const th_page *page, th_doubts **out,
                                   th_error *err);
TH_API void th_doubts_free(th_doubts *doubts);
TH_API size_t th_doubts_count(const th_doubts *doubts);
/* Borrowed. */
TH_API const th_doubt *th_doubts_get(const th_doubts *doubts, size_t index);
/* Of the page: the sum over its fields of their largest contention. */
TH_API double th_doubts_contention(const th_doubts *doubts);
/* Which page to label next: puts the numbers of `count` pages into `order`. The first is the page
 * whose label is worth most, by its doubts and by how many pages share them; each of the next, up
 * to `most`, is the one worth most once those before it are labelled. */
TH_API th_status th_doubts_rank(const th_doubts *const *pages, size_t count, size_t most,
                                size_t *order, th_error *err);

/* ---------------------------------------------------------------------------------------------
 * Hits: the parts of a page that a wrapper's rules match
 *
 * Where the rules of a wrapper meet a page: the tokens of landmarks, the contexts of a transducer's
 * separators, texts that distinguish a value from its neighbours, the tags of elements. For people
 * who want to see why a value is found, or is not.
 * ------------------------------------------------------------------------------------------ */

typedef struct th_hits th_hits;

typedef struct th_hit {
    th_span span;     /* a token, a tag or a text */
    th_str field;     /* "restaurants.address"; absent: of the records themselves */
    const char *part; /* of the rule: "start, forward", "anchor", "element", ... Static */
    th_str rule;      /* as the rules write it, or absent */
} th_hit;

/* In the order of the page; of very many the first. Caller frees. */
TH_API th_status th_wrapper_hits(const th_wrapper *wrapper, const th_page *page, th_hits **out,
                                 th_error *err);
TH_API void th_hits_free(th_hits *hits);
TH_API size_t th_hits_count(const th_hits *hits);
/* Borrowed. */
TH_API const th_hit *th_hits_get(const th_hits *hits, size_t index);

/* ---------------------------------------------------------------------------------------------
 * Checking: has the site changed?
 *
 * A check looks at the records that a wrapper gives, page by page. On the pages that the wrapper
 * was learnt from they become its profile: how the values of each field begin and end, how long
 * they are, how often they are missing, how many records a page has. On later pages they are
 * compared with that profile, and the verdict says if the wrapper still reads them correctly.
 *
 *     th_check_new(wrapper, true, &check, &err);                         false: to verify
 *     th_check_add(check, page, records, &err);                          for each page
 *     th_check_profile(check, wrapper, &err);                            when it was learnt
 *     th_check_verdict(check, 0, &verdict, &err);                        later
 * ------------------------------------------------------------------------------------------ */

typedef struct th_check th_check;
typedef struct th_verdict th_verdict;

#define TH_ALPHA 0.01

/* A thorough check looks at more values, and can become a profile; one that is not costs about a
 * tenth of extraction at most: of records of very many fields it counts all values, and looks at
 * those of the fields that say most. The wrapper must outlive it. Caller frees. */
TH_API th_status th_check_new(const th_wrapper *wrapper, bool thorough, th_check **out,
                              th_error *err);
/* Takes in the records that the wrapper gives for a page; both may be freed afterwards. The page
 * may be NULL: how much of it is in values is then not known. */
TH_API th_status th_check_add(th_check *check, const th_page *page, const th_records *records,
                              th_error *err);
TH_API void th_check_free(th_check *check);

/* What a check that is not thorough has taken in, as JSON, and adding that to another check of the
 * same wrapper: so pages can be checked by several processes, and judged together. JSON that is
 * damaged, or of another wrapper, is refused and adds nothing. */
TH_API th_status th_check_to_json(const th_check *check, th_text *out, th_error *err);
TH_API th_status th_check_merge(th_check *check, th_str json, th_error *err);

/* Makes the values that a thorough check has taken in the profile of the wrapper, in place of one
 * it has; before it is shared. */
TH_API th_status th_check_profile(const th_check *check, th_wrapper *wrapper, th_error *err);
/* The same in one step, from the records of `count` pages; `pages` may be NULL. */
TH_API th_status th_wrapper_profile(th_wrapper *wrapper, const th_page *const *pages,
                                    const th_records *const *records, size_t count, th_error *err);

/* What was found out about a field, or about all of the records (path absent). */
typedef struct th_evidence {
    th_str path;      /* title, authors[], reviews[].comment; absent: the records */
    bool drift;       /* evidence of a change that makes the records wrong */
    bool changed;     /* or of one that leaves them right: reported only */
    const char *test; /* "missing", "begin", "end", "length", "repeated", "records", "flooded",
                         "agreement", "moved", "words", "place", "left"; "next", of the link to the
                         next page, whose path is "next page";
                         "none" when there was nothing to compare. Static */
    double p;         /* how likely at least this much would be if nothing had changed, corrected
                         for the number of fields */
    th_str words;     /* what was found: one sentence */
    const th_str *examples; /* values now, at most 3 */
    uint32_t example_count;
} th_evidence;

/* Compares what was taken in with the wrapper's profile. `alpha` is the level of significance, over
 * all fields together; 0: TH_ALPHA. Fails when the wrapper has no profile or no page was taken in.
 * Caller frees; the check may be freed before, and the wrapper must outlive it: the words for a
 * field are made when they are read. */
TH_API th_status th_check_verdict(const th_check *check, double alpha, th_verdict **out,
                                  th_error *err);
/* The same by the test of Knoblock, Lerman, Minton and Muslea: a thorough check; every significant
 * difference of the patterns that values begin and end with, words included, is drift. */
TH_API th_status th_check_verdict_published(const th_check *check, double alpha, th_verdict **out,
                                            th_error *err);
TH_API void th_verdict_free(th_verdict *verdict);
/* Returns true if the site has changed so that the wrapper no longer reads it correctly. */
TH_API bool th_verdict_drift(const th_verdict *verdict);
/* "fine"; "changed": something has changed, and as far as is known the records are correct;
 * "drift". Static. */
TH_API const char *th_verdict_word(const th_verdict *verdict);
/* The evidence: of the records first, then one for each field. Borrowed; has no words if
 * memory is short. */
TH_API size_t th_verdict_count(const th_verdict *verdict);
TH_API const th_evidence *th_verdict_get(const th_verdict *verdict, size_t index);
/* The verdict as one JSON object, and for people to read. */
TH_API th_status th_verdict_to_json(const th_verdict *verdict, th_text *out, th_error *err);
TH_API th_status th_verdict_explain(const th_verdict *verdict, th_text *out, th_error *err);

/* ---------------------------------------------------------------------------------------------
 * Site: next pages
 *
 * The link of a page that leads to the next page of the same list: docs/SITES.md says how it is
 * recognised. A wrapper that was learnt from pages with such links knows where theirs is.
 * ------------------------------------------------------------------------------------------ */

/* A link to the next page. Begin with {0}, use it again and again, release it at the end. */
typedef struct th_next {
    th_text url;       /* absolute if the page's URL is known; empty: there is no next page */
    th_text href;      /* as written on the page, references decoded */
    th_text why;       /* for people: what says so, or what is missing */
    uint32_t node;     /* the element, a or link; 0: none */
    double confidence; /* 0..1, comparable between pages */
    bool sure;    /* false: only a number, a URL or the page's head says so; fetch the page to see
                     if it goes on with the same list */
    bool by_rule; /* found where the wrapper's rule says */
} th_next;

/* Finds the link to the next page. A page without one is not an error: out->url is empty. `wrapper`
 * may be NULL; its rule, if it has one, is asked first. Fetches nothing. */
TH_API th_status th_next_find(const th_page *page, const th_wrapper *wrapper, th_next *out,
                              th_error *err);
TH_API void th_next_release(th_next *next);
/* Learns where the link to the next page is on pages that a wrapper for lists was learnt from, and
 * keeps it in the wrapper; th_learn does so. Pages without a link, or that differ, give no rule. */
TH_API th_status th_wrapper_learn_next(th_wrapper *wrapper, const th_page *const *pages,
                                       size_t count, th_error *err);

/* Why nothing more is followed from a URL. */
typedef enum th_follow_end {
    TH_FOLLOW_LIMIT,       /* as many pages as were asked for */
    TH_FOLLOW_NO_LINK,     /* the last page has no link to a next one */
    TH_FOLLOW_REPEAT,      /* the next page is one that was read already */
    TH_FOLLOW_NOTHING_NEW, /* the next page has no records that are new */
    TH_FOLLOW_NO_LIST,     /* the first page has no records */
    TH_FOLLOW_FAILED,      /* a page could not be read */
    TH_FOLLOW_NOT_FETCHED  /* the pages are not from URLs */
} th_follow_end;

/* "limit", "no-link", "repeat", "nothing-new", "no-list", "failed", "not-fetched". */
TH_API const char *th_follow_end_name(th_follow_end end);

typedef struct th_follow_options {
    size_t size;    /* of this struct; 0: as it is here */
    uint32_t pages; /* of each URL at most, the first included: 10 */
    /* Reads the pages, and says where their link to the next one is; must outlive the feed. NULL: a
     * wrapper for the list of the first page is learnt from it. */
    const th_wrapper *wrapper;
    /* Called with the reason why nothing more is followed from a URL, and the number of pages that
     * came of it, in the thread of th_feed_next. `start` is absent for pages that were not fetched;
     * those are given without following, and `pages` counts them. May be NULL. */
    void (*ended)(void *context, th_str start, size_t pages, th_str why);
    void *context;
    th_follow_end *end; /* set to the reason before `ended` is called; may be NULL */
} th_follow_options;

TH_API void th_follow_options_defaults(th_follow_options *options, size_t size);
#define th_follow_options_init(options) th_follow_options_defaults((options), sizeof *(options))

/*
 * A feed as th_feed_new makes it, in which each URL is followed by its next pages. They are fetched
 * one after the other, as politely as all others. A page must have records like those of the first
 * one, and one of them at least must be new: it ends at a page without such records, at one that
 * repeats what was read, at a link back to a page that was read, at a page without a next link and
 * at the limit. A page that ends it that way is not given. Caller frees.
 */
TH_API th_status th_feed_follow(const char *const *inputs, size_t count,
                                const th_feed_options *options, const th_follow_options *following,
                                th_feed **out, th_error *err);

/* ---------------------------------------------------------------------------------------------
 * Exports: a wrapper as selectors or as a program
 *
 * The wrapper runs on pages, and selectors are found that give the same values in every record of
 * every one of them, in our own tree of the page and in that of libxml2, which lxml, parsel and
 * Scrapy use. A field for which there are none is refused, with the reason. docs/EXPORTS.md
 * describes what is written.
 *
 *     th_export_new(wrapper, NULL, &export, &err);
 *     th_export_add(export, page, &source, &err);                        for each page
 *     th_export_write(export, TH_EXPORT_PARSEL, &text, &err);
 * ------------------------------------------------------------------------------------------ */

typedef struct th_export th_export;

typedef enum th_export_target {
    TH_EXPORT_CSS,    /* CSS selectors, as JSON */
    TH_EXPORT_XPATH,  /* XPath expressions, as JSON */
    TH_EXPORT_PARSEL, /* a Python function that uses parsel */
    TH_EXPORT_SCRAPY, /* a spider */
    TH_EXPORT_PYTHON  /* a Python program that uses lxml alone */
} th_export_target;

typedef struct th_export_options {
    size_t size;      /* of this struct; 0: as it is here */
    const char *name; /* of the wrapper's file, for comments; NULL: none */
    bool partial;     /* leave out fields that are refused, unless all are */
} th_export_options;

/* What cannot be exported. Borrowed until the next th_export_write. */
typedef struct th_refusal {
    th_str field; /* its name; absent: the records */
    th_str reason;
} th_refusal;

TH_API void th_export_options_defaults(th_export_options *options, size_t size);
#define th_export_options_init(options) th_export_options_defaults((options), sizeof *(options))
/* The wrapper must outlive the export. TH_ERR_ARGUMENT in a library that was built without
 * libxml2. Caller frees. */
TH_API th_status th_export_new(const th_wrapper *wrapper, const th_export_options *options,
                               th_export **out, th_error *err);
TH_API void th_export_free(th_export *export);
/* Runs the wrapper on a page and keeps what is needed of it. `source` may be NULL. */
TH_API th_status th_export_add(th_export *export, const th_page *page,
                               const th_records_source *source, th_error *err);
/* Writes the export for the pages that were added, into `out`, which is reused. TH_ERR_FORMAT if
 * something is refused: the message names the first, th_export_refused all of them.
 * TH_ERR_ARGUMENT if the wrapper found nothing on the pages. */
TH_API th_status th_export_write(th_export *export, th_export_target target, th_text *out,
                                 th_error *err);
TH_API size_t th_export_refused_count(const th_export *export);
TH_API const th_refusal *th_export_refused(const th_export *export, size_t index);

/* ---------------------------------------------------------------------------------------------
 * Repair: a wrapper that reads the changed site
 *
 * From pages as they are now and the profile of what was: the fields are found again by what their
 * values look like, and the wrapper is learnt anew with its own engine; names of fields stay. What
 * comes out is held against the old profile, and is given only when it passes, no field is lost and
 * nothing that still worked got worse. It has the columns of the old wrapper, in their order.
 *
 *     th_repair_new(wrapper, NULL, &repair, &err);
 *     th_repair_add(repair, page, NULL, &err);                           for each page
 *     th_repair_finish(repair, &mended, &err);                           NULL: see the outcome
 * ------------------------------------------------------------------------------------------ */

typedef struct th_repair th_repair;

typedef struct th_repair_options {
    size_t size;      /* of this struct; 0: as it is here */
    double alpha;     /* as for th_check_verdict; 0: TH_ALPHA */
    const char *date; /* for the history, as ISO 8601; NULL: none */
    th_cancel cancel; /* ends th_repair_add and th_repair_finish */
    bool new_fields;  /* also give the columns that the old wrapper does not have */
    bool allow_lost;  /* also give a wrapper that does not find all fields again */
    bool published;   /* the reinduction of Knoblock, Lerman, Minton and Muslea alone: for wrappers
                         that were learnt from labels, of pages of one record */
} th_repair_options;

typedef enum th_outcome {
    TH_OUTCOME_FINE,     /* nothing was broken */
    TH_OUTCOME_REPAIRED, /* there is a new wrapper */
    TH_OUTCOME_BROKEN    /* broken, and nothing that passes was found, or only with fields lost */
} th_outcome;

/* What became of a field. */
typedef enum th_field_outcome {
    TH_FIELD_KEPT,     /* worked, and works as before */
    TH_FIELD_REPAIRED, /* was broken, and is found again */
    TH_FIELD_LOST      /* was broken, and is not found */
} th_field_outcome;

typedef struct th_field_repair {
    th_str path;
    th_field_outcome outcome;
    double likeness; /* of its values now to those before: 0 to 1 */
    th_str example;  /* a value now, or absent */
} th_field_repair;

TH_API void th_repair_options_defaults(th_repair_options *options, size_t size);
#define th_repair_options_init(options) th_repair_options_defaults((options), sizeof *(options))
/* The wrapper must outlive the repair, and have a profile. Caller frees. */
TH_API th_status th_repair_new(const th_wrapper *wrapper, const th_repair_options *options,
                               th_repair **out, th_error *err);
/* Takes in a page, as a copy; of very many pages the first are enough. `source` may be NULL. */
TH_API th_status th_repair_add(th_repair *repair, const th_page *page,
                               const th_records_source *source, th_error *err);
/* *out is the new wrapper, with a version one higher and the change in its history; NULL if there
 * is nothing to repair or nothing passes: see the outcome. Caller frees it. */
TH_API th_status th_repair_finish(th_repair *repair, th_wrapper **out, th_error *err);
TH_API void th_repair_free(th_repair *repair);

/* After the end: how it went, and the verdicts on the old wrapper and (NULL when there was none) on
 * the best new one. Borrowed. */
TH_API th_outcome th_repair_outcome(const th_repair *repair);
/* "fine", "repaired", "broken"; "kept", "repaired", "lost". Static. */
TH_API const char *th_outcome_name(th_outcome outcome);
TH_API const char *th_field_outcome_name(th_field_outcome outcome);
TH_API const th_verdict *th_repair_before(const th_repair *repair);
TH_API const th_verdict *th_repair_after(const th_repair *repair);
/* Field by field, also of the best finding that was not good enough. Borrowed. */
TH_API size_t th_repair_count(const th_repair *repair);
TH_API const th_field_repair *th_repair_get(const th_repair *repair, size_t index);
/* The same as one JSON object, and for people to read. */
TH_API th_status th_repair_to_json(const th_repair *repair, th_text *out, th_error *err);
TH_API th_status th_repair_explain(const th_repair *repair, th_text *out, th_error *err);

/* ---------------------------------------------------------------------------------------------
 * Data: writers
 *
 * One interface for all forms of output, page by page; docs/OUTPUT.md shows each form. A file is
 * written beside its target and renamed at the end: until th_writer_finish has returned TH_OK the
 * target is as it was, whatever happens. (Rows added to an SQLite file go in as one transaction.)
 * ------------------------------------------------------------------------------------------ */

typedef struct th_writer th_writer;

typedef enum th_format {
    TH_FORMAT_TABLE,    /* for people: fitted to a terminal's width */
    TH_FORMAT_CSV,      /* RFC 4180 */
    TH_FORMAT_NDJSON,   /* one record a line */
    TH_FORMAT_JSON,     /* one array of records */
    TH_FORMAT_PAGES,    /* one page a line, with its records */
    TH_FORMAT_SQLITE,   /* a table, and a child table for each nested list */
    TH_FORMAT_TSV,      /* tab-separated values: csv's rows without quotes */
    TH_FORMAT_MARKDOWN, /* a table of Markdown */
    TH_FORMAT_HTML,     /* a page with a table */
    TH_FORMAT_XLSX      /* a workbook */
} th_format;

/* "table", "csv", ... Static; NULL past the last. */
TH_API const char *th_format_name(th_format format);
TH_API bool th_format_find(th_str name, th_format *out);
/* The format that a file's name asks for by its ending (".csv", ".jsonl", ...). False if no format
 * has that ending. */
TH_API bool th_format_of_path(const char *path, th_format *out);
/* The endings that th_format_of_path knows, with their formats; NULL past the last. Static. */
TH_API const char *th_format_ending(size_t index, th_format *format);

typedef struct th_writer_options {
    size_t size;      /* of this struct; 0: as it is here */
    const char *path; /* the file to write, or NULL: the sink. sqlite and xlsx need a path */
    th_sink sink;
    const th_schema
        *schema; /* when known beforehand: csv and tsv then stream and always have a header */
    const char
        *page_key;     /* adds the page under this key or column; NULL: does not. sqlite: always */
    bool spans;        /* JSON forms: texts become {"value":, "start":, "end":} */
    bool replace;      /* sqlite: replaces a file that exists instead of adding to it */
    bool excel;        /* csv: a byte order mark, and cells that Excel would run as formulas are
                          guarded */
    bool color;        /* table: escape sequences for a bold header */
    uint32_t width;    /* table: columns of the terminal; 0: as wide as it needs */
    const char *table; /* sqlite: the name of the table: "records" */
    const char *date;  /* sqlite: adds columns "run" (a number, one higher for each run) and
                          "run_date" with this text; NULL: does not */
    const char *separator; /* csv, tsv, table: between the texts of a list: " | " */
    bool no_header;        /* csv, tsv: writes none, since the output has one already */
    bool append;           /* csv, tsv: adds to the rows of a file that exists, as sqlite does */
    const char *upsert;    /* csv, tsv, sqlite: as append, but a record takes the place of the row
                              that has the same value in this column. NULL: does not */
    bool types;            /* adds the fields of th_records_typed; those of fields with a type in
                              the wrapper's "select" are added anyway */
} th_writer_options;

TH_API void th_writer_options_defaults(th_writer_options *options, size_t size);
#define th_writer_options_init(options) th_writer_options_defaults((options), sizeof *(options))
/* Copies the options' strings and keeps the schema alive. Caller frees. */
TH_API th_status th_writer_new(th_format format, const th_writer_options *options, th_writer **out,
                               th_error *err);
/* Writes the records of one page. After a failure every further call fails in the same way. */
TH_API th_status th_writer_add(th_writer *writer, const th_records *records, th_error *err);
/* Writes the candidate regions of one page, best first; only table and the JSON forms can. */
TH_API th_status th_writer_add_regions(th_writer *writer, th_str page, const th_region *regions,
                                       size_t count, th_error *err);
/* Hands what is finished to the sink now rather than when there is enough of it. */
TH_API th_status th_writer_flush(th_writer *writer, th_error *err);
/* Completes the output: nothing can be added after it. */
TH_API th_status th_writer_finish(th_writer *writer, th_error *err);
/* Frees the writer; what was not finished is undone. */
TH_API void th_writer_free(th_writer *writer);

/* ---------------------------------------------------------------------------------------------
 * Data: records as Arrow columns
 *
 * For programs that read the Arrow C data interface (pyarrow, Polars, pandas, DuckDB, ...): the
 * structs below are its own, the same in every program. Texts are utf8 with their note as the
 * metadata "thresh.note", tuples structs, lists lists; a choice has a member for each alternative,
 * of which all but one are null. Everything may be null.
 * ------------------------------------------------------------------------------------------ */

#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE
#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE           2
#define ARROW_FLAG_MAP_KEYS_SORTED    4

struct ArrowSchema {
    const char *format, *name, *metadata;
    int64_t flags, n_children;
    struct ArrowSchema **children, *dictionary;
    void (*release)(struct ArrowSchema *);
    void *private_data;
};

struct ArrowArray {
    int64_t length, null_count, offset, n_buffers, n_children;
    const void **buffers;
    struct ArrowArray **children, *dictionary;
    void (*release)(struct ArrowArray *);
    void *private_data;
};
#endif

#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE
struct ArrowArrayStream {
    int (*get_schema)(struct ArrowArrayStream *, struct ArrowSchema *out);
    int (*get_next)(struct ArrowArrayStream *, struct ArrowArray *out);
    const char *(*get_last_error)(struct ArrowArrayStream *);
    void (*release)(struct ArrowArrayStream *);
    void *private_data;
};
#endif

typedef struct th_arrow th_arrow;

typedef struct th_arrow_options {
    size_t size;          /* of this struct; 0: as it is here */
    const char *page_key; /* adds a column of this name with the page; NULL: does not */
    bool spans;           /* texts become {value, start, end}, the places as int64 */
} th_arrow_options;

TH_API void th_arrow_options_defaults(th_arrow_options *options, size_t size);
#define th_arrow_options_init(options) th_arrow_options_defaults((options), sizeof *(options))
/* Columns for records of a schema. Keeps the schema alive. Caller frees or finishes. */
TH_API th_status th_arrow_new(const th_schema *schema, const th_arrow_options *options,
                              th_arrow **out, th_error *err);
/* Adds the records of a page. Their schema may be another one: fields are found by name, and those
 * that the columns do not have are left out (th_schema_union makes a schema for all). */
TH_API th_status th_arrow_add(th_arrow *arrow, const th_records *records, th_error *err);
/* Hands all records over as a stream of batches, which owns them and is released by its reader. The
 * builder is gone, also after a failure. */
TH_API th_status th_arrow_finish(th_arrow *arrow, struct ArrowArrayStream *out, th_error *err);
TH_API void th_arrow_free(th_arrow *arrow);

/* ---------------------------------------------------------------------------------------------
 * Data: files that are there whole or not at all
 *
 * For output other than records: written beside its target and renamed at the end, as writers do.
 * ------------------------------------------------------------------------------------------ */

typedef struct th_file th_file;

/* Begins a file that will appear at `path`. A target that is not a plain file (a device, a pipe) is
 * written to directly. Caller frees. */
TH_API th_status th_file_new(const char *path, th_file **out, th_error *err);
/* Where its bytes go; lives as long as the file. */
TH_API th_sink th_file_sink(th_file *file);
/* Puts the file in its place. After a failure the target is as it was. */
TH_API th_status th_file_finish(th_file *file, th_error *err);
/* Frees; what was not finished is undone. */
TH_API void th_file_free(th_file *file);

/* ---------------------------------------------------------------------------------------------
 * Data: labels
 *
 * What somebody says is on a page: a file of one JSON line a page, or examples from a command line.
 *
 *     {"page": "shop/1.html", "records": [{"title": "Snow Country", "authors": ["Kawabata"]}]}
 *
 * A value is a string (a number, true or false count as their text), null when it is missing, a
 * list, an object, or exact: {"start": 120, "end": 132}, bytes of the page's UTF-8 text. A list can
 * give its own span too: {"extent": {"start":, "end":}, "items": [...]}. "record": {...} says that
 * there is one record per page. "body": {"start":, "end":} says which part of the page holds the
 * records, "nothing": [{"start":, "end":}, ...] which parts hold none: a list that has a record
 * there is not the one that is labelled, and engines that find more than was labelled learn from
 * it. Other keys are ignored. See docs/OUTPUT.md.
 * ------------------------------------------------------------------------------------------ */

typedef struct th_located th_located;

/* No labels yet. Caller frees. */
TH_API th_status th_labels_new(th_labels **out, th_error *err);
/* Reads label lines. `name` is what messages call them (the file's name); a message names the line
 * and the JSON path at fault. Caller frees. */
TH_API th_status th_labels_read(th_str text, const char *name, th_labels **out, th_error *err);
TH_API void th_labels_free(th_labels *labels);

/* Adds an example to the one record of a page (absent or empty: of each page that has all such
 * examples): FIELD=VALUE, FIELD[]=VALUE for one more item of a list of texts, LIST.FIELD=VALUE for
 * a field of a list's last item (a field that has a value already begins the next item). A FIELD
 * that has a value already begins the next record. */
TH_API th_status th_labels_add_example(th_labels *labels, th_str page, th_str example,
                                       th_error *err);

/* Chooses the place of values that appear in several: FIELD=N, the N-th in the order in
 * which th_labels_locate gives them, FIELD=START-END, or START-END, the place inside these bytes.
 */
TH_API th_status th_labels_add_pick(th_labels *labels, th_str pick, th_error *err);
/* Says where on the one labelled page the records are (its body), or where none is: the bytes
 * START-END. For softmealy and stalker. */
TH_API th_status th_labels_add_place(th_labels *labels, th_str text, bool nothing, th_error *err);

/* The labelled pages in order. */
TH_API size_t th_labels_count(const th_labels *labels);
TH_API th_str th_labels_page(const th_labels *labels, size_t index);
/* The labels of a page by its name as written; false when it has none. */
TH_API bool th_labels_find(const th_labels *labels, th_str page, size_t *index);
/* The schema of all labels together: what is a list anywhere is a list, what is missing somewhere
 * is optional, and the root is a list unless every page has exactly one record. Caller frees. */
TH_API th_status th_labels_schema(const th_labels *labels, th_schema **out, th_error *err);

typedef enum th_found {
    TH_FOUND_EXACT, /* was given as a span */
    TH_FOUND_ONCE,  /* appears in one place */
    TH_FOUND_MANY,  /* appears in several: which one is meant is not known */
    TH_FOUND_NOT    /* does not appear */
} th_found;

typedef struct th_place {
    th_span span;
    uint32_t node;    /* the innermost node that holds it */
    th_str attribute; /* the name of the attribute whose value holds it; absent in text */
} th_place;

/* What became of one labelled value. */
typedef struct th_finding {
    th_str path;  /* of the value in its line: records[0].authors[1] */
    th_str value; /* as labelled, blanks folded; the page's text for an exact span */
    th_found found;
    const th_place *places; /* in order of the page; text before attributes */
    uint32_t place_count;   /* at most TH_PLACES_MAX */
    uint32_t total;         /* how many there are in all */
    th_str nearest;         /* of a value that does not appear: the text most like it, or absent */
    th_span nearest_span;
} th_finding;

enum { TH_PLACES_MAX = 1000 };

/* Looks for every labelled value of a page: in its text (see th_page_span_text) and in the values
 * of href, src, content, title, alt and value, as written or made absolute. A value inside a longer
 * word counts only if it appears nowhere alone; one inside a longer number never counts. One that
 * does not appear is looked for by its letters and digits alone. `schema` is
 * th_labels_schema's, or NULL to make it here. Only wrong spans fail. Caller frees; labels and page
 * must live until then. */
TH_API th_status th_labels_locate(const th_labels *labels, size_t index, const th_schema *schema,
                                  const th_page *page, th_located **out, th_error *err);
TH_API void th_located_free(th_located *located);
TH_API size_t th_located_count(const th_located *located);
TH_API const th_finding *th_located_get(const th_located *located, size_t index);
/* The labelled records. A text has a span where its place is known, else {0, 0}. Borrowed. */
TH_API const th_records *th_located_records(const th_located *located);

/* ---------------------------------------------------------------------------------------------
 * Project: one file for the whole life of wrappers
 *
 * Sites, and of each its pages (compressed, each content once), labels, versions of wrappers, and
 * runs with their records and verdicts: an SQLite file in WAL mode, described in docs/PROJECT.md.
 * Several processes may use it at once. Once a function has returned TH_OK, its work survives even
 * if the process is killed; work that it did not finish leaves no trace.
 *
 * A site has the name that the first thing is added under, and is created by it. Dates are ISO 8601
 * in universal time.
 * ------------------------------------------------------------------------------------------ */

typedef struct th_project th_project;

typedef enum th_project_mode {
    TH_PROJECT_OPEN,       /* must exist */
    TH_PROJECT_NEW,        /* must not */
    TH_PROJECT_OPEN_OR_NEW /* either */
} th_project_mode;

/* Opens a project. A file that is not a project, is damaged or was made by a newer version is
 * refused and left as it is; one of an older version is brought up to date. Without a path, the
 * project is in memory. Caller frees. */
TH_API th_status th_project_open(const char *path, th_project_mode mode, th_project **out,
                                 th_error *err);
TH_API void th_project_free(th_project *project);
/* Reads all of the file and every page in it; an error says what is damaged. */
TH_API th_status th_project_check(th_project *project, th_error *err);
/* Removes what no one can reach: assets of sites without pages, contents of no page, runs that were
 * broken off a day ago or earlier. */
TH_API th_status th_project_tidy(th_project *project, th_error *err);

/* Several changes as one: all of them or none. They do not nest. */
TH_API th_status th_project_begin(th_project *project, th_error *err);
TH_API th_status th_project_commit(th_project *project, th_error *err);
TH_API void th_project_rollback(th_project *project);

/* The functions that list things call `each` for every row. Its strings live until it returns; an
 * error of it ends the listing and is returned. `site` absent: all sites. `each` must not change
 * the project. */

typedef struct th_project_site {
    th_str name;
    uint64_t pages, labels, wrappers, runs;
} th_project_site;
TH_API th_status th_project_sites(th_project *project,
                                  th_status (*each)(void *context, const th_project_site *site,
                                                    th_error *err),
                                  void *context, th_error *err);
/* Removes a site with all that belongs to it; *removed is false if there was none. */
TH_API th_status th_project_remove_site(th_project *project, th_str site, bool *removed,
                                        th_error *err);

/* A page as it was at one time: a page that has changed is kept beside what it was. */
typedef struct th_project_page {
    int64_t id;
    th_str site, name;
    th_str url, charset; /* or absent */
    th_str added;
    uint64_t size; /* of its bytes */
    bool latest;   /* of its name */
    bool labelled;
} th_project_page;

/* Adds a page; *added (may be NULL) is false when it is there already with the same content. The id
 * is given in any case and may be NULL. */
TH_API th_status th_project_add_page(th_project *project, th_str site, th_str name,
                                     const th_page_source *source, th_str bytes, int64_t *id,
                                     bool *added, th_error *err);
/* Queues a page to be added, and takes it. The queue is written in short transactions: when it is
 * long or its first page has waited for a second, and by th_project_add_queued, which gives how
 * many pages were added since its last call and how many were there already (either may be NULL).
 * Between them other processes may write, however slowly pages come. th_project_rollback empties
 * the queue. */
TH_API th_status th_project_queue_page(th_project *project, th_str site, th_input *input,
                                       th_error *err);
TH_API th_status th_project_add_queued(th_project *project, uint64_t *added, uint64_t *known,
                                       th_error *err);
/* Removes one version of a page; *removed is false if there was none. Labels, which belong to the
 * name, stay. */
TH_API th_status th_project_remove_page(th_project *project, int64_t id, bool *removed,
                                        th_error *err);
/* Pages in the order in which they were added; only the latest of each name unless `all`. */
TH_API th_status th_project_pages(th_project *project, th_str site, bool all,
                                  th_status (*each)(void *context, const th_project_page *page,
                                                    th_error *err),
                                  void *context, th_error *err);
/* A page with its content; TH_DONE when there is none of that id. Caller frees. */
TH_API th_status th_project_page_input(th_project *project, int64_t id, th_input **out,
                                       th_error *err);
/* The bytes of a page. */
TH_API th_status th_project_page_bytes(th_project *project, int64_t id, th_text *out,
                                       th_error *err);
/* The name of a page's site; TH_DONE when there is none of that id. */
TH_API th_status th_project_page_site(th_project *project, int64_t id, th_text *out, th_error *err);
/* The latest page of a name, with its content; TH_DONE when there is none. Caller frees. */
TH_API th_status th_project_find_page(th_project *project, th_str site, th_str name, th_input **out,
                                      th_error *err);
/* The latest pages as a feed, which the project must outlive. Caller frees. */
TH_API th_status th_project_feed(th_project *project, th_str site, th_feed **out, th_error *err);

/*
 * What a site's pages need to look as they do: style sheets, images and fonts, each under its
 * address: a URL without its fragment, or the name of a file beside pages that have no URL.
 */
typedef struct th_project_asset {
    int64_t id;
    th_str site, address, type, added;
    uint64_t size; /* of its bytes */
} th_project_asset;

/* The type of an image, a font or a style sheet by its content ("image/png", "font/woff2",
 * "text/css"); NULL when it is none of them. Every text that is not markup may be a style sheet. */
TH_API const char *th_asset_type(th_str bytes);
/* Adds an asset, or replaces the one of its address; TH_ERR_FORMAT if it has none of these types.
 * *added (may be NULL) is false when it is there already. The id may be NULL. */
TH_API th_status th_project_add_asset(th_project *project, th_str site, th_str address,
                                      th_str bytes, int64_t *id, bool *added, th_error *err);
/* The asset of an address, without its fragment; TH_DONE when there is none. */
TH_API th_status th_project_find_asset(th_project *project, th_str site, th_str address,
                                       int64_t *id, th_error *err);
/* An asset of a site with its content; its name is its address. TH_DONE when the site has none of
 * that id. Caller frees. */
TH_API th_status th_project_asset_input(th_project *project, th_str site, int64_t id,
                                        th_input **out, th_error *err);
/* Removes one; *removed is false if there was none. */
TH_API th_status th_project_remove_asset(th_project *project, int64_t id, bool *removed,
                                         th_error *err);
/* In the order in which they were added. */
TH_API th_status th_project_assets(th_project *project, th_str site,
                                   th_status (*each)(void *context, const th_project_asset *asset,
                                                     th_error *err),
                                   void *context, th_error *err);

/* Sets the labels of a page: a label line, whose "page" is the name; an absent line removes them.
 */
TH_API th_status th_project_set_labels(th_project *project, th_str site, th_str page, th_str line,
                                       th_error *err);
/* All labels of a site as label lines, and as labels. */
TH_API th_status th_project_label_lines(th_project *project, th_str site, th_text *out,
                                        th_error *err);
TH_API th_status th_project_labels(th_project *project, th_str site, th_labels **out,
                                   th_error *err);

/* Questions that were answered with "never mind" and are not to be asked again, each known by a
 * text of the caller's choice. TH_OK also when it was, or was not, there already. */
TH_API th_status th_project_ignore(th_project *project, th_str site, th_str question, bool ignore,
                                   th_error *err);
/* In alphabetical order. */
TH_API th_status th_project_ignored(th_project *project, th_str site,
                                    th_status (*each)(void *context, th_str question,
                                                      th_error *err),
                                    void *context, th_error *err);

typedef struct th_project_wrapper {
    th_str site, name;
    uint32_t version; /* from 1 */
    th_str engine, added;
} th_project_wrapper;

/* Adds a wrapper as the next version of its name; *version may be NULL. */
TH_API th_status th_project_add_wrapper(th_project *project, th_str site, th_str name,
                                        const th_wrapper *wrapper, uint32_t *version,
                                        th_error *err);
/* Removes a version of a wrapper; *removed is false if there was none. Others keep their numbers.
 */
TH_API th_status th_project_remove_wrapper(th_project *project, th_str site, th_str name,
                                           uint32_t version, bool *removed, th_error *err);
/* The file of a wrapper. version 0: the latest; *found (may be NULL) is set to its number. TH_DONE
 * if there is none. */
TH_API th_status th_project_wrapper_text(th_project *project, th_str site, th_str name,
                                         uint32_t version, uint32_t *found, th_text *out,
                                         th_error *err);
TH_API th_status th_project_wrappers(th_project *project, th_str site,
                                     th_status (*each)(void *context,
                                                       const th_project_wrapper *wrapper,
                                                       th_error *err),
                                     void *context, th_error *err);

/* A run: one command's work, with its records and verdicts. */
typedef struct th_project_run {
    int64_t id;
    th_str site;
    th_str command;           /* what was run: "extract", "verify", ... */
    th_str wrapper;           /* its name, or absent */
    uint32_t wrapper_version; /* or 0 */
    th_str started;
    th_str finished; /* absent: it was broken off, or is at work */
    uint64_t pages, records, failed;
    th_str verdict; /* "fine", "drift", ... or absent */
} th_project_run;

typedef struct th_run th_run;

/* Begins a run: of `run` site, command, wrapper and wrapper_version count. Caller frees. */
TH_API th_status th_run_begin(th_project *project, const th_project_run *run, th_run **out,
                              th_error *err);
/* Adds the records of a page. They are written in batches, between which others may write. */
TH_API th_status th_run_add(th_run *run, const th_records *records, th_error *err);
/* Adds what a check said of a field (absent: of the whole), as JSON. */
TH_API th_status th_run_add_verdict(th_run *run, th_str field, th_str verdict, th_str evidence,
                                    th_error *err);
/* Adds a verdict field by field, with its evidence; `pages`, JSON, goes with the records as a whole
 * (absent: nothing does). */
TH_API th_status th_run_add_evidence(th_run *run, const th_verdict *verdict, th_str pages,
                                     th_error *err);
/* Drops the records so far: those of a wrapper that no longer reads its pages are not kept. How
 * many fields were filled is still known. */
TH_API th_status th_run_drop_records(th_run *run, th_error *err);
/* Makes the run part of the project; of `totals` pages, failed and verdict count, and
 * wrapper_version where another than that of the beginning gave the records. *id may be NULL. */
TH_API th_status th_run_finish(th_run *run, const th_project_run *totals, int64_t *id,
                               th_error *err);
/* Frees; a run that was not finished is undone. */
TH_API void th_run_free(th_run *run);

/* Runs, the newest first. */
TH_API th_status th_project_runs(th_project *project, th_str site,
                                 th_status (*each)(void *context, const th_project_run *run,
                                                   th_error *err),
                                 void *context, th_error *err);

typedef struct th_project_record {
    th_str page;
    uint64_t position; /* in the run, from 0 */
    th_str json;       /* an object, or what the record is */
} th_project_record;
/* `count` records of a run from `first` on. */
TH_API th_status
th_project_records(th_project *project, int64_t run, uint64_t first, uint64_t count,
                   th_status (*each)(void *context, const th_project_record *record, th_error *err),
                   void *context, th_error *err);

typedef struct th_project_verdict {
    th_str field; /* absent: the whole */
    th_str verdict;
    th_str evidence; /* JSON, or absent */
} th_project_verdict;
TH_API th_status th_project_verdicts(th_project *project, int64_t run,
                                     th_status (*each)(void *context,
                                                       const th_project_verdict *verdict,
                                                       th_error *err),
                                     void *context, th_error *err);

/* How many records of a run had a value in a field, in the order of the fields. Runs that were made
 * before thresh counted that have none. */
typedef struct th_project_filled {
    th_str field;
    uint64_t filled, records; /* of so many; also of records that were dropped */
} th_project_filled;
TH_API th_status th_project_run_fields(th_project *project, int64_t run,
                                       th_status (*each)(void *context,
                                                         const th_project_filled *filled,
                                                         th_error *err),
                                       void *context, th_error *err);

/* A URL that was added with its next pages, and how: fetching the site again does the same. */
typedef struct th_project_source {
    th_str site, url;
    uint32_t pages; /* at most, the first included */
    bool render;    /* drawn by Chromium */
    th_str names;   /* of its pages when they were last fetched, one per line */
} th_project_source;
/* Adds a source, in place of one of the same URL. */
TH_API th_status th_project_add_source(th_project *project, const th_project_source *source,
                                       th_error *err);
TH_API th_status th_project_remove_source(th_project *project, th_str site, th_str url,
                                          bool *removed, th_error *err);
TH_API th_status th_project_sources(th_project *project, th_str site,
                                    th_status (*each)(void *context,
                                                      const th_project_source *source,
                                                      th_error *err),
                                    void *context, th_error *err);

/*
 * When to run a wrapper, and whom to alert when it goes wrong: stored here, run by the server of
 * the workbench. Each wrapper of a site has at most one.
 *
 * Several processes may work on one project: a schedule that is due is run by the one that claims
 * it. It counts the schedule's beats up while it works, so that others see if it has died,
 * whatever the clock says.
 */
typedef struct th_schedule {
    int64_t id;
    th_str site, wrapper;
    uint32_t every_s;   /* seconds from one run to the next; 0: once a day, at `at` */
    uint32_t at;        /* minutes after midnight, local time */
    bool paused;        /* is not run */
    int64_t next;       /* when it is due, in seconds since 1970 */
    th_str webhook;     /* the URL that an alarm is posted to, or absent */
    th_str command;     /* the shell command that an alarm is handed to, or absent */
    th_str last, alarm; /* the results of the last run and of the last alarm: JSON, or absent */
    th_str owner;       /* who has claimed it, or absent */
    uint64_t beat;      /* of its owner */
} th_schedule;

/* When a schedule that was due at `due` is due again: the first of its times after `now`. A clock
 * that was put back makes it due one interval from now. */
TH_API int64_t th_schedule_next(const th_schedule *schedule, int64_t due, int64_t now);
/* Sets a schedule, in place of that of the same wrapper; the results of its runs and its owner
 * stay.
 */
TH_API th_status th_project_set_schedule(th_project *project, const th_schedule *schedule,
                                         th_error *err);
TH_API th_status th_project_remove_schedule(th_project *project, th_str site, th_str wrapper,
                                            bool *removed, th_error *err);
TH_API th_status th_project_schedules(th_project *project, th_str site,
                                      th_status (*each)(void *context, const th_schedule *schedule,
                                                        th_error *err),
                                      void *context, th_error *err);
/* Claims a schedule as it was seen, with its owner, beat and time; *claimed is false if any
 * of these has changed. */
TH_API th_status th_project_claim_schedule(th_project *project, const th_schedule *seen,
                                           th_str owner, bool *claimed, th_error *err);
/* Counts the beat of a claimed schedule up; *kept (may be NULL) is false if it no longer
 * belongs to the owner. */
TH_API th_status th_project_beat_schedule(th_project *project, int64_t id, th_str owner, bool *kept,
                                          th_error *err);
/* Ends a claim: sets when it is due next and, where they are not absent, the results of the run and
 * of the alarm. A schedule that no longer belongs to the owner stays as it is. */
TH_API th_status th_project_finish_schedule(th_project *project, int64_t id, th_str owner,
                                            int64_t now, th_str last, th_str alarm, th_error *err);
/* Stores the result of an alarm. */
TH_API th_status th_project_keep_alarm(th_project *project, int64_t id, th_str alarm,
                                       th_error *err);

/*
 * Two runs beside each other: records by a key, the n-th of a key in one run with the n-th of it in
 * the other.
 */
typedef struct th_compare th_compare;

typedef enum th_difference_kind {
    TH_RECORD_REMOVED, /* only in the first run */
    TH_RECORD_ADDED,   /* only in the second run */
    TH_RECORD_CHANGED  /* in both, with other values */
} th_difference_kind;

typedef struct th_difference {
    th_difference_kind kind;
    uint64_t before, after; /* positions in the runs, where they are in them */
} th_difference;

/* Compares two runs that have finished. `key` is the name of a field; absent: a field whose values
 * differ between records and are in both runs, a link or a title if there is one. Caller frees. */
TH_API th_status th_compare_new(th_project *project, int64_t before, int64_t after, th_str key,
                                th_compare **out, th_error *err);
TH_API void th_compare_free(th_compare *compare);
/* The field that records are found again by; absent: there is none, and whole records are compared.
 * Borrowed. */
TH_API th_str th_compare_key(const th_compare *compare);
/* The fields of both runs, those that the key can be. Borrowed. */
TH_API size_t th_compare_field_count(const th_compare *compare);
TH_API th_str th_compare_field(const th_compare *compare, size_t index);
/* How many differences of a kind there are, and how many records are the same. */
TH_API size_t th_compare_count(const th_compare *compare, th_difference_kind kind);
TH_API size_t th_compare_same(const th_compare *compare);
/* A difference: the removed ones first, in the order of their run, then those added, then those
 * changed. NULL past the last. Borrowed. */
TH_API const th_difference *th_compare_get(const th_compare *compare, size_t index);

/* All of a project as plain files in a folder that is new or empty, and back: everything or
 * nothing. docs/PROJECT.md lists the files. */
TH_API th_status th_project_export(th_project *project, const char *folder, th_error *err);
TH_API th_status th_project_import(th_project *project, const char *folder, th_error *err);

/* ---------------------------------------------------------------------------------------------
 * Crawl: from lists to detail pages
 *
 * List pages, one after the other by their links to the next; on each the links of one column; the
 * pages that these lead to; and for each record of a list one that has the columns of both:
 *
 *     th_crawl_new(urls, count, &options, &crawl, &err);
 *     while (!(status = th_crawl_next(crawl, &records, &err))) ...       one page's records
 *     th_crawl_free(crawl);
 *
 * Every page is fetched once and every record given once, whatever leads to it; the order is that
 * of the lists. Pages are kept in a project as they come. A crawl with the same project that was
 * broken off at any moment takes from there what it has and fetches the rest: it gives all records,
 * from the first. See docs/SITES.md.
 * ------------------------------------------------------------------------------------------ */

typedef struct th_crawl th_crawl;

/* How far a crawl is. */
typedef struct th_crawl_counts {
    uint64_t lists, details; /* pages that were read */
    uint64_t fetched;        /* pages that came over the network now: not from the project */
    uint64_t waiting;        /* pages that are known and neither read nor failed yet */
    uint64_t failed;         /* pages that could not be fetched or read */
    uint64_t records;        /* that were given */
    uint64_t elsewhere;      /* links that lead to other hosts and were not followed */
    uint64_t left;           /* links that were left out since max_pages was reached */
} th_crawl_counts;

typedef struct th_crawl_options {
    size_t size;              /* of this struct; 0: as it is here */
    const th_wrapper *list;   /* reads the list pages; NULL: is learnt from the first of them */
    const th_wrapper *detail; /* reads the detail pages; NULL: is learnt from the first of them */
    const char *link;         /* the column of the list that leads to the detail pages; NULL: the
                                 one whose links differ most and look most like one kind of page */
    uint64_t max_pages;       /* list and detail pages at most: 10000 */
    bool other_hosts;         /* follow links to other hosts too */
    bool again;               /* fetch all pages anew, also those that the project has */
    th_project *project;      /* keeps pages and learnt wrappers; NULL: nothing is kept */
    const char *site;         /* in the project: "default" */
    const char *date;         /* for learnt wrappers, as ISO 8601; NULL: none is written */
    const th_feed_options *fetch;   /* NULL: the defaults */
    const th_parser_options *parse; /* NULL: the defaults */
    /* Receives remarks for the user: a page that failed, or what was done. May be NULL. */
    void (*tell)(void *context, const th_remark *remark, bool failure);
    /* Called after each page. May be NULL. */
    void (*counted)(void *context, const th_crawl_counts *counts);
    void *context;
    const char *charset; /* encoding of the pages, whatever they declare; NULL: as they declare */
} th_crawl_options;

TH_API void th_crawl_options_defaults(th_crawl_options *options, size_t size);
#define th_crawl_options_init(options) th_crawl_options_defaults((options), sizeof *(options))

/* A crawl that begins at list pages, which must be http or https URLs. Nothing is fetched yet. The
 * URLs and options are copied; what these point to, texts excepted, must outlive the crawl. Caller
 * frees. */
TH_API th_status th_crawl_new(const char *const *urls, size_t count,
                              const th_crawl_options *options, th_crawl **out, th_error *err);
TH_API void th_crawl_free(th_crawl *crawl);

/*
 * The next records: those of a detail page (one, as a rule), each with the columns of its record in
 * the list before its own; all have the same schema, in which a column of the detail page has
 * "detail_" before its name if the list has one of that name. A record whose detail page could not
 * be fetched has only the columns of the list. TH_OK with *out (caller frees), TH_DONE at the end,
 * or an error that ends the crawl; a page that fails does not end it (see tell).
 */
TH_API th_status th_crawl_next(th_crawl *crawl, th_records **out, th_error *err);

TH_API void th_crawl_count(const th_crawl *crawl, th_crawl_counts *out);
/* Why pages failed, each reason once with the number of pages; false past the last. Borrowed. */
TH_API bool th_crawl_failure(const th_crawl *crawl, size_t index, th_str *reason, uint64_t *pages);
/* The wrappers, as given or learnt; NULL: not known yet. Borrowed. */
TH_API const th_wrapper *th_crawl_list_wrapper(const th_crawl *crawl);
TH_API const th_wrapper *th_crawl_detail_wrapper(const th_crawl *crawl);
/* The column whose links are followed; absent: not known yet. Borrowed. */
TH_API th_str th_crawl_link(const th_crawl *crawl);

#ifdef __cplusplus
}
#endif
#endif
