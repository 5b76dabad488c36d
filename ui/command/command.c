/* command.c - steps through the words of a command line by the command's option table, prints help
 * from the same tables, prints mistakes on stderr, and writes words so that they can be typed
 * again. */
#include "command/command.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/format.h"
#include "base/fps.h"
#include "base/nearest.h"
#include "screen/config.h"

static const Option help_option = {"help", NULL, "show this help"};

/* Prints one line, without anything that a terminal obeys: a file's name can contain that. */
static void say(const char *who, const char *format, va_list args, const char *end) {
    char *line = NULL;
    if (vasprintf(&line, format, args) < 0) return;
    fprintf(stderr, "lmp%s: %s%s\n", who, format_text(line, strlen(line) + 1, line, 0), end);
    free(line);
}

void command_say(const char *format, ...) {
    va_list args;
    va_start(args, format);
    say("", format, args, "");
    va_end(args);
}

int command_wrong(const Parse *p, const char *format, ...) {
    va_list args;
    char who[64], help[80];
    snprintf(who, sizeof who, " %s", p->command->name);
    snprintf(help, sizeof help, " (see: lmp %s --help)", p->command->name);
    va_start(args, format);
    say(who, format, args, help);
    va_end(args);
    return EXIT_USAGE;
}

int option_check(const Parse *p, bool fits, const char *expected) {
    return fits ? 0 : command_wrong(p, "--%s=%s: %s", p->name, p->value, expected);
}

int command_run(const Command *command, int argc, char **argv) {
    return command->run(&(Parse){.command = command, .argc = argc, .argv = argv, .at = 1});
}

bool parse_number(const char *text, double low, double high, double *out) {
    double value;
    const char *end = format_number(text, &value);
    if (!end || *end || !(value >= low && value <= high)) return false;
    *out = value;
    return true;
}

static void say_unknown_option(const Parse *p, const char *word) {
    const char *name = word + strspn(word, "-");
    Nearest near = {.typed = name, .length = strcspn(name, "=")};
    for (const Option *o = p->command->options; near.length && o && o->name; o++)
        if (o->help) nearest_offer(&near, o->name);
    if (near.word)
        command_wrong(p, "unknown option %s; did you mean --%s?", word, near.word);
    else
        command_wrong(p, "unknown option %s", word);
}

static const Option *find_option(const Command *command, const char *name, size_t length) {
    for (const Option *o = command->options; o && o->name; o++)
        if (strlen(o->name) == length && strncmp(o->name, name, length) == 0) return o;
    return strlen(help_option.name) == length && strncmp(help_option.name, name, length) == 0
               ? &help_option
               : NULL;
}

const Option *option_called(const Command *command, const char *word) {
    return strncmp(word, "--", 2) == 0 ? find_option(command, word + 2, strcspn(word + 2, "="))
                                       : NULL;
}

const Option *options_next(Parse *p) {
    p->value = NULL;
    if (p->over || p->at >= p->argc) return NULL;
    const char *word = p->argv[p->at];
    if (strcmp(word, "-h") == 0) word = "--help";
    if (word[0] != '-' || word[1] == 0) return NULL;
    p->at++;
    if (strcmp(word, "--") == 0) {
        p->dashes = true;
        return NULL;
    }
    const char *name = word + (word[1] == '-' ? 2 : 1);
    size_t length = strcspn(name, "=");
    const Option *option = option_called(p->command, word);
    if (!option) {
        say_unknown_option(p, word);
    } else if (name[length] == '=' && !option->arg) {
        command_wrong(p, "option --%s takes no value", option->name);
        option = NULL;
    } else if (name[length] == '=') {
        p->value = name + length + 1;
    } else if (option->arg && option->arg[0] != '[') {
        if (p->at < p->argc) {
            p->value = p->argv[p->at++];
        } else {
            command_wrong(p, "option --%s needs a value: --%s=%s", option->name, option->name,
                          option->arg);
            option = NULL;
        }
    }
    p->over = !option || option == &help_option;
    p->status = option ? 0 : EXIT_USAGE;
    p->name = option ? option->name : NULL;
    if (!p->over) return option;
    if (option) command_help(p->command);
    return NULL;
}

