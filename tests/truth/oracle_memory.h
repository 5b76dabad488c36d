/* oracle_memory.h - where the oracle's blocks come from (OracleBack), filled so that what is read
 * before it was written, or after it was freed, is no address. */
#ifndef LMP_ORACLE_MEMORY_H
#define LMP_ORACLE_MEMORY_H

#include "oracle.h"

void *oracle_memory_get(Oracle *o, size_t size);
void oracle_memory_put(Oracle *o, char *p, size_t size);
void *oracle_memory_resize(Oracle *o, char *p, size_t old, size_t size);
/* Unmaps what mappings there are. */
void oracle_memory_end(Oracle *o);

#endif
