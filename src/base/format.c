/* format.c - numbers and foreign text as people read them. Integer arithmetic only, so that neither
 * locale nor floating-point rounding can change what a golden file or a script sees. */
#include "base/format.h"

#include <ctype.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

/* n / unit, rounded to the nearest; no overflow for any n and unit up to 2^60. */
static uint64_t whole(uint64_t n, uint64_t unit) {
    return n / unit + (n % unit >= unit / 2);
}

/* The same in tenths. */
static uint64_t tenths(uint64_t n, uint64_t unit) {
    return n / unit * 10 + (n % unit * 10 + unit / 2) / unit;
}

char *format_bytes(char *out, uint64_t bytes) {
    static const char prefix[] = "KMGTPE";
    if (bytes < 1024) {
        snprintf(out, LMP_NUM, "%u B", (unsigned)bytes);
        return out;
    }
    unsigned i = 0;
    uint64_t unit = 1024;
    while (tenths(bytes, unit) >= 10240 && prefix[i + 1]) {
        unit *= 1024;
        i++;
    }
    uint64_t t = tenths(bytes, unit);
    snprintf(out, LMP_NUM, "%u.%u %ciB", (unsigned)(t / 10), (unsigned)(t % 10), prefix[i]);
    return out;
}

char *format_delta_bytes(char *out, int64_t bytes) {
    if (bytes == 0) {
        memcpy(out, "0", 2);
        return out;
    }
    out[0] = bytes < 0 ? '-' : '+';
    char number[LMP_NUM];
    snprintf(out + 1, LMP_NUM - 1, "%.*s", LMP_NUM - 2,
             format_bytes(number, bytes < 0 ? 0 - (uint64_t)bytes : (uint64_t)bytes));
    return out;
}

char *format_count(char *out, uint64_t n) {
    char digits[LMP_NUM];
    int count = snprintf(digits, sizeof digits, "%llu", (unsigned long long)n);
    char *to = out;
    for (int i = 0; i < count; i++) {
        if (i > 0 && (count - i) % 3 == 0) *to++ = ',';
        *to++ = digits[i];
    }
    *to = '\0';
    return out;
}

char *format_short(char *out, uint64_t n) {
    static const char prefix[] = "kMGTPE";
    if (n < 1000) {
        snprintf(out, LMP_NUM, "%u", (unsigned)n);
        return out;
    }
    unsigned i = 0;
    uint64_t unit = 1000;
    while (whole(n, unit) >= 1000 && prefix[i + 1]) {
        unit *= 1000;
        i++;
    }
    uint64_t t = tenths(n, unit);
    if (t < 100)
        snprintf(out, LMP_NUM, "%u.%u %c", (unsigned)(t / 10), (unsigned)(t % 10), prefix[i]);
    else
        snprintf(out, LMP_NUM, "%u %c", (unsigned)whole(n, unit), prefix[i]);
    return out;
}

char *format_clock(char *out, uint64_t ns) {
    uint64_t s = ns / 1000000000u, h = s / 3600;
    if (h < 100)
        snprintf(out, LMP_NUM, "%02u:%02u:%02u", (unsigned)h, (unsigned)(s / 60 % 60),
                 (unsigned)(s % 60));
    else
        snprintf(out, LMP_NUM, "%ud %02uh", (unsigned)(h / 24), (unsigned)(h % 24));
    return out;
}

char *format_clock_fine(char *out, uint64_t ns) {
    uint64_t tenths = ns / 100000000u, h = tenths / 36000;
    format_clock(out, ns);
    if (h >= 100) return out;
    size_t used = strlen(out);
    snprintf(out + used, LMP_NUM - used, ".%u", (unsigned)(tenths % 10));
    return out;
}

char *format_span(char *out, uint64_t ns) {
    static const uint64_t us = 1000, ms = 1000000, s = 1000000000, min = 60000000000,
                          h = 3600000000000, d = 86400000000000;
    static const struct {
        uint64_t below, unit;
        int tenth; /* with a decimal */
        const char *name;
    } row[] = {{us, 1, 0, "ns"},    {ms, us, 0, "us"},  {s, ms, 0, "ms"},
               {10 * s, s, 1, "s"}, {min, s, 0, "s"},   {h, min, 0, "min"},
               {10 * h, h, 1, "h"}, {4 * d, h, 0, "h"}, {UINT64_MAX, d, 0, "d"}};
    unsigned i = 0;
    while (ns >= row[i].below && row[i].below != UINT64_MAX)
        i++;
    unsigned whole = (unsigned)(ns / row[i].unit);
    unsigned tenth = (unsigned)(ns % row[i].unit * 10 / row[i].unit);
    if (row[i].tenth)
        snprintf(out, LMP_NUM, "%u.%u %s", whole, tenth, row[i].name);
    else
        snprintf(out, LMP_NUM, "%u %s", whole, row[i].name);
    return out;
}

size_t format_utf8(const char *text, uint32_t *code) {
    /* smallest number that needs this many bytes: anything below it is overlong */
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *p = (const unsigned char *)text;
    size_t n = p[0] < 0x80                   ? 1
               : p[0] >= 0xc2 && p[0] < 0xe0 ? 2
               : p[0] >= 0xe0 && p[0] < 0xf0 ? 3
               : p[0] >= 0xf0 && p[0] < 0xf5 ? 4
                                             : 0;
    if (n == 0) return 0;
    uint32_t c = n == 1 ? p[0] : p[0] & (0x7fu >> n);
    for (size_t i = 1; i < n; i++) {
        if ((p[i] & 0xc0) != 0x80) return 0; /* also the NUL of a truncated text */
        c = c << 6 | (p[i] & 0x3fu);
    }
    if (c < least[n] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000)) return 0;
    *code = c;
    return n;
}

