/**
 * Promotes a standby that lacks messages: the data is copied at one moment, more is acknowledged and read, the database stops, and a
 * server on the copy replaces it. Readers are then beyond the log and must get an error; the operator advances the ids of the log, and
 * readers continue with their cursors.
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
 * The number of messages that each reader must have seen and that the copy lacks; how far ids must have advanced beyond those that the
 * copy draws (PostgreSQL skips up to 32 after a crash), so that it would draw some again; and the time limit for both, in milliseconds.
 */
const beyond = 3
const drawnAgain = 40
const beyondMillis = 30_000

/** The time limit until each reader has got the error, in milliseconds. */
const toldMillis = 30_000

/** The time limit for statements to end in a database that is cut off, in milliseconds. */
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
  // Waits until nobody uses the database that was cut off, so that its log no longer changes.
  await until(async () => (await system.server.query(clients))?.length === 0, endingMillis)
  const before = await readLog(system.databaseUrl)
  await system.promote()
  const after = await readLog(system.databaseUrl)
  const kept = new Set(after.map(({ id }) => id))
  const lost = before.filter(({ id }) => !kept.has(id))
  for (const { business, digest, facility, id, messageType, tags } of lost) {
    recorder.record({ type: "lost", id, business, facility, messageType, digest, tags })
  }
  // In the order of ids: the last entry of each business counts.
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

/** Advances the ids of the log beyond all ids that readers have seen, as an operator does who asks the readers. */
const advance = async ({ recorder, system }: Stage): Promise<void> => {
  const seen = Math.max(
    ...eventsOf(recorder.history, "seen").map(({ id }) => id),
    ...eventsOf(recorder.history, "receipt").map(({ webhookId }) =>
      Number(/^msg_(\d+)$/.exec(webhookId)?.[1] ?? 0)
    )
  )
  const { baseUrl, urls } = system
  const request = operate("messages", { path: "/v1/operator/messages/advance", body: { beyond: seen } })
  // A repeat changes nothing.
  const { body, outcome } = await new Client({ urls, baseUrl, recorder }, operator, Random.of(1))
    .settle({ ...request, once: true }, past(toldMillis))
  if (outcome.type !== "ok") return
  recorder.record({ type: "advanced", newestId: Number(asRecord(body)["newestId"]) })
}
