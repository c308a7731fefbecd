/*
 * mcp_tools.h: the tools of `thresh mcp`: records, learn, extract and verify.
 *
 * A tool takes JSON and gives JSON. Its arguments are a table, from which both its JSON schema and
 * the check of what is given are made. Answers are bounded: so many records, so many bytes, and the
 * number of the next record where there are more.
 */
#ifndef CLI_MCP_TOOLS_H
#define CLI_MCP_TOOLS_H

#include <jansson.h>
#include <thresh.h>

typedef struct mcp_settings {
    const char *root; /* files are read and written below it alone; absolute, without links. It must
                         be the current folder */
    bool read_only;   /* no wrapper is written */
    bool offline;     /* no URL is fetched */
    th_feed_options feeding;
    th_parser_options parsing;
    size_t most_records; /* of an answer, at most */
    size_t most_bytes;   /* of an answer's JSON, about */
    size_t most_pages;   /* that one call reads */
} mcp_settings;

typedef struct mcp_tools mcp_tools;

/* The settings must outlive it. Caller frees; NULL if out of memory. */
mcp_tools *mcp_tools_new(const mcp_settings *settings);
void mcp_tools_free(mcp_tools *tools);

/* Text of a page or of the system. If it is not UTF-8, bytes that are not ASCII become "?". Null
 * for one that is absent. Caller frees; NULL if out of memory. */
json_t *mcp_text(th_str text);

/* All tools as the protocol describes them: an array. Caller frees; NULL if out of memory. */
json_t *mcp_tools_list(void);
bool mcp_tools_have(const char *name);

/* Runs a tool: *out is an object, which the caller frees. The message of an error is
 * for the caller: it says what to do. One thread at a time. */
th_status mcp_tools_call(mcp_tools *tools, const char *name, const json_t *arguments,
                         th_cancel cancel, json_t **out, th_error *err);

#endif
