-- Particles with a vector class: each operator makes a new vector.
local Vector = {}
Vector.__index = Vector
local function vector(x, y, z)
    return setmetatable({ x = x, y = y, z = z }, Vector) --> change
end
function Vector.__add(a, b) return vector(a.x + b.x, a.y + b.y, a.z + b.z) end
function Vector.__mul(a, k) return vector(a.x * k, a.y * k, a.z * k) end
function Vector:length() return math.sqrt(self.x ^ 2 + self.y ^ 2 + self.z ^ 2) end

local Particle = {}
Particle.__index = Particle
function Particle.new(i)
    return setmetatable({ at = vector(i, 0, 0), v = vector(math.cos(i), 10, math.sin(i)), age = i % 50 }, Particle)
end
function Particle:step(dt, gravity)
    self.v = self.v + gravity * dt
    self.at = self.at + self.v * dt
    self.age = self.age + dt
    if self.at.y < 0 then self.v.y = -self.v.y * 0.8 end
end

local particles = {}
for i = 1, 500 do particles[i] = Particle.new(i) end
local gravity = vector(0, -9.81, 0)
for _ in io.popen("while sleep 0.016 && echo; do :; done"):lines() do
    for _, particle in ipairs(particles) do particle:step(1 / 60, gravity) end
end
