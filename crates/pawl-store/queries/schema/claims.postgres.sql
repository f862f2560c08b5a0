select set_config('request.jwt.claims', $1, true)
