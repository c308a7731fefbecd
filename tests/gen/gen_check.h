/* gen_check.h: re-reads a written folder and verifies it. */
#ifndef GEN_CHECK_H
#define GEN_CHECK_H

#include <thresh.h>

typedef struct gen_check_result {
    uint64_t pages, records, values;
} gen_check_result;

/* Every span's bytes must decode to its value, lie inside its record, and agree with the labels.
 * TH_ERR_FORMAT names the first disagreement. */
th_status gen_check(const char *folder, gen_check_result *result, th_error *err);

#endif
