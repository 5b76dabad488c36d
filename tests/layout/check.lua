-- check.lua - the shared state's layout has a number, LMP_LAYOUT, by which a reader knows a state
-- that it cannot read. This holds the number to what it stands for: a digest of src/shared/layout.h,
-- rows.h, laps.h, containers.h, callers.h and paused.h, and of the kinds and classes in src/base/kind.h, kept beside it
-- as LMP_LAYOUT_DIGEST.
--
-- The digest is of the text, without comments, blanks and the digest itself, so that a macro that
-- gives a bit its meaning counts as much as a struct. What it cannot tell is a new name from a new
-- meaning: it fails for both, and says what to do for either.
--
--     lua5.4 check.lua ROOT [self]    self: changes of the text must be found, and only those

local root, self = arg[1], arg[2] == "self"
local read = dofile(root .. "/tests/read.lua")

-- What the compiler sees of it, near enough. Blanks between words stay, one each.
local function bare(text)
    text = text:gsub("\\\n", " "):gsub("/%*.-%*/", " "):gsub("//[^\n]*", " ")
    text = text:gsub("#define%s+LMP_LAYOUT_DIGEST[^\n]*", " ")
    text = text:gsub("%s+", " "):gsub("(%W) ", "%1"):gsub(" (%W)", "%1")
    return text
end

-- FNV-1a. Nobody is to be deceived here, only reminded.
local function digest(...)
    local sum = 0xcbf29ce484222325
    for _, text in ipairs { ... } do
        for i = 1, #text do
            sum = (sum ~ text:byte(i)) * 0x100000001b3
        end
    end
    return ("%016x"):format(sum)
end

local function digest_of(shared, kinds)
    kinds = assert(kinds:match("(typedef enum LmpKind .-} LmpKind;)"), "no kinds in kind.h") ..
        assert(kinds:match("(typedef enum LmpClass .-} LmpClass;)"), "no classes in kind.h")
    return digest(bare(shared), bare(kinds))
end

local shared = read("src/shared/layout.h") .. read("src/shared/rows.h") .. read("src/shared/laps.h") ..
    read("src/shared/paused.h") .. read("src/shared/containers.h") .. read("src/shared/callers.h")
local kinds = read("src/base/kind.h")
local number = assert(shared:match("#define%s+LMP_LAYOUT%s+(%d+)u"), "layout.h has no LMP_LAYOUT")
local noted = assert(shared:match("#define%s+LMP_LAYOUT_DIGEST%s+0x(%x+)ull"),
    "layout.h has no LMP_LAYOUT_DIGEST")
local now = digest_of(shared, kinds)

-- One place of the text, as it is written there, is put in another way.
local function changed(text, from, to)
    local at, last = text:find(from, 1, true)
    assert(at and not text:find(from, last + 1, true), "'" .. from .. "' stands not once in the text")
    return text:sub(1, at - 1) .. to .. text:sub(last + 1)
end

if self then
    local function seen(from, to)
        assert(digest_of(changed(shared, from, to), kinds) ~= now, from .. " could change unseen")
    end
    local function unseen(from, to)
        assert(digest_of(changed(shared, from, to), kinds) == now, from .. " is no change")
    end
    seen("uint64_t live_bytes;\n    uint64_t peak_bytes;", "uint64_t peak_bytes;\n    uint64_t live_bytes;")
    seen("uint64_t peak_clock; ", "uint32_t peak_clock; ")
    seen("#define LMP_MARKS 64u", "#define LMP_MARKS 65u")
    seen("#define LMP_LAPS_WORST 16u", "#define LMP_LAPS_WORST 17u")
    seen("#define LMP_BLOCK_CYCLE_SHIFT 19u", "#define LMP_BLOCK_CYCLE_SHIFT 20u")
    seen("#define LMP_LAYOUT " .. number .. "u", "#define LMP_LAYOUT " .. number + 1 .. "u")
    seen("LMP_OP_REALLOC, LMP_OP_FREE }", "LMP_OP_FREE, LMP_OP_REALLOC }")
    unseen("/* LMP_MAGIC, stored last */", "/* the magic\n * word */")
    unseen("uint64_t peak_clock; ", "uint64_t   peak_clock ; // more\n")
    unseen(noted, "0123456789abcdef")
    assert(digest_of(shared, changed(kinds, "LMP_CLASSES = 16", "LMP_CLASSES = 32")) ~= now)
    assert(digest_of(shared, changed(kinds, "LMP_C_THREAD,", "")) ~= now)
    assert(digest_of(shared, changed(kinds, "char letter;", "char key;")) == now)
    print("the check finds what it is for")
    return
end

if now ~= noted then
    io.stderr:write("The text of the shared state's layout has changed; LMP_LAYOUT is ", number, ".\n",
        "If states of before are now read otherwise (a place, a size, a meaning), raise LMP_LAYOUT;\n",
        "if only names are new, or you have raised it, leave it. Then run this again, and write in\n",
        "src/shared/layout.h what it says:\n",
        "#define LMP_LAYOUT_DIGEST 0x", now, "ull\n")
    os.exit(false)
end
print("layout " .. number .. " is what it was: " .. now)
