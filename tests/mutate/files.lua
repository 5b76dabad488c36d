--- files.lua - the sources that the mutation tester makes mutants of.
return {
    -- The order gives the mutants' numbers (nothing that is kept depends on them).
    files = {
        -- hook
        "hook.c", "hook_lines.c", "hook_sampled.c", "odd.c", "foreign.c", "sample.c", "trap.c",
        "slow_path.c", "tick.c", "requests.c", "pause.c", "break_check.c",
        -- shadow map
        "shadow.c", "rowindex.c", "pairsort.c", "slab.c",
        -- charging: owner, type, line, path, tag, name
        "owner.c", "counters.c", "sites.c", "lines.c", "lines_asking.c",
        "newtable.c", "private_state.c", "line_cache.c", "sources.c", "inspect.c", "free_callers.c", "tree.c",
        "tree_rows.c", "tree_threads.c", "tags.c", "invalidate.c", "names.c", "names_walk.c",
        "c_names.c", "cycles.c",
        -- readers
        "tables.c", "view.c", "discover.c", "stats.c", "history.c", "laps.c", "heapmap.c", "mapregion.c",
        "mapcell.c", "maplist.c", "ledger.c", "ledger_index.c", "ledger_rows.c",
        "ledger_sum.c", "ledger_tree.c", "ledger_moments.c", "makes.c", "tallies.c",
        "leaks.c", "leaks_words.c", "model.c",
    },
    -- Room for that many jumps in a file.
    most = 1024,
}
