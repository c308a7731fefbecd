/*
 * reinduce.c: reinduction as published (Knoblock, Lerman, Minton and Muslea, section 5).
 *
 *   1. Candidates: every segment of a text that begins with one of the field's starting patterns,
 *      ends with one of its ending patterns, and is as long as its values were: within three
 *      deviations.
 *   2. Clusters: candidates with the same adjacent landmarks (the tag or word on either side, and
 *      the nearest text if it is the template's), as visible as each other, and near each other
 *      by relative position on their pages.
 *   3. Score: how like the distribution of patterns is to the profile's, times the part of the
 *      pages that have a candidate, times how many of the field's landmarks are around them, times
 *      how near they are to its relative position.
 *   4. The best cluster of each field labels the pages, and the wrapper's engine learns again; what
 *      it gives has to pass the paper's test (verify.c).
 *
 * What the paper leaves open: candidates are segments of one text, values that markup parts are not
 * found; fields that the old wrapper reads as before are labelled with what it reads.
 *
 *     <b>The Pearl of Mango</b> by <i>Grove Delta</i>     of a title: "The Pearl of Mango" between
 *                                                         <b> and </b>, "Grove Delta" is none
 *
 * Cost: the tokens of the pages times those of the longest value, for each field.
 */
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/json_out.h"
#include "page/lex.h"
#include "check/neighbours.h"
#include "index/view.h"
#include "page/text.h"
#include "repair/repair.h"

/* The factors on a cluster's score if none of the field's landmarks is around it, if none of its
 * values is near its position, and if it is not visible. */
#define STRANGE 0.3
#define FAR_OFF 0.5
#define UNSEEN  0.5
/* Consecutive positions in a cluster differ by less than this part of the page. */
#define POSITION_GAP 0.1
/* The assumed deviation if all values have one length. */
#define LEAST_SD 0.1
/* A text belongs to the template if this part of the pages has it. */
#define TEMPLATE 0.5

enum {
    DEVIATIONS = 3,
    TEXT_TOKENS = 400,  /* of a text that are examined */
    PAGE_MOST = 4096,   /* candidates of a field on a page */
    SHOWN_CLUSTERS = 3, /* of a field */
    SHOWN_VALUES = 3
};

typedef struct segment {
    uint32_t page, token;
    uint16_t edge[TH__ENDS]; /* its first and last token in that text */
    th_span span;
    bool visible;
    uint8_t pattern[TH__ENDS];
    uint64_t key; /* of its landmarks and its visibility */
    double position, near, at;
} segment;

typedef struct segment_cluster {
    size_t from, to; /* of the segments */
    uint32_t pages;
    double score;
} segment_cluster;

typedef TH__VEC(segment) segments;
typedef TH__VEC(segment_cluster) segment_clusters;

typedef struct field_search {
    segments found;
    segment_clusters clusters; /* best first */
} field_search;

typedef struct reinduction {
    th_repair *repair;
    uint32_t pages;
    th__flow flows[TH__REPAIR_LEARN];
    th__key_map texts; /* by hash: how many pages have it */
    field_search *fields;
    bool *wanted;
    th__arena arena;
    th__buf text;
    bool failed;
} reinduction;

/* ---- candidates ------------------------------------------------------------------------------ */

/* A text in tokens: where each begins and ends. */
typedef struct token_edges {
    uint32_t start[TEXT_TOKENS], end[TEXT_TOKENS], count;
} token_edges;

static void find_edges(const th_page *page, uint32_t token, token_edges *out)
{
    th_lex lex;
    th_fine fine;
    out->count = 0;
    th_lex_init(&lex, page, (th_span){page->tokens[token].start, page->tokens[token + 1].start});
    while (out->count < TEXT_TOKENS && th_lex_next(&lex, &fine)) {
        if (th__class_is(fine.cls, TH_CLASS_BLANK) || th__class_is(fine.cls, TH_CLASS_HTML))
            continue;
        out->start[out->count] = fine.start;
        out->end[out->count++] = fine.end;
    }
}

