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
 * Where the layout of objects or the call sites of frees are not known, the map is always whole. */
#ifndef LMP_LIGHT_H
#define LMP_LIGHT_H

#include "agent/state/profile.h"

/* Call at start as the last thing before the state gets our allocator, with samples or without. */
void light_open(LmpProfile *p);
void light_close(LmpProfile *p);

/* Makes the map whole, if it is not: between two memory operations, or before one is carried out.
 * `patient`: however long that takes; else blocks are left out that it is too late for. */
void light_whole(LmpProfile *p, bool patient);

/* At each tick. */
void light_tick(LmpProfile *p);

#endif
