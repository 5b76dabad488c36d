/* http.c - libmicrohttpd, run by hand. Each connection has a Client, with the moment by which it
 * must have done what it is about: its socket is shut down then. Where there is hardly room for
 * more, who has not asked at once goes, and who asks while nearly all are at something is told so.
 * A listener is suspended while there is nothing new. A text is kept for a second or more, however
 * many ask for it. */
#include "serve/http.h"

#include <errno.h>
#include <microhttpd.h>
#include <string.h>
#include <strings.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/os.h"
#include "serve/control.h"
#include "serve/events.h"
#include "serve/figures.h"

#define SECOND 1000000000ull
#define TO_ASK (10 * SECOND)        /* for a request, and between two */
#define TO_ASK_AT_ONCE (SECOND / 4) /* the same where there is hardly room */
#define TO_TAKE (20 * SECOND)       /* for an answer */
#define TO_HEAR (10 * SECOND)       /* for an event */
enum {
    OWN_FILES = 24,           /* descriptors besides those of connections */
    REQUEST_BYTES = 16 << 10, /* of a connection, for the fields of a request and what is written */
    SOCKET_BYTES = 128 << 10, /* that the system keeps of what is not yet taken, about */
    EVENT_BYTES = 8 << 10     /* that are copied at a time */
};

typedef struct Client {
    bool used, answered, listens, suspended;
    int fd;
    uint64_t deadline; /* 0: there is none */
    struct MHD_Connection *connection;
    Listener listener;
} Client;

static Client clients[HTTP_CLIENTS];
static uint32_t room; /* of them at a time: HTTP_CLIENTS, or what there are descriptors for */
static struct MHD_Daemon *server;

static void clients_each(void (*f)(Client *client)) {
    for (size_t i = 0; i < HTTP_CLIENTS; i++)
        if (clients[i].used) f(&clients[i]);
}

typedef struct Counts {
    uint32_t used, answered, listening;
} Counts;

static Counts count_clients(void) {
    Counts n = {0};
    for (const Client *c = clients; c < clients + HTTP_CLIENTS; c++) {
        n.used += c->used;
        n.answered += c->used && c->answered;
        n.listening += c->used && c->listens;
    }
    return n;
}

static bool nearly_all(uint32_t n) {
    return n >= room - room / 8;
}

static Client *client_of(struct MHD_Connection *connection) {
    return MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT)->socket_context;
}

static void give_time(Client *client, uint64_t time) {
    client->deadline = time ? lmp_os->clock() + time : 0;
}

/* ---- connections ----------------------------------------------------------------------------- */

static void resume(Client *client) {
    if (client->suspended) MHD_resume_connection(client->connection);
    client->suspended = false;
}

/* The library sees the end of the connection, and closes it. */
static void drop(Client *client) {
    give_time(client, 0);
    shutdown(client->fd, SHUT_RDWR);
    resume(client);
}

static void drop_late(void) {
    bool crowded = nearly_all(count_clients().used);
    for (Client *c = clients; c < clients + HTTP_CLIENTS; c++) {
        uint64_t early = crowded && !c->answered ? TO_ASK - TO_ASK_AT_ONCE : 0;
        if (c->used && c->deadline && lmp_os->clock() + early > c->deadline) drop(c);
    }
}

static void begin_client(struct MHD_Connection *connection, void **context) {
    int bytes = SOCKET_BYTES;
    Client *client = clients;
    while (client < clients + HTTP_CLIENTS - 1 && client->used) /* there are no more connections */
        client++;
    *client = (Client){.used = true, .connection = connection};
    client->fd = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
    setsockopt(client->fd, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof bytes);
    give_time(client, TO_ASK);
    *context = client;
}

static void on_connection(void *cls, struct MHD_Connection *connection, void **context,
                          enum MHD_ConnectionNotificationCode code) {
    Client *client = *context;
    (void)cls;
    if (code == MHD_CONNECTION_NOTIFY_STARTED) {
        begin_client(connection, context);
    } else if (client) {
        events_leave(&client->listener);
        client->used = false;
    }
}

static void on_completed(void *cls, struct MHD_Connection *connection, void **request,
                         enum MHD_RequestTerminationCode code) {
    Client *client = client_of(connection);
    (void)cls;
    (void)request;
    (void)code;
    client->answered = client->listens = false;
    give_time(client, TO_ASK);
}

/* ---- answers --------------------------------------------------------------------------------- */

