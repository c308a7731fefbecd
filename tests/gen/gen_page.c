/*
 * gen_page.c: values and pages.
 *
 * Every leaf has its own random stream, made of the site's value seed, the page, the record and
 * the leaf's place: so a change of layout leaves all values alone. A page streams: memory holds one
 * group of records, whatever the page's size.
 */
#include "gen_page.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"

#define FLUSH_AT (1u << 18)

/* ---- values ---- */

typedef struct maker {
    gen_site *site;
    th__arena *arena;
    gen_pen *pen;
    gen_value_dials dials;
} maker;

static void make_leaf(maker *m, gen_val *val, uint64_t seed)
{
    const gen_node *node = val->node;
    const bool attribute = node->role == GEN_ROLE_LINK || node->role == GEN_ROLE_IMAGE;
    gen_rng rng = {seed};
    val->html_at = m->pen->html.len;
    val->text_at = m->pen->text.len;
    m->pen->attribute = attribute;
    if (node->role == GEN_ROLE_KEY || attribute || !gen_chance(&rng, m->site->options->empties))
        gen_value_write(m->pen, &rng, node->kind, node->style, &m->dials);
    val->html_len = m->pen->html.len - val->html_at;
    val->text_len = m->pen->text.len - val->text_at;
}

static uint32_t pick_branch(maker *m, gen_rng *rng, uint32_t branches)
{
    if (gen_chance(rng, m->site->options->rare))
        return branches - 1;
    return branches > 2 ? gen_below(rng, branches - 1) : 0;
}

static uint32_t element_count(maker *m, gen_rng *rng, const gen_node *node)
{
    /* An empty set is a hole as well: a third as likely as an absent optional. */
    if (gen_chance(rng, m->site->options->optional / 3))
        return 0;
    return gen_between(rng, 1, node->most);
}

static void make_value(maker *m, gen_val *val, const gen_node *node, uint64_t seed)
{
    gen_rng rng = gen_fork(seed, 1);
    val->node = node;
    switch (node->type) {
    case GEN_LEAF:
        make_leaf(m, val, gen_seed(seed, 2));
        return;
    case GEN_TUPLE:
        val->count = node->count;
        break;
    case GEN_SET:
        val->count = element_count(m, &rng, node);
        break;
    case GEN_OPTIONAL:
        val->count = !gen_chance(&rng, m->site->options->optional);
        break;
    case GEN_CHOICE:
        val->count = 1;
        val->branch = pick_branch(m, &rng, node->count);
        break;
    }
    val->kids = val->count ? gen_alloc(m->arena, val->count * sizeof *val->kids) : NULL;
    for (uint32_t i = 0; i < val->count; i++) { /* as deep as the schema */
        const gen_node *kid = node->type == GEN_TUPLE ? node->kids[i] : node->kids[val->branch];
        make_value(m, &val->kids[i], kid, gen_seed(seed, 16 + (uint64_t)kid->id * 64 + i));
    }
}

/* A faculty tuple follows a pattern: which attributes, how many of each. */
static void make_patterned(maker *m, gen_val *val, const gen_pattern *pattern, uint64_t seed)
{
    const gen_node *node = m->site->schema->root;
    val->node = node;
    val->pattern = pattern;
    val->count = node->count;
    val->kids = gen_alloc(m->arena, node->count * sizeof *val->kids);
    for (uint32_t i = 0; i < node->count; i++)
        val->kids[i].node = node->kids[i];
    for (uint32_t i = 0; i < pattern->count; i++) {
        gen_val *kid = &val->kids[pattern->slots[i]];
        const uint64_t kid_seed = gen_seed(seed, 16 + (uint64_t)kid->node->id * 64);
        if (kid->node->type == GEN_LEAF) {
            make_leaf(m, kid, kid_seed);
            continue;
        }
        kid->count = pattern->copies[i];
        kid->kids = gen_alloc(m->arena, kid->count * sizeof *kid->kids);
        for (uint32_t k = 0; k < kid->count; k++) {
            kid->kids[k].node = kid->node->kids[0];
            make_leaf(m, &kid->kids[k], gen_seed(kid_seed, k));
        }
    }
}

static void make_record(maker *m, gen_val *val, uint32_t page, uint32_t number)
{
    gen_site *site = m->site;
    const uint64_t seed = gen_seed(gen_seed(site->value_seed, page), number);
    if (!site->pattern_count) {
        make_value(m, val, site->schema->root, seed);
        return;
    }
    const bool last = site->last_pattern_count && page + 1 == site->pages;
    const gen_pattern *patterns = last ? site->last_patterns : site->patterns;
    const uint32_t count = last ? site->last_pattern_count : site->pattern_count;
    /* The first tuples of a site show each pattern once; then the usual ones prevail. */
    const uint32_t before = page * site->records.min + (site->ramp ? page * (page - 1) / 2 : 0);
    uint32_t index = number + (last || !page ? 0 : before);
    gen_rng rng = gen_fork(seed, 3);
    if (index >= count)
        index = gen_zipf(&rng, count);
    make_patterned(m, val, &patterns[index], seed);
}

