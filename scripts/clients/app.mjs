// A supabase-js app: accounts, sessions, rows of one's own, and what the service key may. Everything is asserted.

import assert from 'node:assert/strict'
import { createClient } from '@supabase/supabase-js'
import ws from 'ws'

const url = process.env.SUPABASE_URL
const anonKey = process.env.SUPABASE_ANON_KEY
// Node.js 20 has no WebSocket of its own, and the client insists on one.
const options = { auth: { autoRefreshToken: false, persistSession: false }, realtime: { transport: ws } }
const service = createClient(url, process.env.SUPABASE_SERVICE_ROLE_KEY, options)
const client = () => createClient(url, anonKey, options)
const good = ({ data, error }) => {
  assert.equal(error, null, JSON.stringify(error))
  return data
}
const bad = ({ data, error }, code) => {
  assert.ok(error, `nothing was refused, ${code} was expected: ${JSON.stringify(data)}`)
  assert.equal(error.code, code, JSON.stringify({ ...error, message: error.message }))
  return error
}

// Sign-up, sign-in, refresh, sign-out.
const ada = client()
const signedUp = good(await ada.auth.signUp({ email: 'Ada@example.org', password: 'correct horse', options: { data: { name: 'Ada' } } }))
assert.equal(signedUp.user.email, 'ada@example.org')
assert.equal(signedUp.user.user_metadata.name, 'Ada')
assert.ok(signedUp.session.access_token)
bad(await client().auth.signUp({ email: 'ada@example.org', password: 'correct horse' }), 'user_already_exists')
bad(await client().auth.signUp({ email: 'short@example.org', password: 'short' }), 'weak_password')
bad(await client().auth.signInWithPassword({ email: 'ada@example.org', password: 'wrong horse' }), 'invalid_credentials')
const grace = client()
good(await grace.auth.signUp({ email: 'grace@example.org', password: 'battery staple' }))

const signedIn = good(await ada.auth.signInWithPassword({ email: 'ada@example.org', password: 'correct horse' }))
const fetched = good(await ada.auth.getUser())
assert.equal(fetched.user.id, signedUp.user.id)
const refreshed = good(await ada.auth.refreshSession())
assert.notEqual(refreshed.session.refresh_token, signedIn.session.refresh_token)
assert.equal(refreshed.user.id, signedUp.user.id)
const renamed = good(await ada.auth.updateUser({ data: { name: 'Ada L.' } }))
assert.equal(renamed.user.user_metadata.name, 'Ada L.')

// Rows of one's own.
const run = good(await ada.from('sb_eval_runs').insert({ dataset_version: 'v1.0', run_name: 'mine' }).select().single())
assert.equal(run.user_id, signedUp.user.id)
good(await ada.from('sb_eval_cases').insert([
  { run_id: run.id, input_data: { id: 'a', n: 1.5 }, passed: true },
  { run_id: run.id, input_data: { id: 'b', n: 2 }, error: 'it broke' },
], { defaultToNull: false }))
bad(await ada.from('sb_eval_cases').insert([{ run_id: run.id, input_data: {}, passed: true }, { run_id: run.id, input_data: {} }]), '23502')
const own = good(await ada.from('sb_eval_runs').select('id, cases:sb_eval_cases(input_data->>id, passed)').order('created_at'))
assert.deepEqual(own[0].cases.map((row) => row.id).sort(), ['a', 'b'])
const filtered = good(await ada.from('sb_eval_cases').select('input_data').eq('input_data->>id', 'b').not('error', 'is', null))
assert.deepEqual(filtered, [{ input_data: { id: 'b', n: 2 } }])
const { count } = await ada.from('sb_eval_cases').select('*', { count: 'exact', head: true })
assert.equal(count, 2)

// Nothing crosses.
assert.deepEqual(good(await grace.from('sb_eval_runs').select('*')), [])
assert.deepEqual(good(await grace.from('sb_eval_runs').update({ run_name: 'stolen' }).eq('id', run.id).select()), [])
assert.deepEqual(good(await grace.from('sb_eval_runs').delete().eq('id', run.id).select()), [])
bad(await grace.from('sb_eval_runs').insert({ dataset_version: 'v', user_id: signedUp.user.id }), '42501')
const anon = await client().from('sb_eval_runs').select('*')
assert.ok((anon.data ?? []).length === 0, 'anon sees nothing')
assert.ok((await client().from('sb_eval_runs').insert({ dataset_version: 'v' })).error, 'anon writes nothing')

// The service key sees all, and administers.
assert.equal(good(await service.from('sb_eval_runs').select('run_name').eq('id', run.id))[0].run_name, 'mine')
const created = good(await service.auth.admin.createUser({ email: 'alan@example.org', password: 'enigma machine', email_confirm: true }))
const listed = good(await service.auth.admin.listUsers())
assert.deepEqual(listed.users.map((user) => user.email).sort(), ['ada@example.org', 'alan@example.org', 'grace@example.org'])
assert.equal(good(await service.auth.admin.getUserById(created.user.id)).user.email, 'alan@example.org')
const changed = good(await service.auth.admin.updateUserById(created.user.id, { password: 'another machine' }))
assert.equal(changed.user.id, created.user.id)
good(await client().auth.signInWithPassword({ email: 'alan@example.org', password: 'another machine' }))
good(await service.auth.admin.deleteUser(created.user.id))
bad(await client().auth.signInWithPassword({ email: 'alan@example.org', password: 'another machine' }), 'invalid_credentials')
assert.ok((await grace.auth.admin.listUsers()).error, 'a user does not administer')

// Signing out ends the session.
const { error } = await ada.auth.signOut()
assert.equal(error, null)
assert.ok((await ada.auth.refreshSession({ refresh_token: refreshed.session.refresh_token })).error, 'the session is over')

// Deletes cascade.
good(await service.from('sb_eval_runs').delete().eq('id', run.id))
assert.deepEqual(good(await service.from('sb_eval_cases').select('id').eq('run_id', run.id)), [])
console.log('app.mjs: accounts, sessions, rows, tenants and administration')
