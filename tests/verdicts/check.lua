-- check.lua - whole programs: each verdict's rule with one that it must hold for, and near ones that
-- it must not. RULE.lua or RULE-something.lua must be told RULE, at the line that is marked if one
-- is, with the words of advice that stand there, and at none that is marked as not the one; RULE.not.lua or RULE-something.not.lua must not be.
--
--     lua5.4 check.lua LMP DIRECTORY SCRATCH [NAME]
local lmp, dir, scratch, only = table.unpack(arg)

local function read(path)
    local file = assert(io.open(path))
    local text = file:read("a")
    file:close()
    return text
end

-- As much of JSON as a list of verdicts has: their rules, sentences and lines.
local function verdicts_of(json)
    local list, out = json:match('"verdicts":(%b[])'), {}
    assert(list, "no verdicts in the report")
    for one in list:sub(2, -2):gmatch("%b{}") do
        local rule = assert(one:match('"rule":"([^"]+)"'))
        out[#out + 1] = { rule = rule, line = tonumber(one:match('"line":(%d+)')), text = one:match('"sentence":"(.-)","advice"'),
            advice = one:match('"advice":"(.-)","source"') or "" }
    end
    return out
end

local rules = {
    "quadratic-concat", "table-grows", "fills-or-leaks", "never-freed", "grows-in-steps", "grows", "load-in-loop", "rehash", "rehash-same-size", "short-lived-coroutines",
    "short-lived-closures", "same-string", "steady-copies", "short-lived-tables", "short-lived-strings", "peak-from-temporary",
    "outside-lua", "survivors", "frame-spikes", "collects-late", "no-growth", "last-collection", "wait",
}

local function rule_of(name)
    local best = ""
    for _, rule in ipairs(rules) do
        local is = name == rule or name:sub(1, #rule + 1) == rule .. "-" or name:sub(1, #rule + 1) == rule .. "."
        if is and #rule > #best then best = rule end
    end
    return best ~= "" and best or nil
end

local function run(name)
    local path, out = dir .. "/" .. name .. ".lua", scratch .. "/" .. name .. ".json"
    os.remove(out)
    local command = "LD_PRELOAD=\"$LMP_PRELOAD\" '%s' run --no-live --json='%s' --summary=/dev/null '%s' 2>&1"
    local pipe = io.popen(command:format(lmp, out, path))
    local said = pipe:read("a")
    assert(pipe:close(), name .. " failed: " .. said)
    return verdicts_of(read(out)), read(path)
end

local function check(name)
    local rule, must = assert(rule_of(name), name .. " is of no rule"), not name:find("%.not$")
    local list, source = run(name)
    local marked, advice, at, wrong = nil, "", 0, {}
    for line in source:gmatch("([^\n]*)\n") do
        at = at + 1
        if line:find("-- here", 1, true) then marked, advice = at, line:match("-- here: (.*)") or "" end
        wrong[at] = line:find("-- not here", 1, true)
    end
    local found, accused
    for _, v in ipairs(list) do
        if v.rule == rule and (not marked or v.line == marked) and v.advice:find(advice, 1, true) then found = v end
        accused = accused or (v.rule == rule and wrong[v.line])
    end
    local good = must == (found ~= nil) and not accused
    print(("%s %-32s %s"):format(good and "ok  " or "FAIL", name, found and found.text or ""))
    if not good then
        for _, v in ipairs(list) do print("        " .. v.rule .. ": " .. tostring(v.text) .. " -> " .. v.advice) end
    end
    return good
end

local names = {}
for name in io.popen("ls '" .. dir .. "'"):lines() do
    local base = name:match("^(.*)%.lua$")
    if base and base ~= "check" and (not only or base == only or rule_of(base) == only) then names[#names + 1] = base end
end
-- A sanitizer has much memory of its own in the program, and all of it is outside Lua's heap.
local sanitized = (os.getenv "LMP_PRELOAD" or "") ~= ""
local bad = 0
for _, name in ipairs(names) do
    if sanitized and name == "outside-lua.not" then
        print("skip " .. name)
    elseif not check(name) then
        bad = bad + 1
    end
end
assert(#names > 0, "no programs")
os.exit(bad == 0)
