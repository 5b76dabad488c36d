/* webpage.c - the two halves of the shell around one JSON object. */
#include "report/webpage.h"

LmpErr webpage_write(const WebPage *page, JsonStyle style, WebPageData *put, const void *of,
                     FILE *out) {
    TextTable words;
    Json json = {.out = out, .style = style, .words = &words};
    LmpErr err = LMP_E_NOMEM;
    if (texttable_open(&words, NULL)) {
        fputs(page->head, out);
        json_begin(&json, NULL, '{');
        err = put(&json, of);
        json_end(&json, '}');
        fputs(page->tail, out);
        if (!err && words.failed) err = LMP_E_NOMEM;
    }
    texttable_close(&words);
    return err;
}
