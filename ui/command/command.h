/* command.h - the subcommands of `lmp` as a table, their options as tables, one parser, and the
 * messages of a command.
 *
 * A new subcommand is one file subcommands/cmd_NAME.c that defines a Command, its name in
 * subcommands.h, and one row in main.c beside it. Usage, help and the man page (docs/lmp.1) derive
 * from these tables. */
#ifndef LMP_COMMAND_H
#define LMP_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

#define EXIT_USAGE 2
#define EXIT_DIFFERENT 3 /* done, but the result is not as it should be */

typedef struct Option {
    const char *name; /* without the dashes */
    const char *arg;  /* name of the argument; NULL: none; "[X]": optional, together with its = */
    const char *help; /* one sentence without a full stop; NULL: internal */
} Option;

typedef struct Example {
    const char *line, *help;
} Example;

/* What operands may be, for completion (cmd_complete.c). */
enum {
    TAKES_SCRIPT = 1,
    TAKES_PROGRAM = 2, /* what follows the first operand, or "--", is a command line of its own */
    TAKES_STATE = 4,   /* PID or PID:SERIAL of what is profiled */
    TAKES_PROCESS = 8, /* PID of any program */
    TAKES_RECORDING = 16,
    TAKES_SNAPSHOT = 32,
    TAKES_FORMAT = 64, /* of lmp report, before its file */
    TAKES_COMMAND = 128
};

typedef struct Parse Parse;

typedef struct Command {
    const char *name;
    const char *usage[3];     /* what follows the name, one line each */
    const char *help;         /* one line */
    const char *details;      /* paragraphs for help and man page, separated by an empty line */
    const Option *options;    /* ends with a row whose name is NULL; may be NULL */
    const Example *examples;  /* ends with a row whose line is NULL; may be NULL */
    int (*run)(Parse *parse); /* returns the exit status */
    unsigned takes;           /* TAKES_ bits */
    bool internal;            /* not for people: not shown in help */
} Command;

/* Steps through the options of a command; when options_next has returned NULL, `at` is the first
 * operand. */
struct Parse {
    const Command *command;
    int argc;
    char **argv;
    int at;
    bool dashes;       /* "--" stood before the first operand */
    bool over;         /* the command ends here, with this status: --help was given and help was */
    int status;        /* ... printed, or a wrong option was reported (one line) */
    const char *name;  /* of the option returned */
    const char *value; /* of the option returned; NULL: none */
};

/* Runs a command; argv[0] is its name. Returns the exit status. */
int command_run(const Command *command, int argc, char **argv);

/* Returns the next option, or NULL at the first operand, after "--", after --help or a mistake. */
const Option *options_next(Parse *parse);

/* Steps through options and operands in any order, with -o for --output. Returns false at the end,
 * after --help or a mistake. *option NULL: `value` is an operand. */
bool options_mixed(Parse *parse, const Option **option);

/* Returns the command's option that a word such as "--name=value" names; NULL: none. */
const Option *option_called(const Command *command, const char *word);

/* Prints "lmp COMMAND: ..." and how to get help, on stderr; returns EXIT_USAGE. */
int command_wrong(const Parse *parse, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Returns 0 if the value of the option returned `fits`. If not, says what was `expected` ("a size
 * was expected") and returns EXIT_USAGE. */
int option_check(const Parse *parse, bool fits, const char *expected);
/* Prints "lmp: ..." on stderr. All three clean the line with format_text, so callers need not. */
void command_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Reads a number within [low, high], written with a point. Returns false if the text is not one. */
bool parse_number(const char *text, double low, double high, double *out);

/* Returns the repaints per second of the person's config (config.h), or `otherwise` if there are
 * none. */
double command_fps(double otherwise);
/* Reads the value of the option --fps just returned. Returns 0, or EXIT_USAGE as option_check. */
int option_fps(const Parse *parse, double *fps);

/* Appends a word to a line of shell (NUL-terminated, `size` bytes), after a blank and quoted where
 * necessary. Returns false and leaves the line as it is if the word does not fit or contains what a
 * terminal would obey. */
bool command_add_word(char *line, size_t size, const char *word);

void command_help(const Command *command);

#endif
