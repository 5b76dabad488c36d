/* inherited.h - what lmp was started with but must have otherwise for itself, and what a program
 * that it starts shall find again as it was: standard streams that are closed, signals that are
 * ignored. */
#ifndef LMP_INHERITED_H
#define LMP_INHERITED_H

/* First thing in main(). */
void inherited_take(void);
/* In a child, before it executes a program. */
void inherited_give_back(void);

#endif