/* The tag or word before or after a segment. */
static void landmark(const th_page *page, const segment *s, const token_edges *edges, int side,
                     th__buf *out)
{
    uint32_t at = s->edge[side], step = side == TH__END ? 1 : UINT32_MAX, t = s->token;
    out->len = 0;
    if (at + step < edges->count) {
        th__buf_add_str(out, th__page_slice(page, edges->start[at + step], edges->end[at + step]));
        return;
    }
    do {
        t += step;
    } while (t < page->token_count && page->tokens[t].kind != TH_TOKEN_START &&
             page->tokens[t].kind != TH_TOKEN_END);
    if (t >= page->token_count)
        return;
    th__buf_add_str(out, page->tokens[t].kind == TH_TOKEN_END ? TH_STR("</") : TH_STR("<"));
    th__tag_write(page, t, out);
    th__buf_add_byte(out, '>');
}

static bool is_template(const reinduction *r, uint64_t hash)
{
    return hash && th__key_map_get(&r->texts, hash) >= TEMPLATE * r->pages;
}

/* Adds a segment if it begins and ends like values of the field. */
static void add_segment(reinduction *r, uint32_t field, segment s, const token_edges *edges)
{
    const th__field_profile *profile = &r->repair->profile->fields[field];
    const th_page *page = r->flows[s.page].page;
    th__dp_value value;
    th__around around;
    s.span = (th_span){edges->start[s.edge[TH__START]], edges->end[s.edge[TH__END]]};
    r->text.len = 0;
    r->failed |= !th__span_text(page, s.span, &r->text);
    th__dp_split(th__buf_str(&r->text), &value);
    for (int end = 0; end < TH__ENDS; end++) {
        s.pattern[end] = (uint8_t)th__pattern_of(&profile->patterns[end], &value, end);
        if (s.pattern[end] == profile->patterns[end].count)
            return;
    }
    th__around_find(&r->flows[s.page], s.span, NULL, &around);
    s.key = s.visible;
    for (int end = 0; end < TH__ENDS; end++) {
        uint64_t next = around.hash[end][0];
        landmark(page, &s, edges, end, &r->text);
        s.key = th__hash_mix(s.key, th__hash(r->text.data, r->text.len));
        s.key = th__hash_mix(s.key, is_template(r, next) ? next : 0);
    }
    s.near = th__neighbours_share(profile, &around, NULL);
    s.at = th__position_likeness(profile, &around);
    s.position = around.position;
    r->failed |= r->text.failed || !th__vec_push(&r->fields[field].found, s);
}

/* Adds the segments of a text that are as long as values of the field. */
static void scan_text(reinduction *r, uint32_t field, segment s, const token_edges *edges)
{
    const th__field_profile *profile = &r->repair->profile->fields[field];
    double reach = DEVIATIONS * fmax(LEAST_SD, profile->length_sd);
    double least = expm1(profile->length - reach), most = expm1(profile->length + reach);
    for (uint32_t i = 0; i < edges->count; i++)
        for (uint32_t j = i; j < edges->count && !r->failed; j++) {
            double bytes = edges->end[j] - edges->start[i];
            if (bytes > most)
                break;
            s.edge[TH__START] = (uint16_t)i;
            s.edge[TH__END] = (uint16_t)j;
            if (bytes >= least)
                add_segment(r, field, s, edges);
        }
}

static void scan_page(reinduction *r, uint32_t p, token_edges *edges)
{
    const th_page *page = r->flows[p].page;
    uint32_t hidden = 0; /* tokens before this one are invisible */
    for (uint32_t t = 0; t + 1 < page->token_count && !r->failed; t++) {
        uint8_t kind = page->tokens[t].kind;
        if (kind == TH_TOKEN_START && t >= hidden)
            hidden = th__hidden_end(page, t);
        if (!th__is_text(&page->tokens[t]))
            continue;
        find_edges(page, t, edges);
        for (uint32_t f = 0; f < r->repair->profile->count; f++) {
            const segments *found = &r->fields[f].found;
            if (r->wanted[f] &&
                (found->len < PAGE_MOST || found->data[found->len - PAGE_MOST].page < p))
                scan_text(r, f,
                          (segment){.page = p,
                                    .token = t,
                                    .visible = kind == TH_TOKEN_TEXT && t >= hidden},
                          edges);
        }
    }
}

