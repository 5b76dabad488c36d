-- A ring that takes a third of the run to go round.
local ring = {}
return function(i)
    ring[i % 800 + 1] = { i, "entry " .. i }
    churn(200)
end
