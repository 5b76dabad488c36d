--- What the assertions for busted and luaunit share: they run a function under `lmp.measure` or
-- `lmp.measure_growth` and say what is wrong in figures and lines. `true` and what was found, or `false` and why
-- not; and `true` again if that cannot be told, so that neither an assertion nor its opposite holds.
local lmp = require("luamemprofiler")

local expect = {}

local LINES = 5
local UNITS = { b = 1, kib = 2 ^ 10, mib = 2 ^ 20, gib = 2 ^ 30, k = 2 ^ 10, m = 2 ^ 20, g = 2 ^ 30 }
UNITS[""], UNITS.kb, UNITS.mb, UNITS.gb = 1, UNITS.k, UNITS.m, UNITS.g

-- What may be limited: its name, the field of what lmp.measure returns, the field of a site, is it bytes?
local FIGURES = {
  { "bytes", "bytes", "bytes", true },
  { "allocs", "allocs", "allocs", false },
  { "peak", "peak_bytes", "bytes", true },
  { "held", "held_bytes", "held_bytes", true },
}

local UNMEASURED = "unclear: it could not be measured: the profile was stopped meanwhile, or none can be had"

local function number(n, bytes)
  if math.type(n) == "float" then -- a call
    return ("%.1f B"):format(n)
  end
  local text = ("%d"):format(n):reverse():gsub("(%d%d%d)", "%1,"):reverse():gsub("^,", ""):gsub("^%-,", "-")
  return text .. (bytes and " B" or "")
end

-- 1024, "1024", "64KiB", "1.5 MiB"
local function size(value)
  if math.type(value) == "integer" or type(value) == "number" and value == math.huge then
    return value
  end
  local n, unit = tostring(value):match("^%s*(%d+%.?%d*)%s*(%a*)%s*$")
  return n and UNITS[unit:lower()] and tonumber(n) * UNITS[unit:lower()]
end

local function callable(f)
  local meta = getmetatable(f)
  return type(f) == "function" or type(meta) == "table" and meta.__call ~= nil
end

-- The lines that have most of a site's field.
local function lines(sites, field, bytes)
  local rows = {}
  for _, s in ipairs(sites) do
    if s[field] > 0 then
      rows[#rows + 1] = s
    end
  end
  table.sort(rows, function(a, b)
    if a[field] ~= b[field] then
      return a[field] > b[field]
    end
    return a.short_src .. a.line < b.short_src .. b.line
  end)
  local out = {}
  for i = 1, math.min(#rows, LINES) do
    local s = rows[i]
    local where = s.line > 0 and s.short_src .. ":" .. s.line or s.short_src
    out[i] = ("\n  %14s  %s  %s"):format(number(s[field], bytes), where, s.func)
  end
  if #rows > LINES then
    out[LINES + 1] = ("\n  %14s  %d more lines"):format("", #rows - LINES)
  end
  return table.concat(out)
end

-- Results are nobody's from here on.
local function drop(f, ...)
  f(...)
end

--- Does `f(...)` allocate less than this? `limit`: bytes, as a number or "64KiB"; or a table with some of
-- bytes, allocs, peak, held. An error that blames level 3 where the arguments are wrong.
function expect.allocates_less_than(limit, f, ...)
  local limits = type(limit) == "table" and limit or { bytes = limit }
  local known = {}
  for _, figure in ipairs(FIGURES) do
    known[figure[1]] = true
  end
  for name, most in pairs(limits) do
    if not known[name] then
      error(("there is no limit '%s'; there are: bytes, allocs, peak, held"):format(tostring(name)), 3)
    elseif not size(most) then
      error(("%s = %s: a number was expected, or a size such as '64KiB'"):format(name, tostring(most)), 3)
    end
  end
  if not callable(f) then
    error("a function was expected behind the limit, got " .. type(f), 3)
  end
  local m = lmp.measure(drop, f, ...)
  if not m then
    return false, UNMEASURED, true
  end
  local broken, kept = {}, {}
  for _, figure in ipairs(FIGURES) do
    local name, field, of_site, bytes = table.unpack(figure)
    local most, value = limits[name] and size(limits[name]), m[field]
    if most and value >= most then
      broken[#broken + 1] = ("%s: %s, where less than %s was expected%s"):format(name, number(value, bytes),
        number(most // 1 | 0, bytes), lines(m.sites, of_site, bytes))
    elseif most then
      kept[#kept + 1] = ("%s: %s"):format(name, number(value, bytes))
    end
  end
  if #broken > 0 then
    return false, table.concat(broken, "\n")
  end
  return true, table.concat(kept, ", ")
end

--- Does `f(...)` leave nothing more behind the more often it is called? What comes once, or fills up, such as a
-- module or a cache, is not held against it. What cannot be told is no pass.
function expect.holds_nothing(f, ...)
  if not callable(f) then
    error("a function was expected, got " .. type(f), 3)
  end
  local g = lmp.measure_growth(f, ...)
  if not g then
    return false, UNMEASURED, true
  end
  local unclear = g.verdict == "unclear"
  local words = (unclear and "unclear: " or "") .. g.words .. lines(g.sites, "bytes_per_call", true)
  return g.verdict == "none", words, unclear
end

return expect