/* ---- clusters -------------------------------------------------------------------------------- */

static int by_key(const void *left, const void *right)
{
    const segment *a = left, *b = right;
    return th__order(a->key, b->key) ?: th__order(a->position, b->position)
           ?: th__order(a->page, b->page) ?: th__order(a->span.start, b->span.start);
}

static int by_page(const void *left, const void *right)
{
    const segment *a = left, *b = right;
    return th__order(a->page, b->page) ?: th__order(a->span.start, b->span.start);
}

static int by_score(const void *left, const void *right)
{
    const segment_cluster *a = left, *b = right;
    return th__order(b->score, a->score) ?: th__order(a->from, b->from);
}

/* How like the patterns of a cluster are to those of the profile: the overlap of the two
 * distributions, averaged over both ends. */
static double pattern_likeness(const th__field_profile *profile, const segment *data, size_t count)
{
    double sum = 0;
    for (int end = 0; end < TH__ENDS; end++) {
        uint32_t now[TH__FORMS_MAX + 1] = {0};
        for (size_t i = 0; i < count; i++)
            now[data[i].pattern[end]]++;
        for (uint32_t i = 0; i < profile->patterns[end].count; i++)
            sum += fmin(now[i] / (double)count,
                        profile->patterns[end].data[i].count / (double)profile->sampled) /
                   TH__ENDS;
    }
    return sum;
}

static void score_cluster(const reinduction *r, const th__field_profile *profile, segment *data,
                          segment_cluster *c)
{
    double near = 0, at = 0;
    size_t count = c->to - c->from;
    qsort(data + c->from, count, sizeof *data, by_page);
    c->pages = 0;
    for (size_t i = c->from; i < c->to; i++) {
        c->pages += i == c->from || data[i].page != data[i - 1].page;
        near += (data[i].near < 0 ? TH__PLACED : data[i].near) / (double)count;
        at += data[i].at / (double)count;
    }
    double usual = profile->pages ? (double)profile->values / (double)profile->pages : 1;
    double many = fmin(1, fmax(1, usual) * c->pages / (double)count);
    double part =
        profile->chances ? fmin(1, (double)profile->values / (double)profile->chances) : 1;
    c->score = pattern_likeness(profile, data + c->from, count) *
               fmin(1, c->pages / fmax(1, part * r->pages)) * many *
               (STRANGE + (1 - STRANGE) * near) * (FAR_OFF + (1 - FAR_OFF) * at) *
               (data[c->from].visible ? 1 : UNSEEN);
}

static bool find_clusters(reinduction *r, uint32_t field)
{
    field_search *own = &r->fields[field];
    segment *data = own->found.data;
    if (own->found.len)
        qsort(data, own->found.len, sizeof *data, by_key);
    for (size_t i = 0, end; i < own->found.len; i = end) {
        for (end = i + 1; end < own->found.len && data[end].key == data[i].key &&
                          data[end].position - data[end - 1].position < POSITION_GAP;)
            end++;
        if (!th__vec_push(&own->clusters, ((segment_cluster){.from = i, .to = end})))
            return false;
    }
    for (size_t i = 0; i < own->clusters.len; i++)
        score_cluster(r, &r->repair->profile->fields[field], data, &own->clusters.data[i]);
    if (own->clusters.len)
        qsort(own->clusters.data, own->clusters.len, sizeof *own->clusters.data, by_score);
    return true;
}

/* ---- the report ------------------------------------------------------------------------------ */

