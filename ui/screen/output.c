/* output.c - a state machine fed byte by byte: builds the current line, skips escape sequences, and
 * puts finished lines with their times into a ring. */
#include "screen/output.h"

#include <stdlib.h>
#include <string.h>

/* The place within an escape sequence. */
typedef enum Escape { PLAIN, AFTER_ESC, IN_CSI, IN_STRING, STRING_ESC, ONE_MORE } Escape;

struct Output {
    char *line[OUTPUT_LINES];     /* ring: line i is in line[i % OUTPUT_LINES]; NULL: empty */
    uint64_t clock[OUTPUT_LINES]; /* the same: when it began */
    uint64_t fed, began;          /* the time of the bytes that come, and of the line in `now` */
    uint64_t lines;               /* finished */
    uint64_t bytes;
    Escape escape;
    size_t at, length; /* in `now`: where the next byte goes, and the end */
    char now[OUTPUT_COLUMNS + 1];
};

Output *output_new(void) {
    return calloc(1, sizeof(Output));
}

void output_free(Output *output) {
    if (!output) return;
    for (size_t i = 0; i < OUTPUT_LINES; i++)
        free(output->line[i]);
    free(output);
}

static void end_line(Output *output) {
    char **slot = &output->line[output->lines % OUTPUT_LINES];
    free(*slot);
    *slot = NULL; /* without memory the line reads as empty; its bytes are in the spool */
    if (output->length > 0) {
        *slot = malloc(output->length + 1);
        if (*slot) memcpy(*slot, output->now, output->length + 1);
    }
    output->clock[output->lines % OUTPUT_LINES] = output->began;
    output->lines++;
    output->began = output->fed;
    output->at = output->length = 0;
    output->now[0] = 0;
}

static void put_byte(Output *output, char byte) {
    if (output->length == 0) output->began = output->fed;
    if (output->at >= OUTPUT_COLUMNS) return;
    output->now[output->at++] = byte;
    if (output->at > output->length) {
        output->length = output->at;
        output->now[output->length] = 0;
    }
}

static void put_plain(Output *output, char byte) {
    switch (byte) {
    case '\n':
        end_line(output);
        break;
    case '\r':
        output->at = 0;
        break;
    case '\t':
        do
            put_byte(output, ' ');
        while (output->at % 8 != 0 && output->at < OUTPUT_COLUMNS);
        break;
    case '\b':
        if (output->at > 0) output->at--;
        break;
    case '\033':
        output->escape = AFTER_ESC;
        break;
    default:
        if ((unsigned char)byte >= ' ' && byte != 0x7f) put_byte(output, byte);
    }
}

static void take_byte(Output *output, char byte) {
    switch (output->escape) {
    case PLAIN:
        put_plain(output, byte);
        break;
    case AFTER_ESC:
        if (byte == '[') {
            output->escape = IN_CSI;
        } else if (byte == ']' || byte == 'P' || byte == '_' || byte == '^' || byte == 'X') {
            output->escape = IN_STRING;
        } else {
            output->escape = byte >= ' ' && byte <= '/' ? ONE_MORE : PLAIN;
        }
        break;
    case IN_CSI:
        if (byte == 'K') { /* erases the rest */
            output->length = output->at;
            output->now[output->at] = 0;
        }
        if (byte == '\n') put_plain(output, byte); /* broken off */
        if ((byte >= '@' && byte <= '~') || byte == '\n') output->escape = PLAIN;
        break;
    case IN_STRING:
        if (byte == '\a') output->escape = PLAIN;
        if (byte == '\033') output->escape = STRING_ESC;
        break;
    case STRING_ESC:
        output->escape = byte == '\\' ? PLAIN : IN_STRING;
        break;
    case ONE_MORE:
        output->escape = PLAIN;
        break;
    }
}

void output_feed(Output *output, const char *bytes, size_t size) {
    output->bytes += size;
    for (size_t i = 0; i < size; i++)
        take_byte(output, bytes[i]);
}

void output_feed_at(Output *output, const char *bytes, size_t size, uint64_t clock) {
    output->fed = clock;
    if (output->length == 0) output->began = clock;
    output_feed(output, bytes, size);
}

void output_restart(Output *output, uint64_t lines, uint64_t bytes) {
    for (size_t i = 0; i < OUTPUT_LINES; i++)
        free(output->line[i]);
    *output = (Output){.lines = lines, .bytes = bytes};
}

uint64_t output_clock(const Output *output, uint64_t i) {
    if (i == output->lines) return output->began;
    if (i > output->lines || i + OUTPUT_LINES < output->lines) return 0;
    return output->clock[i % OUTPUT_LINES];
}

uint64_t output_lines(const Output *output) {
    return output->lines + (output->length > 0);
}

uint64_t output_bytes(const Output *output) {
    return output->bytes;
}

const char *output_line(const Output *output, uint64_t i) {
    if (i == output->lines) return output->now;
    if (i > output->lines || i + OUTPUT_LINES < output->lines) return "";
    const char *line = output->line[i % OUTPUT_LINES];
    return line ? line : "";
}
