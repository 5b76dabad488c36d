/* webpage.h - a page for a browser that needs nothing else: shell.html with what is a page's own
 * (title, styles, body, scripts: src/CMakeLists.txt lists them), and its data as JSON. Scripts find
 * that in `data` (page/basics.js). */
#ifndef LMP_WEBPAGE_H
#define LMP_WEBPAGE_H

#include "base/err.h"
#include "report/json.h"

/* What stands before the data, and behind. */
typedef struct WebPage {
    const char *head, *tail;
} WebPage;

/* Made by webpage.cmake, each in the library of its room. */
extern const WebPage run_page, live_page, diff_page, snapshot_page;

/* Writes the fields of the data; json->words is empty at first. */
typedef LmpErr WebPageData(Json *json, const void *of);

/* Errors: those of `put`, NOMEM. */
LmpErr webpage_write(const WebPage *page, JsonStyle style, WebPageData *put, const void *of,
                     FILE *out);

#endif
