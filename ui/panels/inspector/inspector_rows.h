/* inspector_rows.h - the variables of the paused operation as a list that can be unfolded: entries
 * of tables, upvalues of functions. The program is asked for what is in a value when a person opens
 * it, a page at a time; nothing else is read, so a value that holds itself is no danger.
 *
 * With another operation the list is made anew. What was open stays open, by its names: the old
 * rows are shown until the program has answered.
 *
 * Names and values of the rows are given in words, safe to print. */
#ifndef LMP_INSPECTOR_ROWS_H
#define LMP_INSPECTOR_ROWS_H

#include "base/format.h"
#include "shared/layout.h"
#include "widget/panel.h"

typedef enum VarKind {
    VAR_VALUE, /* a variable, an entry */
    VAR_MORE,  /* entries that have not been read */
    VAR_WORDS  /* neither: a reason why there is nothing, a heading */
} VarKind;

typedef struct VarRow {
    LmpLocal value;
    uint8_t kind; /* VarKind */
    uint8_t depth;
    bool open, read; /* unfolded; the rows below it are of this operation */
    bool upvalue;    /* of the variables: behind their heading */
    uint8_t name_w;  /* columns of the widest name among its siblings, at most VAR_NAME */
    uint32_t variable;
    uint64_t id;            /* by the names on the way */
    uint64_t entries, next; /* of an open value: how many in all; where to go on */
    uint64_t have, want;    /* rows below it, and how many are wanted */
    bool least;             /* `entries` is a lower bound */
    char words[56];
} VarRow;

enum { VAR_NAME = 16 };

typedef struct VarRows {
    VarRow *row;
    uint32_t rows, room;
    bool opens; /* some of the variables can be unfolded */

    /* private: what the rows were made of, and what is asked for */
    uint64_t number;
    uint32_t locals, upvalues, locals_more, upvalues_more, locals_state, upvalues_state, frame;
    LmpLocal local[LMP_LOCALS], upvalue[LMP_UPVALUES];
    bool made, asking;
    LmpInsideWish asked;
    uint64_t asked_id, asked_at;
} VarRows;

void varrows_free(VarRows *rows);
/* Call before using the rows: follows the model, takes what the program has answered, asks for what
 * is missing. */
void varrows_follow(VarRows *rows, const Model *model, Ui *ui);

/* Unfolds a row, or reads more of its value; folds it. */
void varrows_open(VarRows *rows, uint32_t row);
void varrows_fold(VarRows *rows, uint32_t row);
/* Returns the row that this one is in; for a variable `row` itself. */
uint32_t varrows_parent(const VarRows *rows, uint32_t row);
/* Returns false for headings, which cannot be chosen. */
bool varrows_chosen(const VarRows *rows, uint32_t row);
/* Returns the row with that id; UINT32_MAX: none. */
uint32_t varrows_find(const VarRows *rows, uint64_t id);

enum { INSPECTOR_NAME = 64, INSPECTOR_VALUE = 4 * LMP_LOCAL_BYTES };

/* Writes "count", "[3]", "[\"any text\"]", "metatable". Returns out. */
char *inspector_name(const LmpLocal *local, bool ascii, char out[INSPECTOR_NAME]);
/* Writes "nil", "12.5", "\"text\"…", "{id, name, …}", "function app.lua:12". Returns out. */
char *inspector_value(const LmpLocal *local, bool ascii, char out[INSPECTOR_VALUE]);
/* Writes what stands at the right of a value that is cut: a string's size, a table's entries. "":
 * nothing. */
char *inspector_extent(const LmpLocal *local, char out[LMP_NUM]);
Style inspector_style(const LmpLocal *local);

#endif
