--- suites.lua - the tests that the mutation tester plays: which of ctest's they are (tests.lua), how
-- one is played, and which jumps each saw.
local here = arg[0]:match("^(.*)/") or "."
local chosen = dofile(here .. "/tests.lua")
local shell = dofile(here .. "/shell.lua")
local quote, output_of = shell.quote, shell.output_of

local suites = {}

-- As much of JSON as ctest writes.
local function decode(s)
    local at = 1
    local value
    local function skip() at = s:find("%S", at) or #s + 1 end
    local function text()
        local out = {}
        at = at + 1
        while true do
            local stop_at = assert(s:find('[\\"]', at))
            out[#out + 1] = s:sub(at, stop_at - 1)
            at = stop_at + 1
            if s:sub(stop_at, stop_at) == '"' then return table.concat(out) end
            local c = s:sub(at, at)
            at = at + 1
            if c == "u" then
                out[#out + 1] = utf8.char(tonumber(s:sub(at, at + 3), 16))
                at = at + 4
            else
                out[#out + 1] = ({ n = "\n", t = "\t", b = "\b", f = "\f", r = "\r" })[c] or c
            end
        end
    end
    local function list(close, one)
        local out = {}
        at = at + 1
        while true do
            skip()
            local c = s:sub(at, at)
            if c == close then
                at = at + 1
                return out
            elseif c == "," then
                at = at + 1
            else
                one(out)
            end
        end
    end
    function value()
        skip()
        local c = s:sub(at, at)
        if c == '"' then return text() end
        if c == "[" then return list("]", function(out) out[#out + 1] = value() end) end
        if c == "{" then
            return list("}", function(out)
                local key = text()
                skip()
                at = at + 1
                out[key] = value()
            end)
        end
        local word = s:match("^[^%s,%]}]+", at)
        at = at + #word
        return tonumber(word) or word == "true"
    end
    return value()
end

local function wanted(name, is_part)
    for _, pattern in ipairs(chosen.without) do
        if name:match(pattern) then return false end
    end
    if is_part then return true end
    for _, pattern in ipairs(chosen.names) do
        if name:match(pattern) then return true end
    end
    return false
end

-- The tests of the build in that directory.
function suites.read(tree)
    local found = decode(output_of("cd " .. quote(tree) .. " && ctest --show-only=json-v1"))
    local tests = {}
    for _, test in ipairs(found.tests) do
        local set, directory = {}, tree
        local flipped = false
        for _, property in ipairs(test.properties or {}) do
            if property.name == "ENVIRONMENT" then
                for _, word in ipairs(property.value) do set[#set + 1] = quote(word) end
            elseif property.name == "WORKING_DIRECTORY" then
                directory = property.value
            elseif property.name == "WILL_FAIL" then
                flipped = property.value
            end
        end
        if test.command and not flipped then
            -- One run for each file that it is told; or one for all.
            local runs, words, files = {}, {}, {}
            for _, word in ipairs(test.command) do
                if chosen.split[test.name] and word:match("%.lua$") then
                    files[#files + 1] = word
                else
                    words[#words + 1] = quote(word)
                end
            end
            for _, file in ipairs(files) do
                local words_of = table.move(words, 1, #words, 1, {})
                words_of[#words_of + 1] = quote(file)
                runs[":" .. file:match("([^/]+)%.lua$")] = words_of
            end
            if not files[1] then runs[""] = words end
            if test.name:match("^unit/") and not chosen.forked[test.name] then set[#set + 1] = "CK_FORK=no" end
            for suffix, run in pairs(runs) do
                if wanted(test.name) and wanted(test.name .. suffix, true) then
                    tests[#tests + 1] = { name = test.name .. suffix, directory = directory,
                        command = table.concat(run, " "), environment = table.concat(set, " ") }
                end
            end
        end
    end
    table.sort(tests, function(a, b) return a.name < b.name end)
    return tests
end

-- Plays a test: whether it passed, and how much processor time that took. What does not end is ended
-- by its processor time, which the rest of the machine does not touch, or, asleep, by the clock.
function suites.play(test, variables, limit)
    local log = os.tmpname()
    local command = ("exec 2>/dev/null >&2 </dev/null; cd %s && (ulimit -c 0; ulimit -t %d; export %s %s; "
        .. "exec timeout -k 1 %d %s); s=$?; times >%s; exit $s"):format(
        quote(test.directory), limit, test.environment, variables, 15 + 5 * limit, test.command, quote(log))
    local passed = os.execute(command)
    local used = 0
    local file = io.open(log)
    local text = file and file:read("a") or ""
    if file then file:close() end
    os.remove(log)
    for minutes, seconds in (text:match("\n(.*)") or ""):gmatch("(%d+)m([%d.]+)s") do
        used = used + minutes * 60 + seconds
    end
    return passed == true, used
end

-- Which jumps each test saw; kept in the build, as long as what it runs is the same: a suite its
-- program; others the module, the programs and the scripts of all. `build`: its tree, the top of the
-- sources, the bytes of all jumps. `more`: play them again.
function suites.see(tests, build, more)
    local tree, top, bytes = build.tree, build.top, build.bytes
    os.execute("mkdir -p " .. quote(tree .. "/seen"))
    local scripts = "find tests/lua tests/truth src/agent/doctor/corpus lua -name '*.lua' | sort | xargs cat"
    local whole = output_of(("cd %s && { cksum *.so truth*; cd %s && %s; } | cksum"):format(
        quote(tree), quote(top), scripts))
    for _, test in ipairs(tests) do
        local path = tree .. "/seen/" .. test.name:gsub("/", "_")
        local sum = test.name:match("^unit/") and output_of("cksum < " .. test.command) or whole
        local file = io.open(path .. ".used")
        if file and file:read("a"):match(" (.*)\n") ~= sum then
            os.remove(path)
            file:close()
            file = nil
        elseif file then
            file:seek("set")
        end
        if not file or more then
            local before = more and io.open(path)
            if before then
                before:close()
            else
                local out <close> = assert(io.open(path, "wb"))
                out:write(("\0"):rep(bytes))
            end
            local passed, used = suites.play(test, "LMP_MUTANT_SEEN=" .. quote(path), 60)
            if not passed then passed, used = suites.play(test, "LMP_MUTANT_SEEN=" .. quote(path), 60) end
            if not passed then shell.stop(2, "%s fails without a mutant", test.name) end
            if build.verbose then shell.say("%6.2f s  %s", used, test.name) end
            if not file then
                local out <close> = assert(io.open(path .. ".used", "w"))
                out:write(used, " ", sum, "\n")
                test.used = used
            end
        end
        if file then
            test.used = file:read("n")
            file:close()
        end
        local seen <close> = assert(io.open(path, "rb"))
        test.seen = seen:read("a")
    end
    table.sort(tests, function(a, b)
        if a.used ~= b.used then return a.used < b.used end
        return a.name < b.name
    end)
end

return suites
