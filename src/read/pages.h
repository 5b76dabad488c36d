/* pages.h - which pages of a process are in memory, as its system tells by /proc/PID/pagemap. */
#ifndef LMP_READ_PAGES_H
#define LMP_READ_PAGES_H

#include <stdbool.h>
#include <stdint.h>

#define PAGES_PIECE 4096u /* bytes; the kernel's pages may be larger */
#define PAGES_MOST 512u   /* pieces in one look */

/* Says which of at most PAGES_MOST pieces from address `from` on are in memory. Returns false if
 * the system does not say. */
bool pages_here(uint32_t pid, uint64_t from, uint32_t pieces, bool *here);

/* Returns bytes of whole pieces of [from, to) that are in memory, as far as it says. */
uint64_t pages_within(uint32_t pid, uint64_t from, uint64_t to);

#endif
