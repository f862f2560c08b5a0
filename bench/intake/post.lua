-- Interactions of a file, each under an id of its own; as many in an array as BATCH says, where that is more than one.
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
      local before, behind = line:match("^(.-)@ID@(.*)$")
      interactions[#interactions + 1] = { before, behind }
   end
end

local function interaction()
   count = count + 1
   local text = interactions[count % #interactions + 1]
   return text[1] .. prefix .. count .. text[2]
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
