-- Mail: templates fill a cache of 80 and stop, addresses are read once. Threads keep each message by
-- its number, and the outbox keeps what was sent, with what to do then.
local templates, addresses, threads, outbox = {}, {}, {}, {}

for i = 1, 4000 do addresses["person" .. i] = { name = "Person " .. i, mail = "person" .. i .. "@example.org" } end

local function template(number)
    local text = templates[number]
    if not text then
        text = ("Dear %s, " .. ("this is template " .. number .. ". "):rep(12))
        templates[number] = text
    end
    return text
end

local function file_away(message)
    threads[message.id] = { subject = message.subject, replies = {}, message = message } --> change
end

local function send(message, sent)
    outbox[#outbox + 1] = { message.id, sent } --> change
end

local n = 0
for _ in io.popen("while sleep 0.05 && echo; do :; done"):lines() do
    for _ = 1, 4 do
        n = n + 1
        local to = addresses["person" .. n % 4000 + 1]
        local message = { id = n, subject = "Re: " .. n, body = template(n % 80):format(to.name) }
        file_away(message)
        local tries = 0
        send(message, function() tries = tries + 1 return tries end)
    end
end
