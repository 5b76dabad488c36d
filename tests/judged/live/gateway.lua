-- A gateway for devices: their messages come in bursts, every device opens a session for each
-- connection, and no session is closed when a device connects anew.
local Session = {}
Session.__index = Session
local sessions, topics = {}, {}

function Session.new(device, number)
    return setmetatable({ id = device .. "/" .. number, device = device, seen = {}, since = os.time() }, Session)
end

function Session:message(kind, value)
    self.seen[kind] = value
    self.last = os.time()
end

local function subscribe(topic, session)
    topics[topic] = topics[topic] or {}
    topics[topic][session] = function(text) session.inbox = text end --> change
end

local function connect(device, number)
    local session = Session.new(device, number)
    sessions[session.id] = session --> change
    subscribe("firmware", session)
    return session
end

local number = 0
for _ in io.popen("while sleep 0.1 && echo; do :; done"):lines() do
    for device = 1, 20 do
        number = number + 1
        local session = connect("device" .. device, number)
        for reading = 1, 10 do
            local fields = { kind = "t" .. reading % 4, value = reading * device }
            session:message(fields.kind, fields.value)
        end
    end
end
