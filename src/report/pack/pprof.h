/* pprof.h - what all profiles for pprof have: texts by number, kinds of samples, the mapping.
 * Samples, locations and functions are written by whoever has them, as messages (protobuf.h) by the
 * numbers of the fields in pprof's profile.proto. */
#ifndef LMP_PPROF_H
#define LMP_PPROF_H

#include "report/pack/protobuf.h"
#include "report/texttable.h"

typedef struct Pprof {
    Protobuf out;           /* the profile: what is not packed yet */
    Protobuf message, part; /* a message of it, and one of that: empty between two of them */
    TextTable texts;
    Gzip *gzip;
} Pprof;

/* Returns false if there is no memory. pprof_close in either case. */
bool pprof_open(Pprof *p, FILE *out);
/* Puts a text as a field of `b`. */
void pprof_text(Pprof *p, Protobuf *b, unsigned field, const char *text);
/* Puts a type of values as a field of the profile. */
void pprof_type(Pprof *p, unsigned field, const char *type, const char *unit);
/* Puts a mapping, so that none is made up; the fields 7 to `has` say what is known already. */
void pprof_mapping(Pprof *p, unsigned has);
/* Packs what has been put, when that is much. */
void pprof_flush(Pprof *p);
/* Puts all texts, and ends. Returns false if something failed, for lack of memory. */
bool pprof_close(Pprof *p);

#endif
