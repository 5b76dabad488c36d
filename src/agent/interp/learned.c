/* learned.c - the file of learned.h: a header, the places (an address in one of the two modules,
 * and the code around it), then the rows, which name places by number. */
#include "agent/interp/learned.h"

#include <lua.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/interp/code.h"
#include "base/keptfile.h"
#include "base/os.h"

enum {
    FORMAT = 1,
    AROUND = 16,
    MODULES = 2,
    MOST_PLACES = 4096,
    MOST_ROWS = 4096,
    MOST_CODE = 16 << 20
};

typedef struct Header {
    char magic[8];
    uint64_t sum;                                          /* of all that follows, and the key */
    uint32_t format, places, rows, id_size[MODULES], none; /* no gaps: compared as bytes */
    unsigned char id[MODULES][LMP_BUILD_ID];
} Header;

typedef struct Place {
    uint64_t at; /* in the module's file */
    uint32_t module, none;
    unsigned char code[2 * AROUND]; /* before and from there on */
} Place;

typedef struct Row {
    uint16_t place[LMP_LEARNED_PLACES]; /* from 1 on; 0: none */
    int32_t number[LMP_LEARNED_NUMBERS];
} Row;

static const char magic[8] = "lmplrnd";
enum { MOST_BYTES = sizeof(Header) + MOST_PLACES * sizeof(Place) + MOST_ROWS * sizeof(Row) };

/* FNV-1a, 64 bits. */
static uint64_t sum_of(uint64_t sum, const void *from, size_t size) {
    const unsigned char *byte = from;
    for (size_t i = 0; i < size; i++)
        sum = (sum ^ byte[i]) * 0x100000001b3ull;
    return sum;
}
#define SUM 0xcbf29ce484222325ull

/* ---- the modules ----------------------------------------------------------------------------- */

/* Returns true if its code can be told from any other, without reading for long. */
static bool can_be_told(const LmpCode *code) {
    return code->id_size && code->end - code->begin <= MOST_CODE;
}

/* The interpreter's and lmp's, which may be one. Returns false if one cannot be told. */
static bool find_modules(LmpCode code[MODULES]) {
    return code_find(&code[0], (uintptr_t)&lua_newstate) &&
           code_find(&code[1], (uintptr_t)&learned_read) && can_be_told(&code[0]) &&
           can_be_told(&code[1]);
}

/* Code compiled with AddressSanitizer decides at run time whether its locals stand on the stack
 * (ASAN_OPTIONS, detect_stack_use_after_return): what is learned of its frames holds for one choice
 * only. */
extern const int __asan_option_detect_stack_use_after_return /* NOLINT: the sanitizer's name */
    __attribute__((weak));

/* All code of a module, by words: whoever has patched any of it has other code. */
__attribute__((no_sanitize("address"))) static uint64_t sum_of_code(uint64_t sum,
                                                                    const LmpCode *code) {
    for (uintptr_t at = code->begin; code->end - at >= sizeof(uint64_t); at += sizeof(uint64_t)) {
        uint64_t word;
        memcpy(&word, (const void *)at, sizeof word); /* NOLINT */
        sum = (sum ^ word) * 0x100000001b3ull;
    }
    return sum;
}

/* A number for what a file is about: its name, the modules and all their code, and how their frames
 * stand. */
static uint64_t key_of(const char *name, const LmpCode code[MODULES]) {
    const int *choice = &__asan_option_detect_stack_use_after_return;
    int elsewhere = choice ? *choice : -1;
    uint64_t key = sum_of(SUM, name, strlen(name));
    for (int i = 0; i < MODULES; i++) {
        key = sum_of(key, code[i].id, code[i].id_size);
        if (i == 0 || code[i].begin != code[0].begin) key = sum_of_code(key, &code[i]);
    }
    return sum_of(key, &elsewhere, sizeof elsewhere);
}

/* Returns the code around an address; NULL: not all of it lies in the module. */
static const unsigned char *around(const LmpCode *code, uintptr_t address) {
    if (address < code->begin + AROUND || address > code->end - AROUND) return NULL;
    return (const unsigned char *)(address - AROUND); /* NOLINT: mapped, and never unmapped */
}

/* ---- the file -------------------------------------------------------------------------------- */

static bool path_of(char *out, size_t size, const char *name, uint64_t key) {
    char word[64];
    snprintf(word, sizeof word, "%s-%016llx", name, (unsigned long long)key);
    return keptfile_path(out, size, word);
}

static void fill_header(Header *h, const LmpCode code[MODULES], uint32_t places, uint32_t rows) {
    *h = (Header){.format = FORMAT, .places = places, .rows = rows};
    memcpy(h->magic, magic, sizeof magic);
    for (int i = 0; i < MODULES; i++) {
        h->id_size[i] = code[i].id_size;
        memcpy(h->id[i], code[i].id, sizeof code[i].id);
    }
}

/* ---- reading --------------------------------------------------------------------------------- */

/* Returns true if these bytes are a whole file with this key about these modules. */
static bool header_holds(const unsigned char *file, size_t size, uint64_t key,
                         const LmpCode code[MODULES]) {
    Header h, right;
    if (size < sizeof h) return false;
    memcpy(&h, file, sizeof h);
    if (h.places > MOST_PLACES || h.rows > MOST_ROWS ||
        size != sizeof h + h.places * sizeof(Place) + h.rows * sizeof(Row))
        return false;
    fill_header(&right, code, h.places, h.rows);
    right.sum = h.sum;
    size_t summed = offsetof(Header, format);
    return !memcmp(&h, &right, sizeof h) && h.sum == sum_of(key, file + summed, size - summed);
}

