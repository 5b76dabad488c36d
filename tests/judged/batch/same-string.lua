-- A header that is the same for every answer, made for every answer.
local sent = 0
local name = "example"
for i = 1, 60000 do
    local header = "HTTP/1.1 200 OK\r\nServer: " .. name .. "\r\nContent-Type: text/html; charset=utf-8\r\n\r\n"
    sent = sent + #header
end
