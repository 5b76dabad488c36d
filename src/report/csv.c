/* csv.c - quotes a field that needs it, and marks one with ' that a spreadsheet would take for a
 * formula. */
#include "report/csv.h"

#include <stdbool.h>
#include <string.h>

void csv_text(FILE *out, const char *text) {
    bool quoted = text[strcspn(text, "\",\r\n")], marked = *text && strchr("=+-@\t\r'", *text);
    if (quoted) fputc('"', out);
    if (marked) fputc('\'', out);
    for (; *text; text++) {
        if (*text == '"') fputc('"', out);
        fputc(*text, out);
    }
    if (quoted) fputc('"', out);
}
