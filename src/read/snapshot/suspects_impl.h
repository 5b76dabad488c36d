/* suspects_impl.h - the rules of suspects.h: each adds its rows. */
#ifndef LMP_SNAPSHOT_SUSPECTS_IMPL_H
#define LMP_SNAPSHOT_SUSPECTS_IMPL_H

#include "read/snapshot/luasuspects.h"
#include "read/snapshot/suspects.h"

/* Shares of the heap, in percent, from which on a rule fires. */
enum {
    SUSPECT_HOLDS = 10,    /* one object, a class, a line */
    SUSPECT_GROWS = 2,     /* of the older heap */
    SUSPECT_WASTES = 5,    /* the rest */
    SUSPECT_DROP = 70,     /* the biggest child of an accumulation point retains less of it */
    SUSPECT_TOGETHER = 80, /* of a group's paths pass its holder */
    SUSPECT_ROWS = 4       /* of a rule */
};

typedef struct SuspectRun {
    const LmpSnapshot *s, *old;
    const LmpHeapGrowth *before; /* the steps that led to `old`; NULL: none */
    uint32_t *was;               /* of each object: that of `old`, from suspects_growth on; NULL */
    LmpSuspects *out;
    uint64_t heap;   /* reachable bytes */
    uint8_t *frame;  /* of each object: is it of the frame that everything hangs from? */
    uint8_t *told;   /* ... is it told with a holder? */
    uint32_t *count; /* scratch, of each object */
    bool failed;     /* no memory */
} SuspectRun;

/* A new row; NULL: there is no more room. Its words are of printf. */
LmpSuspect *suspect_add(SuspectRun *run, LmpSuspectRule rule, uint64_t bytes, uint32_t object,
                        const char *words, ...) __attribute__((format(printf, 5, 6)));
/* The rule did not fire. */
void suspect_none(SuspectRun *run, LmpSuspectRule rule, const char *words, ...)
    __attribute__((format(printf, 3, 4)));
/* Did it? */
bool suspect_any(const SuspectRun *run, LmpSuspectRule rule);
/* "61 % (38.2 MiB)" of a whole. `out`: 64 bytes. */
const char *suspect_share(char *out, uint64_t bytes, uint64_t whole);
static inline bool suspect_over(uint64_t bytes, uint64_t whole, unsigned percent) {
    return bytes > 0 && bytes / percent * 100 + bytes % percent * 100 / percent >= whole;
}

/* The deepest object that most of the members' paths pass, and in words how they go; LMP_HEAP_NONE:
 * what everything hangs from. */
uint32_t suspects_holder_of(SuspectRun *run, const uint32_t *member, uint32_t members, char *path,
                            size_t size);
/* Returns true if this coroutine is suspended where the older snapshot has it, with the same in its
 * variables. */
bool suspects_stayed(const SuspectRun *run, uint32_t thread);

void suspects_holders(SuspectRun *run);
void suspects_groups(SuspectRun *run);
void suspects_growth(SuspectRun *run);
void suspects_wastes(SuspectRun *run);

#endif
