/*
 * cancel.h: asks if work that takes long is to end: see th_cancel in thresh.h.
 *
 * Loops over pages, fields and candidates ask before each step. Inside of engines, where false
 * means "out of memory", a step that is cancelled gives false as well; the function that the caller
 * knows then distinguishes them with th__cancel_status.
 */
#ifndef TH_CANCEL_H
#define TH_CANCEL_H

#include "base/error.h"

static inline bool th__cancelled(const th_cancel *cancel)
{
    return cancel && cancel->asked && cancel->asked(cancel->context);
}

/* TH_OK while work may go on. */
static inline th_status th__cancel_check(const th_cancel *cancel, th_error *err)
{
    return th__cancelled(cancel) ? th__fail(err, TH_ERR_CANCELLED, "cancelled") : TH_OK;
}

/* The status of work that has ended: what ends while it is being cancelled was cancelled, however
 * far it came. */
static inline th_status th__cancel_status(const th_cancel *cancel, th_status status, th_error *err)
{
    th_status cancelled = th__cancel_check(cancel, err);
    return cancelled ? cancelled : status;
}

#endif
