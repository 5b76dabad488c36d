/* inspector_rows.h - the variables of the paused operation as a list, with what has been unfolded
 * of them: entries of tables, upvalues of functions. What is in a value is asked of the program
 * when a person opens it, a page at a time; nothing else is read, so what holds itself is no
 * danger.
 *
 * With another operation the list is made anew. What was open stays open, by its names: it is shown
 * as it was until the program has told how it is now. */
#ifndef LMP_INSPECTOR_ROWS_H
#define LMP_INSPECTOR_ROWS_H

#include "widget/panel.h"

typedef enum VarKind {
    VAR_VALUE, /* a variable, an entry */
    VAR_MORE,  /* entries that have not been read */
    VAR_WORDS  /* neither: why there is nothing, a heading */
} VarKind;

typedef struct VarRow {
    LmpLocal value;
    uint8_t kind; /* VarKind */
    uint8_t depth;
    bool open, read; /* unfolded; what is below it is of this operation */
    bool upvalue;    /* of the variables: behind their heading */
    uint8_t name_w;  /* columns of the widest name beside it, at most VAR_NAME */
    uint32_t variable;
    uint64_t id;            /* by the names on the way */
    uint64_t entries, next; /* of an open one: in all; to go on from */
    uint64_t have, want;    /* rows below it, and how many are wanted */
    bool least;             /* `entries` is so many at least */
    char words[56];
} VarRow;

enum { VAR_NAME = 16 };

typedef struct VarRows {
    VarRow *row;
    uint32_t rows, room;
    bool opens; /* some of the variables can be unfolded */

    /* private: what they were made of, and what is asked for */
    uint64_t number;
    uint32_t locals, upvalues, locals_more, upvalues_more, locals_state, upvalues_state, frame;
    LmpLocal local[LMP_LOCALS], upvalue[LMP_UPVALUES];
    bool made, asking;
    LmpInsideWish asked;
    uint64_t asked_id, asked_at;
} VarRows;

void varrows_free(VarRows *rows);
/* Before they are used: follows the model, takes what the program has answered, asks for what is
 * missing. */
void varrows_follow(VarRows *rows, const Model *model, Ui *ui);

/* Can the row be unfolded? */
bool varrows_opens(const VarRows *rows, uint32_t row);
/* Unfolds one, or reads more of what is behind it; folds it. */
void varrows_open(VarRows *rows, uint32_t row);
void varrows_fold(VarRows *rows, uint32_t row);
/* The row that it is in; `row` itself: it is a variable. */
uint32_t varrows_parent(const VarRows *rows, uint32_t row);
/* Headings cannot be chosen. */
bool varrows_chosen(const VarRows *rows, uint32_t row);
/* The row with that id; UINT32_MAX: there is none. */
uint32_t varrows_find(const VarRows *rows, uint64_t id);

#endif