static void add_fields(struct MHD_Response *response, const char *type) {
    MHD_add_response_header(response, "Content-Type", type);
    MHD_add_response_header(response, "Cache-Control", "no-store");
    MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
    MHD_add_response_header(response, "X-Frame-Options", "DENY");
    MHD_add_response_header(response, "Cross-Origin-Resource-Policy", "same-origin");
    MHD_add_response_header(response, "Referrer-Policy", "no-referrer");
}

static enum MHD_Result queue(struct MHD_Connection *connection, unsigned status,
                             struct MHD_Response *response) {
    if (!response) return MHD_NO;
    client_of(connection)->answered = true;
    give_time(client_of(connection), TO_TAKE);
    return MHD_queue_response(connection, status, response);
}

static enum MHD_Result say(struct MHD_Connection *connection, unsigned status, const char *text) {
    struct MHD_Response *response = MHD_create_response_from_buffer(
        strlen(text), (void *)(uintptr_t)text, MHD_RESPMEM_PERSISTENT);
    if (!response) return MHD_NO;
    add_fields(response, "text/plain; charset=utf-8");
    if (status == MHD_HTTP_SERVICE_UNAVAILABLE)
        MHD_add_response_header(response, "Connection", "close");
    if (status == MHD_HTTP_UNAUTHORIZED)
        MHD_add_response_header(response, "WWW-Authenticate", "Bearer");
    enum MHD_Result result = queue(connection, status, response);
    MHD_destroy_response(response);
    return result;
}

/* What can be asked for, besides events. */
typedef struct Answer {
    const char *path;
    FiguresText what;
    const char *type;
    struct MHD_Response *made; /* the last one; NULL: none yet */
    uint64_t next;             /* when it may be made anew */
} Answer;

static Answer answers[] = {
    {"/", FIGURES_PAGE, "text/html; charset=utf-8", NULL, 0},
    {"/metrics", FIGURES_METRICS, "application/openmetrics-text; version=1.0.0; charset=utf-8",
     NULL, 0},
};
enum { ANSWERS = sizeof answers / sizeof *answers };

static void forget(Answer *answer) {
    if (answer->made) MHD_destroy_response(answer->made);
    answer->made = NULL;
}

static enum MHD_Result give(struct MHD_Connection *connection, Answer *answer) {
    if (!answer->made || lmp_os->clock() >= answer->next) {
        size_t size;
        char *text = figures_make(answer->what, &size, &answer->next);
        forget(answer);
        if (!text) return say(connection, MHD_HTTP_SERVICE_UNAVAILABLE, "There is no memory.\n");
        answer->made = MHD_create_response_from_buffer(size, text, MHD_RESPMEM_MUST_FREE);
        if (answer->made) add_fields(answer->made, answer->type);
    }
    return queue(connection, MHD_HTTP_OK, answer->made);
}

/* ---- events ---------------------------------------------------------------------------------- */

uint32_t http_listeners(void) {
    return count_clients().listening;
}

/* What the library was given before is on its way when it asks for more: so an event is taken when
 * there is none in turn, and each has a time of its own. */
static ssize_t take_event(void *of, uint64_t at, char *out, size_t most) {
    Client *client = of;
    (void)at;
    bool begins = !client->listener.event;
    size_t n = events_take(&client->listener, out, most);
    if (n == 0 && events_heard_all(&client->listener)) return MHD_CONTENT_READER_END_OF_STREAM;
    if (begins) give_time(client, n > 0 ? TO_HEAR : 0);
    if (n == 0) {
        client->suspended = true;
        MHD_suspend_connection(client->connection);
    }
    return (ssize_t)n;
}

static void wake(Client *client) {
    if (client->listens) resume(client);
}

void http_wake(void) {
    clients_each(wake);
}

static enum MHD_Result listen_to(struct MHD_Connection *connection) {
    Client *client = client_of(connection);
    if (http_listeners() >= room / 2)
        return say(connection, MHD_HTTP_SERVICE_UNAVAILABLE, "Too many listen already.\n");
    struct MHD_Response *response =
        MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, EVENT_BYTES, take_event, client, NULL);
    if (!response) return MHD_NO;
    add_fields(response, "text/event-stream; charset=utf-8");
    events_begin(&client->listener);
    client->listens = true;
    enum MHD_Result result = queue(connection, MHD_HTTP_OK, response);
    MHD_destroy_response(response);
    return result;
}

/* ---- requests -------------------------------------------------------------------------------- */

