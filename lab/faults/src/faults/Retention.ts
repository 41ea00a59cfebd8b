/**
 * Messages expire while clients write to the log: an instance deletes expired messages when it starts, while another session locks the
 * log again and again, as under heavy load. A copy of each message of the log is kept, with the time of its deletion.
 */
import { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"
import { setTimeout as wait } from "node:timers/promises"
import { eventsOf } from "../history/History.ts"
import { inSession, query } from "../system/Database.ts"
import { past, until } from "../Until.ts"
import type { Stage } from "./Failover.ts"
import { sides } from "./Schedule.ts"
import type { Side } from "./Schedule.ts"

/** How long messages are kept, in milliseconds. */
const retentionMillis = 3000

/** The server setting for this retention. */
export const settings = { MESSAGE_RETENTION_DAYS: String(retentionMillis / 86_400_000) }

/** The longest sleep of the slow readers, in milliseconds: longer than the retention, so that they miss messages. */
export const longestSleep = 12_000

interface Told extends Stage {
  readonly onBroken: (text: string) => void
}

/** The length of each lock on the log, which exceeds the lock timeout of the deletion, and the pause between two locks. */
const heldMillis = 1300
const freeMillis = 15

/**
 * How long locking continues once an instance is ready, and the time limit both for its readiness and for the deletion of expired messages,
 * in milliseconds.
 */
const heldOnMillis = 1500
const sweptMillis = 15_000

/** The pause between two starts, in milliseconds. */
const pauseMillis = 1500

/** The table and trigger that copy the log. */
const keeping = [
  `create schema faults`,
  `create table faults.message (like dockline.message, dropped_at timestamptz, primary key (business_id, id))`,
  `create function faults.keep() returns trigger language plpgsql as $$
    begin
      insert into faults.message select new.*, null;
      return null;
    end $$`,
  `create function faults.mark() returns trigger language plpgsql as $$
    begin
      update faults.message set dropped_at = clock_timestamp() where business_id = old.business_id and id = old.id;
      return null;
    end $$`,
  `create trigger keep after insert on dockline.message for each row execute function faults.keep()`,
  `create trigger mark after delete on dockline.message for each row execute function faults.mark()`
]

/** Makes the database copy all messages; must be called before the first message is sent. */
export const keepAside = async ({ recorder, system }: Stage): Promise<void> => {
  for (const statement of keeping) await query(system.databaseUrl, statement)
  recorder.record({ type: "retention", millis: retentionMillis })
}

/** Restarts a random instance again and again while messages expire; after each restart, expired messages must be deleted. */
export const sweep = async (stage: Told): Promise<number> => {
  const isOver = past(stage.millis)
  await wait(retentionMillis)
  let sweeps = 0
  while (sweeps === 0 || !isOver()) {
    await sweepAt(stage, stage.random.pick(sides))
    sweeps++
    await wait(pauseMillis)
  }
  return sweeps
}

const sweepAt = async ({ onBroken, random, recorder, system }: Told, side: Side): Promise<void> => {
  const kind = "retention"
  const instance = system.instances[side]
  recorder.record({ type: "fault", phase: "begin", kind, target: side })
  const letGo = holdLogs(system.databaseUrl)
  if (random.chance(0.5)) await instance.kill()
  else {
    const fault = await instance.stop()
    if (fault !== undefined) onBroken(`instance ${side} was told to stop: ${fault}`)
  }
  const cutoff = Date.now() - retentionMillis
  const expired = await countOf(system.databaseUrl, cutoff)
  const begun = performance.now()
  instance.start()
  await until(() => instance.isReady(), sweptMillis)
  await wait(heldOnMillis)
  await letGo()
  let left = expired
  await until(async () => {
    left = await countOf(system.databaseUrl, cutoff)
    return left === 0
  }, sweptMillis)
  const millis = Math.round(performance.now() - begun)
  recorder.record({ type: "swept", instance: sides.indexOf(side), expired, left, millis })
  recorder.record({ type: "fault", phase: "end", kind, target: side })
}

/** The number of stored messages that were sent before a time, in milliseconds since 1970. */
const countOf = async (url: string, cutoff: number): Promise<number> => {
  const [row] = await query<{ readonly count: number }>(
    url,
    `select count(*)::int as count from dockline.message where sent_at < to_timestamp(${cutoff / 1000})`
  )
  return row?.count ?? 0
}

/** Locks the logs of all businesses again and again, until the returned function is called. */
const holdLogs = (url: string): () => Promise<void> => {
  const leaving = new AbortController()
  const held = inSession(
    url,
    Effect.gen(function*() {
      const sql = yield* PgClient.PgClient
      while (!leaving.signal.aborted) {
        yield* sql.unsafe(
          `select count(*), pg_sleep(${heldMillis / 1000}) from (
          select business_id from dockline.message_log order by business_id for no key update) as held`
        )
        yield* Effect.sleep(freeMillis)
      }
    })
  )
  return () => {
    leaving.abort()
    return held
  }
}

/** Records the messages that were deleted since the last call, with their age at deletion; `null` if clocks are wrong. */
export const recordDropped = async ({ recorder, system }: Stage, areClocksRight: boolean): Promise<void> => {
  const known = new Set(eventsOf(recorder.history, "dropped").map(({ id }) => id))
  const rows = await query<{ readonly business: string; readonly id: number; readonly age: number }>(
    system.databaseUrl,
    `select b.slug as business, m.id::float8 as id,
      (extract(epoch from m.dropped_at - m.sent_at) * 1000)::float8 as age
    from faults.message m join dockline.business b on b.id = m.business_id
    where m.dropped_at is not null order by m.id`
  )
  for (const { age, business, id } of rows) {
    if (!known.has(id)) recorder.record({ type: "dropped", business, id, age: areClocksRight ? age : null })
  }
}
