--- options.lua - a few days at an options desk: a program whose memory is worth watching.
--
--     lua5.4 options.lua [SCALE [FILE]]
--
-- Every day it loads a file of options, copies the columns out and prices them with the formula of
-- Black and Scholes (the heap rises, then falls); prices some of them again by Monte Carlo (garbage,
-- in waves); compiles payoffs (functions); and lets brokers trade, each of them a coroutine with
-- files of its own (threads, userdata). All the while a ledger grows that nobody ever clears: the
-- leak to be found. SCALE is the size of it all: 1 for about a minute, 0.02 for about a second.
-- FILE is read instead of a temporary file, and made first if it is missing.

package.path = (arg[0]:match("^(.*/)") or "./") .. "?.lua;" .. package.path

local blackscholes = require "pricing.blackscholes"
local file = require "pricing.file"

local scale = tonumber(arg[1] or 1)
if not scale or scale <= 0 then
    io.stderr:write("options.lua: SCALE must be a number above 0, not '", arg[1], "'\n")
    os.exit(2)
end

local function scaled(n)
    return math.max(1, math.floor(n * scale + 0.5))
end

local DAYS = 4
local OPTIONS = scaled(150000)

io.stdout:setvbuf("line")

local function say(day, phase, what, ...)
    print(string.format("day %d  %-9s " .. what, day, phase, ...))
end

---------------------------------------------------------------------------------------------------
-- The ledger: what was traded, with a function to undo it. Nobody ever undoes or clears anything.

local ledger = {}

