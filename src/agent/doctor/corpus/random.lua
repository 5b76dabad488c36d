-- Programs made by chance, always the same: constructors, calls and lines in any order.
local seed = 20261122
local function random(n)
    seed = (seed * 1103515245 + 12345) % 2147483648
    return seed // 65536 % n + 1
end
local text
local function emit(s)
    text[#text + 1] = s
    if random(3) == 1 then text[#text + 1] = "\n" end
end
local expression
local function items(depth)
    for _ = 1, random(random(20) == 1 and 120 or 4) - 1 do
        local r = random(6)
        if r == 1 then emit("x = ") end
        if r == 2 then emit("[" .. random(9) .. "] = ") end
        expression(depth - 1)
        emit(",")
    end
    if random(5) == 1 then emit("...") end
    if random(5) == 1 then emit(",f(" .. random(70) .. ")") end
end
function expression(depth)
    local r = depth <= 0 and random(3) or random(9)
    if r == 1 then
        emit(random(100) .. " ")
    elseif r == 2 then
        emit("a ")
    elseif r == 3 then
        emit("g(a) ")
    elseif r == 4 then
        emit("g(") expression(depth - 1) emit(")")
    elseif r == 5 then
        emit("(function(...) return ") expression(depth - 1) emit("end)(") emit("a)")
    elseif r == 6 then
        emit("('s' .. g(" .. random(9) .. ")) ")
    else
        emit("{ ")
        items(depth)
        emit("}")
    end
end
local environment = {
    f = function(n)
        local t = {}
        for i = 1, n do t[i] = i end
        return table.unpack(t)
    end,
    g = function(v) return v end,
}
local function one(n)
    text = {}
    emit("local a = ... ")
    for _ = 1, 3 + random(5) do
        emit("a = ")
        expression(4)
        emit("; ")
    end
    emit("return a")
    local code = table.concat(text, " ")
    code = code:gsub(", *\n* *%.%.%.%s*,", ", a,"):gsub(",%s*,", ", a,"):gsub("{%s*,", "{ a,")
    local chunk, e = load(code, "=random" .. n, "t", environment)
    if not chunk then error(e .. code) end
    for i = 1, 3 do chunk(i) end
    coroutine.wrap(chunk)(n)
    pcall(chunk, n, n, n)
end
for n = 1, 60 do pcall(one, n) end
