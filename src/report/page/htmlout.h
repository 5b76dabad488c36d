/* htmlout.h - the data of the page: a JSON writer whose text is safe within <script>, and the table
 * of words that rows name by number.
 */
#ifndef LMP_HTMLOUT_H
#define LMP_HTMLOUT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct HtmlOut {
    FILE *out;
    bool comma; /* there is something before the next value */
    const char **word;
    uint32_t words, room;
    uint32_t *slot; /* word + 1 by hash; 0: free */
    uint32_t slots; /* a power of two, or 0 */
    bool failed;    /* no memory for words */
} HtmlOut;

/* `key`: NULL in an array. */
void htmlout_begin(HtmlOut *o, const char *key, char bracket);
void htmlout_end(HtmlOut *o, char bracket);
void htmlout_count(HtmlOut *o, const char *key, uint64_t n);
void htmlout_change(HtmlOut *o, const char *key, int64_t n);
void htmlout_number(HtmlOut *o, const char *key, double seconds);

/* Any bytes. What is not UTF-8, a control or turns the direction of writing becomes U+FFFD;
 * nothing of it ends the script that it stands in. */
void htmlout_text(HtmlOut *o, const char *key, const char *text);
/* The same of `n` bytes, with their ends of line. */
void htmlout_bytes(HtmlOut *o, const char *key, const char *bytes, size_t n);

/* The number of a word, which must stay where it is until the words are written. */
uint32_t htmlout_word(HtmlOut *o, const char *text);
void htmlout_words(HtmlOut *o, const char *key); /* an array of them all */
void htmlout_free(HtmlOut *o);

#endif
