/* evidence.c: the evidence of a verdict as JSON. */
#include "data/evidence.h"

void th__evidence_write(const th_evidence *evidence, th_str pages, th__json *json)
{
    th__json_begin_object(json);
    th__json_key(json, TH_STR("field"));
    if (evidence->path.ptr)
        th__json_str(json, evidence->path);
    else
        th__json_null(json);
    th__json_key(json, TH_STR("drift"));
    th__json_bool(json, evidence->drift);
    th__json_key(json, TH_STR("changed"));
    th__json_bool(json, evidence->changed);
    th__json_put_text(json, "test", th_str_from(evidence->test));
    th__json_key(json, TH_STR("p"));
    th__json_double(json, evidence->p);
    th__json_put_text(json, "words", evidence->words);
    th__json_key(json, TH_STR("examples"));
    th__json_begin_array(json);
    for (uint32_t i = 0; i < evidence->example_count; i++)
        th__json_str(json, evidence->examples[i]);
    th__json_end_array(json);
    if (pages.len) {
        th__json_key(json, TH_STR("pages"));
        th__buf_add_str(json->buf, pages);
    }
    th__json_end_object(json);
}
