/* process_words.h - what the figures of a process amount to, in sentences. */
#ifndef LMP_PROCESS_WORDS_H
#define LMP_PROCESS_WORDS_H

#include "read/process/process.h"

#define PROCESS_SENTENCES 6u
#define PROCESS_SENTENCE 320u

typedef struct ProcessWords {
    char line[PROCESS_SENTENCES][PROCESS_SENTENCE];
    uint32_t count;
} ProcessWords;

/* "Lua's blocks are 70.0 MiB of 300.1 MiB in memory". */
char *process_headline(char out[PROCESS_SENTENCE], const ProcessFigures *f);
/* What is to be said beside the rows: what could be given back, what Lua counts, what is not known
 * and why. */
void process_words(ProcessWords *words, const ProcessFigures *f);

#endif