/* "10 values on 10 of 10 pages, visible, at 7% of the page, between <b> and </b>: ..." */
static void describe(reinduction *r, const segment *data, const segment_cluster *c,
                     token_edges *edges, th__buf *out)
{
    const th_page *page = r->flows[data[c->from].page].page;
    size_t n = c->to - c->from;
    double position = 0;
    for (size_t i = c->from; i < c->to; i++)
        position += data[i].position / (double)n;
    out->len = 0;
    th__buf_printf(out, "%zu value%s on %u of %u pages, %s, at %.0f%% of the page, between ", n,
                   n == 1 ? "" : "s", c->pages, r->pages,
                   data[c->from].visible ? "visible" : "not visible", 100 * position);
    find_edges(page, data[c->from].token, edges);
    for (int side = 0; side < TH__ENDS; side++) {
        landmark(page, &data[c->from], edges, side, &r->text);
        th__buf_printf(out, "%.*s%s", TH_STR_ARG(th__buf_str(&r->text)), side ? ": " : " and ");
    }
    for (size_t i = 0; i < SHOWN_VALUES && i < n; i++) {
        const segment *s = &data[c->from + i];
        th__buf_add_str(out, i ? TH_STR(" | ") : TH_STR(""));
        r->failed |= !th__span_text(r->flows[s->page].page, s->span, out);
    }
    r->failed |= out->failed;
}

/* Describes the best clusters of each field. */
static bool tell_clusters(reinduction *r, token_edges *edges)
{
    th_repair *repair = r->repair;
    uint32_t count = repair->profile->count;
    th__buf words = {0};
    repair->clusters =
        th__arena_zero(&repair->arena, count * SHOWN_CLUSTERS + 1, sizeof *repair->clusters);
    for (uint32_t f = 0; repair->clusters && f < count; f++)
        for (size_t c = 0; c < SHOWN_CLUSTERS && c < r->fields[f].clusters.len; c++) {
            const field_search *own = &r->fields[f];
            describe(r, own->found.data, &own->clusters.data[c], edges, &words);
            th__told_cluster told = {.path = repair->profile->fields[f].path,
                                     .rank = (uint32_t)c + 1,
                                     .score = own->clusters.data[c].score,
                                     .words = th__arena_copy(&repair->arena, th__buf_str(&words))};
            r->failed |= !told.words.ptr;
            repair->clusters[repair->cluster_count++] = told;
        }
    th__buf_release(&words);
    return repair->clusters && !r->failed;
}

/* ---- labels ---------------------------------------------------------------------------------- */

/* Finds the candidates of a field on a page in its best cluster: the first, and their number. */
static size_t on_page(const field_search *own, uint32_t page, size_t *from)
{
    segment_cluster c = own->clusters.len ? own->clusters.data[0] : (segment_cluster){0};
    size_t count = 0;
    for (*from = c.from; *from < c.to && own->found.data[*from].page != page;)
        ++*from;
    while (*from + count < c.to && own->found.data[*from + count].page == page)
        count++;
    return count;
}

/* Writes the value of a field on a page: one text, or all texts of a list. */
static void write_field(const reinduction *r, uint32_t field, uint32_t page, th__json *json)
{
    const field_search *own = &r->fields[field];
    bool list = th__is_list_path(r->repair->profile->fields[field].path);
    size_t from, count = on_page(own, page, &from);
    if (list)
        th__json_begin_array(json);
    for (size_t i = 0; i < count && (list || !i); i++)
        th__repair_write_span(own->found.data[from + i].span, json);
    if (list)
        th__json_end_array(json);
    else if (!count)
        th__json_null(json);
}

/* Returns true if a page has a candidate of each field that was hardly ever missing. Patterns do
 * not describe all values, so that a page without a candidate is not a negative example. */
static bool is_complete(const reinduction *r, uint32_t page)
{
    for (uint32_t f = 0; f < r->repair->profile->count; f++) {
        const th__field_profile *profile = &r->repair->profile->fields[f];
        size_t from;
        if (r->fields[f].clusters.len && 10 * profile->values >= 9 * profile->chances &&
            !on_page(&r->fields[f], page, &from))
            return false;
    }
    return true;
}

