/* diff_show.h - `lmp diff --show`: two recordings in the display, which shows what differs. */
#ifndef LMP_DIFF_SHOW_H
#define LMP_DIFF_SHOW_H

/* Each is FILE or FILE@MOMENT. What is wrong is said in one line. Returns the exit status. */
int diff_show(const char *old, const char *newer);

#endif
