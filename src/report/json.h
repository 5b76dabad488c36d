/* json.h - a JSON writer: the caller gives each value its key, the commas are added here.
 */
#ifndef LMP_JSON_H
#define LMP_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "read/figure.h"

typedef struct Json {
    FILE *out;
    bool comma; /* there is something before the next value */
    bool range; /* figures are of a range of time: they may be negative, and some it has not */
} Json;

/* In all of these `key` is NULL in an array and outside of everything. */
void json_begin(Json *json, const char *key, char bracket); /* '{' or '[' */
void json_end(Json *json, char bracket);                    /* '}' or ']' */

/* A string of any bytes: what is not UTF-8 becomes U+FFFD, so that the whole stays valid. */
void json_text(Json *json, const char *key, const char *text);
void json_count(Json *json, const char *key, uint64_t n);
void json_change(Json *json, const char *key, int64_t n);
/* With six digits behind its point, whatever the locale. */
void json_number(Json *json, const char *key, double number);
void json_flag(Json *json, const char *key, bool flag);

/* All figures of a list, as fields of the object that is open; or only those that nodes of the call
 * tree have and that are not 0. */
void json_figures(Json *json, const void *of, const LmpFigure *list);
void json_node_figures(Json *json, const void *of, const LmpFigure *list);

#endif
