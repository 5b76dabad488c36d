-- Functions kept in locals and upvalues long before.
local resume, create, yield, wrap = coroutine.resume, coroutine.create, coroutine.yield, coroutine.wrap
local insert, concat, rep, gsub = table.insert, table.concat, string.rep, string.gsub
local co = create(function(a)
    local t = { a }
    local b = yield(t)
    insert(t, { b })
    return rep("y", 50)
end)
resume(co, 1)
resume(co, 2)
local function go(f) return resume(create(f)) end
go(function()
    local t = { {} }
    go(function() local u = { {} } end)
    return concat({ "a", "b", #t })
end)
local w = wrap(function() gsub("abc", "%w", function(c) yield({ c }) end) end)
pcall(w)
local g = wrap(function() for _, x in ipairs { 1, 2, 3 } do yield({ x }) end end)
g() g() g()
local r = pcall
r(resume, create(function() local t = { 1 } end))
r(r, r, resume, create(function() local t = { 2 } end))
