-- What objects take in the interpreter that runs, in bytes and by its own count: no test has sizes of one version.
local takes = {}

-- Returns how much a function makes.
function takes.of(make)
  local running = collectgarbage("isrunning")
  make() -- what is made only once
  collectgarbage()
  collectgarbage("stop")
  local before = collectgarbage("count")
  local kept = make() -- luacheck: ignore
  local bytes = math.tointeger((collectgarbage("count") - before) * 1024)
  if running then
    collectgarbage("restart")
  end
  return bytes
end

takes.table = takes.of(function() return {} end)
takes.slot = (takes.of(function() return { 1, 2, 3, 4, 5, 6 } end) - takes.of(function() return { 1, 2 } end)) // 4

return takes
