-- A game: particles come from a pool, levels are loaded once. The log of events is never cleared, and
-- enemies that have died are still registered by their number.
local pool, level, log, registered = {}, {}, {}, {}

for i = 1, 8000 do level[i] = { x = i % 100, y = i // 100, tile = "tile" .. i % 9 } end
for i = 1, 500 do pool[i] = { x = 0, y = 0, life = 0 } end

local function event(kind, who)
    log[#log + 1] = { kind = kind, who = who.name, at = os.clock() } --> change
end

local function spawn(number)
    local enemy = { number = number, name = "enemy " .. number, health = 3, path = { 1, 2, 3, 4 } }
    registered[number] = enemy --> change
    return enemy
end

local number, frame, alive = 0, 0, {}
for _ in io.popen("while sleep 0.03 && echo; do :; done"):lines() do
    frame = frame + 1
    for i = 1, #pool do
        local particle = pool[i]
        particle.life = particle.life > 0 and particle.life - 1 or i % 30
        particle.x, particle.y = particle.x + 1, particle.y + level[i].y
    end
    for _ = 1, 3 do
        number = number + 1
        alive[#alive + 1] = spawn(number)
    end
    for i = #alive, 1, -1 do
        alive[i].health = alive[i].health - 1
        if alive[i].health == 0 then event("died", table.remove(alive, i)) end
    end
end
