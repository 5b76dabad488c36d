--- tests.lua - the tests that the mutation tester plays: of ctest's, those that take little processor
-- time and do the same each time. Together they are a few seconds, since the first round plays all,
-- and each survivor all that saw it.
return {
    -- Their names (Lua patterns).
    names = {
        "^unit/[bdghilmnst]", "^unit/free_callers$", "^unit/parsing$", "^unit/history$", "^unit/cycles$",
        "^unit/collector$",
        "^unit/foreign$",
        "^unit/own_descriptors$", "^unit/owner$", "^unit/past$", "^unit/pause$",
        "^unit/shadow$", "^unit/tick$", "^unit/verdict",
        "^unit/ways$",
        "^truth/[cfrstu]%l+%-malloc$", "^truth/%l+%-move$", "^truth/%l+%-often$", "^truth/random%-s%l+$",
        "^truth/lines$", "^truth/lines%-stacks$", "^truth/strangers$", "^truth/names$", "^lua/[fmr]%l+$",
    },
    -- But these: they look at other parts, or take long.
    without = {
        "^unit/screens$", "^unit/spool$", "^unit/damaged", "^unit/display$", "^unit/screenplan$", "^unit/table$",
        "^unit/treerows", "^unit/tree$", "^unit/breaks_", "^unit/module$", "^unit/hosts$",
        "^truth/coroutines", "^truth/random%-m", "%-spread$", "%-static$",
        "^truth/lines:random$", "^truth/fail",
    },
    -- Tests of many files: each file is one.
    split = { ["truth/lines"] = true, ["truth/lines-stacks"] = true },
    -- Suites that need a process for each of their tests.
    forked = { ["unit/laps"] = true, ["unit/stats"] = true },
    -- What is built for them.
    targets = {
        "luamemprofiler", "truth", "truth_lines", "truth_strangers", "test_breaks", "test_line_cache", "test_collector",
        "test_discover", "test_foreign", "test_free_callers", "test_given_back", "test_heapmap_truth", "test_heapmap",
        "test_history", "test_hook",
        "test_hot_path", "test_inspect", "test_laps", "test_leaks", "test_ledger", "test_ledger_between",
        "test_ledger_counts",
        "test_ledger_model", "test_ledger_refused", "test_ledger_shown", "test_lines",
        "test_lines_asking", "test_lines_constructors",
        "test_lines_naming", "test_lines_slots", "test_cycles", "test_makes",
        "test_marks", "test_model", "test_names",
        "test_names_running", "test_names_walk", "test_names_walk_limits", "test_newtable",
        "test_own_descriptors", "test_owner", "test_pairsort",
        "test_parsing", "test_past", "test_pause", "test_safepoint",
        "test_shadow", "test_sites", "test_sites_random", "test_slab", "test_sources", "test_stats", "test_survivors",
        "test_tags", "test_tick",
        "test_tree_chains", "test_tree_links", "test_tree_lookups", "test_tree_moves", "test_tree_random",
        "test_tree_steps", "test_tree_threads", "test_verdict", "test_verdict_growth",
        "test_verdict_tables",
        "test_ways",
    },
}
