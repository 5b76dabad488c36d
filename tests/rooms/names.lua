-- names.lua - a function is found by its name: what a header declares begins with the name of that header, of the file
-- that defines it, of a type that a header of its folder declares, or of a folder that it stands in. Names of files may
-- lose parts from either end (`ledger_rows.c`: `ledger_`, `rows_`), and be one or many (`moments.h`: `moment_`). A
-- header's guard is LMP_[FOLDER_]NAME_H, and no two headers have the same.
--
--     lua5.4 names.lua ROOT [self]    self: feeds itself wrong names, which must be found

local root, self = arg[1], arg[2] == "self"

-- What has no such beginning, and why.
local allowed = {
    rec_ = "src/recording/format/", -- of all that recordings are made of
    snap_ = "src/read/snapshot/", -- of snapshots, inside of the room
    ui_ = "ui/", -- what panels ask of the display
}

local read = dofile(root .. "/tests/read.lua")

-- Declarations alone: without comments, macros, texts and what stands between braces.
local function plain(text)
    text = text:gsub("/%*.-%*/", " "):gsub("//[^\n]*", " "):gsub("\\\n", " "):gsub('\\.', " ")
    text = ("\n" .. text):gsub("\n%s*#[^\n]*", "\n"):gsub('"[^"\n]*"', " "):gsub("__attribute__%s*%b()", " ")
    return (text:gsub("%b{}", "{};"))
end

-- Calls `f` with the name of each function that a plain text declares or defines; `defined`: which of these.
local function functions_of(text, f)
    for statement in plain(text):gmatch("[^;]+") do
        local name = statement:match("%f[%w_](%l[%w_]*)%s*%(")
        if name and not statement:find("typedef", 1, true) and not statement:find("_Static_assert", 1, true) then
            f(name, statement:find("{}", 1, true))
        end
    end
end

-- Lets the set have a beginning, of one and of many.
local function add(out, stem)
    out[stem], out[stem .. "s"] = true, true
    out[stem:gsub("s$", "")], out[stem:gsub("es$", "")], out[stem:gsub("ies$", "y")] = true, true, true
end

-- Adds the beginnings that a file's name lets functions have: "ledger_rows_impl" has ledger_rows, ledger, rows.
local function add_file(out, path)
    local parts = {}
    for part in path:match("([^/]*)%.[ch]$"):gmatch("[^_]+") do
        parts[#parts + 1] = part
    end
    for i = 1, #parts do
        add(out, table.concat(parts, "_", i))
        add(out, table.concat(parts, "_", 1, i))
    end
    for folder in path:gmatch("([^/]+)/") do
        add(out, folder)
    end
end

-- Adds those that the types have which a header declares: "LmpOddKind" has oddkind, odd_kind.
local function add_types(out, text)
    text = plain(text)
    for _, pattern in ipairs { "struct%s+(%u%w*)%s*[;{]", "{};%s*(%u%w*)%s*;", "typedef[^;]-(%u%w*)%s*;" } do
        for whole in text:gmatch(pattern) do
            local name = whole:gsub("^Lmp", ""):gsub("^Rec", "")
            add(out, name:lower())
            add(out, name:gsub("([%l%d])(%u)", "%1_%2"):lower())
        end
    end
end

local function begins(name, stems)
    local at = 0
    repeat
        at = name:find("_", at + 1, true)
        if stems[name:sub(1, (at or 0) - 1)] then
            return true
        end
    until not at
end

-- sources: path -> text. Returns what is named wrongly, in words, and how many functions were looked at.
local function violations(sources)
    local out, checked, definers, types, guards = {}, 0, {}, {}, {}
    for path, text in pairs(sources) do
        if path:find("%.c$") then
            functions_of(text, function(name, defined)
                if defined then
                    definers[name] = definers[name] or {}
                    table.insert(definers[name], path)
                end
            end)
        else
            local folder = path:match("^(.*/)")
            types[folder] = types[folder] or {}
            add_types(types[folder], text)
        end
    end
    for path, text in pairs(sources) do
        if path:find("%.h$") then
            local folder = path:match("^(.*/)")
            functions_of(text, function(name)
                local stems, place = {}, allowed[name:match("^%l+_")]
                add_file(stems, path)
                for _, definer in ipairs(definers[name] or {}) do
                    if definer:find(folder, 1, true) then
                        add_file(stems, definer)
                    end
                end
                checked = checked + 1
                if not begins(name, stems) and not begins(name, types[folder])
                    and not (place and path:find(place, 1, true) == 1) then
                    out[#out + 1] = path .. ": " .. name .. " does not begin with the name of its file"
                end
            end)
            local guard = text:match("#ifndef (%S+)\n#define ")
            local whole = "LMP_" .. path:gsub("^%w+/", ""):gsub("%.h$", "_h"):gsub("/", "_"):upper()
            local rest, part = whole:sub(5), false
            for _ in path:gmatch("/") do
                part = part or guard == "LMP_" .. rest
                rest = rest:match("^[^_]*_(.*)$") or rest
            end
            if not guard or guard:sub(1, 4) ~= "LMP_" or whole:sub(-#guard + 4) ~= guard:sub(5)
                or #guard - 4 < #path:match("[^/]*$") then
                out[#out + 1] = path .. ": the guard is " .. tostring(guard) .. ", not LMP_[FOLDER_]NAME_H"
            elseif guards[guard] then
                out[#out + 1] = path .. ": " .. guards[guard] .. " has the same guard"
            end
            guards[guard or ""] = path
        end
    end
    table.sort(out)
    return out, checked
end

local function guarded(guard, text)
    return "#ifndef " .. guard .. "\n#define " .. guard .. "\n" .. text .. "\n#endif\n"
end

if self then
    local function count(sources)
        return #violations(sources)
    end
    local right = guarded("LMP_THINGS_H", "typedef struct LmpOddKind { int x; } LmpOddKind;\n"
        .. "void things_make(void);\nbool thing_is(int x);\nint odd_kind_of(void);\nvoid room_open(void);")
    assert(count { ["src/room/things.h"] = right } == 0)
    assert(count { ["src/room/things.h"] = right:gsub("things_make", "made_things") } == 1, "a function's name")
    assert(count { ["src/room/things.h"] = right:gsub("LMP_THINGS", "LMP_FORMER") } == 1, "a guard's name")
    assert(count { ["src/room/things.h"] = right:gsub("LMP_THINGS", "LMP_ROOM_THINGS") } == 0)
    assert(count { ["src/a/things.h"] = right:gsub("room_", "things_"), ["src/room/things.h"] = right } == 1,
        "two of one guard")
    local far = guarded("LMP_WHOLE_IMPL_H", "void part_do(void);")
    assert(count { ["src/room/whole_impl.h"] = far } == 1, "a function of another file")
    assert(count { ["src/room/whole_impl.h"] = far, ["src/room/whole_part.c"] = "void part_do(void) {}" } == 0)
    print("the check finds what it is for")
    return
end

local sources = {}
local pipe = assert(io.popen("cd '" .. root .. "' && find src ui lua -name '*.[ch]'"))
for path in pipe:lines() do
    sources[path] = read(path)
end
pipe:close()
local wrong, checked = violations(sources)
assert(checked > 1000, "hardly any function was found")
for _, text in ipairs(wrong) do
    io.stderr:write("names: ", text, "\n")
end
print(checked .. " functions looked at")
os.exit(#wrong == 0)
