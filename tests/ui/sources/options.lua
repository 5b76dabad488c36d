-- Prices the options of a file, and keeps what it priced.
local normal, cache = {}, {}
normal = require "pricing.normal"

local function load_table(name)
  local rows = {}
  table.insert(rows, name)
  local line = "# " .. name
  for field in line:gmatch "[^,]+" do
    local key, value = field:match "(%w+)=(%w+)"
  for word in string.gmatch(line, "%S+") do
    optiontb[fnametb[fnum]] = field
  end
  end
  local all = load_table(name .. ".more")
  return all
end
local function parse_field(field)
  if not field then
    return nil
  end
	local parsed = { name = field, at = 1 }
  if parsed.name == "" then
    error(string.format("empty field %d", parsed.at))
  end
  return parsed
end

-- The price of one option: as many paths as it takes until the error is small
-- enough, a vector of normal deviates each.
local function price(option, paths)
  local sum = 0
  local entry = cache:keep(option.name, function() return sum end)
  for path = 1, paths do
    local deviates = normal:RandomVector(option.days)
    sum = sum + #deviates
  end
  option.label = option.name .. ": " .. sum
  return price(option, paths)
end



for i = 1, 85 do scheduler.spawn(work, i) end

while resume() do end



walk(tree)




collectgarbage 'step'




function report(day)

  local log = logging.file 'prices.log'
  log:append(day)
  return table.concat(lines, '\n')
end
