/*
 * stalker_wrapper.c: STALKER: wrappers from labelled pages.
 *
 * The paper: C. Knoblock, K. Lerman, S. Minton, I. Muslea, "Accurately and Reliably Extracting Data
 * from the Web: A Machine Learning Approach", 2000, sections 2 and 3; the order of refinements is
 * from I. Muslea, S. Minton, C. Knoblock, "Hierarchical Wrapper Induction for Semistructured
 * Information Sources", 2001.
 *
 * The idea
 *   A person marks the items on a few pages. The pages of a site are made from a template, so an
 *   item is found by what the template puts around it: landmarks, groups of consecutive tokens. The
 *   schema is a tree (the embedded catalog), and every node is found inside its parent: first the
 *   list, then each item of it, then the fields of an item. Each is a small problem of its own, so
 *   that few examples are enough.
 *
 * An example: the start of the address
 *     E1  Cuisine:<i>Seafood</i><p>Address:<i> 12 Pico St. </i><p>Phone:<i>...
 *     E4  Cuisine:<i>Pizza</i><p>Address:<b> 97 Adams Blvd. </b><p>Phone:<i>...
 *     SkipTo(<b>) is right on E4 alone, SkipTo(_HtmlTag_) stops early on both; refined it becomes
 *     SkipTo(Address) SkipTo(_HtmlTag_), which is right on both. BackTo(Phone) BackTo(_Number_)
 *     finds the same place from the other side.
 *
 * Co-testing
 *   Forward and backward rules go by different tokens. Where they disagree on a page without
 *   labels, one of them is wrong: that page is worth a label (`thresh suggest`).
 *
 * Words: landmark, wildcard, disjunct, perfect disjunct, seed, landmark and topology refinement:
 * see stalker_landmark.h and stalker_induce.h. View: one of the ways to find an item.
 *
 * Ours (all off with `paper`)
 *   structure  a third view, by path, order and constant text near by: stalker_place.h
 *   unlabelled pages without labels choose between rules that are right on all labels
 *   classes    landmarks may name a tag's class: <div.price>
 *   until      SkipUntil for starts, which the fuller papers have
 *
 * Cost: learning is linear in the pages for what is read of them, times the number of fields;
 * searches among candidates have limits. Running: page size times rules.
 */
#include "engine/papers/stalker/stalker_wrapper.h"

#include "engine/papers/stalker/stalker_doubts.h"
#include "engine/papers/stalker/stalker_hits.h"
#include "engine/papers/stalker/stalker_json.h"
#include "engine/papers/stalker/stalker_learn.h"
#include "engine/papers/stalker/stalker_run.h"

static th_status run(const void *rules, const th_schema *schema, const th_page *page,
                     const th_records_source *source, th_records **out, th_error *err)
{
    return th__stalker_run(rules, schema, page, source, out, err);
}

const th__engine th__stalker_engine = {
    .name = "stalker",
    .learn_corpus = th__stalker_learn,
    .needs_labels = true,
    .published = true,
    .run = run,
    .doubts = th__stalker_doubts,
    .hits = th__stalker_hits,
    .write = th__stalker_write,
    .read = th__stalker_read,
    .explain = th__stalker_explain,
};
