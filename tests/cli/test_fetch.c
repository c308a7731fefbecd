/* What the command line says about fetches: redirects to other places, and their limit. */
#include "../feed/http_server.h"

#define LIST                                                                                       \
    "<ul><li><a href=/1>One</a> <b>$1</b><li><a href=/2>Two</a> <b>$2</b>"                         \
    "<li><a href=/3>Three</a> <b>$3</b></ul>"
#define MOVED(to) ANSWER("302 Found", "Location: " to "\r\n", "")

static const char *program;

/* Runs thresh on a path of the server; *said is what it says on standard error. */
static int run_thresh(const server *s, const char *options, const char *path, char *said,
                      size_t room)
{
    char command[1024];
    snprintf(command, sizeof command, "%s --allow-private -f ndjson %s '%s%s' 2>&1 >/dev/null",
             program, options, s->base, path);
    FILE *out = popen(command, "r");
    assert_non_null(out);
    said[fread(said, 1, room - 1, out)] = '\0';
    return WEXITSTATUS(pclose(out));
}

static void expect_said(const server *s, const char *options, const char *path, int code,
                        const char *words)
{
    char said[2048], expected[2048], *at;
    int got = run_thresh(s, options, path, said, sizeof said);
    while ((at = strstr(said, s->base))) /* the port differs from run to run */
        memmove(at + 1, at + strlen(s->base), strlen(at + strlen(s->base)) + 1), *at = '~';
    snprintf(expected, sizeof expected, "%s", words);
    if (got != code || strcmp(said, expected))
        fail_msg("%s%s: exit %d, said:\n%s\nnot %d:\n%s", options, path, got, said, code, expected);
}

static void redirects_are_told(void **state)
{
    static char elsewhere[100];
    const route routes[] = {
        {"/robots.txt", ANSWER("404 Not Found", "", "")},
        {"/here", MOVED("/list")},
        {"/list", ANSWER("200 OK", HTML, LIST)},
        {"/away", elsewhere},
        {"/members", MOVED("/login?next=/members")},
        {"/login?next=/members", ANSWER("200 OK", HTML, LIST)},
        {"/account", MOVED("/welcome")},
        {"/welcome", ANSWER("200 OK", HTML, "<form><input type=password></form>" LIST)},
        {"/app", ANSWER("200 OK", HTML,
                        "<div id=app></div><script id=__NEXT_DATA__ type='application/json'>"
                        "{\"items\":[{\"name\":\"Lamp\"},{\"name\":\"Chair\"}]}</script>")},
        {NULL, ANSWER("404 Not Found", HTML, "<p>gone")},
    };
    server *s = start_server("127.0.0.1", routes);
    snprintf(elsewhere, sizeof elsewhere, MOVED("http://localhost%s/list"), strrchr(s->base, ':'));
    expect_said(s, "", "/here", 0, "");
    char words[200];
    snprintf(
        words, sizeof words,
        "thresh: ~/away: was redirected to http://localhost%s/list, which is on another host\n",
        strrchr(s->base, ':'));
    expect_said(s, "", "/away", 0, words);
    expect_said(s, "-q", "/away", 0, "");
    expect_said(s, "", "/members", 0,
                "thresh: ~/members: was redirected to ~/login?next=/members, which looks like a "
                "login page\n");
    expect_said(s, "", "/account", 0,
                "thresh: ~/account: was redirected to ~/welcome, which looks like a login page\n");
    expect_said(s, "", "/app", 0,
                "thresh: ~/app: no list of records found on this page; it has data in a script "
                "(__NEXT_DATA__): try --render, which runs scripts\n");
    stop_server(s);
}

static void redirects_have_a_limit(void **state)
{
    static const route routes[] = {
        {"/robots.txt", ANSWER("404 Not Found", "", "")},
        {"/1", MOVED("/2")},
        {"/2", MOVED("/3")},
        {"/3", ANSWER("200 OK", HTML, LIST)},
        {"/loop", MOVED("/loop")},
        {NULL, ANSWER("404 Not Found", HTML, "<p>gone")},
    };
    server *s = start_server("127.0.0.1", routes);
    expect_said(s, "", "/1", 0, "");
    expect_said(s, "--max-redirects 2", "/1", 0, "");
    expect_said(
        s, "--max-redirects 1", "/1", 1,
        "thresh: ~/1: too many redirects (limit 1, --max-redirects); the next leads to ~/3\n");
    expect_said(
        s, "--max-redirects 0", "/1", 1,
        "thresh: ~/1: too many redirects (limit 0, --max-redirects); the next leads to ~/2\n");
    expect_said(s, "--max-redirects 3", "/loop", 1,
                "thresh: ~/loop: too many redirects (limit 3, --max-redirects); the next leads to "
                "~/loop\n");
    stop_server(s);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(redirects_are_told),
        cmocka_unit_test(redirects_have_a_limit),
    };
    program = argc > 1 ? argv[1] : "./thresh";
    return cmocka_run_group_tests(tests, NULL, NULL);
}
