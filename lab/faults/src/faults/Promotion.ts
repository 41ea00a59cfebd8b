/**
 * A standby that is promoted without all of the messages: the data are copied at one moment, more is acknowledged and
 * read, the database is gone, and a server on the copy takes its place. Readers are then beyond the log, and are to be
 * told so; the operator moves the ids of the log on, and readers go on with their cursors.
 */
import { setTimeout as wait } from "node:timers/promises"
import { Random } from "../../../Random.ts"
import type { EventOf } from "../history/History.ts"
import { eventsOf } from "../history/History.ts"
import type { Recorder } from "../history/Record.ts"
import { asRecord } from "../Json.ts"
import { readLog } from "../run/CollectDatabase.ts"
import type { Instances } from "../system/Instances.ts"
import { past, until } from "../Until.ts"
import type { Workload } from "../workload/Workload.ts"
import { Client, operator, post } from "../workload/WorkloadClient.ts"

/** In what it happens. */
export interface Stage {
  readonly system: Instances
  readonly workload: Workload
  readonly recorder: Recorder
  /** How long clients work before the copy is made, and again after the promotion, in milliseconds. */
  readonly millis: number
  /** Waits until the system is ready. */
  readonly getWell: () => Promise<void>
}

/**
 * How many messages each reader is to have seen that the copy lacks; how far ids are to have come beyond those that the
 * copy draws (PostgreSQL skips up to 32 after a crash), so that it would draw some again; and how long that may take, in
 * milliseconds.
 */
const beyond = 3
const drawnAgain = 40
const beyondMillis = 30_000

/** How long readers may take until each of them was told, in milliseconds. */
const toldMillis = 30_000

/** How long what is under way in a database that nobody reaches any more may take to end, in milliseconds. */
const endingMillis = 5000

/** Plays it. */
export const promote = async (stage: Stage): Promise<void> => {
  const { getWell, millis, recorder, system, workload } = stage
  await wait(millis)
  recorder.record({ type: "copied", phase: "begin" })
  await system.copy()
  recorder.record({ type: "copied", phase: "end" })
  await readBeyond(stage)

  recorder.record({ type: "fault", phase: "begin", kind: "promotion" })
  const promoted = recorder.record({ type: "promoted", phase: "begin" })
  system.cutOff()
  await workload.halt()
  await ended(system)
  const before = await readLog(system.databaseUrl)
  await system.promote()
  const after = await readLog(system.databaseUrl)
  const kept = new Set(after.map(({ id }) => id))
  for (const { business, digest, facility, id, messageType, tags } of before) {
    if (kept.has(id)) continue
    recorder.record({ type: "lost", id, business, facility, messageType, digest, tags })
  }
  // In the order of ids: the last of each business counts.
  const newest = Object.fromEntries(after.map(({ business, id }) => [business, id]))
  recorder.record({ type: "promoted", phase: "end", newest })
  recorder.record({ type: "fault", phase: "end", kind: "promotion" })
  await getWell()

  await recorder.until(
    () => readersBeyond(recorder).every((reader) => isTold(recorder, reader, promoted.seq)),
    toldMillis
  )
  await advance(stage)
  workload.resume()
  await wait(millis)
}

/** Waits until each reader has seen some messages that the copy lacks. */
const readBeyond = async ({ recorder, system }: Stage): Promise<void> => {
  const copied = Math.max(0, ...(await readLog(system.databaseUrl)).map(({ id }) => id))
  const hasDrawn = () => eventsOf(recorder.history, "seen").some(({ id }) => id >= copied + drawnAgain)
  const isBeyond = ({ reader }: EventOf<"reader">) =>
    eventsOf(recorder.history, "seen").filter((seen) => seen.reader === reader && seen.id > copied).length >=
      beyond
  const isEnough = () => hasDrawn() && eventsOf(recorder.history, "reader").every(isBeyond)
  await until(isEnough, beyondMillis, 100)
}

/** Waits until nobody uses a database that was cut off, so that its log is what it will have been. */
const ended = async (system: Instances): Promise<void> => {
  const clients = `select from pg_stat_activity
    where backend_type = 'client backend' and pid <> pg_backend_pid()`
  await until(async () => (await system.query(clients))?.length === 0, endingMillis)
}

/** The readers that have seen a message that is lost. */
const readersBeyond = ({ history }: Recorder): ReadonlyArray<string> => {
  const lost = new Set(eventsOf(history, "lost").map(({ id }) => id))
  return [...new Set(eventsOf(history, "seen").filter(({ id }) => lost.has(id)).map(({ reader }) => reader))]
}

const isTold = ({ history }: Recorder, reader: string, since: number): boolean =>
  eventsOf(history, "ahead").some((ahead) => ahead.reader === reader && ahead.seq > since)

/** Moves the ids of the log beyond everything that was seen, as an operator does who looks for it at the readers. */
const advance = async ({ recorder, system }: Stage): Promise<void> => {
  const seen = Math.max(
    ...eventsOf(recorder.history, "seen").map(({ id }) => id),
    ...eventsOf(recorder.history, "receipt").map(({ webhookId }) => Number(webhookId.replace(/^msg_/, "")))
  )
  const site = { urls: system.urls, baseUrl: system.baseUrl, recorder }
  const { body, outcome } = await new Client(site, operator, Random.of(1)).settle({
    asked: { operation: "operate", target: "messages" },
    // Done twice, it changes nothing more.
    once: true,
    message: post("/v1/operator/messages/advance", { beyond: seen })
  }, past(toldMillis))
  if (outcome.type !== "ok") return
  recorder.record({ type: "advanced", newestId: Number(asRecord(body)["newestId"]) })
}
