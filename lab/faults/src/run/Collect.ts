/**
 * The end of a run: waits until every promised message has reached its receivers, within the time that this may take, and records the
 * final state: the log, the shipments, the deliveries.
 */
import type { Random } from "../../../Random.ts"
import { untold } from "../checker/AlertRules.ts"
import { departuresFor, isKnown } from "../checker/EdiRules.ts"
import { documentsAt, getsEvents } from "../checker/EpcisRules.ts"
import { Facts } from "../checker/Facts.ts"
import { setsOf } from "../checker/SentSets.ts"
import type { Event, Occurrence, Told } from "../history/History.ts"
import { eventsOf, isFor } from "../history/History.ts"
import { asList, asRecord, listOf, shaped } from "../Json.ts"
import { attempt, change } from "../system/Database.ts"
import { past, until } from "../Until.ts"
import { Client, operate, operator } from "../workload/Client.ts"
import type { Message, Site } from "../workload/Client.ts"
import { outboxOf, outgoingOf } from "../workload/Edi.ts"
import { publishers, scan } from "../workload/Epcis.ts"
import { pages, readDock, readDocuments, readExceptions, readLog, readShipments } from "./Collected.ts"
import type { LogTable, Read } from "./Collected.ts"

/** The sources, and how time is moved. */
interface CollectOptions extends Site {
  /** The database, not through a proxy. */
  readonly databaseUrl: string
  /** The table with the whole log. */
  readonly table: LogTable
  readonly random: Random
}

const second = 1000
const minute = 60 * second
const hour = 60 * minute

/**
 * How far the times of deliveries are moved back while a delivery waits: by each wait between attempts in turn, then in small steps
 * (D9.3). An endpoint that fails for five days is disabled, and its schedule begins anew.
 */
const steps = [
  7 * second,
  6 * minute,
  36 * minute,
  ...[2.5, 6, 12, 17, 24, 24, 5].map((hours) => hours * hour)
]

/** How long no webhook has arrived before times are moved, and how long deliveries, readers, answers and partners may take. */
const stillMillis = 1500
const deliveryMillis = 120 * second
const readersMillis = 45 * second
const answerMillis = 20 * second
const tellingMillis = 30 * second
const alertMillis = 90 * second
const publishMillis = 30 * second

/** The number of events of a page. */
const eventsPage = 100

/** The number of shipments at docks that are read: the last ones, because these met all faults. */
const docksRead = 60

const endpointOf = shaped({ id: String, business: String, backlog: Number, enabled: Boolean })
const deliveryOf = shaped({ messageId: Number, status: String, attempts: asList })

/** Sends a request over REST; returns the answer, or nothing if the request is refused or gets no answer. */
const acting = (client: Client) => async (message: Message): Promise<unknown> => {
  const { body, outcome } = await client.settle(operate(message.path, message), past(answerMillis))
  return outcome.type === "ok" ? body : undefined
}

export const collect = async (options: CollectOptions): Promise<void> => {
  const { databaseUrl, random, recorder, table } = options
  const act = acting(new Client(options, operator, random))
  const read: Read = (path) => act({ path })
  const record = (...all: ReadonlyArray<Occurrence | undefined>) => {
    for (const each of all) if (each !== undefined) recorder.record(each)
  }
  await drain(options, act)
  record(...await readLog(databaseUrl, table), ...await readShipments(databaseUrl))
  await waitForReaders(options)
  await tellAll(options)
  await publishAll(options)
  // Delivers what was published meanwhile.
  await drain(options, act)
  for (const business of publishers) {
    const account = { clientId: `${business}-client`, business, facility: "" }
    await scan(
      new Client(options, account, random.split(`events of ${business}`)),
      eventsPage,
      past(answerMillis)
    )
  }
  const { history } = recorder
  const passed = eventsOf(history, "log").filter(({ messageType }) => messageType === "PALLET_EVENT")
  const atDocks = new Set(passed.map(({ shipmentId }) => shipmentId))
  for (const id of [...atDocks].slice(-docksRead)) record(await readDock(read, id))
  const reported = new Set(
    eventsOf(history, "invoke").map(({ asked }) => asked.operation === "report" ? asked.shipmentId : 0)
  )
  // A promoted copy may lack a shipment.
  for (const { shipment: { id } } of eventsOf(history, "stored")) {
    if (reported.has(id)) record(await readExceptions(read, id))
  }
  record(...await readDocuments(read))
  for (const partner of eventsOf(history, "partner")) record(...await readOutbox(options, partner))
  for (const { backlog, enabled, endpoint, path } of await endpointsOf(options, read)) {
    record({ type: "backlog", endpoint, count: backlog, enabled })
    for (const each of await pages(read, `${path}/deliveries`, 100, "") ?? []) {
      const { attempts, ...delivery } = deliveryOf(each)
      record({ type: "delivery", endpoint, ...delivery, attempts: attempts.length })
    }
  }
  record({ type: "collected" })
}

/** All endpoints as the operator sees them; none if the service does not answer. */
const endpointsOf = async ({ recorder }: CollectOptions, read: Read) => {
  const made = Map.groupBy(eventsOf(recorder.history, "endpoint"), ({ business }) => business)
  const path = "/v1/operator/webhook-endpoints"
  const seen = listOf(endpointOf)(asRecord(await read(`${path}?limit=100`))["items"])
  return [...Map.groupBy(seen, ({ business }) => business)].flatMap(([business, own]) =>
    // The endpoints of a business are in the order of their creation.
    own.map(({ backlog, enabled, id }, at) => {
      const endpoint = made.get(business)?.[at]?.endpoint ?? `unknown ${id}`
      return { endpoint, backlog, enabled, path: `${path}/${id}` }
    })
  )
}

