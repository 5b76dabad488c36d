/* json.h - the JSON writer, of reports for machines and of the data of pages: the caller gives each
 * value its key, the commas are added here. */
#ifndef LMP_JSON_H
#define LMP_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "read/figure.h"
#include "report/texttable.h"

/* How texts and lines are written. Always valid: what is not UTF-8 becomes U+FFFD. */
typedef enum JsonStyle {
    JSON_PLAIN,     /* every character as it is, or escaped */
    JSON_IN_SCRIPT, /* the same, with < escaped: nothing ends a <script> around it */
    JSON_ON_PAGE    /* also > and &; other controls than tab and end of line, and what turns the
                       direction of writing, become U+FFFD. A closing bracket ends its line */
} JsonStyle;

typedef struct Json {
    FILE *out;
    JsonStyle style;
    TextTable *words; /* for json_word; NULL: there are none */
    bool comma;       /* there is something before the next value */
    bool line;        /* the next value begins a line */
    bool range; /* figures are of a range of time: they may be negative, and some it has not */
} Json;

/* In all of these `key` is NULL in an array and outside of everything. */
void json_begin(Json *json, const char *key, char bracket); /* '{' or '[' */
void json_end(Json *json, char bracket);                    /* '}' or ']' */
/* An array: what `put` writes for each `i` below `n`. */
#define JSON_LIST(json, key, i, n, put)                                                            \
    do {                                                                                           \
        json_begin(json, key, '[');                                                                \
        for (uint32_t i = 0; i < (n); i++)                                                         \
            put;                                                                                   \
        json_end(json, ']');                                                                       \
    } while (0)
/* The same, each in an object of its own. */
#define JSON_OBJECTS(json, key, i, n, put)                                                         \
    JSON_LIST(json, key, i, n, (json_begin(json, NULL, '{'), put, json_end(json, '}')))
/* Lets the next value, or key, begin a line. */
void json_line(Json *json);

void json_text(Json *json, const char *key, const char *text);
void json_bytes(Json *json, const char *key, const char *bytes, size_t n);
void json_count(Json *json, const char *key, uint64_t n);
void json_change(Json *json, const char *key, int64_t n);
/* Writes it as text_number does. */
void json_number(Json *json, const char *key, double number);
void json_flag(Json *json, const char *key, bool flag);

/* Writes the number of a word in an array of them all, which json_words writes. */
void json_word(Json *json, const char *text);
void json_words(Json *json, const char *key);

/* Writes all figures of a list: as fields of the object that is open; as an object of their own; or
 * only those that nodes of the call tree have and that are not 0. */
void json_figures(Json *json, const void *of, const LmpFigure *list);
void json_object(Json *json, const char *key, const void *of, const LmpFigure *list);
void json_node_figures(Json *json, const void *of, const LmpFigure *list);

#endif
