/* mappings.h - what a process has mapped, and how much of each mapping is in memory: its
 * /proc/PID/smaps, sorted into sorts of memory.
 *
 * What the kernel does not say is concluded from how mappings lie: memory right behind the writable
 * part of a file is that file's zeroed data; memory right behind a few pages that nobody may touch
 * is a stack (of a thread, or of a coroutine of C code). */
#ifndef LMP_MAPPINGS_H
#define LMP_MAPPINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum MappingSort {
    MAPPING_HEAP,    /* anonymous: allocators, and what C code has mapped for itself */
    MAPPING_STACK,   /* of the main thread, and those known by their guard pages */
    MAPPING_PROGRAM, /* the program and its libraries: files of which a part may be run */
    MAPPING_FILE,    /* other files */
    MAPPING_SHARED,  /* memory that may be shared with other processes */
    MAPPING_OWN,     /* lmp's module, and the files of its own that it has mapped */
    MAPPING_KERNEL,  /* [vdso] and the like */
    MAPPING_SORTS
} MappingSort;

typedef struct Mapping {
    uint64_t start, end;
    uint64_t resident; /* bytes */
    uint8_t sort;      /* MappingSort */
    bool brk;          /* the kernel calls it [heap]: malloc's first arena begins there */
    bool walked;       /* for process.c: it is looked at part by part */
} Mapping;

/* By address, not overlapping. */
typedef struct Mappings {
    Mapping *row;
    uint32_t count, room;
    uint64_t resident; /* of all of them, bytes: what the process has in memory */
    uint32_t glibc;    /* its C library is glibc 2.N: N, 34 for all later ones; 0: another one */
    char malloc[64];   /* a library that has taken malloc's place: its file's name; "": none seen */
    /* inside */
    char *text;
    size_t text_room;
} Mappings;

/* Reads them through lmp_os. False: they cannot be read (the process is gone, or somebody else's),
 * or there is no memory; there are none then. */
bool mappings_read(Mappings *maps, uint32_t pid);
/* Reads the same from a text, which ends with a NUL at text[size]; lines that make no sense are
 * left out. Returns false if there is no memory. */
bool mappings_parse(Mappings *maps, const char *text, size_t size);
void mappings_free(Mappings *maps);

#endif
