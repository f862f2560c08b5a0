-- The newest runs of a status: a filter, an order and a limit.
wrk.headers["apikey"] = os.getenv("ANON_KEY")
wrk.headers["authorization"] = "Bearer " .. os.getenv("ACCESS_TOKEN")
