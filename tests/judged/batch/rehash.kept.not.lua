-- Inboxes that fill and are never let go of: no list that is cleared and filled again would do.
local inboxes = {}
for i = 1, 3000 do
    local inbox = {}
    for k = 1, 40 do inbox[#inbox + 1] = k end
    inboxes[i] = inbox
end
