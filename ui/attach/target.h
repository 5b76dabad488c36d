/* target.h - a process to attach to, read from outside: its mappings, memory and dynamic symbols.
 * Nothing of it is trusted, and nothing is written. */
#ifndef LMP_ATTACH_TARGET_H
#define LMP_ATTACH_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

typedef struct TargetMap {
    uint64_t from, to, offset;
    bool read, write, execute;
    bool stack; /* of the main thread: grows */
    char path[512];
} TargetMap;

/* A file of code in the process: an executable, or a library. */
typedef struct TargetObject {
    uint64_t base;    /* what is added to its addresses */
    uint64_t cave;    /* unused bytes behind its code, which are mapped with it */
    size_t cave_size; /* bytes; 0: none */
    uint64_t symbols, strings, gnu_hash, hash; /* of the dynamic section; 0: none */
    char path[512];
} TargetObject;

typedef struct Target {
    pid_t pid;
    TargetMap *map;
    TargetObject *object;
    uint32_t maps, objects;
} Target;

/* Reads mappings and objects. Returns false if the process is gone, is not of the kind that we are
 * (64 bits, the same machine), or its memory may not be read. target_close in any case. */
bool target_open(Target *target, pid_t pid);
/* Reads the mappings anew. */
bool target_read_maps(Target *target);
void target_close(Target *target);

/* Returns true if all n bytes at `from` could be read. */
bool target_read(const Target *target, uint64_t from, void *to, size_t n);
/* Reads text with its end; cut at `size`. */
bool target_read_text(const Target *target, uint64_t from, char *to, size_t size);
/* Writes into memory that may be read only for the program (its code). */
bool target_write(const Target *target, uint64_t to, const void *from, size_t n);

/* Returns the mapping with this address; NULL: none. */
const TargetMap *target_map_of(const Target *target, uint64_t at);

/* Returns the address of a dynamic symbol that this object defines; 0: it defines none. */
uint64_t target_symbol(const Target *target, const TargetObject *object, const char *name);
/* Does the same of the first object that has the symbol; *in (may be NULL): which. */
uint64_t target_find(const Target *target, const char *name, const TargetObject **in);

/* Returns `size` bytes of addresses that nothing is mapped to; 0: none. */
uint64_t target_gap(const Target *target, uint64_t size);

#endif
