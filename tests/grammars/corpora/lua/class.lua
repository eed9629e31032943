-- Classes by metatables, closures, and what 5.4 brought.
local Account <const> = {}
Account.__index = Account

function Account.new(balance, ...)
    local extra = { n = select('#', ...), ... }
    return setmetatable({ balance = balance or 0, ["log book"] = {}, extra = extra; [1] = true, }, Account)
end

function Account:withdraw(amount)
    if amount > self.balance then
        error("insufficient funds: " .. amount .. " > " .. self.balance, 2)
    elseif amount <= 0 or amount ~= amount then
        return nil, 'bad amount\n\tat \x41\u{1F600}\065\z
                     end'
    else
        self.balance = self.balance - amount
    end
    self["log book"][#self["log book"] + 1] = -amount
    return self.balance
end

local function counter(step)
    local count = 0
    return function() count = count + (step or 1) return count end
end

local next_id, reset = counter(), nil
local file <close> = io.open("/dev/null")
do local a, b, c = next_id(), (next_id()); print(a // 1, b % 2 ^ -3 ^ 2, c) end

for i = 10, 1, -1 do
    if i % 2 == 0 then goto continue end
    print(i, i & 0xFF | 1 << 4 ~ 3, ~i >> 1)
    ::continue::
end

for key, value in pairs { x = 1, y = 0x1p4, z = .5e-3; 3., 0xA.8P1 } do
    print(("%s=%s"):format(key, value), #key, not value)
end

--[[ A long comment
     with ]=] inside. ]]
local text = [==[
[[long]] string ]=] \n is no escape
]==] .. [[]]

while true do
    local line = file:read "l"
    if not line then break end
    repeat line = line:sub(2) until line == "" or line:find'^%s' ~= nil
end;

Account.new(100):withdraw(5); (Account.new or print)(1)
local t = { f = function(a, ...) return ..., a end, nil, -1, not nil, {}, {{}}, }
t.f(t)[1].x, t.y = t.f{1}"two", 3 --[=[ here ]] too ]=]
return Account, text .. 1 .. 2 .. "three" < "x" == false