/* ---- encoding ---- */

typedef struct writer {
    gen_site *site;
    FILE *file;
    th__buf buf;
    uint64_t base; /* bytes already in the file */
    bool failed;
    gen_rng noise;
    const gen_pen *pen;
    uint32_t part; /* which part of a record is being written */
    gen_live live;
} writer;

static void put(writer *w, const char *text)
{
    if (text && *text)
        th__buf_add(&w->buf, text, strlen(text));
}

static uint64_t place(const writer *w)
{
    return w->base + w->buf.len;
}

static void flush(writer *w)
{
    if (w->buf.len && fwrite(w->buf.data, 1, w->buf.len, w->file) != w->buf.len)
        w->failed = true;
    w->failed |= w->buf.failed;
    w->base += w->buf.len;
    th__buf_clear(&w->buf);
}

static void put_live(writer *w, gen_rng *rng, const char *text)
{
    if (text)
        gen_expand(&w->buf, w->site, rng, &w->live, text);
}

/* End tags that the standard lets a page leave out where our templates put them. */
static size_t omissible(const char *text)
{
    static const char *const tags[] = {"</td>", "</li>", "</dd>", "</dt>", "</tr>",
                                       "</TD>", "</LI>", "</DD>", "</DT>"};
    const size_t len = strlen(text);
    for (size_t i = 0; i < sizeof tags / sizeof *tags; i++)
        if (len >= 5 && memcmp(text + len - 5, tags[i], 5) == 0)
            return 5;
    return 0;
}

static void put_after(writer *w, const char *text)
{
    const double noise = w->site->options->noise;
    if (text && *text && noise > 0 && gen_chance(&w->noise, noise * 0.1)) {
        const size_t dropped = omissible(text);
        th__buf_add(&w->buf, text, strlen(text) - dropped);
        return;
    }
    put(w, text);
}

static void blanks(writer *w)
{
    const double noise = w->site->options->noise;
    if (noise > 0 && gen_chance(&w->noise, noise * 0.3))
        put(w, GEN_PICK(&w->noise, " ", "\n", "\n    ", "  ", "\t", "\r\n"));
}

static void encode(writer *w, const gen_tpl *tpl, gen_val *val, const gen_val *tuple);

static void encode_leaf(writer *w, const gen_tpl *tpl, gen_val *val, const gen_val *tuple)
{
    const bool attribute = gen_tpl_is_attr(tpl);
    put(w, tpl->before);
    if (!val->html_len && tpl->absent) {
        val->start = val->end = place(w);
        put(w, tpl->absent);
    } else {
        if (!attribute)
            blanks(w);
        put(w, tpl->in);
        val->start = place(w);
        th__buf_add(&w->buf, w->pen->html.data + val->html_at, val->html_len);
        val->end = place(w);
        put(w, tpl->out);
        if (!attribute)
            blanks(w);
    }
    val->written = true;
    if (tpl->tail && tuple) {
        const gen_val *other = &tuple->kids[tpl->tail_slot];
        if (other->node->type == GEN_LEAF || other->count)
            put(w, tpl->tail);
    }
    put_after(w, tpl->after);
}

/* Swaps two of the tuple's movable kids; the key, and what is glued to it, keeps its place. */
static void permute(writer *w, const gen_tpl **order, uint32_t count)
{
    uint32_t movable[80];
    const uint32_t found = gen_tpl_movable(order, count, movable, 80);
    if (found < 2)
        return;
    const uint32_t a = gen_below(&w->noise, found), b = gen_below(&w->noise, found - 1);
    const uint32_t x = movable[a], y = movable[b < a ? b : b + 1];
    const gen_tpl *kept = order[x];
    order[x] = order[y];
    order[y] = kept;
}

