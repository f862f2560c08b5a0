-- One run as a client writes it.
wrk.method = "POST"
wrk.body = '{"run_name": "bench", "dataset_version": "v1", "model": "gpt-4o-mini", "prompt_version": "3", "status": "running"}'
wrk.headers["content-type"] = "application/json"
wrk.headers["prefer"] = "return=minimal"
wrk.headers["apikey"] = os.getenv("ANON_KEY")
wrk.headers["authorization"] = "Bearer " .. os.getenv("ACCESS_TOKEN")
