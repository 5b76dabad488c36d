--- compile.lua - a compiler launcher that makes a build of mutants.
--
--     lua5.4 compile.lua cc ARGUMENTS...
--
-- Compiles as it is told, but for the sources that files.lua names: of these it gets the assembly
-- first, and gives each conditional jump a number, a short jump that can be patched, and two bytes
-- in which it notes that it was taken or not (mutant.c). So
--
--     jle .L3      becomes       .Lmut7:  jnle .Lstay7         always: nop nop
--                                         movb $1, taken       never:  jmp .Lstay7
--                                         jmp .L3
--                                .Lstay7: movb $1, not taken
--
-- A move changes no flags. Beside the object stands OBJECT.mutants, a line for each jump: its number,
-- file, function, the place of its line and the text there, separated by tabs.
local here = arg[0]:match("^(.*)/") or "."
local sources = dofile(here .. "/files.lua")

-- Optimised enough that tail calls are jumps, as the hook wants it, and no more: nothing inlined
-- that need not be, no condition made into a move, switches as comparisons. That leaves the
-- branches of the source, each once.
local FLAGS = "-O1 -foptimize-sibling-calls -fno-inline -fno-jump-tables -fno-if-conversion"
    .. " -fno-if-conversion2 -fno-tree-loop-if-convert -fno-ssa-phiopt -fno-reorder-blocks"
    .. " -fno-crossjumping -fno-tree-switch-conversion -fno-split-paths -fno-thread-jumps -g1 -w"

local function quote(s)
    return "'" .. s:gsub("'", "'\\''") .. "'"
end

local function run(words)
    local _, how, code = os.execute(table.concat(words, " "))
    if code ~= 0 then os.exit(how == "exit" and code or 1) end
end

local source, object
local all, others = {}, {}
do
    local i = 1
    while arg[i] do
        all[#all + 1] = quote(arg[i])
        if arg[i] == "-c" and arg[i + 1] then
            source = arg[i + 1]
            all[#all + 1] = quote(source)
            i = i + 1
        elseif arg[i] == "-o" and arg[i + 1] then
            object = arg[i + 1]
            all[#all + 1] = quote(object)
            i = i + 1
        else
            others[#others + 1] = quote(arg[i])
        end
        i = i + 1
    end
end

local number -- of the file, from 0
for i, name in ipairs(sources.files) do
    if source and source:match("/src/.-([^/]+)$") == name then number = i - 1 end
end
if not number or not object then
    run(all)
    os.exit(true)
end

local plain, changed = object .. ".plain.s", object .. ".s"
run { table.concat(others, " "), FLAGS, "-S -o", quote(plain), quote(source) }

-- The text of the lines that jumps come from.
local texts = {}
local function line_of(path, n)
    if not texts[path] then
        local lines = {}
        local file = io.open((path:gsub("^%./", here .. "/../../"))) -- the build knows the top as "."
        for line in file and file:lines() or function() end do
            lines[#lines + 1] = line:gsub("%s+", " "):gsub("^ ", "")
        end
        if file then file:close() end
        texts[path] = lines
    end
    return texts[path][n] or "?"
end

local function inverse(condition)
    return condition:match("^n(.+)$") or "n" .. condition
end

local files, functions = {}, {}
local at, line, func = "?", 0, "?"
local count = 0
local out <close> = assert(io.open(changed, "w"))
local list <close> = assert(io.open(object .. ".mutants", "w"))
for text in io.lines(plain) do
    local n, path = text:match('^%s%.file%s+(%d+)%s+"([^"]+)"')
    if n then
        local directory = path
        path = text:match('^%s%.file%s+%d+%s+"[^"]+"%s+"([^"]+)"')
        files[n] = path and directory .. "/" .. path or directory
    end
    n = text:match("^%s%.type%s+([%w_.]+),%s*@function")
    if n then functions[n] = true end
    n = text:match("^([%w_.]+):")
    if n and functions[n] then func = n:match("^[%w_]+") end
    local f, l = text:match("^%s%.loc%s+(%d+)%s+(%d+)")
    if f then at, line = files[f] or "?", tonumber(l) end

    local condition, target = text:match("^%s*j(%a+)%s+([%w_.$]+)%s*$")
    if condition and condition ~= "mp" then
        local id = number * sources.most + count
        local name = at:match("[^/]+$")
        count = count + 1
        if count > sources.most then
            io.stderr:write("compile.lua: more jumps than files.lua has room for in ", source, "\n")
            os.exit(1)
        end
        out:write(([[
.Lmut%d:
	j%s .Lstay%d
	movb $1, lmp_seen+%d(%%rip)
	jmp %s
.Lstay%d:
	movb $1, lmp_seen+%d(%%rip)
	.pushsection lmp_mutants,"a",@progbits
	.balign 4
	.long .Lmut%d - .
	.long %d
	.popsection
]]):format(id, inverse(condition), id, 2 * id, target, id, 2 * id + 1, id, id))
        list:write(table.concat({ id, source:match("[^/]+$"), func, name, line, line_of(at, line) },
            "\t"), "\n")
    else
        out:write(text, "\n")
    end
end
out:write('\t.hidden lmp_seen\n')
out:close()
list:close()
run { all[1], "-c -o", quote(object), quote(changed) }
os.remove(plain)
os.remove(changed)
