/* events.h - server-sent events: one text at a time for all who listen, who each take it as fast as
 * they can. Who has not taken one whole when the next comes goes on with it, and then has the
 * newest; so no listener makes another wait, and texts are kept as long as somebody reads them. */
#ifndef LMP_EVENTS_H
#define LMP_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Event Event;

/* How far a listener is. */
typedef struct Listener {
    Event *event; /* that it takes now; NULL: none */
    size_t at;
    uint64_t heard; /* number of the last event that it began with */
} Listener;

/* Makes what is said now: `data`, one line, which is copied. `last`: nothing comes after it.
 * Returns false if there is no memory; the event of before stays. */
bool events_say(const char *data, size_t size, bool last);

/* Begins to listen: to what is said from now on, and to the last event, if there was one. */
void events_begin(Listener *listener);

/* Returns true if there is something that the listener has not taken. */
bool events_ready(const Listener *listener);

/* Copies more of it into `out`, at most `most` bytes. Returns how many: 0 if nothing is ready. */
size_t events_take(Listener *listener, char *out, size_t most);

/* Returns true if the listener has taken all of the last event. */
bool events_heard_all(const Listener *listener);

/* Lets go of what the listener takes. */
void events_leave(Listener *listener);

/* Frees what is said now, when nobody listens any more. */
void events_end(void);

#endif