static enum MHD_Result control(struct MHD_Connection *connection, const char *name) {
    static const struct {
        unsigned status;
        const char *text;
    } said[] = {
        [CONTROL_DONE] = {MHD_HTTP_OK, "The program was asked.\n"},
        [CONTROL_OFF] = {MHD_HTTP_FORBIDDEN, "This is read-only: lmp serve --control.\n"},
        [CONTROL_NO_TOKEN] = {MHD_HTTP_UNAUTHORIZED, "Authorization: Bearer TOKEN is needed.\n"},
        [CONTROL_UNKNOWN] = {MHD_HTTP_NOT_FOUND, "There is no such request.\n"},
    };
    ControlEnd end =
        control_do(name, MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Authorization"));
    return say(connection, said[end].status, said[end].text);
}

static enum MHD_Result answer(struct MHD_Connection *connection, const char *url,
                              const char *method) {
    static const char requests[] = "/control/";
    const char *host = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Host");
    bool asks = strncmp(url, requests, sizeof requests - 1) == 0;
    bool reads = strcmp(method, "GET") == 0 || strcmp(method, "HEAD") == 0;
    if (!address_is_ours(host))
        return say(connection, MHD_HTTP_MISDIRECTED_REQUEST,
                   "The field Host names another host.\n");
    if (asks ? strcmp(method, "POST") != 0 : !reads)
        return say(connection, MHD_HTTP_METHOD_NOT_ALLOWED, "Not by this method.\n");
    if (nearly_all(count_clients().answered))
        return say(connection, MHD_HTTP_SERVICE_UNAVAILABLE,
                   "Too many are being answered: ask again later.\n");
    if (asks) return control(connection, url + sizeof requests - 1);
    if (strcmp(url, "/events") == 0) return listen_to(connection);
    for (size_t i = 0; i < ANSWERS; i++)
        if (strcmp(url, answers[i].path) == 0) return give(connection, &answers[i]);
    return say(connection, MHD_HTTP_NOT_FOUND, "There are /, /metrics and /events.\n");
}

/* Of what is sent with a request nothing is taken. */
static enum MHD_Result on_request(void *cls, struct MHD_Connection *connection, const char *url,
                                  const char *method, const char *version, const char *upload,
                                  size_t *upload_size, void **request) {
    static char begun;
    (void)cls;
    (void)version;
    (void)upload;
    if (!*request || *upload_size) {
        *request = &begun;
        *upload_size = 0;
        return MHD_YES;
    }
    return answer(connection, url, method);
}

/* ---- the whole ------------------------------------------------------------------------------- */

static int listen_at(Address *address) {
    int on = 1, fd = socket(address->any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    socklen_t size = sizeof *address;
    if (fd >= 0 && setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) == 0 &&
        bind(fd, &address->any, address_size(address)) == 0 && listen(fd, SOMAXCONN) == 0 &&
        getsockname(fd, &address->any, &size) == 0)
        return fd;
    int why = errno;
    if (fd >= 0) close(fd);
    errno = why;
    return -1;
}

bool http_begin(Address *address) {
    struct rlimit files = {.rlim_cur = RLIM_INFINITY};
    int fd = listen_at(address);
    if (fd < 0) return false;
    getrlimit(RLIMIT_NOFILE, &files);
    room = HTTP_CLIENTS;
    if (files.rlim_cur < HTTP_CLIENTS + OWN_FILES)
        room = files.rlim_cur > OWN_FILES ? (uint32_t)files.rlim_cur - OWN_FILES : 1;
    server = MHD_start_daemon(
        MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, on_request, NULL,
        MHD_OPTION_LISTEN_SOCKET, fd, MHD_OPTION_CONNECTION_LIMIT, room,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)REQUEST_BYTES, MHD_OPTION_NOTIFY_CONNECTION,
        on_connection, NULL, MHD_OPTION_NOTIFY_COMPLETED, on_completed, NULL,
        MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_SIGPIPE_HANDLED_BY_APP, 1, MHD_OPTION_END);
    if (!server) {
        close(fd);
        errno = ENOMEM;
    }
    return server != NULL;
}

void http_run(int milliseconds) {
    MHD_run_wait(server, milliseconds);
    drop_late(); /* after it: who has asked by now is known */
}

void http_end(void) {
    clients_each(drop);
    MHD_stop_daemon(server);
    for (size_t i = 0; i < ANSWERS; i++)
        forget(&answers[i]);
}
