/* light.h - with samples the map of the heap has only what must be known of, while nobody looks:
 * samples, code and names whose end has to be noticed, what a host asks for by itself, very large
 * blocks, the profiler's own. All else is counted by class when it is made and when it is freed
 * (freed_class.h), and never entered: totals and types are exact, and an operation costs little
 * more than its counters. The blocks of the map are marked, and have their bit (watched.h), as have
 * threads that somebody remembers and what is from before start.
 *
 * When a display is attached, a run is recorded, a viewer has a request, a break condition is on or
 * a heap snapshot is due, the map becomes whole: the interpreter's own lists lead to every object,
 * whose blocks are entered, and new ones are as without samples. What is missing then (vectors on
 * their way to an object, the parser's buffers, a host's own) stays missing. Some seconds after the
 * last look the map is emptied again.
 *
 * One pass over the lists says what is from before start: at start, or where a display is awaited
 * then, seconds later, before a request is carried out. That makes no system call but for memory
 * where no block was met before: all else is made, and learnt of the interpreter or read of an
 * earlier start's (learned.h), at start. Where the pass takes too long, or a block is counted that
 * no list leads to, it is tried again later, after twice the time. Where the layout of objects or
 * the call sites of frees are not known, the map is always whole.
 */
#ifndef LMP_LIGHT_H
#define LMP_LIGHT_H

#include "agent/state/profile.h"

/* Call at start, with samples or without. `awaited`: somebody is about to look, so that the map is
 * whole for now. */
void light_prepare(LmpProfile *p, bool awaited);
/* Empties it if that is due: in an operation that a request has trapped, before it is carried out.
 * `ptr`: what is freed or resized, NULL: a block is asked for. */
void light_serve(LmpProfile *p, const void *ptr);
/* Does so now, where all objects are in the interpreter's lists but for those that it frees or
 * resizes; while nobody looks. Returns false if the map stays whole. */
bool light_open(LmpProfile *p);
void light_close(LmpProfile *p);

/* Makes the map whole, if it is not: between two memory operations, or before one is carried out.
 * `patient`: however long that takes; else blocks are left out that it is too late for. */
void light_whole(LmpProfile *p, bool patient);

/* Does what is due at each tick. */
void light_tick(LmpProfile *p);

#endif