static th_status write_page(reinduction *r, uint32_t page, th__buf *out, th_error *err)
{
    th__json line = {.buf = out}, *json = &line;
    const th_records *given;
    char name[TH__REPAIR_NAME];
    th_status status = th__repair_given(r->repair, page, &given, err);
    const th_type *type = th__type_strip(th_schema_root(th_wrapper_schema(r->repair->wrapper)));
    const th_value *record = !status && th_records_count(given) ? th_records_get(given, 0) : NULL;
    if (status)
        return status;
    th__json_begin_object(json);
    th__json_put_text(json, "page", th__repair_name(page, name));
    th__json_key(json, TH_STR("record"));
    th__json_begin_object(json);
    for (uint32_t m = 0; m < type->count; m++) {
        th_str member = th_type_name(type->children[m]);
        uint32_t field = 0, count = r->repair->profile->count;
        while (field < count &&
               !(r->wanted[field] &&
                 th__str_eq(th__field_name(r->repair->profile->fields[field].path), member)))
            field++;
        th__json_key(json, member);
        if (field < count)
            write_field(r, field, page, json);
        else
            th__repair_write_value(record ? th_value_item(record, m) : NULL, json);
    }
    th__json_end_object(json);
    th__json_end_object(json);
    th__buf_add_byte(json->buf, '\n');
    return json->buf->failed ? th__fail_memory(err) : TH_OK;
}

/* ---- all of it ------------------------------------------------------------------------------- */

static bool start(reinduction *r, th_repair *repair, bool all)
{
    uint32_t count = repair->profile->count;
    *r = (reinduction){.repair = repair};
    th__arena_init(&r->arena);
    r->pages = repair->page_count < TH__REPAIR_LEARN ? repair->page_count : TH__REPAIR_LEARN;
    r->fields = th__arena_zero(&r->arena, count + 1, sizeof *r->fields);
    r->wanted = th__arena_zero(&r->arena, count + 1, sizeof *r->wanted);
    bool ok = r->fields && r->wanted;
    for (uint32_t i = 0; ok && i < count; i++) {
        const th__field_profile *f = &repair->profile->fields[i];
        r->wanted[i] = (all || repair->broken[i]) && f->sampled && !repair->targets[i] &&
                       !th__list_of(f->path).ptr;
    }
    for (uint32_t p = 0; ok && p < r->pages; p++) {
        ok = th__flow_make(&r->arena, repair->pages[p].page, &r->flows[p]);
        for (uint32_t t = 0; ok && t < r->flows[p].count; t++) {
            uint64_t hash = r->flows[p].hash[t], here = th__hash_mix(hash, p + 1);
            if (!th__key_map_get(&r->texts, here))
                ok = th__key_map_put(&r->texts, here, 1) &&
                     th__key_map_put(&r->texts, hash, th__key_map_get(&r->texts, hash) + 1);
        }
    }
    return ok;
}

static void end(reinduction *r)
{
    for (uint32_t i = 0; r->fields && i < r->repair->profile->count; i++) {
        th__vec_release(&r->fields[i].found);
        th__vec_release(&r->fields[i].clusters);
    }
    th__key_map_release(&r->texts);
    th__buf_release(&r->text);
    th__arena_release(&r->arena);
}

th_status th__reinduce(th_repair *repair, bool all, th__buf *labels, th_error *err)
{
    reinduction r;
    token_edges *edges;
    bool ok = start(&r, repair, all) && (edges = th__arena_alloc(&r.arena, sizeof *edges));
    th_status status = TH_OK;
    for (uint32_t p = 0; ok && !status && p < r.pages; p++) {
        scan_page(&r, p, edges);
        ok = !r.failed;
        status = th__repair_check(repair, err);
    }
    for (uint32_t f = 0; ok && f < repair->profile->count; f++)
        ok = find_clusters(&r, f);
    ok = ok && tell_clusters(&r, edges);
    for (uint32_t p = 0; ok && !status && p < r.pages; p++)
        if (is_complete(&r, p))
            status = write_page(&r, p, labels, err);
    end(&r);
    return ok || status ? status : th__fail_memory(err);
}
