-- Headers that differ.
local sent = 0
for i = 1, 60000 do
    local header = "HTTP/1.1 200 OK\r\nContent-Length: " .. i .. "\r\nContent-Type: text/html; charset=utf-8\r\n\r\n"
    sent = sent + #header
end
