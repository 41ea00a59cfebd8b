/**
 * A standby that is promoted without all of the messages: the data are copied at one moment, more is acknowledged and
 * read, the database is gone, and a server on the copy takes its place. Readers are then beyond the log, and are to be
 * told so; the operator moves the ids of the log on, and readers go on with their cursors.
 */
import { setTimeout as wait } from "node:timers/promises"
import { Random } from "../../../Random.ts"
import { eventsOf } from "../history/History.ts"
import { asRecord } from "../Json.ts"
import { readLog } from "../run/Collected.ts"
import { past, until } from "../Until.ts"
import { Client, operate, operator } from "../workload/Client.ts"
import type { Workload } from "../workload/Workload.ts"
import type { Stage } from "./Failover.ts"

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

const clients = `select from pg_stat_activity
    where backend_type = 'client backend' and pid <> pg_backend_pid()`

export const promote = async (
  stage: Stage & { readonly workload: Workload; readonly getWell: () => Promise<void> }
): Promise<number> => {
  const { getWell, millis, recorder, system, workload } = stage
  const seen = () => eventsOf(recorder.history, "seen")
  await wait(millis / 2)
  recorder.record({ type: "copied", phase: "begin" })
  await system.copy()
  recorder.record({ type: "copied", phase: "end" })
  const copied = Math.max(0, ...(await readLog(system.databaseUrl)).map(({ id }) => id))
  await until(
    () =>
      seen().some(({ id }) => id >= copied + drawnAgain) &&
      eventsOf(recorder.history, "reader").every(({ reader }) =>
        seen().filter((each) => each.reader === reader && each.id > copied).length >= beyond
      ),
    beyondMillis,
    100
  )

  recorder.record({ type: "fault", phase: "begin", kind: "promotion" })
  const promoted = recorder.record({ type: "promoted", phase: "begin" })
  system.cutOff()
  await workload.halt()
  // Until nobody uses the database that was cut off, so that its log is what it will have been.
  await until(async () => (await system.server.query(clients))?.length === 0, endingMillis)
  const before = await readLog(system.databaseUrl)
  await system.promote()
  const after = await readLog(system.databaseUrl)
  const kept = new Set(after.map(({ id }) => id))
  const lost = before.filter(({ id }) => !kept.has(id))
  for (const { business, digest, facility, id, messageType, tags } of lost) {
    recorder.record({ type: "lost", id, business, facility, messageType, digest, tags })
  }
  // In the order of ids: the last of each business counts.
  const newest = Object.fromEntries(after.map(({ business, id }) => [business, id]))
  recorder.record({ type: "promoted", phase: "end", newest })
  recorder.record({ type: "fault", phase: "end", kind: "promotion" })
  await getWell()

  const gone = new Set(lost.map(({ id }) => id))
  await recorder.until(() => {
    const told = eventsOf(recorder.history, "ahead").filter(({ seq }) => seq > promoted.seq)
    return seen().filter(({ id }) => gone.has(id)).every((each) =>
      told.some(({ reader }) => reader === each.reader)
    )
  }, toldMillis)
  await advance(stage)
  workload.resume()
  await wait(millis / 2)
  return 1
}

/** Moves the ids of the log beyond everything that was seen, as an operator does who looks for it at the readers. */
const advance = async ({ recorder, system }: Stage): Promise<void> => {
  const seen = Math.max(
    ...eventsOf(recorder.history, "seen").map(({ id }) => id),
    ...eventsOf(recorder.history, "receipt").map(({ webhookId }) =>
      Number(/^msg_(\d+)$/.exec(webhookId)?.[1] ?? 0)
    )
  )
  const { baseUrl, urls } = system
  const request = operate("messages", { path: "/v1/operator/messages/advance", body: { beyond: seen } })
  // Done twice, it changes nothing more.
  const { body, outcome } = await new Client({ urls, baseUrl, recorder }, operator, Random.of(1))
    .settle({ ...request, once: true }, past(toldMillis))
  if (outcome.type !== "ok") return
  recorder.record({ type: "advanced", newestId: Number(asRecord(body)["newestId"]) })
}
