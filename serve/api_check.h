/* api_check.h: the profile that a wrapper is later held against. */
#ifndef SERVE_API_CHECK_H
#define SERVE_API_CHECK_H

#include "routes.h"

/* Gives a wrapper that has no profile one from the pages of the request's site. */
th_status serve_profile(const serve_request *request, th_wrapper *wrapper, th_error *err);

#endif
