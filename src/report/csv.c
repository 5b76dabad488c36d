/* csv.c - see csv.h. */
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
