/*
 * A redirect from a public address to a private one is refused.
 *
 * There is no public address to be had in a test, so this program has its own th__address_kind,
 * which the linker takes in place of the library's: it calls 127.0.0.1 public.
 */
#include "http_server.h"

#include <netinet/in.h>

#include "feed/session.h"

const char *th__address_kind(const struct sockaddr *address)
{
    const struct sockaddr_in *in = (const struct sockaddr_in *)(const void *)address;
    return ntohl(in->sin_addr.s_addr) == INADDR_LOOPBACK ? NULL : "private";
}

static void redirect_to_a_private_address_is_refused(void **state)
{
    static const route inner_routes[] = {{NULL, ANSWER("200 OK", HTML, "<p>secret")}};
    static char to_page[200], to_robots[200];
    server *inner = start_server("127.0.0.2", inner_routes);
    snprintf(to_page, sizeof to_page, ANSWER("302 Found", "Location: %s/secret\r\n", ""),
             inner->base);
    snprintf(to_robots, sizeof to_robots, ANSWER("302 Found", "Location: %s/robots\r\n", ""),
             inner->base);
    const route outer_routes[] = {{"/robots.txt", to_robots},
                                  {"/away", to_page},
                                  {NULL, ANSWER("200 OK", HTML, "<p>public")}};
    server *outer = start_server("127.0.0.1", outer_routes);
    th_feed_options options = test_options();
    options.allow_private = false;
    static const char *const paths[] = {"/public", "/away"};
    run r = fetch_paths(outer, paths, 2, &options);
    assert_int_equal(r.count, 2);
    assert_string_equal(r.events[0].bytes, "<p>public");
    expect_error(&r, 1, TH_ERR_NETWORK, "/away|127.0.0.2 is private|--allow-private");
    assert_int_equal(inner->count, 0);
    end_run(&r);
    stop_server(outer);
    stop_server(inner);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(redirect_to_a_private_address_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
