/* HTTP: a listener has the time that it has for each event, wherever in it the socket is full. The
 * clock is the test's. */
#include "serve/http.h"

#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/os.h"
#include "serve/events.h"
#include "suite.h"

#define SECOND 1000000000ull
enum { MOST = 1 << 20, ROUNDS = 150 }; /* bytes that no socket takes; rounds, of 8 KiB at most */

static LmpOs os;
static uint64_t now = SECOND;
static Address address;
static char event[MOST];
static int client;

static uint64_t clock_now(void) {
    return now;
}

static void end(void) {
    http_end();
    events_end();
    lmp_os = &os_real;
}

static void begin(void) {
    os = os_real;
    os.clock = clock_now;
    lmp_os = &os;
    ck_assert(address_parse("0", &address) && http_begin(&address));
    suite_closes(end);
    memset(event, 'x', sizeof event);
}

/* Lets the server do all that it can. */
static void turn(void) {
    for (int i = 0; i < ROUNDS; i++)
        http_run(0);
}

static void later(unsigned seconds) {
    now += seconds * SECOND;
    turn();
}

static void say(size_t size) {
    ck_assert(events_say(event, size, false));
    http_wake();
    turn();
}

/* A client that listens, and takes what the system keeps for it. */
static void listens(void) {
    static const char request[] = "GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n";
    int bytes = 32 << 10; /* the system keeps more and more for who reads fast, unless told */
    client = socket(AF_INET, SOCK_STREAM, 0);
    ck_assert_int_eq(setsockopt(client, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes), 0);
    ck_assert_int_eq(connect(client, &address.any, address_size(&address)), 0);
    ck_assert_int_eq(send(client, request, sizeof request - 1, 0), sizeof request - 1);
    turn();
    ck_assert_uint_eq(http_listeners(), 1);
}

static void leaves(void) {
    close(client);
    while (http_listeners()) /* what is said to nobody is an error at last */
        say(1);
}

/* Takes an event of MOST bytes, and what stands around them; or as many bytes of that. */
static void takes(size_t bytes) {
    char piece[4096], last[3] = "";
    size_t taken = 0;
    while (taken < bytes && memcmp(last, "\n\n", 3) != 0) {
        struct pollfd p = {.fd = client, .events = POLLIN};
        http_run(0);
        if (poll(&p, 1, 0) == 0) continue;
        ssize_t n = recv(client, piece, taken + sizeof piece < MOST ? sizeof piece : 1, 0);
        ck_assert_int_gt(n, 0);
        taken += (size_t)n;
        last[0] = last[1];
        last[1] = piece[n - 1];
    }
}

/* Takes the bytes that the system has, without the server. Returns true if it has all of an
 * event. */
static bool has_event(size_t *taken) {
    static char got[MOST];
    struct pollfd p = {.fd = client, .events = POLLIN};
    ssize_t n;
    *taken = 0;
    while (poll(&p, 1, 10000) > 0 && (n = recv(client, got + *taken, sizeof got - *taken, 0)) > 0) {
        *taken += (size_t)n;
        if (memcmp(got + *taken - 4, "\n\n\r\n", 4) == 0) return true;
    }
    return false;
}

/* Sizes around what fits: who has not taken all of it is dropped, wherever it stopped. */
TEST(who_does_not_read_is_dropped) {
    size_t fits, taken, kept = 0, dropped = 0;
    begin();
    listens();
    say(MOST);
    later(9);
    ck_assert_uint_eq(http_listeners(), 1);
    later(2);
    ck_assert_uint_eq(http_listeners(), 0);
    ck_assert(!has_event(&fits));
    leaves();
    for (size_t size = fits - (96 << 10); size < fits + (32 << 10); size += 1500) {
        listens();
        say(size);
        later(11);
        bool listening = http_listeners() == 1;
        ck_assert_msg(has_event(&taken) == listening, "%zu of %zu: %s", taken, size,
                      listening ? "kept" : "dropped");
        *(listening ? &kept : &dropped) += 1;
        leaves();
    }
    ck_assert_uint_gt(kept, 0);
    ck_assert_uint_gt(dropped, 0);
}

/* The next one has been said when it has all of one: each has a time of its own, which is no longer
 * for who takes some of it. */
TEST(who_is_behind_has_time_for_each) {
    begin();
    listens();
    say(MOST);
    for (int i = 0; i < 5; i++) {
        later(9);
        say(MOST);
        takes(SIZE_MAX);
    }
    later(9);
    takes(MOST / 2);
    turn();
    ck_assert_uint_eq(http_listeners(), 1);
    later(2);
    ck_assert_uint_eq(http_listeners(), 0);
    close(client);
}
