/* Where lmp serve listens, as it is typed; and which hosts a request may be for. */
#include "serve/address.h"

#include <unistd.h>

#include "suite.h"

TEST(as_typed) {
    static const struct {
        const char *typed, *shown; /* NULL: it is none */
        bool loopback;
    } of[] = {
        {"9100", "127.0.0.1:9100", true},
        {"0", "127.0.0.1:0", true},
        {"65535", "127.0.0.1:65535", true},
        {"localhost:80", "127.0.0.1:80", true},
        {"127.1.2.3:80", "127.1.2.3:80", true},
        {"0.0.0.0:80", "0.0.0.0:80", false},
        {"10.0.0.1:80", "10.0.0.1:80", false},
        {"[::1]:9100", "[::1]:9100", true},
        {"[::]:9100", "[::]:9100", false},
        {"65536", NULL, false},
        {"99999999999", NULL, false},
        {"", NULL, false},
        {"-1", NULL, false},
        {" 1", NULL, false},
        {"1 ", NULL, false},
        {"localhost", NULL, false},
        {"localhost:", NULL, false},
        {":80", NULL, false},
        {"::1:80", NULL, false},
        {"[::1]", NULL, false},
        {"[::1:80", NULL, false},
        {"[::1]80", NULL, false},
        {"[127.0.0.1]:80", NULL, false},
        {"[]:80", NULL, false},
        {"example.org:80", NULL, false},
        {"1.2.3:80", NULL, false},
        {"http://1.2.3.4:80", NULL, false},
    };
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        Address a;
        char text[ADDRESS_TEXT];
        ck_assert_msg(address_parse(of[i].typed, &a) == (of[i].shown != NULL), "%s", of[i].typed);
        if (!of[i].shown) continue;
        ck_assert_str_eq(address_text(text, &a), of[i].shown);
        ck_assert_msg(address_is_loopback(&a) == of[i].loopback, "%s", of[i].typed);
        ck_assert_uint_eq(address_size(&a), *of[i].typed == '[' ? sizeof a.v6 : sizeof a.v4);
    }
}

TEST(hosts) {
    char own[300], longer[400] = "", with_port[320];
    ck_assert_int_eq(gethostname(own, sizeof own), 0);
    snprintf(with_port, sizeof with_port, "%s:9100", own);
    memset(longer, 'a', sizeof longer - 1);
    const char *const ours[] = {"localhost",      "LocalHost:9100", "127.0.0.1",
                                "127.0.0.1:9100", "[::1]",          "[::1]:9100",
                                "10.1.2.3",       with_port,        own};
    const char *const not_ours[] = {"evil.example",
                                    "evil.example:9100",
                                    "localhost.evil.example",
                                    "127.0.0.1.evil.org",
                                    "localhost:x",
                                    "localhost:1:2",
                                    "",
                                    ":9100",
                                    "[::1",
                                    "[evil]",
                                    longer};
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        ck_assert_msg(address_is_ours(ours[i]), "%s", ours[i]);
    for (size_t i = 0; i < sizeof not_ours / sizeof *not_ours; i++)
        ck_assert_msg(!address_is_ours(not_ours[i]), "%s", not_ours[i]);
    ck_assert(!address_is_ours(NULL));
}