static void encode_tuple(writer *w, const gen_tpl *tpl, gen_val *val)
{
    const gen_tpl *order[80];
    uint32_t count = 0;
    if (val->pattern) {
        for (uint32_t i = 0; i < val->pattern->count; i++)
            for (uint32_t k = 0; k < tpl->count; k++)
                if (tpl->kids[k]->slot == val->pattern->slots[i])
                    order[count++] = tpl->kids[k];
        for (uint32_t k = 0; k < tpl->count; k++) /* what an absent kid leaves behind */
            if (!val->kids[tpl->kids[k]->slot].count && tpl->kids[k]->absent &&
                !tpl->kids[k]->dropped)
                put(w, tpl->kids[k]->absent);
    } else {
        for (; count < tpl->count; count++)
            order[count] = tpl->kids[count];
    }
    if (tpl->loose && !val->pattern && w->site->options->permute > 0 &&
        gen_chance(&w->noise, w->site->options->permute))
        permute(w, order, count);
    for (uint32_t i = 0; i < count; i++) {
        if (order[i]->part != w->part)
            continue;
        put(w, order[i]->lead);
        if (!order[i]->dropped)
            encode(w, order[i], &val->kids[order[i]->slot], val);
    }
}

static void encode(writer *w, const gen_tpl *tpl, gen_val *val, const gen_val *tuple)
{
    const uint32_t part = w->part;
    if (tpl->node->type == GEN_LEAF) {
        encode_leaf(w, tpl, val, tuple);
        return;
    }
    if (!val->count && tpl->node->type != GEN_TUPLE) {
        put(w, tpl->absent);
        return;
    }
    w->part = 0; /* parts divide the record's own kids only */
    put(w, tpl->before);
    if (tpl->node->type == GEN_TUPLE) {
        encode_tuple(w, tpl, val);
    } else {
        for (uint32_t i = 0; i < val->count; i++) { /* as deep as the schema */
            if (i)
                put(w, tpl->between);
            encode(w, tpl->kids[val->branch], &val->kids[i], tuple);
        }
    }
    put_after(w, tpl->after);
    w->part = part;
}

/* ---- a page ---- */

typedef struct page_job {
    writer *w;
    maker *m;
    gen_truth *truth;
    gen_record *group;
    uint32_t page, records;
    gen_rng adverts;
} page_job;

static void put_pieces(writer *w, gen_rng *rng, const gen_pieces *pieces)
{
    for (size_t i = 0; i < pieces->len; i++) {
        const gen_piece *piece = &pieces->data[i];
        if (!piece->live) {
            put(w, piece->text);
            continue;
        }
        for (uint32_t n = gen_between(rng, piece->min, piece->max); n > 0; n--)
            put_live(w, rng, piece->text);
    }
}

static void put_heads(writer *w)
{
    const gen_layout *layout = &w->site->layout;
    if (!layout->head_open)
        return;
    put(w, layout->head_open);
    for (uint32_t i = 0; i < w->site->root->count; i++)
        if (!w->site->root->kids[i]->dropped)
            put(w, w->site->root->kids[i]->head);
    put(w, layout->head_close);
}

/* One part of one record; its stretch goes from its first byte to its last. */
static void put_part(page_job *job, gen_record *record, uint32_t number, uint32_t part)
{
    writer *w = job->w;
    const gen_layout *layout = &w->site->layout;
    const uint32_t turn = layout->cycle > 1 ? number % layout->cycle : 0;
    w->part = part;
    record->start[part] = place(w);
    if (part == 0)
        put(w, layout->record_before[turn]);
    put(w, w->site->root->before);
    encode_tuple(w, w->site->root, record->val);
    put(w, w->site->root->after);
    if (part + 1 == record->parts)
        put(w, layout->record_after[turn]);
    record->end[part] = place(w);
    w->part = 0;
}

static void put_group(page_job *job, uint32_t first, uint32_t count)
{
    writer *w = job->w;
    const gen_layout *layout = &w->site->layout;
    const uint32_t parts = layout->parts ? layout->parts : 1;
    for (uint32_t i = 0; i < count; i++) {
        gen_record *record = &job->group[i];
        *record =
            (gen_record){.val = gen_alloc(job->m->arena, sizeof *record->val), .parts = parts};
        make_record(job->m, record->val, job->page, first + i);
    }
    w->noise = gen_fork(gen_seed(w->site->value_seed ^ 0x5EED, job->page), first);
    for (uint32_t part = 0; part < parts; part++) {
        put(w, layout->row_open[part]);
        for (uint32_t i = 0; i < layout->across && layout->row_open[part]; i++) {
            put(w, i < count ? layout->cell_open[part] : layout->cell_void[part]);
            if (i < count) {
                put_part(job, &job->group[i], first + i, part);
                put(w, layout->cell_close[part]);
            }
        }
        for (uint32_t i = 0; i < count && !layout->row_open[part]; i++)
            put_part(job, &job->group[i], first + i, part);
        put(w, layout->row_close[part]);
    }
    for (uint32_t i = 0; i < count; i++)
        gen_truth_record(job->truth, &job->group[i], job->m->pen);
}

