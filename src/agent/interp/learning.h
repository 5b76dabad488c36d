/* learning.h - what is learnt of the interpreter once in a process: whichever thread asks first
 * learns, and others wait. So does a fork, or a child would find it half learnt, and a lock that
 * nobody in it holds. */
#ifndef LMP_LEARNING_H
#define LMP_LEARNING_H

#include <stdatomic.h>
#include <stdbool.h>

/* Calls learn(), but only the first time for this *done. It may call this, too, for something
 * else. */
void learning_once(atomic_bool *done, void (*learn)(void));

/* Keep all other threads from learning; the same thread may do so several times. */
void learning_hold(void);
void learning_let(void);
/* Holds for a fork, which does not wait for more than a second: who learns may need a lock of the
 * loader's that the forking thread has. Returns false if nothing is held. */
bool learning_hold_to_fork(void);
/* Call in a forked child in place of learning_let. */
void learning_forked(void);

#endif
