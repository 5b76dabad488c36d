/* verdict_rules.c - the rules, one row each. Of those about one line the first that holds counts
 * for what it is about, so rules that say more come before rules that say less.
 *
 * Weights: 1 is waste that grows with its square, or without end (what grows counts one more: see
 * rules_holding.c). Below are what costs twice the necessary work, what is made needlessly but
 * freed soon, and last what is worth knowing if there is no other verdict. */
#include "read/verdict/verdict_impl.h"

#define LINE (NEEDS_LINE | NEEDS_MAKES)
#define MAKES (LINE | NEEDS_BULK)

const VerdictRule verdict_rules[] = {
    {"quadratic-concat", MAKES | NEEDS_EXACT, ABOUT_STRINGS | ABOUT_GROWTH | ABOUT_PEAK,
     building_holds, 1, building_say,
     "collect the parts in a table and join them once with table.concat", VERDICT_AT_SITE},
    {"grows-in-steps", NEEDS_LINE, ABOUT_GROWTH, steps_holds, 1, steps_say,
     "see what the program did at each step, and what of it is kept", VERDICT_AT_SITE},
    {"never-freed", LINE | NEEDS_EXACT, ABOUT_GROWTH, never_freed_holds, 1, never_freed_say,
     "take out what is no longer needed, or make the table that holds it weak (__mode)",
     VERDICT_AT_SITE},
    {"grows", NEEDS_LINE, ABOUT_GROWTH, grows_holds, 1, grows_say,
     "less is taken out than is put in: bound it, or make it weak (__mode)", VERDICT_AT_SITE},
    {"load-in-loop", MAKES, ABOUT_FUNCTIONS | ABOUT_STRINGS, loading_holds, 0.9, loading_say,
     "compile once, keep the function, and pass what changes as arguments", VERDICT_AT_SITE},
    {"rehash", MAKES, ABOUT_TABLES, regrown_holds, 0.8, regrown_say,
     "name the fields in the constructor, or clear one table and fill it again", VERDICT_AT_SITE},
    {"short-lived-coroutines", MAKES, ABOUT_COROUTINES, coroutines_holds, 0.8, coroutines_say,
     "keep them: a coroutine that yields for its next job in a loop serves many", VERDICT_AT_SITE},
    {"short-lived-closures", MAKES, ABOUT_FUNCTIONS, closures_holds, 0.7, closures_say,
     "make the function once, outside, and pass what changes as arguments", VERDICT_AT_SITE},
    {"same-string", MAKES | NEEDS_EXACT, ABOUT_STRINGS, same_string_holds, 0.7, same_string_say,
     "make it once and keep it", VERDICT_AT_SITE},
    {"short-lived-tables", MAKES, ABOUT_TABLES, short_tables_holds, 0.6, short_tables_say,
     "fill one table again and again, or pass its values as arguments and results",
     VERDICT_AT_SITE},
    {"short-lived-strings", MAKES, ABOUT_STRINGS, short_strings_holds, 0.6, short_strings_say,
     "keep what is needed again, index tables by the parts (t[a][b]), or hand them on unjoined",
     VERDICT_AT_SITE},
    {"peak-from-temporary", NEEDS_LINE | NEEDS_BULK, ABOUT_PEAK, spike_holds, 0.5, spike_say,
     "work in smaller pieces, and let go of each before the next", VERDICT_AT_SITE},
    {"outside-lua", 0, 0, outside_holds, 0.7, outside_say,
     "look at C libraries and their buffers: Lua's collector does not see them", VERDICT_AT_TYPES},
    {"survivors", NEEDS_BULK, 0, survivors_holds, 0.4, survivors_say,
     "try collectgarbage(\"incremental\")", VERDICT_AT_TIMELINE},
    {"frame-spikes", 0, 0, frame_spikes_holds, 0.3, frame_spikes_say,
     "do it before the loop, or spread it over several frames", VERDICT_AT_TIMELINE},
    {"collects-late", NEEDS_BULK, 0, late_holds, 0.3, late_say,
     "a smaller pause, collectgarbage(\"incremental\", 150), keeps the heap lower for more work",
     VERDICT_AT_TIMELINE},
    {"some-growth", 0, 0, some_growth_holds, 0.05, some_growth_say, "", VERDICT_AT_LEAKS},
    {"no-growth", 0, 0, no_growth_holds, 0.04, no_growth_say, "", VERDICT_AT_LEAKS},
    {"last-collection", 0, 0, last_full_holds, 0.03, last_full_say, "", VERDICT_AT_TIMELINE},
    {"wait", 0, 0, wait_holds, 0.02, wait_say, "", VERDICT_AT_LEAKS},
    {"unknown", 0, 0, unknown_holds, 0.01, unknown_say, "", VERDICT_NOWHERE},
    {0},
};
