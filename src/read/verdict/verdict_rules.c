/* verdict_rules.c - the rules, one row each. Of those about one line the first that holds counts
 * for what it is about, so rules that say more come before rules that say less.
 *
 * Weights: 1 is waste that grows with its square, or without end (what grows counts one more: see
 * rules_holding.c). Below are what costs twice the necessary work, what is made needlessly but
 * freed soon, and last what is worth knowing if there is no other verdict.
 *
 * docs/answers.md has this table as well (`lmp help --table=verdicts`). */
#include "read/verdict/verdict_impl.h"

#define LINE (NEEDS_LINE | NEEDS_MAKES)
#define MAKES (LINE | NEEDS_BULK)

const VerdictRule verdict_rules[] = {
    {"quadratic-concat", MAKES | NEEDS_EXACT, ABOUT_STRINGS | ABOUT_GROWTH | ABOUT_PEAK,
     building_holds, 1, building_say,
     "collect the parts in a table and join them once with table.concat", VERDICT_AT_SITE,
     "strings of 1 KiB and more that `..` makes of the string before, a tenth of all bytes",
     "copies … at each `..`…: … of all bytes…"},
    {"table-grows", LINE | NEEDS_EXACT, ABOUT_GROWTH, keeps_holds, 1, keeps_say,
     "take entries out of the table that grows here, or bound it", VERDICT_AT_SNAPSHOT,
     "its tables took entries lately, and lead to what grows, on whatever lines that is made: by "
     "the heap's own references. Lines whose things are there are not told of themselves",
     "fills up or leaks: … in … of … entries, +…/s…\n"
     "keeps what it is given: … in … of … entries, +…/s…"},
    {"grows-in-steps", NEEDS_LINE, ABOUT_GROWTH, steps_holds, 1, steps_say,
     "see what the program did at each step, and what of it is kept", VERDICT_AT_SITE,
     "it grows, and at least three steps, a third of the full collections at most, brought nine "
     "tenths of that",
     "grows in steps: … of them brought …, the last one … ago; it holds …"},
    {"fills-or-leaks", LINE, ABOUT_GROWTH, fills_holds, 1, fills_say,
     "see whether it stops; if not, take out what is no longer needed", VERDICT_AT_SITE,
     "it has grown for less than a minute, and the heap multiplies from one full collection to the "
     "next, as it does in a start that reads for long",
     "fills up or leaks: none of its … freed in …, … held, +…/s…\n"
     "fills up or leaks: … held after …, … of the heap, +…/s…"},
    {"never-freed", LINE | NEEDS_EXACT, ABOUT_GROWTH, never_freed_holds, 1, never_freed_say,
     "take out what is no longer needed, or make its table weak (__mode)", VERDICT_AT_SITE,
     "it grows, and of 32 or more things of a kind none was ever freed",
     "has never freed anything: …, … held, +…/s…\nhas freed none of its …: … held, +…/s…"},
    {"grows", NEEDS_LINE, ABOUT_GROWTH, grows_holds, 1, grows_say,
     "less is taken out than is put in: bound it, or make it weak (__mode)", VERDICT_AT_SITE,
     "what is left after full collections rises again and again, does not slow down, and is 64 KiB "
     "or a twentieth of the heap",
     "grows by … a full collection, +…/s: it holds …, … of the heap…"},
    {"load-in-loop", MAKES, ABOUT_FUNCTIONS | ABOUT_STRINGS, loading_holds, 0.9, loading_say,
     "compile once, keep the function, and pass what changes as arguments", VERDICT_AT_SITE,
     "a hundred calls of `load` and its like, a twentieth of all bytes",
     "compiles code … times…: … of all bytes"},
    {"rehash-same-size", MAKES, ABOUT_TABLES, rebuilt_holds, 0.8, rebuilt_say,
     "bound it at two thirds of a power of two, or reuse slots 1 to n", VERDICT_AT_SITE,
     "a hundred times a full table was made anew there, most of them no larger; a tenth of all "
     "bytes",
     "had tables made anew at the same size … times, … each, as keys came and went: … of all "
     "bytes"},
    {"rehash", MAKES, ABOUT_TABLES, regrown_holds, 0.8, regrown_say,
     "name all fields in the constructor: {x = 0, y = 0}", VERDICT_AT_SITE,
     "a thousand times a table of some fields had to grow there, or a list, and the lists are "
     "dropped; a tenth of all bytes",
     "had tables grow by rehash … times…: … of all bytes"},
    {"short-lived-coroutines", MAKES, ABOUT_COROUTINES, coroutines_holds, 0.8, coroutines_say,
     "keep them: one that yields for its next job in a loop serves many", VERDICT_AT_SITE,
     "a hundred coroutines, most of them freed, a twentieth of all bytes",
     "makes … coroutines…, and drops them, … each: … of all bytes"},
    {"short-lived-closures", MAKES, ABOUT_FUNCTIONS, closures_holds, 0.7, closures_say,
     "make the function once, outside, and pass what changes as arguments", VERDICT_AT_SITE,
     "a thousand functions, most of them freed, and soon; a twentieth of all bytes or a tenth of "
     "all allocations",
     "makes … of all allocations: … functions…, …"},
    {"same-string", MAKES | NEEDS_EXACT, ABOUT_STRINGS, same_string_holds, 0.7, same_string_say,
     "make it once and keep it", VERDICT_AT_SITE,
     "of a dozen looks or more four fifths have found the string that was made there before; a "
     "twentieth of all bytes",
     "makes the same string of … again and again: … of … looked at, … made, … of all bytes"},
    {"steady-copies", MAKES | NEEDS_EXACT, ABOUT_STRINGS, copies_holds, 0.7, copies_say,
     "keep the parts apart: file:write takes several, and a table any number", VERDICT_AT_SITE,
     "a hundred strings of 1 KiB and more that `..` makes, half or more of each one string that "
     "was "
     "there before, and most of them freed; a tenth of all bytes",
     "copies … at each `..`, … times: … of all bytes"},
    {"short-lived-tables", MAKES, ABOUT_TABLES, short_tables_holds, 0.6, short_tables_say,
     "fill one table again and again, or pass its values as arguments", VERDICT_AT_SITE,
     "a thousand tables, most of them freed, and soon or all but a few; a tenth of all bytes",
     "makes … of all garbage: … tables…, …"},
    {"short-lived-strings", MAKES, ABOUT_STRINGS, short_strings_holds, 0.6, short_strings_say,
     "keep them, index tables by the parts (t[a][b]), or pass the parts on", VERDICT_AT_SITE,
     "a thousand strings, most of them freed, and soon; a tenth of all bytes",
     "makes … of all garbage: … strings…, …"},
    {"peak-from-temporary", NEEDS_LINE | NEEDS_BULK, ABOUT_PEAK, spike_holds, 0.5, spike_say,
     "work in smaller pieces, and let go of each before the next", VERDICT_AT_SITE,
     "it had three tenths of a peak of 1 MiB or more, full collections left a fifth of that or "
     "more, "
     "it has next to nothing of it now, and for half of the time half of the peak was enough",
     "had … of the peak of …, up to … in use, and has … now: for … of the time half was enough"},
    {"outside-lua", 0, 0, outside_holds, 0.7, outside_say,
     "look at C libraries' buffers: Lua's collector does not see them", VERDICT_AT_PROCESS,
     "16 MiB and half of what is resident are neither Lua's, nor were at the heap's peak, nor "
     "lmp's own",
     "at least … of the program's … are outside Lua's heap"},
    {"survivors", NEEDS_BULK, 0, survivors_holds, 0.4, survivors_say,
     "try collectgarbage(\"incremental\")", VERDICT_AT_TIMELINE,
     "generational mode, and half of all blocks outlive their first collection, half of which are "
     "freed later",
     "… of all blocks outlive their first collection, in generational mode"},
    {"frame-spikes", 0, 0, frame_spikes_holds, 0.3, frame_spikes_say,
     "do it before the loop, or spread it over several frames", VERDICT_AT_TIMELINE,
     "after sixty frames (`lmp.frame`) or more some made 256 KiB or more, and eight times what "
     "half of them make at most",
     "… frames made … (frame …, at …): half of them make at most …"},
    {"collects-late", NEEDS_BULK, 0, late_holds, 0.3, late_say,
     "collectgarbage(\"incremental\", 150): a lower heap for more work", VERDICT_AT_TIMELINE,
     "incremental mode, and three quarters of a heap of 1 MiB or more are garbage at a cycle's end",
     "collections come late: … of the heap is garbage by then (… freed, … left)"},
    {"some-growth", 0, 0, some_growth_holds, 0.05, some_growth_say, "", VERDICT_AT_LEAKS,
     "lines grow, but none of them by enough to be named", "…"},
    {"no-growth", 0, 0, no_growth_holds, 0.04, no_growth_say, "", VERDICT_AT_LEAKS,
     "no line grows, over enough full collections to tell",
     "nothing grows over … full collections"},
    {"last-collection", 0, 0, last_full_holds, 0.03, last_full_say, "", VERDICT_AT_TIMELINE,
     "the last full collection freed a tenth of the heap or more",
     "the last …collection freed … of the heap"},
    {"wait", 0, 0, wait_holds, 0.02, wait_say, "", VERDICT_AT_LEAKS,
     "there were too few full collections to tell",
     "cannot tell yet whether anything grows: … more full …\ntoo early to tell whether anything "
     "grows: … of … full …\nthe run was too short to tell whether anything grows: … of … full …"},
    {"unknown", 0, 0, unknown_holds, 0.01, unknown_say, "", VERDICT_NOWHERE,
     "lines are off, or the collector cannot be seen",
     "which line makes what is not known: lines are off\nwhether anything grows is not known: "
     "collections cannot be seen here"},
    {0},
};

bool verdict_rule_info(uint32_t i, VerdictRuleInfo *out) {
    if (i >= sizeof verdict_rules / sizeof *verdict_rules - 1) return false;
    const VerdictRule *r = &verdict_rules[i];
    *out = (VerdictRuleInfo){.name = r->name,
                             .when = r->when,
                             .says = r->says,
                             .advice = r->advice,
                             .place = r->place,
                             .line = r->needs & NEEDS_LINE,
                             .makes = r->needs & NEEDS_MAKES,
                             .bulk = r->needs & NEEDS_BULK,
                             .exact = r->needs & NEEDS_EXACT};
    return true;
}
