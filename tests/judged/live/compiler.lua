-- A compiler that watches files: keywords are read once, trees are made and dropped. Symbols are
-- interned with their place and never dropped, and messages are chained one to the next.
local keywords, symbols, last = {}, {}, nil

for i = 1, 1500 do keywords["kw" .. i] = { token = i, name = "keyword " .. i } end

local function intern(name, file)
    local key = file .. ":" .. name
    local symbol = symbols[key]
    if not symbol then
        symbol = { name = name, file = file, uses = {} }
        symbols[key] = symbol --> change
    end
    symbol.uses[1] = keywords.kw1
    return symbol
end

local function warn(text, file)
    last = { text = text .. " in " .. file, file = file, before = last } --> change
end

local function parse(file, n)
    local tree = {}
    for i = 1, 30 do tree[i] = { op = i % 4, left = i, right = { n, i } } end
    intern("local" .. n, file)
    warn("unused variable " .. n, file)
    return #tree
end

local n = 0
for _ in io.popen("while sleep 0.04 && echo; do :; done"):lines() do
    for _ = 1, 5 do
        n = n + 1
        parse(("src/file%d.x"):format(n), n)
    end
end
