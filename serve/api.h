/* api.h: who answers which request. docs/API.md says what each takes and gives. */
#ifndef SERVE_API_H
#define SERVE_API_H

#include "routes.h"

/* A run of the project as JSON. */
json_t *serve_run_json(const th_project_run *run);

/* api_project.c */
void api_status(const serve_request *request, serve_answer *answer);
void api_sites(const serve_request *request, serve_answer *answer);
void api_remove_site(const serve_request *request, serve_answer *answer);
void api_pages(const serve_request *request, serve_answer *answer);
void api_add_page(const serve_request *request, serve_answer *answer);
void api_remove_pages(const serve_request *request, serve_answer *answer);
void api_add_inputs(const serve_request *request, serve_answer *answer);
void api_labels(const serve_request *request, serve_answer *answer);
void api_set_labels(const serve_request *request, serve_answer *answer);
void api_wrappers(const serve_request *request, serve_answer *answer);
void api_save_wrapper(const serve_request *request, serve_answer *answer);
void api_wrapper(const serve_request *request, serve_answer *answer);
void api_remove_wrapper(const serve_request *request, serve_answer *answer);
void api_runs(const serve_request *request, serve_answer *answer);
void api_records(const serve_request *request, serve_answer *answer);
void api_columns(const serve_request *request, serve_answer *answer);
void api_verdicts(const serve_request *request, serve_answer *answer);
void api_jobs(const serve_request *request, serve_answer *answer);
void api_job(const serve_request *request, serve_answer *answer);
void api_cancel_job(const serve_request *request, serve_answer *answer);
void api_assets(const serve_request *request, serve_answer *answer);
void api_add_asset(const serve_request *request, serve_answer *answer);

/* api_page.c */
void api_page_bytes(const serve_request *request, serve_answer *answer);
void api_page_view(const serve_request *request, serve_answer *answer);
void api_page_text(const serve_request *request, serve_answer *answer);
void api_page_place(const serve_request *request, serve_answer *answer);
void api_page_around(const serve_request *request, serve_answer *answer);

/* api_learn.c */
void api_regions(const serve_request *request, serve_answer *answer);
void api_steps(const serve_request *request, serve_answer *answer);
void api_learn(const serve_request *request, serve_answer *answer);
void api_extract(const serve_request *request, serve_answer *answer);
void api_hits(const serve_request *request, serve_answer *answer);
void api_run(const serve_request *request, serve_answer *answer);

/* api_compare.c */
void api_history(const serve_request *request, serve_answer *answer);
void api_compare(const serve_request *request, serve_answer *answer);

/* api_schedule.c */
void api_schedules(const serve_request *request, serve_answer *answer);
void api_set_schedule(const serve_request *request, serve_answer *answer);
void api_remove_schedule(const serve_request *request, serve_answer *answer);
void api_monitor(const serve_request *request, serve_answer *answer);
void api_test_alarm(const serve_request *request, serve_answer *answer);

/* api_fetch.c */
void api_follow(const serve_request *request, serve_answer *answer);
void api_fetch_again(const serve_request *request, serve_answer *answer);
void api_sources(const serve_request *request, serve_answer *answer);
void api_remove_source(const serve_request *request, serve_answer *answer);

/* api_file.c */
void api_file(const serve_request *request, serve_answer *answer);

/* api_suggest.c */
void api_suggest(const serve_request *request, serve_answer *answer);
void api_ignored(const serve_request *request, serve_answer *answer);
void api_ignore(const serve_request *request, serve_answer *answer);
void api_clusters(const serve_request *request, serve_answer *answer);

/* api_check.c */
void api_verify(const serve_request *request, serve_answer *answer);
void api_repair(const serve_request *request, serve_answer *answer);
void api_proposal(const serve_request *request, serve_answer *answer);
void api_forget_proposal(const serve_request *request, serve_answer *answer);

#endif
