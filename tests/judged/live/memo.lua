-- Distances between points are memoized. The keys are tables that each call makes anew, so that
-- nothing is ever found again.
local memo = {}

local function distance_of(pair)
    local from, to = pair.from, pair.to
    local dx, dy = from.x - to.x, from.y - to.y
    return math.sqrt(dx * dx + dy * dy)
end

local function memoized(pair)
    local known = memo[pair]
    if not known then
        known = distance_of(pair)
        memo[pair] = known --> change
    end
    return known
end

local function path_length(points)
    local sum = 0
    for i = 2, #points do
        sum = sum + memoized { from = points[i - 1], to = points[i] }
    end
    return sum
end

local points = {}
for i = 1, 200 do points[i] = { x = (i * 37) % 101, y = (i * 61) % 103 } end
local best = math.huge
for _ in io.popen("while sleep 0.02 && echo; do :; done"):lines() do
    local i, k = math.random(#points), math.random(#points)
    points[i], points[k] = points[k], points[i]
    local length = path_length(points)
    if length < best then best = length else points[i], points[k] = points[k], points[i] end
end
