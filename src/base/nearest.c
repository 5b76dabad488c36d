/* nearest.c - the edit distance of each offered word to what was typed; the least wins, if it is at
 * most a third of the longer word's length. */
#include "base/nearest.h"

#include <string.h>

enum { LONGEST = 24, FAR = 99 };

static unsigned least(unsigned a, unsigned b) {
    return a < b ? a : b;
}

/* Returns the optimal string alignment distance: letters to insert, leave out, change or swap. */
static unsigned distance(const char *a, size_t n, const char *b, size_t m) {
    unsigned row[LONGEST + 1][LONGEST + 1];
    if (n > LONGEST || m > LONGEST) return FAR;
    for (size_t i = 0; i <= n; i++) {
        for (size_t j = 0; j <= m; j++) {
            if (i == 0 || j == 0) {
                row[i][j] = (unsigned)(i + j);
                continue;
            }
            unsigned best = row[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            best = least(best, least(row[i - 1][j], row[i][j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                best = least(best, row[i - 2][j - 2] + 1);
            row[i][j] = best;
        }
    }
    return row[n][m];
}

void nearest_offer(Nearest *nearest, const char *word) {
    size_t typed = nearest->length ? nearest->length : strlen(nearest->typed);
    size_t length = strlen(word);
    unsigned d = distance(nearest->typed, typed, word, length);
    if (typed >= 3 && typed < length && memcmp(nearest->typed, word, typed) == 0) d = 1;
    if (d > (typed > length ? typed : length) / 3) return;
    if (nearest->word && nearest->distance <= d) return;
    nearest->word = word;
    nearest->distance = d;
}
