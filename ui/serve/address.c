/* address.c - takes HOST and PORT apart; names are not looked up. */
#include "serve/address.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum { HOST_MOST = 256 };

/* Copies the host of HOST, HOST:PORT, [HOST] or [HOST]:PORT. Returns what follows, "" or ":PORT";
 * NULL: it is none of these. */
static const char *split(char host[HOST_MOST], const char *text) {
    bool brackets = *text == '[';
    const char *from = text + brackets, *end = brackets ? strchr(from, ']') : strchr(from, ':');
    if (!end) end = from + strlen(from);
    size_t n = (size_t)(end - from);
    if (brackets && *end != ']') return NULL;
    if (n == 0 || n >= HOST_MOST) return NULL;
    memcpy(host, from, n);
    host[n] = 0;
    end += brackets;
    return *end == 0 || *end == ':' ? end : NULL;
}

static bool parse_port(const char *text, in_port_t *out) {
    unsigned long port = 0;
    size_t n = strspn(text, "0123456789");
    if (n == 0 || n > 5 || text[n]) return false;
    port = strtoul(text, NULL, 10);
    *out = htons((in_port_t)port);
    return port <= 65535;
}

static bool parse_host(const char *host, bool brackets, in_port_t port, Address *out) {
    memset(out, 0, sizeof *out);
    if (strcmp(host, "localhost") == 0) host = "127.0.0.1";
    out->any.sa_family = brackets ? AF_INET6 : AF_INET;
    if (brackets)
        out->v6.sin6_port = port;
    else
        out->v4.sin_port = port;
    return inet_pton(out->any.sa_family, host,
                     brackets ? (void *)&out->v6.sin6_addr : (void *)&out->v4.sin_addr) == 1;
}

bool address_parse(const char *text, Address *out) {
    char host[HOST_MOST];
    in_port_t port;
    if (parse_port(text, &port)) return parse_host("localhost", false, port, out);
    const char *rest = split(host, text);
    return rest && *rest && parse_port(rest + 1, &port) &&
           parse_host(host, *text == '[', port, out);
}

char *address_text(char out[ADDRESS_TEXT], const Address *a) {
    char host[INET6_ADDRSTRLEN];
    bool six = a->any.sa_family == AF_INET6;
    inet_ntop(a->any.sa_family,
              six ? (const void *)&a->v6.sin6_addr : (const void *)&a->v4.sin_addr, host,
              sizeof host);
    snprintf(out, ADDRESS_TEXT, six ? "[%s]:%u" : "%s:%u", host,
             ntohs(six ? a->v6.sin6_port : a->v4.sin_port));
    return out;
}

socklen_t address_size(const Address *a) {
    return a->any.sa_family == AF_INET6 ? sizeof a->v6 : sizeof a->v4;
}

bool address_is_loopback(const Address *a) {
    if (a->any.sa_family == AF_INET6) return IN6_IS_ADDR_LOOPBACK(&a->v6.sin6_addr);
    return ntohl(a->v4.sin_addr.s_addr) >> 24 == IN_LOOPBACKNET;
}

bool address_is_ours(const char *text) {
    char host[HOST_MOST], name[HOST_MOST] = "";
    Address ignored;
    in_port_t port;
    const char *rest = text ? split(host, text) : NULL;
    if (!rest || (*rest && !parse_port(rest + 1, &port))) return false;
    if (parse_host(host, *text == '[', 0, &ignored) || strcasecmp(host, "localhost") == 0)
        return true;
    return gethostname(name, sizeof name - 1) == 0 && *name && strcasecmp(host, name) == 0;
}
