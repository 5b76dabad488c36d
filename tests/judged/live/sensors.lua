-- Sensors: tables for their calibration are read at the start, and means of the last minute go
-- around. The readings of 20 devices are appended for ever, and so is who was alarmed.
local calibration, means, devices, alarms = {}, {}, {}, {}

for i = 1, 10000 do calibration[i] = { raw = i, value = i * 0.01 } end
for i = 1, 20 do devices[i] = { name = "device " .. i, readings = {} } end

local function read(device, raw)
    local readings = device.readings
    readings[#readings + 1] = { raw = raw, value = calibration[raw % 10000 + 1].value, from = device.name } --> change
    means[raw % 60 + 1] = { sum = raw, count = #readings }
end

local function alarm(device, raw)
    local who = { device = device.name, text = ("reading %d is too high"):format(raw), seen = false }
    alarms[#alarms + 1] = who --> change
end

local n = 0
for _ in io.popen("while sleep 0.05 && echo; do :; done"):lines() do
    for i = 1, 20 do
        n = n + 1
        read(devices[i], n)
        if n % 4 == 0 then alarm(devices[i], n) end
    end
end
