/* start_options.c - the table, from the list in the header. */
#include "shared/start_options.h"

#define ROW(ID, ...) [START_##ID] = {__VA_ARGS__},
const LmpStartOption start_options[STARTS] = {START_OPTIONS(ROW)};
#undef ROW
