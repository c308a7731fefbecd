/*
 * project_files.h: a project as plain files, which export writes and import reads.
 *
 *     project.json             {"thresh_project": 1, "sites": [{"name": "shop", "folder":
 * "site-1"}]} site-1/pages.jsonl       a line a page: name, url, charset, added, and the file of
 * its bytes site-1/pages/1.html      the bytes as they were added site-1/labels.jsonl      as
 * --labels reads it site-1/wrappers.jsonl    a line a version: name, version, engine, added, file
 *     site-1/wrappers/1.json   as -w reads it
 *     site-1/runs.jsonl        a line a run, with its verdicts and the file of its records
 *     site-1/runs/1.jsonl      a line a record: {"page":, "record":}
 *     site-1/ignored.jsonl     a line a question that is not asked again
 */
#ifndef TH_PROJECT_FILES_H
#define TH_PROJECT_FILES_H

#define TH__PROJECT_FILE "project.json"
#define TH__PROJECT_KEY  "thresh_project"
enum { TH__PROJECT_EXPORT_VERSION = 1 };

#endif
