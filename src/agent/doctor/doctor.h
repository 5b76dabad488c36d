/* doctor.h - `lmp doctor` within the interpreter that it looks at. */
#ifndef DOCTOR_DOCTOR_H
#define DOCTOR_DOCTOR_H

#include <lua.h>

/* Plays the corpus, reports the results as the environment requests (launch.h), and ends the
 * process. Without that request it returns. */
void doctor_run(lua_State *L);

#endif
