/* text.c - counts columns by character (UTF-8), two for wide scripts, and cuts a text at its
 * beginning or end, with "..." for the rest; quotes a field of CSV that needs it. */
#include "report/text.h"

#include <inttypes.h>
#include <string.h>

#include "base/format.h"

const char *text_count(char *out, uint64_t n, int width) {
    format_count(out, n);
    return (int)strlen(out) <= width ? out : format_short(out, n);
}

const char *text_change(char *out, int64_t n, int width) {
    char digits[LMP_NUM];
    uint64_t size = n < 0 ? 0 - (uint64_t)n : (uint64_t)n;
    snprintf(out, LMP_NUM, "%s%.*s",
             n < 0   ? "-"
             : n > 0 ? "+"
                     : "",
             LMP_NUM - 2, text_count(digits, size, width - 1));
    return out;
}

unsigned text_percent(uint64_t part, uint64_t whole) {
    if (part >= whole) return part > 0 ? 100 : 0;
    return (unsigned)((double)part * 100 / (double)whole + 0.5);
}

/* Columns of a character, rather too many than too few. */
static int columns_of(uint32_t c) {
    return c < 0x1100 ? 1 : 2;
}

int text_columns(const char *text) {
    int n = 0;
    for (uint32_t c; *text; n += columns_of(c)) {
        size_t bytes = format_utf8(text, &c);
        if (bytes == 0) break;
        text += bytes;
    }
    return n;
}

void text_put(FILE *out, const char *text, int width, bool tail) {
    int cut = text_columns(text) - width, used = 0;
    if (cut > 0 && tail) {
        uint32_t c;
        for (cut += 3; cut > 0; cut -= columns_of(c))
            text += format_utf8(text, &c);
        fprintf(out, "...%s", text);
        used = 3 + text_columns(text);
    } else if (cut > 0) {
        size_t bytes = 0;
        for (uint32_t c;; used += columns_of(c)) {
            size_t n = format_utf8(text + bytes, &c);
            if (used + columns_of(c) > width - 3) break;
            bytes += n;
        }
        fprintf(out, "%.*s...", (int)bytes, text);
        used += 3;
    } else {
        fputs(text, out);
        used = width + cut;
    }
    fprintf(out, "%*s", width - used, "");
}

void text_put_whole(FILE *out, const char *text, int indent, int width) {
    if (text_columns(text) > width) {
        fprintf(out, "%s\n%*s", text, indent, "");
        text = "";
    }
    text_put(out, text, width, false);
}

void text_put_most(FILE *out, const char *text, int width, bool tail) {
    int n = text_columns(text);
    text_put(out, text, n < width ? n : width, tail);
}

const char *text_moment(char *out, uint64_t clock) {
    format_clock(out, clock);
    size_t n = strlen(out);
    bool fine = n > 0 && out[n - 1] != 'h'; /* not of several days */
    if (fine) snprintf(out + n, LMP_NUM - n, ".%03u", (unsigned)(clock / 1000000 % 1000));
    return out;
}

void text_csv(FILE *out, const char *text) {
    bool quoted = text[strcspn(text, "\",\r\n")], marked = *text && strchr("=+-@\t\r'", *text);
    if (quoted) fputc('"', out);
    if (marked) fputc('\'', out);
    for (; *text; text++) {
        if (*text == '"') fputc('"', out);
        fputc(*text, out);
    }
    if (quoted) fputc('"', out);
}

void text_csv_number(FILE *out, uint64_t n) {
    fputc(',', out);
    text_digits(out, n);
}

void text_number(FILE *out, double number) {
    /* not %f: the decimal point is the locale's there */
    double size = number < 0 ? -number : number;
    uint64_t us = size < 1e12 ? (uint64_t)(size * 1e6 + 0.5) : 0;
    fprintf(out, "%s%" PRIu64 ".%06u", number < 0 && us > 0 ? "-" : "", us / 1000000,
            (unsigned)(us % 1000000));
}
