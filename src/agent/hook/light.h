/* light.h - with samples the map of the heap has only what must be known of, while nobody looks:
 * samples, code and names whose end has to be noticed, what a host asks for by itself, very large
 * blocks, the profiler's own. All else is counted by class when it is made and when it is freed
 * (freed_class.h), and never entered: totals and types are exact, and an operation costs little
 * more than its counters. The blocks of the map are marked, and have their bit (watched.h), as have
 * threads and what is from before start.
 *
 * When a display is attached, a run is recorded, a viewer has a request, a break condition is on or
 * a heap snapshot is due, the map becomes whole: the interpreter's own lists lead to every object,
 * whose blocks are entered, and new ones are as without samples. What is missing then (vectors on
 * their way to an object, the parser's buffers, a host's own) stays missing. Some seconds after the
 * last look the map is emptied again.
 *
 * This begins some seconds after start, so that what is learnt of the interpreter for it costs a
 * short program nothing. One pass over the lists then says what is from before start. It is made
 * between two instructions, with system calls for memory and what is kept of earlier starts; the
 * debug hook for that (safepoint.h) may make a stack grow. Where the
 * pass takes too long, or a block is counted that no list leads to, it is tried again later, after
 * twice the time. Where the layout of objects or the call sites of frees are not known, the map is
 * always whole. */
#ifndef LMP_LIGHT_H
#define LMP_LIGHT_H

#include "agent/state/profile.h"

/* Call at start, with samples or without: the map is whole. */
void light_prepare(LmpProfile *p);
/* Empties it as soon as that is possible: between two instructions of the program, by the first
 * that is requested here when it is due; in each operation that a request has trapped. */
void light_serve(LmpProfile *p, bool stack_safe);
void light_between(LmpProfile *p);
/* Does so now, between two instructions, while nobody looks. Returns false if it stays whole. */
bool light_open(LmpProfile *p);
void light_close(LmpProfile *p);

/* Makes the map whole, if it is not: between two memory operations, or before one is carried out.
 * `patient`: however long that takes; else blocks are left out that it is too late for. */
void light_whole(LmpProfile *p, bool patient);

/* At each tick. */
void light_tick(LmpProfile *p);

#endif
