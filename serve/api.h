/*
 * api.h: what can be asked, and who answers it. docs/API.md says what each request takes and gives.
 */
#ifndef SERVE_API_H
#define SERVE_API_H

#include "routes.h"

/* X(method, path below /api/v1, handler). A star matches one part of a path. The first that matches
 * answers. */
// clang-format off
#define SERVE_ROUTES(X) \
    X("GET", "status", api_status) \
    X("GET", "sites", api_sites) \
    X("DELETE", "sites/*", api_remove_site) \
    X("GET", "sites/*/pages", api_pages) \
    X("POST", "sites/*/pages", api_add_page) \
    X("DELETE", "sites/*/pages", api_remove_pages) \
    X("POST", "sites/*/inputs", api_add_inputs) \
    X("POST", "sites/*/follow", api_follow) \
    X("POST", "sites/*/fetch", api_fetch_again) \
    X("GET", "sites/*/schedules", api_schedules) \
    X("PUT", "sites/*/schedules", api_set_schedule) \
    X("DELETE", "sites/*/schedules", api_remove_schedule) \
    X("POST", "sites/*/monitor", api_monitor) \
    X("POST", "sites/*/alarm", api_test_alarm) \
    X("GET", "sites/*/history", api_history) \
    X("GET", "runs/*/compare/*", api_compare) \
    X("GET", "sites/*/sources", api_sources) \
    X("DELETE", "sites/*/sources", api_remove_source) \
    X("GET", "sites/*/assets", api_assets) \
    X("POST", "sites/*/assets", api_add_asset) \
    X("GET", "sites/*/clusters", api_clusters) \
    X("GET", "sites/*/labels", api_labels) \
    X("PUT", "sites/*/labels", api_set_labels) \
    X("POST", "sites/*/learn", api_learn) \
    X("POST", "sites/*/extract", api_extract) \
    X("POST", "sites/*/hits", api_hits) \
    X("POST", "sites/*/run", api_run) \
    X("POST", "sites/*/suggest", api_suggest) \
    X("GET", "sites/*/ignored", api_ignored) \
    X("PUT", "sites/*/ignored", api_ignore) \
    X("POST", "sites/*/verify", api_verify) \
    X("POST", "sites/*/repair", api_repair) \
    X("POST", "sites/*/file", api_file) \
    X("GET", "sites/*/wrappers", api_wrappers) \
    X("POST", "sites/*/wrappers", api_save_wrapper) \
    X("GET", "sites/*/wrappers/*/repair", api_proposal) \
    X("DELETE", "sites/*/wrappers/*/repair", api_forget_proposal) \
    X("GET", "sites/*/wrappers/*/*", api_wrapper) \
    X("DELETE", "sites/*/wrappers/*/*", api_remove_wrapper) \
    X("GET", "sites/*/runs", api_runs) \
    X("GET", "runs/*/records", api_records) \
    X("GET", "runs/*/columns", api_columns) \
    X("GET", "runs/*/verdicts", api_verdicts) \
    X("GET", "pages/*/bytes", api_page_bytes) \
    X("GET", "pages/*/view", api_page_view) \
    X("GET", "pages/*/text", api_page_text) \
    X("GET", "pages/*/place", api_page_place) \
    X("GET", "pages/*/around", api_page_around) \
    X("POST", "pages/*/regions", api_regions) \
    X("POST", "pages/*/steps", api_steps) \
    X("GET", "jobs", api_jobs) \
    X("GET", "jobs/*", api_job) \
    X("DELETE", "jobs/*", api_cancel_job)
// clang-format on

#define SERVE_DECLARE(method, path, handler)                                                       \
    void handler(const serve_request *request, serve_answer *answer);
SERVE_ROUTES(SERVE_DECLARE)
#undef SERVE_DECLARE

/* api_project.c: a run of the project as JSON. */
json_t *serve_run_json(const th_project_run *run);

#endif
