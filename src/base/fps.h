/* fps.h - repaints a second: what may be asked for, wherever it is (an option, lmp.start(), the
 * file of settings), and what holds where nobody has asked. */
#ifndef LMP_FPS_H
#define LMP_FPS_H

#include <stdbool.h>

#define LMP_FPS_MIN 0.1
#define LMP_FPS_MAX 60
#define LMP_FPS_DEFAULT 10

/* The same in words: "0.1 to 60" and "10". */
#define LMP_FPS_RANGE LMP_FPS_WORD(LMP_FPS_MIN) " to " LMP_FPS_WORD(LMP_FPS_MAX)
#define LMP_FPS_WORD(number) LMP_FPS_QUOTED(number)
#define LMP_FPS_QUOTED(number) #number

static inline bool fps_allowed(double fps) {
    return fps >= LMP_FPS_MIN && fps <= LMP_FPS_MAX;
}

#endif
