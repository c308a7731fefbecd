/*
 * softmealy_hits.c: the contexts that the transducer's moves fitted on a page.
 *
 * Each token to the left and to the right of a separator that a rule asked for is a hit.
 */
#include "base/error.h"
#include "engine/papers/softmealy/softmealy.h"
#include "page/lex.h"
#include "wrapper/hits.h"

static void hit_side(th_hits *out, const th__sm_tokens *tokens, const th__sm_move *move, bool left,
                     th_str field, const char *part, th_str words)
{
    const th__sm_context *context = left ? move->rule->left : move->rule->right;
    for (uint32_t i = 0; i < context->count; i++) {
        int64_t at = left ? (int64_t)move->at - 1 - i : (int64_t)move->at + i;
        if (at < 0 || at >= (int64_t)tokens->len)
            return;
        const th__sm_token *token = &tokens->data[at];
        if (!th__class_is(token->cls, TH_CLASS_BLANK))
            th__hits_add(out, (th_span){token->start, token->end}, field, part, words);
    }
}

static bool hit_move(th_hits *out, const th__sm_rules *rules, const th__sm_tokens *tokens,
                     const th__sm_move *move, th__buf *words)
{
    bool begins = th__sm_is_attribute(move->to);
    th__sm_state state = begins ? move->to : move->from;
    th_str field = th__sm_is_attribute(state) ? rules->attributes[th__sm_attribute_of(state)].path
                                              : (th_str){0};
    th__buf_clear(words);
    th__buf_printf(words, "s<");
    th__sm_state_print(rules, move->from, words);
    th__buf_printf(words, ",");
    th__sm_state_print(rules, move->to, words);
    th__buf_printf(words, ">: ");
    th__sm_context_print(move->rule->left, true, words);
    th__buf_printf(words, " | ");
    th__sm_context_print(move->rule->right, false, words);
    hit_side(out, tokens, move, true, field, begins ? "start, left" : "end, left",
             th__buf_str(words));
    hit_side(out, tokens, move, false, field, begins ? "start, right" : "end, right",
             th__buf_str(words));
    return !words->failed;
}

th_status th__sm_hits(const void *context, const th_schema *schema, const th_page *page,
                      th_hits *out, th_error *err)
{
    const th__sm_rules *rules = context;
    th__sm_machine machine = {0};
    th__sm_tokens tokens = {0};
    th__sm_moves moves = {0};
    th__buf words = {0};
    bool ok = th__sm_machine_init(&machine, rules) &&
              th__sm_lex(page, (th_span){0, (uint32_t)page->text.len}, rules->lexing, &tokens);
    machine.moves = &moves;
    ok = ok && th__sm_machine_run(&machine, page, &tokens, true);
    for (size_t i = 0; ok && i < moves.len; i++)
        ok = hit_move(out, rules, &tokens, &moves.data[i], &words);
    th__sm_machine_release(&machine);
    th__vec_release(&tokens);
    th__vec_release(&moves);
    th__buf_release(&words);
    return ok ? TH_OK : th__fail_memory(err);
}
