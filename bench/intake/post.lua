-- Interactions of a file, each under an id of its own and of this moment; as many in an array as BATCH says, where that is more than one.
local threads = 0

function setup(thread)
   thread:set("number", threads)
   threads = threads + 1
end

function init()
   wrk.method = "POST"
   wrk.headers["content-type"] = "application/json"
   wrk.headers["x-ingestion-secret"] = os.getenv("INGESTION_SECRET")
   batch = tonumber(os.getenv("BATCH"))
   prefix = os.getenv("LOAD") .. "-" .. number .. "-"
   count = 0
   interactions = {}
   for line in io.lines(os.getenv("INTERACTIONS")) do
      local before, between, behind = line:match('^(.-)@ID@(.-"created_at":")[^"]*(".*)$')
      interactions[#interactions + 1] = { before, between, behind }
   end
end

local function interaction()
   if count % 100 == 0 then
      second = os.date("!%Y-%m-%dT%H:%M:%S")
   end
   count = count + 1
   local text = interactions[count % #interactions + 1]
   -- Within the second it is the number that tells them apart.
   local moment = string.format("%s.%06dZ", second, count % 1000000)
   return text[1] .. prefix .. count .. text[2] .. moment .. text[3]
end

function request()
   if batch == 1 then
      return wrk.format(nil, nil, nil, interaction())
   end
   local items = {}
   for place = 1, batch do
      items[place] = interaction()
   end
   return wrk.format(nil, nil, nil, "[" .. table.concat(items, ",") .. "]")
end
