/*
 * project_assets.c: what the pages of a project look with: style sheets, images and fonts.
 *
 * A site may say anything of what it sends, so types are those of the content. Contents are kept as
 * those of pages are.
 */
#include "base/error.h"
#include "base/mem.h"
#include "store/project.h"

enum { LOOKED_AT = 1024, LARGEST_ASSET = 64 << 20 };

/* ---- types ----------------------------------------------------------------------------------- */

static bool has(th_str bytes, size_t at, const char *mark, size_t len)
{
    return bytes.len >= at + len && !memcmp(bytes.ptr + at, mark, len);
}

/* Returns true if a text is an SVG document: markup whose first element is <svg>. */
static bool is_svg(th_str text)
{
    for (size_t at = 0; at < text.len; at++) {
        if (text.ptr[at] != '<')
            continue;
        if (has(text, at, "<svg", 4) || has(text, at, "<svg:svg", 8))
            return true;
        if (has(text, at, "<!--", 4)) {
            const char *end = memmem(text.ptr + at, text.len - at, "-->", 3);
            if (!end)
                return false;
            at = (size_t)(end - text.ptr);
        } else if (at + 1 >= text.len || (text.ptr[at + 1] != '?' && text.ptr[at + 1] != '!') ||
                   th__str_starts_nocase((th_str){text.ptr + at, text.len - at},
                                         TH_STR("<!doctype html"))) {
            return false;
        }
    }
    return false;
}

const char *th_asset_type(th_str bytes)
{
    static const struct {
        const char *mark;
        uint8_t at, len;
        const char *type;
    } known[] = {
        {"\x89PNG\r\n\x1a\n", 0, 8, "image/png"},
        {"\xff\xd8\xff", 0, 3, "image/jpeg"},
        {"GIF87a", 0, 6, "image/gif"},
        {"GIF89a", 0, 6, "image/gif"},
        {"WEBPVP8", 8, 7, "image/webp"},
        {"ftypavif", 4, 8, "image/avif"},
        {"ftypavis", 4, 8, "image/avif"},
        {"BM", 0, 2, "image/bmp"},
        {"\0\0\1\0", 0, 4, "image/x-icon"},
        {"wOFF", 0, 4, "font/woff"},
        {"wOF2", 0, 4, "font/woff2"},
        {"\0\1\0\0", 0, 4, "font/ttf"},
        {"true", 0, 4, "font/ttf"},
        {"OTTO", 0, 4, "font/otf"},
    };
    th_str head = {bytes.ptr, bytes.len < LOOKED_AT ? bytes.len : LOOKED_AT};
    bool text = !memchr(head.ptr ? head.ptr : "", '\0', head.len);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (has(bytes, known[i].at, known[i].mark, known[i].len) &&
            !(text && (known[i].len == 2 || known[i].mark[0] == 't')))
            return known[i].type;
    if (!text)
        return NULL;
    if (has(head, 0, "\xEF\xBB\xBF", 3))
        head = (th_str){head.ptr + 3, head.len - 3};
    head = th__str_trim(head);
    if (!head.len || *head.ptr != '<')
        return "text/css";
    /* the comment of an old editor may come before it */
    return is_svg(bytes) ? "image/svg+xml" : has(head, 0, "<!--", 4) ? "text/css" : NULL;
}

/* ---- the table ------------------------------------------------------------------------------- */

static th_status add_asset(th_project *project, th_str site, th_str address, th_str bytes,
                           int64_t *id, bool *added, th_error *err)
{
    int64_t site_id = 0, body = 0;
    th_str type = th_str_from(th_asset_type(bytes));
    th_status status = th__project_site(project, site, &site_id, err);
    if (!status)
        status = th__project_add_body(project, bytes, &body, err);
    if (!status)
        status = th__project_number(project, id, err,
                                    "SELECT id FROM asset WHERE site = ? AND address = ?"
                                    " AND body = ?",
                                    "iti", site_id, address, body);
    *added = status == TH_DONE;
    if (status != TH_DONE)
        return status;
    status = th__project_do(project, err,
                            "INSERT OR REPLACE INTO asset (site, address, type, body, added)"
                            " VALUES (?, ?, ?, ?, " TH__NOW ")",
                            "itti", site_id, address, type, body);
    *id = sqlite3_last_insert_rowid(project->db);
    return status;
}

