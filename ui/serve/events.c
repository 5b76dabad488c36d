/* events.c - a text belongs to all listeners that are in it, and to `now` while it is newest. */
#include "serve/events.h"

#include <stdlib.h>
#include <string.h>

struct Event {
    size_t size;
    uint64_t number; /* from 1 */
    uint32_t users;
    bool last;
    char text[];
};

static Event *now; /* NULL: nothing was said yet */

static void release(Event *event) {
    if (event && --event->users == 0) free(event);
}

bool events_say(const char *data, size_t size, bool last) {
    const char *head = last ? "event: end\ndata: " : "data: ", *tail = "\n\n";
    size_t before = strlen(head), whole = before + size + strlen(tail);
    Event *event = malloc(sizeof *event + whole);
    if (!event) return false;
    *event = (Event){.size = whole, .number = now ? now->number + 1 : 1, .users = 1, .last = last};
    memcpy(event->text, head, before);
    memcpy(event->text + before, data, size);
    memcpy(event->text + before + size, tail, strlen(tail));
    release(now);
    now = event;
    return true;
}

void events_begin(Listener *listener) {
    *listener = (Listener){.heard = now && !now->last ? now->number : 0};
}

bool events_ready(const Listener *listener) {
    return listener->event || (now && now->number > listener->heard);
}

size_t events_take(Listener *listener, char *out, size_t most) {
    if (!events_ready(listener)) return 0;
    if (!listener->event) {
        *listener = (Listener){.event = now, .heard = now->number};
        now->users++;
    }
    Event *event = listener->event;
    size_t left = event->size - listener->at, n = left < most ? left : most;
    memcpy(out, event->text + listener->at, n);
    listener->at += n;
    if (listener->at == event->size) events_leave(listener);
    return n;
}

bool events_heard_all(const Listener *listener) {
    return now && now->last && !events_ready(listener);
}

void events_leave(Listener *listener) {
    release(listener->event);
    listener->event = NULL;
}

void events_end(void) {
    release(now);
    now = NULL;
}
