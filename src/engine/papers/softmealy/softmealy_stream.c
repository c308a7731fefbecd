/*
 * softmealy_stream.c: a page that comes piece by piece, in memory that does not grow with it.
 *
 *     page    ....read and forgotten....[ kept | window that is read now | not cut yet ]....
 *                                       ▲      ▲                         ▲
 *                                     base   m->at                      cut
 *
 * A window of the page is made a page of its own and run through the transducer. It ends before the
 * last coarse token, which may go on in the next piece, and the transducer stops where its right
 * contexts would reach beyond. What is kept is the value that is being read and as many tokens as a
 * left context may have; it is read again as the begin of the next window.
 *
 * A window may begin in the middle of elements: coarse and fine tokens do not mind, and nothing
 * else of the page is looked at. Only svg and math change how tags are read, so that no window
 * begins inside one that began in the window before, unless it is longer than a window.
 */
#include "engine/papers/softmealy/softmealy_stream.h"

#include "base/error.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "page/tags.h"
#include "page/text.h"

struct th__sm_stream {
    const th__sm_rules *rules;
    th_schema *schema;
    th__arena arena; /* the source's strings, the base */
    th_records_source source;
    th_str base; /* of links: the first <base href> */
    th_parser *parser;
    th__buf window;
    char held[4]; /* the begin of a character whose end has not come */
    size_t held_len;
    bool begun; /* past a byte order mark */
    size_t chunk, need;
    th__sm_tokens tokens;
    th__sm_machine machine;
    uint32_t at, begin; /* the machine's, as bytes of the window */
};

th_status th__sm_stream_new(const th__sm_rules *rules, const th_schema *schema,
                            const th_records_source *source, size_t chunk, th__sm_stream **out,
                            th_error *err)
{
    th__sm_stream *s = TH__NEW(th__sm_stream);
    *out = NULL;
    if (!s)
        return th__fail_memory(err);
    th__arena_init(&s->arena);
    s->rules = rules;
    s->schema = th_schema_retain(schema);
    s->chunk = s->need = chunk;
    th_status status = th_parser_new(NULL, &s->parser, err);
    if (!status && !th__sm_machine_init(&s->machine, rules))
        status = th__fail_memory(err);
    if (!status && source->page.ptr) {
        s->source.page = th__arena_copy(&s->arena, source->page);
        status = s->source.page.ptr ? TH_OK : th__fail_memory(err);
    }
    if (!status && source->url.ptr) {
        s->source.url = th__arena_copy(&s->arena, source->url);
        status = s->source.url.ptr ? TH_OK : th__fail_memory(err);
    }
    if (status)
        th__sm_stream_free(s);
    else
        *out = s;
    return status;
}

void th__sm_stream_free(th__sm_stream *s)
{
    if (!s)
        return;
    th__sm_machine_release(&s->machine);
    th__vec_release(&s->tokens);
    th__buf_release(&s->window);
    th_parser_free(s->parser);
    th_schema_free(s->schema);
    th__arena_release(&s->arena);
    th__mem_free(s);
}

/* ---- bytes ----------------------------------------------------------------------------------- */

/* How many bytes at the end are the begin of a character that may still be completed. */
static size_t cut_character(th_str bytes)
{
    for (size_t back = 1; back <= 3 && back <= bytes.len; back++) {
        unsigned char c = (unsigned char)bytes.ptr[bytes.len - back];
        size_t wanted = c >= 0xF0 ? 4 : c >= 0xE0 ? 3 : c >= 0xC2 ? 2 : 0;
        if (wanted)
            return wanted > back ? back : 0;
        if ((c & 0xC0) != 0x80)
            return 0;
    }
    return 0;
}

/* Appends valid UTF-8 to the window, whatever comes. */
static bool append(th__sm_stream *s, th_str bytes)
{
    if (th__utf8_valid(bytes.ptr, bytes.len) == bytes.len)
        return th__buf_add_str(&s->window, bytes);
    size_t len = th__utf8_count(bytes.ptr, bytes.len).len;
    if (!th__buf_reserve(&s->window, len))
        return false;
    s->window.len += th__utf8_sanitize(bytes.ptr, bytes.len, s->window.data + s->window.len);
    return true;
}

static bool take_bytes(th__sm_stream *s, th_str bytes, bool last)
{
    while (s->held_len && s->held_len < sizeof s->held && bytes.len) {
        s->held[s->held_len++] = *bytes.ptr++;
        bytes.len--;
        th_str held = {s->held, s->held_len};
        if (cut_character(held) == held.len)
            continue;
        s->held_len = 0;
        if (!append(s, held))
            return false;
    }
    size_t cut = cut_character(bytes);
    if (bytes.len && !append(s, (th_str){bytes.ptr, bytes.len - cut}))
        return false;
    if (cut) {
        memcpy(s->held, bytes.ptr + bytes.len - cut, cut);
        s->held_len = cut;
    }
    if (last && s->held_len) {
        bool ok = append(s, (th_str){s->held, s->held_len});
        s->held_len = 0;
        return ok;
    }
    return true;
}

static void drop_bytes(th__sm_stream *s, size_t len)
{
    memmove(s->window.data, s->window.data + len, s->window.len - len);
    s->window.len -= len;
    s->machine.base += len;
}

/* ---- windows --------------------------------------------------------------------------------- */

/* Inside svg or math: where that begins. */
static uint32_t before_foreign(const th_page *page, uint32_t cut)
{
    if (!cut || cut >= page->text.len)
        return cut;
    for (uint32_t node = th_page_node_at(page, cut); node; node = page->nodes[node].parent)
        if (page->tags[node] == TH_TAG_SVG || page->tags[node] == TH_TAG_MATH)
            cut = page->tokens[page->nodes[node].token].start;
    return cut;
}

