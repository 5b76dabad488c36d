--- The standard normal distribution.

local exp, sqrt, pi = math.exp, math.sqrt, math.pi

local normal = {}

--- Density at x.
function normal.density(x)
    return exp(-0.5 * x * x) / sqrt(2 * pi)
end

--- Probability of a value below x: Abramowitz and Stegun 26.2.17, good to 7.5e-8.
function normal.below(x)
    local z = x < 0 and -x or x
    local k = 1 / (1 + 0.2316419 * z)
    local tail = normal.density(z) * k * (0.319381530 + k * (-0.356563782
        + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))))
    return x < 0 and tail or 1 - tail
end

--- A random normal value: Box and Muller's polar form draws two, the second is thrown away.
function normal.draw(random)
    while true do
        local u, v = 2 * random() - 1, 2 * random() - 1
        local s = u * u + v * v
        if s > 0 and s < 1 then
            return u * sqrt(-2 * math.log(s) / s)
        end
    end
end

return normal
