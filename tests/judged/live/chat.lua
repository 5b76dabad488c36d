-- A chat: avatars are in a cache of 200, the emoji are read once. The history of a room is never cut,
-- and who was seen when is kept by connection.
local avatars, order, emoji, history, seen = {}, {}, {}, {}, {}

for i = 1, 3000 do emoji[":" .. i .. ":"] = "emoji number " .. i end

local function avatar(user)
    local known = avatars[user]
    if not known then
        known = { user = user, image = ("pixel"):rep(20) .. user }
        avatars[user] = known
        order[#order + 1] = user
        if #order > 200 then avatars[table.remove(order, 1)] = nil end
    end
    return known
end

local function post(room, user, text)
    local messages = history[room] or {}
    history[room] = messages
    messages[#messages + 1] = { user = user, text = text:gsub(":%d+:", emoji), at = os.time() } --> change
end

local function connect(user, number)
    local connection = user .. "#" .. number
    seen[connection] = { first = os.time(), user = user, sent = 0 } --> change
    return connection
end

local number = 0
for _ in io.popen("while sleep 0.05 && echo; do :; done"):lines() do
    for _ = 1, 5 do
        number = number + 1
        local user = "user" .. number % 500
        local connection = connect(user, number)
        seen[connection].sent = 1
        avatar(user)
        post("lobby", user, ("message %d :%d:"):format(number, number % 3000 + 1))
    end
end
