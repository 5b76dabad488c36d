/* judge.h - compares what the profiler says of every block with what the witness noted, and its
 * totals with doctor's own. */
#ifndef LMP_DOCTOR_JUDGE_H
#define LMP_DOCTOR_JUDGE_H

#include "agent/doctor/stage.h"

typedef struct Count {
    uint64_t agreed, differed;
} Count;

typedef struct Judged {
    uint64_t blocks;          /* that the program asked for */
    Count lines, paths;       /* blocks whose line, whose call path was compared */
    Count owners;             /* parts of objects, and objects */
    Count totals;             /* figures, and blocks in the map of the heap */
    uint64_t owners_untold;   /* parts whose owner doctor does not know, either */
    uint64_t owners_unproven; /* of owners.differed: "other", and said not to be known */
    uint64_t unproven;   /* of lines.differed: the profiler itself says it may have them wrong */
    uint64_t unknown;    /* of lines.differed: charged to "(unknown)" */
    bool behaved;        /* the program did the same, to the last request */
    uint32_t lines_said; /* LmpLines */
    bool stacks_said, owners_said, samples_said; /* what the profiler claims to have */
    char first[600];                             /* the first difference, in words; "": none */
} Judged;

/* What doctor is to get wrong on purpose, so that a test sees it found. */
typedef enum Plant {
    PLANT_NOTHING,
    PLANT_LINE,
    PLANT_PATH,
    PLANT_OWNER,
    PLANT_TOTAL,
    PLANT_CRASH,
    PLANT_HANG,
    PLANTS
} Plant;
extern const char *const plant_name[PLANTS];
extern Plant judge_plant;

/* Judges s's two runs, with the profile still there. */
void judge(Stage *s, Judged *v);

#endif