bool options_mixed(Parse *p, const Option **option) {
    static char output[] = "--output";
    *option = NULL;
    if (!p->dashes && p->at < p->argc) {
        if (strcmp(p->argv[p->at], "-o") == 0) p->argv[p->at] = output; /* all tools call it so */
        *option = options_next(p);
    }
    if (*option) return true;
    if (p->over || p->at >= p->argc) return false;
    p->value = p->argv[p->at++];
    return true;
}

enum { HELP_WIDTH = 96 };

/* Help that is too long for the line continues below. */
static void print_option(const Option *o) {
    char text[80];
    if (!o->arg)
        snprintf(text, sizeof text, "--%s", o->name);
    else if (o->arg[0] == '[')
        snprintf(text, sizeof text, "--%s[=%.*s]", o->name, (int)strlen(o->arg) - 2, o->arg + 1);
    else
        snprintf(text, sizeof text, "--%s=%s", o->name, o->arg);
    int used = printf("  %-17s  ", text);
    for (const char *at = o->help; *at;) {
        size_t n = strlen(at), room = (size_t)(used < HELP_WIDTH - 30 ? HELP_WIDTH - used : 30);
        if (n > room)
            for (n = room; n > 0 && at[n] != ' ';)
                n--;
        if (n == 0) n = strcspn(at, " ");
        printf("%.*s\n", (int)n, at);
        at += n;
        at += strspn(at, " ");
        if (*at) used = printf("%21s", "");
    }
}

double command_fps(double otherwise) {
    static Config config;
    char path[4096];
    double fps = otherwise;
    if (!config_path(path, sizeof path)) return otherwise;
    config_read(&config, path);
    const char *value = config_get(&config, "fps");
    if (value) parse_number(value, LMP_FPS_MIN, LMP_FPS_MAX, &fps);
    return fps;
}

int option_fps(const Parse *p, double *fps) {
    return option_check(p, parse_number(p->value, LMP_FPS_MIN, LMP_FPS_MAX, fps),
                        "a number from " LMP_FPS_RANGE " was expected");
}

void command_help(const Command *c) {
    for (int i = 0; i < 3 && c->usage[i]; i++)
        printf("%s lmp %s%s%s\n", i == 0 ? "usage:" : "      ", c->name, c->usage[i][0] ? " " : "",
               c->usage[i]);
    printf("\n%s.\n", c->help);
    if (c->details) printf("\n%s\n", c->details);
    printf("\nOptions:\n");
    for (const Option *o = c->options; o && o->name; o++)
        if (o->help) print_option(o);
    print_option(&help_option);
    if (!c->examples) return;
    printf("\nExamples:\n");
    for (const Example *e = c->examples; e->line; e++)
        printf("  %s\n      %s\n", e->line, e->help);
}

static bool is_shown(const char *word) {
    for (const char *c = word; *c; c++)
        if (iscntrl((unsigned char)*c) || (unsigned char)*c >= 0x80) return false;
    return true;
}

/* Words with control characters or bytes beyond ASCII are refused; a word that is not plain is
 * written in single quotes. */
bool command_add_word(char *line, size_t size, const char *word) {
    size_t start = strlen(line), used = start;
    const char *blank = start ? " " : "";
    if (!is_shown(word)) return false;
    if (format_plain_word(word)) {
        int n = snprintf(line + used, size - used, "%s%s", blank, word);
        if (n >= 0 && (size_t)n < size - used) return true;
        line[start] = 0;
        return false;
    }
    /* each ' becomes '\'' */
    size_t quotes = 0;
    for (const char *c = word; *c; c++)
        quotes += *c == '\'';
    if (used + strlen(word) + 3 * quotes + 4 > size) return false;
    used += (size_t)sprintf(line + used, "%s'", blank);
    for (const char *c = word; *c; c++)
        used += (size_t)sprintf(line + used, *c == '\'' ? "'\\''" : "%c", *c);
    memcpy(line + used, "'", 2);
    return true;
}