/* Without the fragment, which is not asked for. */
static th_str address_of(th_str address)
{
    const char *hash = address.len ? memchr(address.ptr, '#', address.len) : NULL;
    bool url = th__str_starts_nocase(address, TH_STR("http:")) ||
               th__str_starts_nocase(address, TH_STR("https:"));
    return hash && url ? (th_str){address.ptr, (size_t)(hash - address.ptr)} : address;
}

th_status th_project_add_asset(th_project *project, th_str site, th_str address, th_str bytes,
                               int64_t *id, bool *added, th_error *err)
{
    int64_t own_id;
    bool own_added;
    address = address_of(address);
    if (!address.len)
        return th__fail(err, TH_ERR_ARGUMENT, "a style sheet, image or font needs an address");
    if (bytes.len > LARGEST_ASSET)
        return th__fail(err, TH_ERR_LIMIT,
                        "%.*s: style sheets, images and fonts have at most %d "
                        "bytes",
                        TH_STR_ARG(address), LARGEST_ASSET);
    if (!th_asset_type(bytes))
        return th__fail(err, TH_ERR_FORMAT, "%.*s is not a style sheet, an image or a font",
                        TH_STR_ARG(address));
    th_status status = th__project_enter(project, err);
    if (status)
        return status;
    status = add_asset(project, site, address, bytes, id ? id : &own_id, added ? added : &own_added,
                       err);
    return th__project_leave(project, status, err);
}

th_status th_project_find_asset(th_project *project, th_str site, th_str address, int64_t *id,
                                th_error *err)
{
    return th__project_number(project, id, err,
                              "SELECT id FROM asset WHERE address = ? AND site ="
                              " (SELECT id FROM site WHERE name = ?)",
                              "tt", address_of(address), site);
}

th_status th__project_asset_bytes(th_project *project, int64_t id, th_text *out, th_error *err)
{
    sqlite3_stmt *row;
    th_status status = th__project_prepare(project, &row, err,
                                           "SELECT digest, size, data FROM asset LEFT JOIN body"
                                           " ON body.id = asset.body WHERE asset.id = ?",
                                           "i", id);
    if (status)
        return status;
    status = th__project_step(project, row, err);
    if (!status)
        status = th__project_read_body(project, "asset", id, row, out, err);
    sqlite3_finalize(row);
    return status;
}

th_status th_project_asset_input(th_project *project, th_str site, int64_t id, th_input **out,
                                 th_error *err)
{
    sqlite3_stmt *row;
    th_text bytes = {0};
    *out = NULL;
    th_status status = th__project_prepare(project, &row, err,
                                           "SELECT address FROM asset WHERE id = ? AND site ="
                                           " (SELECT id FROM site WHERE name = ?)",
                                           "it", id, site);
    if (status)
        return status;
    status = th__project_step(project, row, err);
    if (!status)
        status = th__project_asset_bytes(project, id, &bytes, err);
    if (!status)
        status = th_input_new(th__project_column(row, 0), NULL, (th_str){bytes.ptr, bytes.len}, out,
                              err);
    th_text_release(&bytes);
    sqlite3_finalize(row);
    return status;
}

th_status th_project_remove_asset(th_project *project, int64_t id, bool *removed, th_error *err)
{
    th_status status = th__project_enter(project, err);
    if (status)
        return status;
    status = th__project_do(project, err, "DELETE FROM asset WHERE id = ?", "i", id);
    *removed = !status && sqlite3_changes(project->db) > 0;
    return th__project_leave(project, status, err);
}

th_status th_project_assets(th_project *project, th_str site,
                            th_status (*each)(void *context, const th_project_asset *asset,
                                              th_error *err),
                            void *context, th_error *err)
{
    sqlite3_stmt *rows;
    th_status status =
        th__project_prepare(project, &rows, err,
                            "SELECT asset.id, site.name, address, type, added, size FROM asset"
                            " JOIN site ON site.id = asset.site JOIN body ON body.id = asset.body"
                            " WHERE ?1 IS NULL OR site.name = ?1 ORDER BY asset.id",
                            "t", site);
    while (!status && !(status = th__project_step(project, rows, err))) {
        th_project_asset asset = {.id = sqlite3_column_int64(rows, 0),
                                  .site = th__project_column(rows, 1),
                                  .address = th__project_column(rows, 2),
                                  .type = th__project_column(rows, 3),
                                  .added = th__project_column(rows, 4),
                                  .size = (uint64_t)sqlite3_column_int64(rows, 5)};
        status = each(context, &asset, err);
    }
    return th__project_close(rows, status);
}
