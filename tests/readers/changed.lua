-- changed.lua - a program that was edited between two runs: for the older one `run` takes out the lines that end in
-- "-- only now", for the newer one those that end in "-- only before".
-- This line moves all others. -- only now
local kept, size = {}, 1000 -- only before
local kept, size = {}, 3000 -- only now

local function fill(n)
    for i = 1, n do
        kept[#kept + 1] = { i }
    end
end

local function words(n)
    local out = {}
    for i = 1, n do
        out[i] = "word " .. i
    end
    return out
end

local function dropped(n) -- only before
    local t = {} -- only before
    for i = 1, n do t[i] = { tostring(i) .. "x", {} } end -- only before
    return t -- only before
end -- only before

local odd = assert(load("return function(n) return ('</script>'):rep(n) end", "=</script><b>"))()

local function less(n)
    for i = 1, n do
        kept["k" .. i] = ("y"):rep(i)
    end
end

local function main()
    fill(size)
    less(400) -- only before
    less(200) -- only now
    kept.dropped = dropped(700) -- only before
    kept.odd = odd(size)
    kept.words = words(500)
end

main()
kept.buffer = ("x"):rep(100000) -- only now
