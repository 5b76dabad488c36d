/* Tests of cpu.h: what a return address on the stack means where functions sign theirs. */
#include "agent/interp/cpu.h"

#include "suite.h"

enum { TOP = LMP_ADDRESS_BITS };

TEST(signed_addresses) {
    static const uintptr_t addresses[] = {0, 4, 0x400078, 0xaaaacafe1234, 0xffffffffffff};
    for (size_t i = 0; i < sizeof addresses / sizeof *addresses; i++) {
        ck_assert_uint_eq(cpu_signed_address(addresses[i]), addresses[i]);
        ck_assert_uint_eq(cpu_address(addresses[i]), addresses[i]);
        for (unsigned bit = TOP; bit < 64; bit++) { /* each alone; and whatever a key makes of it */
            uintptr_t alone = addresses[i] | (uintptr_t)1 << bit;
            uintptr_t signature = (uintptr_t)suite_random() << TOP | addresses[i];
            ck_assert_uint_eq(cpu_signed_address(alone), addresses[i]);
            ck_assert_uint_eq(cpu_signed_address(signature), addresses[i]);
#ifdef __aarch64__
            ck_assert_uint_eq(cpu_address(signature), addresses[i]);
#endif
        }
    }
}
