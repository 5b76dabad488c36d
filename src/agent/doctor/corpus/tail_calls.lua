-- Tail calls: the frame of the caller is gone, the line is the callee's.
local function make(n) return { n } end --@ 65 32*T+32*A1+32
local function tail(n) return make(n) end --@ 2 80
local function longer(n)
    local t = { n, n }
    return make(t)
end
for i = 1, 10 do
    tail(i)
    longer(i)
    local t = tail(i)
end
local function loop(n)
    if n == 0 then return { {} } end
    local t = { n }
    return loop(n - 1)
end
loop(1000)
local function to_c(n) return string.rep("x", n) end
to_c(100)
to_c(5000)
local function to_pack(...) return table.pack(...) end
to_pack(1, 2, 3)
local function ping(n, f) if n > 0 then return f(n - 1, ping) end return {} end
ping(50, function(n, f) local t = { n } return f(n, f) end)
local callable = setmetatable({}, { __call = function(self, n) return { n } end })
local function to_callable(n) return callable(n) end
to_callable(1)
local function to_coroutine() return coroutine.wrap(function() return { 1 } end)() end
to_coroutine()
local function to_pcall() return pcall(make, 1) end
to_pcall()
local function in_close()
    local z <close> = setmetatable({}, { __close = function() local t = { "closed" } end })
    return make(1)
end
in_close()
