/* main.c - the command `lmp`: the table of its subcommands, help and version. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/nearest.h"
#include "command/command.h"
#include "command/manual.h"
#include "command/writeout.h"
#include "run/program.h"
#include "subcommands/subcommands.h"

static int run_help(Parse *p);
static int run_version(Parse *p);

enum { O_MAN, O_TABLE, O_PAGE };

static const Option help_options[] = {
    [O_MAN] = {"man", NULL, NULL},         /* source of the man page */
    [O_TABLE] = {"table", "[NAME]", NULL}, /* one of the documents' tables, or their names */
    [O_PAGE] = {"page", "[NAME]", NULL},   /* source of the page lmp-NAME(1), or their names */
    {0},
};

static const Command cmd_help = {
    .name = "help",
    .usage = {"[COMMAND]"},
    .help = "Shows what lmp can do, or how to use one of its commands",
    .options = help_options,
    .run = run_help,
    .takes = TAKES_COMMAND,
};

static const Command cmd_version = {
    .name = "version",
    .usage = {""},
    .help = "Shows the version of lmp",
    .run = run_version,
};

const Command *const all_commands[] = {
    &cmd_run,     &cmd_top,        &cmd_attach,   &cmd_detach,   &cmd_record,
    &cmd_replay,  &cmd_record_cut, &cmd_dump,     &cmd_snapshot, &cmd_heap,
    &cmd_report,  &cmd_diff,       &cmd_serve,    &cmd_doctor,   &cmd_help,
    &cmd_version, &cmd_display,    &cmd_recorder, &cmd_complete, NULL,
};

static const Command *find(const char *name) {
    for (const Command *const *c = all_commands; *c; c++)
        if (strcmp((*c)->name, name) == 0) return *c;
    return NULL;
}

/* "lmp script.lua" means "run", and so does "lmp --stacks script.lua". */
static bool wants_run(const char *name) {
    size_t length = strlen(name), option = strcspn(name + strspn(name, "-"), "=");
    struct stat st;
    if (length > 4 && strcmp(name + length - 4, ".lua") == 0) return true;
    if (strncmp(name, "--", 2) != 0) return stat(name, &st) == 0 && S_ISREG(st.st_mode);
    for (const Option *o = cmd_run.options; o->name; o++)
        if (strlen(o->name) == option && strncmp(o->name, name + 2, option) == 0) return true;
    return false;
}

static int unknown(const char *name, int argc, char **argv) {
    char line[400] = "";
    Nearest near = {.typed = name};
    for (const Command *const *c = all_commands; *c; c++)
        if (!(*c)->internal) nearest_offer(&near, (*c)->name);
    bool run = wants_run(name), typed = true;
    for (int i = run ? 0 : 1; i < argc; i++)
        typed = typed && command_add_word(line, sizeof line, argv[i]);
    if (run || near.word)
        command_say("there is no command %s; did you mean: lmp %s%s%s", name,
                    run ? "run" : near.word, typed && *line ? " " : "", typed ? line : "");
    else
        command_say("there is no command %s (see: lmp help)", name);
    return EXIT_USAGE;
}

static void print_overview(FILE *out) {
    fputs("lmp, a memory profiler for Lua 5.4 and 5.5: watch a script's heap in the terminal.\n\n",
          out);
    for (const Command *const *c = all_commands; *c; c++) {
        if ((*c)->internal) continue;
        for (int i = 0; i < 3 && (*c)->usage[i]; i++)
            fprintf(out, "%s lmp %s%s%s\n", c == all_commands && i == 0 ? "usage:" : "      ",
                    (*c)->name, (*c)->usage[i][0] ? " " : "", (*c)->usage[i]);
    }
    fputc('\n', out);
    for (const Command *const *c = all_commands; *c; c++)
        if (!(*c)->internal) fprintf(out, "  %-10s %s\n", (*c)->name, (*c)->help);
    fputs("\nFrom a script: require \"luamemprofiler\".start(true)\n", out);
}

static int run_help(Parse *p) {
    const Option *o = options_next(p);
    if (p->over) return p->status;
    if (o == &help_options[O_MAN]) {
        manual_page(all_commands, stdout);
        return 0;
    }
    if (o == &help_options[O_TABLE] && !p->value) {
        manual_table_names(stdout);
        return 0;
    }
    if (o == &help_options[O_TABLE]) {
        if (manual_table(p->value, stdout)) return 0;
        return command_wrong(p, "--table=%s: there is no such table", p->value);
    }
    if (o == &help_options[O_PAGE] && !p->value) {
        manual_page_names(all_commands, stdout);
        return 0;
    }
    if (o == &help_options[O_PAGE]) {
        if (manual_command_page(all_commands, p->value, stdout)) return 0;
        return command_wrong(p, "--page=%s: there is no such page", p->value);
    }
    if (p->at >= p->argc) {
        print_overview(stdout);
        return 0;
    }
    const Command *c = find(p->argv[p->at]);
    if (!c) return unknown(p->argv[p->at], 0, NULL);
    command_help(c);
    return 0;
}

static int run_version(Parse *p) {
    options_next(p);
    if (p->over) return p->status;
    if (p->at < p->argc) return command_wrong(p, "takes no arguments");
    puts("lmp " LMP_VERSION);
    return 0;
}

int main(int argc, char **argv) {
    program_take_inherited();
    if (argc < 2) {
        print_overview(stderr);
        return EXIT_USAGE;
    }
    const char *name = argv[1];
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) name = "help";
    if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0) name = "version";
    const Command *c = find(name);
    if (!c) return unknown(name, argc - 1, argv + 1);
    return writeout_end(command_run(c, argc - 1, argv + 1));
}
