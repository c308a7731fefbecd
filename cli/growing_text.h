/*
 * growing_text.h: text that is built up before it is written; its colours; errors; files.
 *
 * A cli_text is a growing buffer. With a sink it is flushed whenever it is large enough, so
 * that a page of any size needs no buffer of its size; without one it keeps all. An error (memory,
 * the sink) stays in `status` and `error`: a caller checks once, at the end.
 */
#ifndef CLI_TEXT_H
#define CLI_TEXT_H

#include <stdarg.h>
#include <stdio.h>
#include <thresh.h>

enum cli_when { CLI_AUTO, CLI_ALWAYS, CLI_NEVER };

typedef struct cli_text {
    char *ptr;
    size_t len, cap;
    const th_sink *sink; /* NULL: everything is kept */
    size_t most;         /* bytes that are kept: more are TH_ERR_LIMIT; 0: any number */
    th_status status;
    th_error error;
} cli_text;

void cli_text_release(cli_text *text);
/* Writes what is there to the sink. */
th_status cli_text_flush(cli_text *text);

void cli_put(cli_text *text, const char *bytes, size_t len);
void cli_puts(cli_text *text, const char *words);
void cli_printf(cli_text *text, const char *format, ...) TH_PRINTF(2, 3);
void cli_vprintf(cli_text *text, const char *format, va_list args);
void cli_spaces(cli_text *text, size_t count);
/* A number, with blanks before it up to the width. Returns the columns it took. */
size_t cli_put_number(cli_text *text, uint64_t number, size_t width);

/* Text of a page or a name, which must not control the terminal: controls, characters that turn the
 * writing direction and bytes that are not UTF-8 are shown as \n, \x1b, \u202e, ... At most `most`
 * characters (0: all), with "…" where it was cut. */
void cli_put_safe(cli_text *text, th_str words, size_t most);

/* Lines of text, each made safe in this way. */
void cli_put_safe_lines(cli_text *text, th_str lines);

/* A JSON string. Bytes that are not UTF-8 become U+FFFD. */
void cli_put_json(cli_text *text, th_str words);

typedef enum cli_paint {
    CLI_PLAIN,
    CLI_HEAD,  /* names of pages */
    CLI_PLACE, /* byte offsets */
    CLI_TAG,   /* names of elements, kinds of tokens */
    CLI_WORDS, /* text of the page */
    CLI_BAD,   /* errors */
} cli_paint;

/* Returns true if output to a descriptor is to be coloured. `when` is an enum cli_when: auto means
 * on a terminal that is not dumb, and never where NO_COLOR is set. */
bool cli_use_colour(int when, int fd);

/* Begins a colour; CLI_PLAIN ends it. Nothing when `on` is false. */
void cli_put_paint(cli_text *text, bool on, cli_paint paint);

/* Fills in an error and gives its status. */
th_status cli_fail(th_error *err, th_status status, const char *format, ...) TH_PRINTF(3, 4);
th_status cli_no_memory(th_error *err);

/* Writes a file, whole or not at all. */
th_status cli_write_file(const char *path, th_str text, th_error *err);

#endif
