-- animate.lua - joins pictures that lmp's key p has saved into one that moves.
--
--     lua5.4 animate.lua SECONDS:FILE.svg... >ANIMATED.svg     each picture for so many seconds
--     lua5.4 animate.lua --still=N SECONDS:FILE.svg...         what is seen of it during the Nth
--
-- Pictures of one display are alike in most of their elements, each of which is a line of the file.
-- An element is written once, in a group with those that are seen at the same times; within one of
-- the two layers, grounds and what is on them, none covers another. Who asked for less motion, or
-- has a program that knows no animations, sees the last picture.
local still, frames = nil, {}
for _, word in ipairs(arg) do
    local n = word:match "^%-%-still=(%d+)$"
    local seconds, path = word:match "^([%d.]+):(.+)$"
    if n then
        still = tonumber(n)
    elseif seconds then
        frames[#frames + 1] = { seconds = tonumber(seconds), path = path }
    else
        error("neither SECONDS:FILE nor --still=N: " .. word)
    end
end
assert(#frames > 1 and #frames < 60, "there must be at least two pictures")

local head, page
local layers = { { order = {}, seen = {} }, { order = {}, seen = {} } } -- seen: by element, in which pictures (bits)
for i, frame in ipairs(frames) do
    local file = assert(io.open(frame.path))
    local layer = 2
    for line in file:lines() do
        if line:find "^<svg " then
            assert(not head or head == line, frame.path .. " is of another size")
            head = line
        elseif line:find '^<rect x="%-' then
            page = page or line
        elseif line:find "^<g " then
            layer = 1
        elseif line == "</g>" then
            layer = 2
        elseif line ~= "</svg>" then
            local at = layers[layer]
            if not at.seen[line] then at.order[#at.order + 1] = line end
            at.seen[line] = (at.seen[line] or 0) | 1 << i
        end
    end
    file:close()
end

local all, last, total = 0, 1 << #frames, 0
for i, frame in ipairs(frames) do
    all = all | 1 << i
    total = total + frame.seconds
end

-- The elements of a layer by when they are seen; in the order of their first one.
local function groups(layer)
    local order, members = {}, {}
    for _, element in ipairs(layer.order) do
        local mask = layer.seen[element]
        if not members[mask] then
            members[mask] = {}
            order[#order + 1] = mask
        end
        table.insert(members[mask], element)
    end
    return order, members
end

local masks, names = {}, {}
for _, layer in ipairs(layers) do
    for _, mask in ipairs((groups(layer))) do
        if mask ~= all and not names[mask] then
            masks[#masks + 1] = mask
            names[mask] = "s" .. #masks
        end
    end
end

local function style()
    local out, quiet = {}, {}
    for _, mask in ipairs(masks) do
        local keys, at, before = {}, 0, nil
        for i, frame in ipairs(frames) do
            local now = mask & 1 << i ~= 0
            if now ~= before then
                keys[#keys + 1] = ("%.4g%%{visibility:%s}"):format(100 * at / total, now and "visible" or "hidden")
            end
            before, at = now, at + frame.seconds
        end
        local name = names[mask]
        local rest = mask & last ~= 0 and "visible" or "hidden"
        out[#out + 1] = ("@keyframes %s{%s}"):format(name, table.concat(keys))
        out[#out + 1] = (".%s{visibility:%s;animation:%s %gs step-end infinite}"):format(name, rest, name, total)
        quiet[#quiet + 1] = "." .. name
    end
    out[#out + 1] = ("@media (prefers-reduced-motion:reduce){%s{animation:none}}"):format(table.concat(quiet, ","))
    return "<style>\n" .. table.concat(out, "\n") .. "\n</style>"
end

print(head)
if not still then print(style()) end
print(page)
for i, layer in ipairs(layers) do
    local order, members = groups(layer)
    if i == 1 then print '<g shape-rendering="crispEdges">' end
    for _, mask in ipairs(order) do
        if not still or mask & 1 << still ~= 0 then
            print(names[mask] and not still and '<g class="' .. names[mask] .. '">' or "<g>")
            print(table.concat(members[mask], "\n"))
            print "</g>"
        end
    end
    if i == 1 then print "</g>" end
end
print "</svg>"
