/* record_cut.h - `lmp record cut`: copies a piece of a recording, for somebody else to look at. */
#ifndef LMP_RECORD_CUT_CMD_H
#define LMP_RECORD_CUT_CMD_H

/* argv[0] is "cut". Returns the exit status. */
int record_cut(int argc, char **argv);

#endif
