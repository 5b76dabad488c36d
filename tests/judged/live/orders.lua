-- Orders from a database: statements are prepared once, 120 of them. The identity map never forgets
-- a row, and every query is kept in a log.
local prepared, identity, queries = {}, { order = {} }, {}

local function prepare(text)
    local statement = prepared[text]
    if not statement then
        statement = { text = text, plan = { "scan", "filter", "sort of " .. text } }
        prepared[text] = statement
    end
    return statement
end

local function note(statement, ...)
    queries[#queries + 1] = { statement = statement, arguments = { ... } } --> change
end

local function find(kind, id)
    local map = identity[kind]
    local row = map[id]
    if not row then
        local statement = prepare(("select * from %s where part = %d"):format(kind, id % 120))
        note(statement, id)
        row = { id = id, total = id * 1.5, lines = {}, customer = "customer of " .. id }
        for i = 1, 3 do row.lines[i] = { item = i, amount = id % 9 } end
        map[id] = row --> change
    end
    return row
end

local id, sum = 0, 0
for _ in io.popen("while sleep 0.05 && echo; do :; done"):lines() do
    for _ = 1, 5 do
        id = id + 1
        sum = sum + find("order", id).total
    end
end
