/* http.h - the HTTP side of `lmp serve`, in one thread: a page, figures for Prometheus, events for
 * the page, requests. Clients are bounded in number, in the memory that each takes, and in the time
 * that each has to ask and to take an answer; who is slower than that is dropped. */
#ifndef LMP_SERVE_HTTP_H
#define LMP_SERVE_HTTP_H

#include <stdbool.h>
#include <stdint.h>

#include "serve/address.h"

enum { HTTP_CLIENTS = 128 }; /* at most at a time, half of them for events; others wait */

/* Listens there, and writes the port that was found into `address`. Returns false if that cannot
 * be; errno says why. */
bool http_begin(Address *address);

/* Answers what is asked for some milliseconds, at most about `milliseconds`. */
void http_run(int milliseconds);

/* Returns how many listen for events. */
uint32_t http_listeners(void);

/* Lets all listeners have the newest event (events.h). */
void http_wake(void);

/* Drops everybody. */
void http_end(void);

#endif
