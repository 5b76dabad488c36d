-- A game at 60 frames a second: enemies that walk towards the player, a grid to find who is near,
-- and text for the screen. Each frame makes its tables anew.
local W, H, CELL = 1280, 720, 64
local player = { x = 640, y = 360 }
local enemies = {}
for i = 1, 300 do enemies[i] = { x = (i * 97) % W, y = (i * 53) % H, speed = 20 + i % 40, health = 100 } end

local function direction(from, to)
    local dx, dy = to.x - from.x, to.y - from.y
    local length = math.sqrt(dx * dx + dy * dy) + 0.001
    return { x = dx / length, y = dy / length } --> change
end

local function step(enemy, dt)
    local d = direction(enemy, player)
    enemy.x = enemy.x + d.x * enemy.speed * dt
    enemy.y = enemy.y + d.y * enemy.speed * dt
    if math.abs(enemy.x - player.x) < 5 then enemy.x = (enemy.x + 600) % W end
end

local grid = {}
local function sort_into_grid()
    for cell, list in pairs(grid) do
        for i = #list, 1, -1 do list[i] = nil end
    end
    for _, enemy in ipairs(enemies) do
        local cell = enemy.x // CELL + enemy.y // CELL * 100
        local list = grid[cell]
        if not list then list = {} grid[cell] = list end
        list[#list + 1] = enemy
    end
end

local frame, shown = 0, ""
for _ in io.popen("while sleep 0.016 && echo; do :; done"):lines() do
    frame = frame + 1
    player.x, player.y = 640 + 200 * math.cos(frame / 50), 360 + 200 * math.sin(frame / 50)
    for _, enemy in ipairs(enemies) do step(enemy, 1 / 60) end
    sort_into_grid()
    if frame % 60 == 0 then shown = ("frame %d, %d enemies"):format(frame, #enemies) end
end