/**
 * Lets time pass for deliveries. They are due by the clock of the database, which cannot be set, so the stored times are moved back.
 * Nothing is moved while the database is down or another session writes the deliveries.
 */
const advance = async (url: string, millis: number): Promise<void> => {
  const back = (time: string) => `${time} - interval '${millis} milliseconds'`
  await change(
    url,
    "webhook_delivery",
    `set next_attempt_at = ${back("next_attempt_at")}, failed_since = ${back("failed_since")}
      where next_attempt_at is not null`
  )
  await change(
    url,
    "webhook_endpoint",
    `set failing_since = ${back("failing_since")}, login = case when login->>'retryAt' is null then login
      else jsonb_set(login, '{retryAt}', to_jsonb(dockline.rfc3339(${
      back("(login->>'retryAt')::timestamptz")
    }))) end`
  )
}

/** Waits until everything is delivered, and lets time pass when deliveries wait for it. */
const drain = async (options: CollectOptions, act: ReturnType<typeof acting>): Promise<void> => {
  const { databaseUrl, recorder } = options
  const isOver = past(deliveryMillis)
  let step = 0
  while (!isOver()) {
    const endpoints = await endpointsOf(options, (path) => act({ path }))
    for (const { enabled, path } of endpoints) {
      if (!enabled) await act({ method: "PATCH", path, body: { enabled: true } })
    }
    if (endpoints.length > 0 && endpoints.every(({ backlog, enabled }) => enabled && backlog === 0)) return
    const before = recorder.history.length
    const hasMoved = await recorder.until(
      () => recorder.history.slice(before).some(({ type }) => type === "receipt"),
      stillMillis
    )
    if (!hasMoved) await advance(databaseUrl, steps[Math.min(step++, steps.length - 1)]!)
  }
}

/**
 * Lets time pass for alerts, until all are sent or no more arrive: retries come later each time, and an instance that ended while it sent
 * an e-mail has reserved it. Present reservations stay.
 */
const tellAll = async ({ databaseUrl, recorder }: CollectOptions): Promise<void> => {
  const isOver = past(alertMillis)
  const [row] = await attempt<{ readonly at: string }>(databaseUrl, "select clock_timestamp()::text as at") ??
    []
  while (!isOver() && untold(new Facts(recorder.history)).length > 0) {
    const before = recorder.history.length
    const hasMoved = await recorder.until(
      () => recorder.history.slice(before).some(({ type }) => type === "receipt"),
      stillMillis
    )
    if (hasMoved || row === undefined) continue
    await change(databaseUrl, "alert_notice", "set due_at = due_at - interval '6 hours'")
    await change(
      databaseUrl,
      "alert_rule",
      `set next_at = next_at - interval '6 hours', leased_until =
        case when leased_until < timestamptz '${row.at}' + interval '2 minutes' then '-infinity' else leased_until end
        where next_at is not null`
    )
  }
}

/** Waits until the events of every message are published, for the businesses that publish them. */
const publishAll = async ({ recorder }: CollectOptions): Promise<void> => {
  const endpoints = eventsOf(recorder.history, "endpoint").filter(getsEvents)
  const isPublished = () => {
    const facts = new Facts(recorder.history)
    return endpoints.every((endpoint) => documentsAt(facts, endpoint).missed.length === 0)
  }
  await until(isPublished, publishMillis, 500)
}

/** Waits until every reader has seen the last message that it should see; the checker decides whether it did. */
const waitForReaders = async ({ recorder }: CollectOptions): Promise<void> => {
  const log = eventsOf(recorder.history, "log")
  const lasts = eventsOf(recorder.history, "reader").map((reader) => ({
    reader: reader.reader,
    last: log.findLast((message) => isFor(reader, message))?.id ?? 0
  }))
  const seen = new Map<string, number>()
  const take = (event: Event) => {
    if (event.type === "seen") seen.set(event.reader, event.id)
    if (event.type === "expired") seen.set(event.reader, event.droppedId)
  }
  recorder.history.forEach(take)
  const leave = recorder.watch(take)
  await recorder.until(
    () => lasts.every(({ last, reader }) => (seen.get(reader) ?? 0) >= last),
    readersMillis
  )
  leave()
}

/** Reads the outbox of a partner once the partner was told of everything, or after a time limit; the checker decides whether it was. */
const readOutbox = async (
  options: CollectOptions,
  partner: Told<"partner">
): Promise<ReadonlyArray<Told<"outgoing">>> => {
  const { random, recorder } = options
  const due = departuresFor(new Facts(recorder.history), partner)
  // Operators see no messages.
  const account = { ...partner, clientId: partner.client }
  const act = acting(new Client(options, account, random.split(partner.partner)))
  let rows: ReadonlyArray<Told<"outgoing">> = []
  await until(
    async () => {
      const items = await pages((path) => act({ path }), outboxOf(partner), 5)
      rows = (items ?? []).map((item) => outgoingOf(item, partner.partner, "all"))
      const texts = Map.groupBy(rows.map(({ text }) => text), (text) => setsOf(text)[0]?.shipment)
      return due.every((each) => isKnown(texts.get(each.stored.shipment.shipmentNumber) ?? [], each))
    },
    tellingMillis,
    500
  )
  return rows
}