/* Returns false if the code there is not what it was. */
static bool find_places(uintptr_t *address, const unsigned char *file, uint32_t places,
                        const LmpCode code[MODULES]) {
    for (uint32_t i = 0; i < places; i++) {
        Place place;
        memcpy(&place, file + i * sizeof place, sizeof place);
        if (place.module >= MODULES) return false;
        const LmpCode *c = &code[place.module];
        address[i] = c->base + (uintptr_t)place.at;
        const unsigned char *is = around(c, address[i]);
        if (!is || memcmp(is, place.code, sizeof place.code) != 0) return false;
    }
    return true;
}

static bool take_rows(LmpLearnedRow *out, const unsigned char *file, uint32_t rows,
                      const uintptr_t *address, uint32_t places) {
    for (uint32_t i = 0; i < rows; i++) {
        Row row;
        memcpy(&row, file + i * sizeof row, sizeof row);
        for (int k = 0; k < LMP_LEARNED_PLACES; k++) {
            if (row.place[k] > places) return false;
            out[i].place[k] = row.place[k] ? address[row.place[k] - 1] : 0;
        }
        memcpy(out[i].number, row.number, sizeof row.number);
    }
    return true;
}

static LmpLearnedRow *read_rows(const unsigned char *file, size_t size, uint64_t key,
                                const LmpCode code[MODULES], uint32_t *rows) {
    Header h;
    if (!header_holds(file, size, key, code)) return NULL;
    memcpy(&h, file, sizeof h);
    const unsigned char *places = file + sizeof h, *at = places + h.places * sizeof(Place);
    uintptr_t *address = calloc(h.places + 1, sizeof *address);
    LmpLearnedRow *out = calloc(h.rows + 1, sizeof *out);
    bool good = address && out && find_places(address, places, h.places, code) &&
                take_rows(out, at, h.rows, address, h.places);
    free(address);
    if (good) {
        *rows = h.rows;
        return out;
    }
    free(out);
    return NULL;
}

LmpLearnedRow *learned_read(const char *name, uint32_t *rows) {
    LmpCode code[MODULES];
    char path[4096];
    if (!find_modules(code)) return NULL;
    uint64_t key = key_of(name, code);
    if (!path_of(path, sizeof path, name, key)) return NULL;
    unsigned char *file = lmp_os->map(MOST_BYTES, -1, 0, true); /* see Writing */
    int64_t size = file ? lmp_os->read_kept(path, file, MOST_BYTES) : -1;
    LmpLearnedRow *out = size > 0 ? read_rows(file, (size_t)size, key, code, rows) : NULL;
    if (file) lmp_os->unmap(file, MOST_BYTES);
    return out;
}

/* ---- writing --------------------------------------------------------------------------------- */

/* Mapped, since it is large: glibc's malloc asks the system for less of what a program requests
 * later (M_MMAP_THRESHOLD grows) once a large block has been freed. */
typedef struct Writing {
    LmpCode code[MODULES];
    uint64_t key;
    Place place[MOST_PLACES];
    Row row[MOST_ROWS];
    uint32_t places;
} Writing;

/* Returns the number of an address's place; -1: it lies in no module that is known, or there is no
 * room. */
static int32_t place_of(Writing *w, uintptr_t address) {
    if (!address) return 0;
    for (uint32_t m = 0; m < MODULES; m++) {
        const unsigned char *is = around(&w->code[m], address);
        if (!is) continue;
        Place place = {.at = address - w->code[m].base, .module = m};
        memcpy(place.code, is, sizeof place.code);
        for (uint32_t i = 0; i < w->places; i++)
            if (!memcmp(&w->place[i], &place, sizeof place)) return (int32_t)i + 1;
        if (w->places == MOST_PLACES) return -1;
        w->place[w->places++] = place;
        return (int32_t)w->places;
    }
    return -1;
}

static bool fill_rows(Writing *w, const LmpLearnedRow *row, uint32_t rows) {
    for (uint32_t i = 0; i < rows; i++) {
        for (int k = 0; k < LMP_LEARNED_PLACES; k++) {
            int32_t place = place_of(w, row[i].place[k]);
            if (place < 0) return false;
            w->row[i].place[k] = (uint16_t)place;
        }
        memcpy(w->row[i].number, row[i].number, sizeof row[i].number);
    }
    return true;
}

static void write_file(const char *path, const Writing *w, uint32_t rows) {
    Header h;
    size_t places = w->places * sizeof *w->place, size = sizeof h + places + rows * sizeof *w->row;
    unsigned char *file = malloc(size);
    if (!file) return;
    fill_header(&h, w->code, w->places, rows);
    memcpy(file, &h, sizeof h);
    memcpy(file + sizeof h, w->place, places);
    memcpy(file + sizeof h + places, w->row, rows * sizeof *w->row);
    h.sum = sum_of(w->key, file + offsetof(Header, format), size - offsetof(Header, format));
    memcpy(file, &h, sizeof h);
    lmp_os->write_kept(path, file, size);
    free(file);
}

void learned_write(const char *name, const LmpLearnedRow *row, uint32_t rows) {
    char path[4096];
    Writing *w = rows <= MOST_ROWS ? lmp_os->map(sizeof *w, -1, 0, true) : NULL;
    if (!w) return;
    bool found = find_modules(w->code);
    w->key = key_of(name, w->code);
    if (found && path_of(path, sizeof path, name, w->key) && fill_rows(w, row, rows))
        write_file(path, w, rows);
    lmp_os->unmap(w, sizeof *w);
}
