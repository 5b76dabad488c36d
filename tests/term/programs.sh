# programs.sh - the Lua programs that the terminal tests run; sourced after lib.sh.
cat >"$work/talk.lua" <<'LUA'
-- Prints N lines of all kinds of bytes, slowly, and the same to the file "wanted". With WAIT it
-- prints half of them, and goes on when the test has made the file "go".
local pid = io.open("program.pid", "w")
pid:write((io.open("/proc/self/stat"):read "a"):match "^%d+") pid:close()
local n, wanted = tonumber(arg[1]) or 100, io.open("wanted", "wb")
local keep = {}
local function say(text) io.write(text) wanted:write(text) end
for i = 1, n do
  say(("line %d "):format(i))
  for c = 1, 8 do keep[#keep + 1] = { ("x"):rep(c * i % 500) } end
  if i % 10 == 0 then say "tabs\tand \1\2\r bytes \240\159\152\128\255\254 \27[1mbold\27[0m" end
  say "\n"
  io.stdout:flush()
  if i % 7 == 0 then io.stderr:write("err " .. i .. "\n") wanted:write("err " .. i .. "\n") end
  local stop = os.clock() + (tonumber(arg[2]) or 0.01)
  repeat local t = { {}, "s" .. i } until os.clock() > stop
  while i == n // 2 + 1 and os.getenv "WAIT" and not io.open "go" do end
end
wanted:close()
LUA
# The same through lmp.start(true).
{ echo 'require("luamemprofiler").start { live = true, hold = false }'; cat "$work/talk.lua"; } >"$work/self.lua"
# Allocates until the file "stop" is there.
cat >"$work/endless.lua" <<'LUA'
local pid = io.open("program.pid", "w")
pid:write((io.open("/proc/self/stat"):read "a"):match "^%d+") pid:close()
print "the endless program speaks"
local keep, n = {}, 0
while true do
  for i = 1, 2000 do n = n + 1 keep[n % 50000] = { n } end
  local f = io.open "stop"
  if f then f:close() break end
  if os.getenv "TALK" then print("at " .. n) end
end
print "the endless program is done"
LUA