local function enter_trade(day, name, price)
    local entry = { name = name, price = price, note = string.format("%d/%s at %.4f", day, name, price) }
    entry.undo = function()
        entry.price = -price
        return entry
    end
    ledger[#ledger + 1] = entry
end

---------------------------------------------------------------------------------------------------
-- Morning: load, copy out, price.

local function load_and_price(day, path)
    local records = file.load(path)
    say(day, "load", "%d options", #records)

    local columns = file.to_columns(records)
    records = nil -- luacheck: ignore (from here on the records are garbage)
    say(day, "columns", "%d columns of %d", #file.columns, #columns.price)

    local sum, worst = 0, 0
    local prices = {}
    for i = 1, #columns.price do
        local price = blackscholes.price(columns.kind[i], columns.spot[i], columns.strike[i],
            columns.rate[i], columns.dividend[i], columns.volatility[i], columns.time[i])
        prices[i] = price
        sum = sum + price
        worst = math.max(worst, math.abs(price - columns.price[i]))
        if i % 12 == 0 then
            enter_trade(day, "option" .. i, price)
        end
    end
    assert(worst < 1e-2, "the prices are not those of the file")
    say(day, "price", "mean %.4f, off by %.1e at most", sum / #prices, worst)

    local implied, count = 0, 0
    for i = 1, #prices, 2 do
        implied = implied + blackscholes.implied(prices[i], columns.kind[i], columns.spot[i],
            columns.strike[i], columns.rate[i], columns.dividend[i], columns.time[i])
        count = count + 1
    end
    say(day, "implied", "mean volatility %.4f of %d", implied / count, count)
    return columns, sum
end

---------------------------------------------------------------------------------------------------
-- Noon: payoffs compiled from text, options priced by them on random paths.

local PAYOFFS = {
    "path[#path] - %.4f",
    "%.4f - path[#path]",
    "(path[1] + path[#path // 2 + 1] + path[#path]) / 3 - %.4f",
    "math.max(path[#path // 2 + 1], path[#path]) - %.4f",
}

local function compile_payoffs(day, columns)
    local payoffs = {}
    for i = 1, math.min(scaled(12000), #columns.strike) do
        local text = "local path = ...; return " .. PAYOFFS[i % #PAYOFFS + 1]:format(columns.strike[i])
        payoffs[i] = assert(load(text, "=payoff" .. i))
    end
    say(day, "payoffs", "%d compiled", #payoffs)
    return payoffs
end

local function simulate(day, columns, payoffs)
    local random, sum, report = math.random, 0, {}
    local count = math.min(scaled(2500), #payoffs)
    for i = 1, count do
        local price = blackscholes.simulate(200, 40, random, payoffs[i], columns.spot[i],
            columns.rate[i], columns.dividend[i], columns.volatility[i], columns.time[i])
        sum = sum + price
        report[#report + 1] = string.format("%6d %-20s %12.4f", i, "payoff" .. i, price)
        if #report == 100 then
            sum = sum + #table.concat(report, "\n") % 2 -- a page nobody reads
            report = {}
            enter_trade(day, "payoff" .. i, price)
        end
        if i % math.ceil(count / 2) == 0 then
            say(day, "simulate", "%d payoffs, mean %.4f", i, sum / i)
        end
    end
    return sum
end

---------------------------------------------------------------------------------------------------
-- Afternoon: brokers, each a coroutine that writes and reads files of its own and sorts its book.

-- Quicksort by recursion, as deep as it likes: the stacks of the coroutines grow.
local function sort(book, low, high)
    if low >= high then return end
    local pivot, i, j = book[(low + high) // 2].price, low, high
    while i <= j do
        while book[i].price < pivot do i = i + 1 end
        while book[j].price > pivot do j = j - 1 end
        if i <= j then
            book[i], book[j] = book[j], book[i]
            i, j = i + 1, j - 1
        end
    end
    sort(book, low, j)
    coroutine.yield(0)
    sort(book, i, high)
end

local function broker(name, columns, from, count)
    return coroutine.create(function()
        local papers = assert(io.tmpfile()) -- left to the collector to close
        local book = {}
        for k = 1, count do
            local i = (from + k * 7) % #columns.price + 1
            papers:write(columns.kind[i], " ", columns.price[i], "\n")
            if k % 20 == 0 then coroutine.yield(0) end
        end
        papers:seek("set")
        for line in papers:lines() do
            local kind, price = line:match("(%u) (%S+)")
            book[#book + 1] = { owner = name, kind = kind, price = tonumber(price), quote = line:rep(2, "|") }
            if #book % 20 == 0 then coroutine.yield(0) end
        end
        sort(book, 1, #book)
        return book[#book].price - book[1].price
    end)
end

local function trade(day, columns)
    local sum, rounds = 0, 0
    for crowd = 1, 16 do
        local brokers = {}
        for b = 1, math.max(4, math.floor(100 * math.min(1, scale))) do
            brokers[b] = broker("broker" .. b, columns, crowd * 1000 + b, math.max(10, scaled(400)))
        end
        while #brokers > 0 do
            rounds = rounds + 1
            for b = #brokers, 1, -1 do
                local ok, value = coroutine.resume(brokers[b])
                assert(ok, value)
                sum = sum + value
                if coroutine.status(brokers[b]) == "dead" then
                    enter_trade(day, "broker" .. b, value)
                    table.remove(brokers, b)
                end
            end
        end
    end
    say(day, "trade", "%d rounds, spread %.4f", rounds, sum)
    return sum
end

---------------------------------------------------------------------------------------------------

local function main()
    local random = math.random
    math.randomseed(1973)

    local path = arg[2]
    local temporary <close> = setmetatable({}, {
        __close = function(self)
            if self.path then os.remove(self.path) end
        end,
    })
    if not path then
        path = os.tmpname()
        temporary.path = path
        os.remove(path) -- the name is all that is wanted
    end
    local there = io.open(path)
    if there then
        there:close()
    else
        file.generate(path, OPTIONS, random)
        print(string.format("wrote %d options to a file", OPTIONS))
    end

    local checksum = 0
    for day = 1, DAYS do
        local columns, sum = load_and_price(day, path)
        local payoffs = compile_payoffs(day, columns)
        checksum = checksum + sum + simulate(day, columns, payoffs) + trade(day, columns)
        say(day, "close", "%d entries in the ledger", #ledger)
    end
    print(string.format("checksum %.6f", checksum))
end

main()
