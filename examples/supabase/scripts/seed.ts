// Fills the tables of one user with a month of evaluations, by way of the data API: npm run seed

import { existsSync } from 'node:fs'
import { loadEnvFile } from 'node:process'
import { createClient } from '@supabase/supabase-js'
import ws from 'ws'

// The id of the user, as `pawl user add EMAIL --json` prints it.
const TEST_USER_ID = 'YOUR_USER_ID'

const ROWS = 20_000
const BATCH = 1_000
const DAYS = 30

const FLAGS = ['safe', 'low_confidence', 'hallucination', 'safety_violation', 'pii_found']
const TOPICS = ['a late delivery', 'a refund', 'an invoice', 'a lost password', 'an address', 'a broken lamp']

if (existsSync('.env')) {
  loadEnvFile('.env')
}

function needed(name: string): string {
  const value = process.env[name]
  if (!value) {
    console.error(`${name} is not set: put what \`pawl keys --env\` prints into .env`)
    process.exit(2)
  }
  return value
}

const supabase = createClient(needed('NEXT_PUBLIC_SUPABASE_URL'), needed('SUPABASE_SERVICE_ROLE_KEY'), {
  auth: { autoRefreshToken: false, persistSession: false },
  // Before version 22 Node.js has no WebSocket of its own, and the client wants one.
  realtime: { transport: ws as never },
})

const between = (low: number, high: number) => low + Math.random() * (high - low)
const whole = (low: number, high: number) => Math.floor(between(low, high + 1))
const oneOf = <T>(these: readonly T[]): T => these[whole(0, these.length - 1)]

/** Up to two flags, each at most once. */
function someFlags(): string[] {
  return [...new Set(Array.from({ length: whole(0, 2) }, () => oneOf(FLAGS)))]
}

function evaluation(seed: number, number: number) {
  const flags = someFlags()
  const topic = oneOf(TOPICS)
  return {
    interaction_id: `seed_${seed}_${number}`,
    user_id: TEST_USER_ID,
    prompt: `Question ${number}: what can be done about ${topic}?`,
    response: `About ${topic}: we look into it and answer within ${whole(1, 3)} days.`,
    score: Number(between(0.5, 1).toFixed(2)),
    latency_ms: whole(50, 2_000),
    flags,
    pii_tokens_redacted: flags.includes('pii_found') ? whole(1, 10) : 0,
    created_at: new Date(Date.now() - between(0, DAYS * 24 * 60 * 60 * 1_000)).toISOString(),
  }
}

async function main() {
  // Rows of the data API count in the cap of the day: it has to be above their number.
  const config = {
    user_id: TEST_USER_ID,
    run_policy: 'always',
    sample_rate_pct: 100,
    obfuscate_pii: true,
    max_eval_per_day: 10 * ROWS,
  }
  const { error } = await supabase.from('evaluation_configs').upsert(config, { onConflict: 'user_id' })
  if (error) {
    throw new Error(`evaluation_configs: ${error.message}`)
  }
  const seed = Date.now()
  for (let first = 0; first < ROWS; first += BATCH) {
    const rows = Array.from({ length: BATCH }, (_, offset) => evaluation(seed, first + offset))
    const { error } = await supabase.from('evaluations').insert(rows)
    if (error) {
      throw new Error(`evaluations, row ${first} and after: ${error.message}`)
    }
    console.log(`${first + BATCH} of ${ROWS} evaluations`)
  }
}

main().catch((error: Error) => {
  console.error(error.message)
  process.exitCode = 1
})
