/* attach_cxx.c - waits, as a host of a Lua that was compiled as C++, with lua_sethook's name there.
 */
#include <unistd.h>

#define lua_sethook _Z11lua_sethookP9lua_StatePFvS0_P9lua_DebugEii
__attribute__((visibility("default"))) void lua_sethook(void);

void lua_sethook(void) {
    pause();
}

int main(void) {
    lua_sethook();
    return 0;
}