bool format_is_control(uint32_t c) {
    return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x61c || (c >= 0x200b && c <= 0x200f) ||
           (c >= 0x2028 && c <= 0x202e) || (c >= 0x2060 && c <= 0x206f) || c == 0xfeff;
}

char *format_text(char *out, size_t size, const char *text, int ascii) {
    size_t at = 0;
    if (size == 0) return out;
    while (*text) {
        uint32_t c = 0;
        size_t n = format_utf8(text, &c);
        int bad = n == 0 || format_is_control(c) || (ascii && c >= 0x80);
        size_t room = bad ? 1 : n;
        if (at + room >= size) break;
        if (bad)
            out[at] = '?';
        else
            memmove(out + at, text, n);
        at += room;
        text += n ? n : 1;
    }
    out[at] = '\0';
    return out;
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/* Returns the unit of a size as a power of two, -1: `text` is none. */
static int size_shift(const char *text) {
    static const char prefix[] = "kmgtpe";
    int shift = 0;
    const char *p = *text ? strchr(prefix, *text | 0x20) : NULL;
    if (p && *p) {
        shift = 10 * (int)(p - prefix + 1);
        text++;
        if ((*text | 0x20) == 'i') text++;
    }
    if ((*text | 0x20) == 'b') text++;
    return *text ? -1 : shift;
}

const char *format_number(const char *text, double *out) {
    double value = 0, place = 1;
    bool digits = is_digit(text[*text == '.']);
    for (; is_digit(*text); text++)
        value = value * 10 + (*text - '0');
    if (*text == '.')
        for (text++; is_digit(*text); text++)
            value += (*text - '0') * (place /= 10);
    *out = value < 1e18 ? value : 1e18;
    return digits ? text : NULL;
}

bool format_parse_size(const char *text, uint64_t *bytes) {
    uint64_t whole = 0, fraction = 0, scale = 1;
    if (!is_digit(*text)) return false;
    for (; is_digit(*text); text++)
        if (__builtin_mul_overflow(whole, 10u, &whole) ||
            __builtin_add_overflow(whole, (uint64_t)(*text - '0'), &whole))
            return false;
    if (*text == '.') {
        if (!is_digit(*++text)) return false;
        for (; is_digit(*text); text++) {
            if (scale >= 1000000000u) continue; /* further digits are below any byte that counts */
            fraction = fraction * 10 + (uint64_t)(*text - '0');
            scale *= 10;
        }
    }
    if (*text == ' ') text++;
    int shift = size_shift(text);
    if (shift < 0 || (shift > 0 && whole >> (64 - shift))) return false;
    uint64_t part = 0; /* fraction * 2^shift / scale, bit by bit: the product may not fit */
    for (int i = 0; i < shift; i++) {
        fraction *= 2;
        part = part * 2 + (fraction >= scale);
        if (fraction >= scale) fraction -= scale;
    }
    *bytes = (whole << shift) + part;
    return true;
}

static bool is_plain(char c) {
    return isalnum((unsigned char)c) || strchr("_-./+,@%:=", c);
}

bool format_plain_word(const char *text) {
    for (const char *c = text; *c; c++)
        if (!is_plain(*c)) return false;
    return *text != 0;
}

/* As command_add_word writes them. */
bool format_plain_line(const char *text) {
    bool quoted = false;
    for (const char *c = text; *c; c++) {
        if (*c == '\'')
            quoted = !quoted;
        else if (quoted ? *c < ' ' || *c > '~' : *c != ' ' && !is_plain(*c)) {
            if (quoted || c[0] != '\\' || c[1] != '\'') return false;
            c++;
        }
    }
    return *text && !quoted;
}

const char *format_where(char *out, size_t size, const char *short_src, int32_t line) {
    if (line >= 0)
        snprintf(out, size, "%s:%d", short_src, line);
    else
        snprintf(out, size, "%s", short_src);
    return out;
}

/* Not every C library has these names: musl has none. */
const char *format_signal(int number) {
#define NAMED(signal) [signal] = #signal
    static const char *const names[] = {
        NAMED(SIGHUP),  NAMED(SIGINT),    NAMED(SIGQUIT), NAMED(SIGILL),   NAMED(SIGTRAP),
        NAMED(SIGABRT), NAMED(SIGBUS),    NAMED(SIGFPE),  NAMED(SIGKILL),  NAMED(SIGUSR1),
        NAMED(SIGSEGV), NAMED(SIGUSR2),   NAMED(SIGPIPE), NAMED(SIGALRM),  NAMED(SIGTERM),
        NAMED(SIGCHLD), NAMED(SIGSTKFLT), NAMED(SIGCONT), NAMED(SIGSTOP),  NAMED(SIGTSTP),
        NAMED(SIGTTIN), NAMED(SIGTTOU),   NAMED(SIGURG),  NAMED(SIGXCPU),  NAMED(SIGXFSZ),
        NAMED(SIGPROF), NAMED(SIGVTALRM), NAMED(SIGPOLL), NAMED(SIGWINCH), NAMED(SIGPWR),
        NAMED(SIGSYS),
    };
#undef NAMED
    return number > 0 && (size_t)number < sizeof names / sizeof *names ? names[number] : NULL;
}
