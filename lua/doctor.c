/* doctor.c - the module's entry for `lmp doctor`. */
#include "agent/doctor/doctor.h"

__attribute__((visibility("default"))) int luaopen_luamemprofiler_doctor(lua_State *L);

int luaopen_luamemprofiler_doctor(lua_State *L) {
    doctor_run(L);
    return 0;
}
