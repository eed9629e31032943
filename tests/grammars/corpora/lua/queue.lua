local M = {}

--- Returns a queue; `limit` is optional.
function M.queue(limit)
  local first, last, items = 1, 0, {}
  local q = {}
  function q.push(value) if limit and last - first + 1 >= limit then return false end
    last = last + 1; items[last] = value; return true end
  function q.pop()
    if first > last then return end
    local value = items[first]
    items[first], first = nil, first + 1
    return value
  end
  q.size = function() return last - first + 1 end
  return q
end

local function each(q, f)
  local value = q.pop()
  while value ~= nil do f(value) value = q.pop() end
end

function M.test.deep.path:method(a, b)
  local q = M.queue(3)
  for _, v in ipairs({ "a", "b", 'c', "d\\" }) do assert(q.push(v) or v == "d\\") end
  each(q, print)
  return a and b or (a == nil) ~= (b == nil), -a ^ 2, #"abc" .. ""
end

return M
