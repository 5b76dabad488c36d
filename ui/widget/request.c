/* request.c - one slot and one bit for each kind; requests are taken in the order of the kinds.
 * Steps add up, any other request replaces the one before it. */
#include "widget/request.h"

#include <stddef.h>

_Static_assert(REQUESTS <= 32, "a bit for each kind");

bool request_waits(const Requests *requests, RequestKind kind) {
    return (requests->waiting >> (unsigned)kind & 1u) != 0;
}

void request_put(Requests *requests, const Request *request) {
    RequestKind kind = request->kind;
    Request *own = &requests->of[kind];
    uint32_t steps = kind == REQUEST_STEP && request_waits(requests, kind) ? own->steps : 0;
    *own = *request;
    if (kind == REQUEST_STEP) own->steps += steps;
    requests->waiting |= 1u << (unsigned)kind;
}

void request_put_kind(Requests *requests, RequestKind kind) {
    requests->of[kind].kind = kind;
    requests->waiting |= 1u << (unsigned)kind;
}

const Request *request_take(Requests *requests) {
    for (int i = 0; i < REQUESTS; i++) {
        if (!request_waits(requests, (RequestKind)i)) continue;
        requests->waiting &= ~(1u << (unsigned)i);
        return &requests->of[i];
    }
    return NULL;
}

void request_time(Requests *requests, TimeWhat what, int64_t ns, int steps) {
    request_put(requests,
                &(Request){.kind = REQUEST_TIME, .time = {.what = what, .ns = ns, .steps = steps}});
}
