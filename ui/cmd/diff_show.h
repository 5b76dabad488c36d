/* diff_show.h - `lmp diff --show`: shows the difference of two recordings in the display. */
#ifndef LMP_DIFF_SHOW_H
#define LMP_DIFF_SHOW_H

/* Each name is FILE or FILE@MOMENT. One line says what is wrong. Returns the exit status. */
int diff_show(const char *old, const char *newer);

#endif
