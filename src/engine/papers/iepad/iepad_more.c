/*
 * iepad_more.c: further pages of a site (section 4.2 of the paper).
 *
 * The paper's user looks at what the rule extracts from a further page; if records are missing, the
 * page is searched for patterns, the user chooses one, and its rule is appended to the one there
 * is. Here nobody looks. The list is known again by where it stands (the tags from the root down to
 * its records); a pattern there is taken when, beside the rule, it finds records that the rule
 * alone does not, and leaves those that the rule finds as they are: one that cuts records into
 * pieces, or puts two into one, is not about the same records; nor is one whose records are much
 * shorter.
 */
#include "base/error.h"
#include "base/mem.h"
#include "engine/papers/iepad/iepad_learn.h"

uint64_t th__iepad_home(const th_page *page, const th__iepad_pattern *pattern)
{
    uint32_t parent = th__iepad_parent(page, pattern), symbol = 0;
    uint64_t hash = 0;
    for (uint32_t id = page->nodes[parent].path; id; id = page->paths[id].parent)
        hash = th__hash_mix(hash, page->paths[id].tag);
    th__column_fixed(&pattern->pattern, 0, &symbol);
    return th__hash_mix(hash, symbol);
}

/* How many of the records from *at on begin before a token; goes on behind them. */
static uint32_t begin_before(const th__iepad_table *table, uint32_t *at, uint32_t token)
{
    uint32_t count = 0;
    for (; *at < table->count && table->records[*at].first < token; ++*at)
        count++;
    return count;
}

/* Whether no record of `outer` has the beginnings of two or more of `inner` in it. */
static bool none_holds_two(const th__iepad_table *outer, const th__iepad_table *inner)
{
    uint32_t at = 0;
    for (uint32_t i = 0; i < outer->count; i++) {
        begin_before(inner, &at, outer->records[i].first);
        if (begin_before(inner, &at, outer->records[i].last + 1) > 1)
            return false;
    }
    return true;
}

/* Whether each record of `before` begins inside one of `after`. */
static bool keeps_all(const th__iepad_table *before, const th__iepad_table *after)
{
    uint32_t at = 0;
    for (uint32_t i = 0; i < before->count; i++) {
        while (at < after->count && after->records[at].last < before->records[i].first)
            at++;
        if (at == after->count || after->records[at].first > before->records[i].first)
            return false;
    }
    return true;
}

static uint64_t bytes_of(const th_page *page, const th__iepad_table *table)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < table->count; i++)
        bytes += page->tokens[table->records[i].last + 1].start -
                 page->tokens[table->records[i].first].start;
    return bytes;
}

/* Whether what is found besides is about as long as the records that were found: at least half.
 * What is much shorter is a heading, or a part of something. */
static bool adds_records(const th_page *page, const th__iepad_table *before,
                         const th__iepad_table *after)
{
    uint64_t were = bytes_of(page, before), are = bytes_of(page, after);
    return !before->count || 2 * (double)before->count * ((double)are - (double)were) >=
                                 (double)were * (after->count - before->count);
}

/* Joins the rule of a pattern to a copy; *rule becomes the copy when it finds more. */
static th_status try_pattern(const th_page *page, const th__iepad_result *result, uint32_t pick,
                             th__iepad_rule **rule, const th__iepad_table *before, size_t *records,
                             th_error *err)
{
    th__iepad_rule *more = NULL, *joined = NULL;
    th__iepad_table after = {0};
    th_status status = th__iepad_learn(page, result, pick, &more, err);
    if (status == TH_ERR_LIMIT)
        return TH_OK; /* no list of records */
    if (!status)
        status = th__iepad_rule_copy(*rule, &joined, err);
    if (!status)
        status = th__iepad_rule_liken(more, joined, err);
    if (!status)
        status = th__iepad_rule_join(joined, more, err);
    bool full = status == TH_ERR_LIMIT; /* the rule has all the patterns or fields it may have */
    if (!status)
        status = th__iepad_run(joined, page, &after, err);
    if (!status && more->field_count && after.count > before->count && keeps_all(before, &after) &&
        none_holds_two(before, &after) && none_holds_two(&after, before) &&
        adds_records(page, before, &after)) {
        th__iepad_rule *old = *rule;
        *rule = joined;
        *records = after.count;
        joined = old;
    }
    th__iepad_table_release(&after);
    th__iepad_rule_free(joined);
    th__iepad_rule_free(more);
    return full ? TH_OK : status;
}

th_status th__iepad_learn_more(const th_page *page, const th__iepad_options *options, uint64_t home,
                               th__iepad_rule **rule, size_t *records, th_error *err)
{
    th__iepad_table before = {0};
    th__iepad_result result = {0};
    th_status status = th__iepad_run(*rule, page, &before, err);
    *records = before.count;
    if (!status)
        status = th__iepad_find(page, options, &result, err);
    for (uint32_t i = 0; !status && *records == before.count && i < result.count; i++)
        if (result.patterns[i].count > before.count &&
            th__iepad_home(page, &result.patterns[i]) == home)
            status = try_pattern(page, &result, i, rule, &before, records, err);
    if (status)
        *records = 0;
    th__iepad_result_release(&result);
    th__iepad_table_release(&before);
    return status;
}