static void put_records(page_job *job)
{
    writer *w = job->w;
    const gen_layout *layout = &w->site->layout;
    const uint32_t across = layout->across ? layout->across : 1;
    for (uint32_t first = 0; first < job->records; first += across) {
        if (first && layout->advert_count && gen_chance(&job->adverts, w->site->options->adverts))
            put_live(w, &job->adverts,
                     layout->adverts[gen_below(&job->adverts, layout->advert_count)]);
        else if (first)
            put(w, layout->between);
        const uint32_t left = job->records - first;
        put_group(job, first, left < across ? left : across);
        th__arena_clear(job->m->arena);
        th__buf_clear(&job->m->pen->html);
        th__buf_clear(&job->m->pen->text);
        if (w->buf.len > FLUSH_AT)
            flush(w);
    }
}

static uint32_t records_of(gen_site *site, uint32_t page)
{
    if (site->kind == GEN_DETAIL)
        return 1;
    gen_rng rng = gen_fork(gen_seed(site->value_seed, page), 0x4E);
    const gen_range *range =
        site->last_records.max && page + 1 == site->pages ? &site->last_records : &site->records;
    if (site->ramp && range == &site->records)
        return site->records.min + page;
    return gen_between(&rng, range->min, range->max);
}

static void write_page(page_job *job)
{
    writer *w = job->w;
    gen_site *site = w->site;
    gen_rng rng = gen_fork(gen_seed(site->value_seed, job->page), 0xC0);
    job->adverts = gen_fork(gen_seed(site->value_seed, job->page), 0xAD);
    put_pieces(w, &rng, &site->top);
    put_live(w, &rng, site->layout.open);
    put_heads(w);
    put_records(job);
    put_live(w, &rng, site->layout.close);
    put_pieces(w, &rng, &site->bottom);
    flush(w);
}

static th_status write_one(gen_site *site, gen_folder *folder, maker *m, uint32_t page,
                           th_error *err)
{
    th__buf path = {0};
    th__buf_printf(&path, "%s/%s/page-%03u.html", folder->path, site->name, page);
    writer w = {.site = site, .pen = m->pen, .file = path.failed ? NULL : fopen(path.data, "wb")};
    if (!w.file) {
        const th_status status = th__fail(err, TH_ERR_IO, "cannot write %s: %s",
                                          path.data ? path.data : "a page", strerror(errno));
        th__buf_release(&path);
        return status;
    }
    setvbuf(w.file, NULL, _IONBF, 0); /* the writer has its own buffer */
    gen_rng subject = gen_fork(gen_seed(site->value_seed, page), 0x5B);
    th__buf words = {0};
    gen_expand(&words, site, &subject, &(gen_live){0, 0, ""}, "$C");
    th__buf_add_byte(&words, 0);
    page_job job = {.w = &w, .m = m, .page = page, .records = records_of(site, page)};
    w.live = (gen_live){page, job.records, words.data};
    const uint32_t across = site->layout.across ? site->layout.across : 1;
    job.group = gen_alloc(&site->arena, across * sizeof *job.group);
    job.truth = gen_truth_new(site, folder, page);
    write_page(&job);
    bool ok = gen_truth_close(job.truth);
    ok &= fclose(w.file) == 0 && !w.failed;
    folder->page_bytes += w.base;
    folder->pages++;
    folder->records += job.records;
    th_status status = TH_OK;
    if (!ok)
        status = th__fail(err, TH_ERR_IO, "writing %s or its truth failed: is the disk full?",
                          path.data);
    th__buf_release(&words);
    th__buf_release(&w.buf);
    th__buf_release(&path);
    return status;
}

th_status gen_site_write(gen_site *site, gen_folder *folder, th_error *err)
{
    th__arena arena;
    gen_pen pen = {.entities = site->entities};
    maker m = {.site = site, .arena = &arena, .pen = &pen};
    m.dials = (gen_value_dials){site->options->noise, site->options->template_words,
                                site->schema->labels, site->schema->label_count};
    th__buf path = {0};
    th__buf_printf(&path, "%s/%s", folder->path, site->name);
    th_status status = TH_OK;
    if (path.failed || (mkdir(path.data, 0777) != 0 && errno != EEXIST))
        status = th__fail(err, TH_ERR_IO, "cannot make the folder %s: %s",
                          path.data ? path.data : "", strerror(errno));
    th__arena_init(&arena);
    for (uint32_t page = 0; page < site->pages && !status; page++)
        status = write_one(site, folder, &m, page, err);
    th__arena_release(&arena);
    th__buf_release(&pen.html);
    th__buf_release(&pen.text);
    th__buf_release(&path);
    return status;
}
