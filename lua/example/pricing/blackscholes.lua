--- Prices of European options: the formula of Black, Scholes and Merton, and Monte Carlo.

local normal = require "pricing.normal"

local exp, log, sqrt, max = math.exp, math.log, math.sqrt, math.max

local blackscholes = {}

--- Price of a European option.
-- kind: "C" (call) or "P" (put); spot, strike: money; rate, dividend: per year, continuous;
-- volatility: per square root of a year; time: years to expiry.
function blackscholes.price(kind, spot, strike, rate, dividend, volatility, time)
    local spread = volatility * sqrt(time)
    local d1 = (log(spot / strike) + (rate - dividend + 0.5 * volatility * volatility) * time) / spread
    local d2 = d1 - spread
    local share, bond = spot * exp(-dividend * time), strike * exp(-rate * time)
    if kind == "C" then
        return share * normal.below(d1) - bond * normal.below(d2)
    end
    return bond * normal.below(-d2) - share * normal.below(-d1)
end

--- The volatility at which the formula gives `price`, by bisection.
function blackscholes.implied(price, kind, spot, strike, rate, dividend, time)
    local low, high = 0.01, 2
    for _ = 1, 24 do
        local middle = (low + high) / 2
        if blackscholes.price(kind, spot, strike, rate, dividend, middle, time) < price then
            low = middle
        else
            high = middle
        end
    end
    return (low + high) / 2
end

--- The price once more, as the mean payoff of random paths. Each path is a table of its own that
-- nobody needs afterwards: honest garbage.
function blackscholes.simulate(paths, steps, random, payoff, spot, rate, dividend, volatility, time)
    local dt = time / steps
    local drift = (rate - dividend - 0.5 * volatility * volatility) * dt
    local spread = volatility * sqrt(dt)
    local sum = 0
    for _ = 1, paths do
        local path = { spot }
        for i = 1, steps do
            path[i + 1] = path[i] * exp(drift + spread * normal.draw(random))
        end
        sum = sum + max(payoff(path), 0)
    end
    return exp(-rate * time) * sum / paths
end

return blackscholes
