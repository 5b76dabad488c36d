-- A text that is built and written out, over and over.
local text = {}
return function(i)
    text[#text + 1] = "line " .. i
    if #text == 200 then
        text = { #table.concat(text, "\n") }
    end
    churn(200)
end
