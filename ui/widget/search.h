/* search.h - searches for a text in lines: typed after `/`, lit up where it appears on the screen,
 * and stepped through with n and N. For panels that show text: help, output, a source. Upper and
 * lower case are the same for letters from a to z.
 *
 * The panel gives its lines (SearchLines), calls search_follow before it draws, and brings the line
 * `at` onto the screen when that or search_act returns that it changed. */
#ifndef LMP_SEARCH_H
#define LMP_SEARCH_H

#include "screen/edit.h"
#include "widget/panel.h"

#define SEARCH_TEXT 2048 /* bytes of a line that are searched */

typedef struct SearchLines {
    uint64_t first, end; /* lines [first, end) */
    /* Writes line `line` as it is drawn, at most size - 1 bytes. */
    void (*text)(void *context, uint64_t line, char *out, size_t size);
    void *context;
} SearchLines;

/* All zeroes: there is none. */
typedef struct Search {
    LineEdit edit;
    bool found;            /* some line matches: */
    uint64_t at;           /* the current match */
    char sought[EDIT_MAX]; /* private: the text that `found` and `at` are about */
    uint64_t seen;         /* private: the end of the lines searched so far */
} Search;

/* Returns true if a search is active. */
bool search_on(const Search *search);
/* Does an action of searches: ACT_FILTER begins typing; ACT_NEXT_MATCH and ACT_MATCH_BEFORE go on,
 * wrapping around; ACT_BACK ends the search. Returns false: not one of these, or nothing to do. */
bool search_act(Search *search, Ui *ui, Action action, const SearchLines *lines);
/* Call before drawing: if the searched text has changed, goes to the first match from line `from`
 * on. Returns true: show `at`. */
bool search_follow(Search *search, const SearchLines *lines, uint64_t from);
/* Lights up the matches in `rect`, and more than others those in row `y`, the current match (-1:
 * not on the screen). */
void search_light(const Search *search, Canvas *canvas, Rect rect, int y);
/* Lights up each word of `words`, a filter's, in `rect`. */
void search_light_words(Canvas *canvas, Rect rect, const char *words);
/* Writes the border's note: the searched text, and whether it was found; "" if there is no
 * search. */
void search_note(const Search *search, const Ui *ui, char *out, size_t size);
/* Returns the first of `page` lines that brings line `at` onto the screen; `top` is the current
 * one. */
uint64_t search_top(uint64_t at, uint64_t top, int page);

#endif
