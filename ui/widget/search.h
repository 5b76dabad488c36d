/* search.h - a text that is sought in lines: typed after `/`, lit up where it stands on the screen,
 * and gone through with n and N. For panels that show text: help, output, a source. Letters from a
 * to z are alike in upper and lower case.
 *
 * The panel says what lines there are (SearchLines), calls search_follow before it draws, and
 * brings the line `at` on the screen when that or search_act says that it has changed. */
#ifndef LMP_SEARCH_H
#define LMP_SEARCH_H

#include "screen/edit.h"
#include "widget/panel.h"

#define SEARCH_TEXT 2048 /* bytes of a line that are looked at */

typedef struct SearchLines {
    uint64_t first, end; /* lines [first, end) */
    /* Line `line`, at most size - 1 bytes, as it is drawn. */
    void (*text)(void *context, uint64_t line, char *out, size_t size);
    void *context;
} SearchLines;

typedef struct Search {
    LineEdit edit;
    bool found;            /* there is a line with it: */
    uint64_t at;           /* the one gone to last */
    char sought[EDIT_MAX]; /* private: the text that this is of */
    uint64_t seen;         /* private: the end of the lines that have been looked through */
} Search;

void search_init(Search *search);
/* Is anything sought? */
bool search_on(const Search *search);
/* ACT_FILTER begins typing; ACT_NEXT_MATCH and ACT_MATCH_BEFORE go on, round the ends; ACT_BACK
 * gives up what is sought. False: not an action of searches, or there is nothing to do. */
bool search_act(Search *search, Ui *ui, Action action, const SearchLines *lines);
/* Before drawing: where another text is sought than before, goes to the first line with it from
 * line `from` on. True: `at` is to be shown. */
bool search_follow(Search *search, const SearchLines *lines, uint64_t from);
/* Lights up what is sought in `rect`; in row `y`, the line gone to last, more than elsewhere (-1:
 * it is not there). */
void search_light(const Search *search, Canvas *canvas, Rect rect, int y);
/* For the frame's note: what is sought, and whether it is there; "" when nothing is. */
void search_note(const Search *search, const Ui *ui, char *out, size_t size);
/* The first line of `page` lines with which line `at` is on the screen, where `top` is now. */
uint64_t search_top(uint64_t at, uint64_t top, int page);

#endif
