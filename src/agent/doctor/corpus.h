/* corpus.h - the programs that doctor plays: the files of corpus/, built into the module. */
#ifndef DOCTOR_CORPUS_H
#define DOCTOR_CORPUS_H

#include "agent/doctor/stage.h"

extern const Program corpus[]; /* ends with a row whose name is NULL */

#endif
