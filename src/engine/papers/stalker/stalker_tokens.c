/* stalker_tokens.c: from fine tokens to hashes that can be compared. */
#include "engine/papers/stalker/stalker_tokens.h"

#include "base/str.h"
#include "base/vec.h"
#include "page/lex.h"
#include "page/page.h"
#include "index/view.h"

/* Never 0, which stands for no hash. */
static uint32_t fold(uint64_t hash)
{
    uint32_t sym = (uint32_t)(hash ^ hash >> 32);
    return sym ? sym : 1;
}

uint32_t th__stalker_text_sym(th_str text)
{
    return fold(th__hash(text.ptr, text.len));
}

uint32_t th__stalker_tag_sym(uint16_t tag, bool end)
{
    return fold(th__hash_mix(end ? 2 : 1, tag));
}

uint32_t th__stalker_step_sym(uint64_t step_hash)
{
    return fold(th__hash_mix(3, step_hash));
}

struct reader {
    TH__VEC(th__stalker_token) tokens;
    th__buf scratch;
    const th_page *page;
    uint32_t coarse; /* the coarse token of the tag at hand, or one before it */
};

/* Of a start tag with a class. */
static uint32_t step_of(struct reader *r, const th_fine *fine)
{
    th_str classes = {0};
    while (r->page->tokens[r->coarse].start < fine->start)
        r->coarse++;
    if (!(r->page->tokens[r->coarse].flags & TH_TOKEN_HAS_ATTRS) ||
        !th_attr_get(r->page, r->coarse, "class", &classes) || !th__str_trim(classes).len)
        return 0;
    return th__stalker_step_sym(th__element_hash(fine->tag, classes));
}

static bool add(struct reader *r, const th_fine *fine)
{
    th__stalker_token token = {
        .start = fine->start, .end = fine->end, .tag = fine->tag, .cls = fine->cls};
    if (th__class_is(fine->cls, TH_CLASS_BLANK) && !th__fine_is_gap(r->page, fine))
        return true;
    if (fine->cls == TH_CLASS_TAG_START) {
        token.sym = th__stalker_tag_sym(fine->tag, false);
        token.step = step_of(r, fine);
    } else if (fine->cls == TH_CLASS_TAG_END) {
        token.sym = th__stalker_tag_sym(fine->tag, true);
    } else if (th__class_is(fine->cls, TH_CLASS_BLANK)) {
        token.sym = th__stalker_text_sym(TH_STR(TH__STALKER_GAP));
    } else if (fine->cls == TH_CLASS_MARKUP) {
        token.sym = 0; /* scripts and comments are known by their class alone */
    } else {
        th_str text = th__fine_text(r->page, fine, &r->scratch);
        if (!text.ptr)
            return false;
        token.sym = th__stalker_text_sym(text);
    }
    return th__vec_push(&r->tokens, token);
}

bool th__stalker_seq_make(th__arena *arena, const th_page *page, th_span span, th__stalker_seq *out)
{
    struct reader r = {.page = page};
    th_lex lex;
    th_fine fine;
    bool ok = true;
    th_lex_init(&lex, page, span);
    r.coarse = lex.token;
    while (ok && th_lex_next(&lex, &fine))
        ok = add(&r, &fine);
    *out = (th__stalker_seq){.page = page, .count = (uint32_t)r.tokens.len};
    if (ok && r.tokens.len) {
        out->tokens = th__arena_alloc(arena, r.tokens.len * sizeof *out->tokens);
        ok = out->tokens;
        if (ok)
            memcpy(out->tokens, r.tokens.data, r.tokens.len * sizeof *out->tokens);
    }
    th__vec_release(&r.tokens);
    th__buf_release(&r.scratch);
    return ok;
}

uint32_t th__stalker_seq_at(const th__stalker_seq *seq, uint32_t offset)
{
    uint32_t low = 0, high = seq->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (seq->tokens[middle].start < offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

uint32_t th__stalker_start_of(const th__stalker_seq *seq, uint32_t position)
{
    if (position < seq->count)
        return seq->tokens[position].start;
    return seq->count ? seq->tokens[seq->count - 1].end : 0;
}

uint32_t th__stalker_end_of(const th__stalker_seq *seq, uint32_t position)
{
    if (position)
        return seq->tokens[position - 1].end;
    return seq->count ? seq->tokens[0].start : 0;
}

uint32_t th__stalker_before_tags(const th__stalker_seq *seq, uint32_t position)
{
    while (position && seq->tokens[position - 1].cls == TH_CLASS_TAG_START)
        position--;
    return position;
}

uint32_t th__stalker_behind_tags(const th__stalker_seq *seq, uint32_t position)
{
    while (position < seq->count && seq->tokens[position].cls == TH_CLASS_TAG_END)
        position++;
    return position;
}