/* The byte before which all tokens of the window are known. */
static uint32_t find_cut(const th_page *page)
{
    uint32_t count = page->token_count;
    if (!count)
        return 0;
    const th_token *last = &page->tokens[count - 1];
    if (last->kind == TH_TOKEN_TEXT && last->start < page->text.len / 2) {
        uint32_t cut = (uint32_t)page->text.len; /* a long text: between two words */
        while (cut > last->start && !th__is_blank((unsigned char)page->text.ptr[cut - 1]))
            cut--;
        if (cut > last->start)
            return cut;
    }
    if ((last->kind == TH_TOKEN_RAW || last->kind == TH_TOKEN_RCDATA) && count > 1)
        last--; /* with its start tag */
    return before_foreign(page, last->start);
}

/* Where the next window must begin for the token to be read again as it was. */
static uint32_t keep_from(const th_page *page, const th__sm_token *token)
{
    enum { LONG = 1 << 16 };
    uint32_t coarse = th__token_at(page, token->start);
    const th_token *t = &page->tokens[coarse];
    if (t->kind == TH_TOKEN_TEXT && token->start - t->start > LONG)
        return token->start;
    if ((t->kind == TH_TOKEN_RAW || t->kind == TH_TOKEN_RCDATA) && coarse)
        t--;
    return before_foreign(page, t->start);
}

static uint32_t token_from(const th__sm_tokens *tokens, uint32_t byte)
{
    uint32_t low = 0, high = (uint32_t)tokens->len;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (tokens->data[middle].start < byte)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static uint32_t byte_of(const th__sm_tokens *tokens, uint32_t token, uint32_t end)
{
    return token < tokens->len ? tokens->data[token].start : end;
}

/* Runs the machine over the tokens of the window and forgets what is not needed any more. */
static bool read_tokens(th__sm_stream *s, const th_page *page, uint32_t cut, bool last)
{
    th__sm_machine *m = &s->machine;
    m->at = token_from(&s->tokens, s->at);
    m->begin = token_from(&s->tokens, s->begin);
    if (!th__sm_machine_run(m, page, &s->tokens, last))
        return false;
    uint32_t kept = m->at > s->rules->reach ? m->at - s->rules->reach : 0;
    if (th__sm_is_attribute(m->state) && m->begin < kept)
        kept = m->begin;
    uint32_t from = kept < s->tokens.len ? keep_from(page, &s->tokens.data[kept]) : cut;
    if (from > cut)
        from = cut;
    s->at = byte_of(&s->tokens, m->at, cut) - from;
    uint32_t begin = byte_of(&s->tokens, m->begin, cut);
    s->begin = begin > from ? begin - from : 0;
    drop_bytes(s, from);
    return true;
}

static bool keep_base(th__sm_stream *s, th_page *page)
{
    if (s->base.ptr) {
        page->base = s->base;
        return true;
    }
    if (page->base.ptr)
        s->base = th__arena_copy(&s->arena, page->base);
    return s->base.ptr || !page->base.ptr;
}

static th_status read_window(th__sm_stream *s, bool last, th_error *err)
{
    th_page_source source = {s->source.url, th_str_from("utf-8")};
    th_page *page;
    size_t before = s->window.len;
    th_status status = th_parser_parse(s->parser, th__buf_str(&s->window), &source, &page, err);
    if (status)
        return status;
    uint32_t cut = last ? (uint32_t)page->text.len : find_cut(page);
    s->tokens.len = 0;
    bool ok = keep_base(s, page) &&
              th__sm_lex(page, (th_span){0, cut}, s->rules->lexing, &s->tokens) &&
              read_tokens(s, page, cut, last);
    th_page_free(page);
    if (!ok)
        return th__fail_memory(err);
    /* Where little could be forgotten, more is read before the next try: the sum stays linear. */
    s->need = before - s->window.len < before / 2 ? 2 * before : s->window.len + s->chunk;
    if (s->window.len > TH__SM_STREAM_TOKEN)
        return th__fail_at(err, TH_ERR_LIMIT, s->machine.base,
                           "a tag, script or comment begins near byte %llu and has no end in %d "
                           "MiB: the page cannot be streamed",
                           (unsigned long long)s->machine.base, TH__SM_STREAM_TOKEN >> 20);
    return TH_OK;
}

/* A byte order mark is no text. */
static void skip_mark(th__sm_stream *s)
{
    if (!s->begun && s->window.len >= 3) {
        s->begun = true;
        if (!memcmp(s->window.data, "\xEF\xBB\xBF", 3))
            drop_bytes(s, 3);
    }
}

th_status th__sm_stream_feed(th__sm_stream *s, th_str bytes, bool last, th_records **out,
                             th_error *err)
{
    th_status status = th_records_new(s->schema, &s->source, out, err);
    if (status)
        return status;
    s->machine.records = *out;
    while (!status && bytes.len) {
        size_t some = bytes.len < s->chunk ? bytes.len : s->chunk;
        if (!take_bytes(s, (th_str){bytes.ptr, some}, false))
            status = th__fail_memory(err);
        bytes.ptr += some;
        bytes.len -= some;
        skip_mark(s);
        if (!status && s->window.len >= s->need)
            status = read_window(s, false, err);
    }
    if (!status && last)
        status =
            take_bytes(s, (th_str){0}, true) ? read_window(s, true, err) : th__fail_memory(err);
    if (!status)
        status = th_records_status(*out, err);
    s->machine.records = NULL;
    if (status || !th_records_count(*out)) {
        th_records_free(*out);
        *out = NULL;
    }
    return status;
}
