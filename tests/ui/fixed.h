/* fixed.h - a model made by hand, the same each time, for screens that are compared. */
#ifndef LMP_TEST_FIXED_H
#define LMP_TEST_FIXED_H

#include "read/model/model.h"
#include "screen/output.h"

/* A program in the middle of its run: every kind lives, cycles and a mark are there. */
void fixed_model(Model *model);
/* The same, paused in an allocation with a call stack. */
void fixed_pause(Model *model);
/* Adds frames of the program's own, 60 a second. */
void fixed_frames(Model *model);
/* The same, where a break condition was met. */
void fixed_break(Model *model);
/* What it printed. */
void fixed_output(Output *output);

#endif
