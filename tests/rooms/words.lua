-- words.lua - one meaning for each word, as docs/design.md has it below "## Words". Where a name may
-- have a word says words.txt, beside this:
--     word    folder/ folder/ name begin* ...
-- A file whose name has the word, and an identifier with the word as one of its parts (`call_frame`,
-- `LmpFrame`), stand below one of these folders, or are among these names. Elsewhere an identifier
-- may have the word only if a header below these folders declares it, for that is a use of it. The
-- word alone (a local variable) is not looked at, nor are texts and comments.
--
--     lua5.4 words.lua ROOT [self]    self: feeds itself wrong names, which must be found

local root, self = arg[1], arg[2] == "self"
local read = dofile(root .. "/tests/read.lua")

-- The lines of words.txt: word, folders, names (as Lua patterns). Each word has its row in `document`.
local function rows_of(text, document)
    local section = assert(document:match("\n## Words\n(.-)\n## "), "docs/design.md has no Words")
    local rows = {}
    for line in text:gmatch("[^\n]+") do
        local word, places = line:match("^(%l*) +(.*)")
        if word ~= "" then
            assert(section:find("\n| " .. word .. " |", 1, true), word .. " has no row in docs/design.md")
            rows[#rows + 1] = { word = word, folders = {}, names = {} }
        end
        local row = rows[#rows]
        for place in places:gmatch("%S+") do
            if place:find("/$") then
                table.insert(row.folders, place)
            else
                table.insert(row.names, "^" .. place:gsub("%*", "[%%w_]*") .. "$")
            end
        end
    end
    assert(#rows >= 5, "the words were not understood")
    return rows
end

-- Parts of an identifier, in small letters: "LmpCallFrame" and "call_frame" have "call" and "frame".
local known = {}
local function has_word(name, word)
    local key = word .. " " .. name
    if known[key] ~= nil then
        return known[key]
    end
    known[key] = false
    local spaced = name:gsub("(%l)(%u)", "%1_%2"):lower()
    for part in spaced:gmatch("[^_]+") do
        local rest = part:match("^" .. word .. "(%l*)%d*$")
        if rest and (rest == "" or rest == "s" or #rest > 3) and not rest:find("^ing") and not rest:find("^er") then
            known[key] = true
        end
    end
    return known[key]
end

local function is_below(path, row)
    for _, folder in ipairs(row.folders) do
        if path:sub(1, #folder) == folder then
            return true
        end
    end
    return false
end

local function is_named(name, row)
    for _, pattern in ipairs(row.names) do
        if name:find(pattern) then
            return true
        end
    end
    return false
end

-- Calls `f` with each identifier of a C source, without its texts, comments and includes.
local function identifiers(text)
    local seen = {}
    text = text:gsub("/%*.-%*/", " "):gsub("//[^\n]*", " "):gsub("#%s*include[^\n]*", " ")
    text = text:gsub("\\.", " "):gsub('"[^"\n]*"', " ")
    for name in text:gmatch("[%a_][%w_]*") do
        seen[name] = true
    end
    return seen
end

local rows = rows_of(read("tests/rooms/words.txt"), read("docs/design.md"))

-- files: path -> set of identifiers. Returns what violates the table, in words.
local function violations(files)
    local out = {}
    for _, row in ipairs(rows) do
        local declared = {}
        for path, names in pairs(files) do
            if path:find("%.h$") and is_below(path, row) then
                for name in pairs(names) do
                    declared[name] = true
                end
            end
        end
        for path, names in pairs(files) do
            if not is_below(path, row) then
                local base = path:match("([^/]*)%.[ch]$")
                if (has_word(base, row.word) or base:find(row.word .. "s?$")) and not is_named(base, row) then
                    out[#out + 1] = path .. ": a file's name has '" .. row.word .. "'"
                end
                for name in pairs(names) do
                    if name ~= row.word and name ~= row.word .. "s" and not declared[name]
                        and has_word(name, row.word) and not is_named(name, row) then
                        out[#out + 1] = path .. ": " .. name .. " has '" .. row.word .. "'"
                    end
                end
            end
        end
    end
    table.sort(out)
    return out
end

if self then
    local function must(path, name)
        assert(#violations({ [path] = { [name] = true } }) > 0, path .. " may have " .. name)
    end
    for _, row in ipairs(rows) do
        must("src/nowhere/" .. row.word .. ".c", "x")
        must("src/nowhere/new.c", "my_" .. row.word)
        must("src/nowhere/new.c", "Some" .. row.word:gsub("^%l", string.upper) .. "s")
        assert(#violations({ ["src/nowhere/new.c"] = { [row.word] = true, ["nothing"] = true } }) == 0)
    end
    print("the check finds what it is for")
    return
end

local files, checked = {}, 0
local pipe = assert(io.popen("cd '" .. root .. "' && find src ui lua -name '*.[ch]'"))
for path in pipe:lines() do
    files[path] = identifiers(read(path))
    checked = checked + 1
end
pipe:close()
assert(checked > 300, "hardly any source was found")
local wrong = violations(files)
for _, text in ipairs(wrong) do
    io.stderr:write("words: ", text, "\n")
end
print(checked .. " sources looked at")
os.exit(#wrong == 0)
