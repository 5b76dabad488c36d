/* subcommands.h - the subcommands, one file cmd_NAME.c each, and the table of them (main.c). */
#ifndef LMP_SUBCOMMANDS_H
#define LMP_SUBCOMMANDS_H

#include "command/command.h"

extern const Command cmd_run, cmd_top, cmd_snapshot, cmd_heap, cmd_report, cmd_diff, cmd_replay,
    cmd_doctor, cmd_attach, cmd_detach, cmd_display, cmd_record, cmd_record_cut, cmd_dump,
    cmd_recorder, cmd_serve, cmd_complete;

extern const Command *const all_commands[]; /* ends with NULL */

#endif
