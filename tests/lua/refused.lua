-- Options that cannot be had, as on a processor and an interpreter of which nothing is known
-- (LMP_REGS_SEED=none): the program runs on, and start, stats, the summary and standard error say it.
local lmp = require("luamemprofiler")
local frames = "this interpreter keeps calls in an unknown way"
local entry = "not possible on this processor"

local function starts(options, ok, message, code)
  local name = os.tmpname()
  options.summary = name
  local a, b, c = lmp.start(options)
  assert(a == ok and b == message and c == code, tostring(b) .. ", " .. tostring(c))
  local t = {}
  for i = 1, 100 do
    t[i] = { i }
  end
  local s = lmp.stop({ sites = true, tree = true })
  local file <close> = assert(io.open(name))
  os.remove(name)
  assert(#t == 100 and s.lines == "approximate" and s.lines_why)
  return s, file:read("a")
end

local s, text = starts({}, true, nil, nil)
assert(s.stacks == false and not s.stacks_why and not s.sample and not s.sample_why)
assert(not text:find("No call paths") and not text:find("Not sampled"))

s, text = starts({ stacks = true }, true, "call paths are not kept", "NOSTACKS")
assert(s.stacks == false and s.stacks_why == frames and not s.tree and not s.sample_why)
assert(text:find("\n  No call paths        " .. frames .. "\n", 1, true))

-- Every block is accounted for, then: the site has all hundred.
s, text = starts({ sample = "1MiB" }, true, "every block is accounted for, not samples", "NOSAMPLE")
assert(not s.sample and s.sample_why == entry and not s.stacks_why)
assert(text:find("\n  Not sampled          " .. entry .. ": all counted\n", 1, true))
local made = 0
for _, site in ipairs(s.sites) do
  made = made + site.allocs
end
assert(made == s.mallocs)

s, text = starts({ stacks = true, sample = "1MiB" }, true, "call paths are not kept", "NOSTACKS")
assert(s.stacks_why == frames and s.sample_why == entry)
assert(text:find("No call paths", 1, true) and text:find("Not sampled", 1, true))
print("ok")
