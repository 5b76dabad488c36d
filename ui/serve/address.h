/* address.h - where `lmp serve` listens, as it is typed and shown, and which names of a host a
 * request may be for. */
#ifndef LMP_ADDRESS_H
#define LMP_ADDRESS_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>

typedef union Address {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
} Address;

/* Reads PORT, HOST:PORT or [HOST]:PORT. HOST is an IP address, or "localhost", which stands where
 * none is typed; PORT 0 is any free one. False: it is none of these. */
bool address_parse(const char *text, Address *out);

/* Writes "127.0.0.1:9100" or "[::1]:9100". Returns out. */
enum { ADDRESS_TEXT = INET6_ADDRSTRLEN + 10 };
char *address_text(char out[ADDRESS_TEXT], const Address *address);

/* Returns the bytes of it that the system reads. */
socklen_t address_size(const Address *address);

/* Returns true if only this machine can ask there. */
bool address_is_loopback(const Address *address);

/* Returns true for the field Host of a request that may be meant for this server: an IP address,
 * "localhost" or this machine's own name, with a port or without. A page of somebody else's whose
 * name was made to lead here has that name in the field. NULL is no host. */
bool address_is_ours(const char *host);

#endif
