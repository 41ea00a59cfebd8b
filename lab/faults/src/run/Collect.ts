/**
 * The end of a run: waits until everything that is promised has reached everybody, as long as that may take, and
 * records what is then there: the log, the shipments, the deliveries.
 */
import type { Random } from "../../../Random.ts"
import { departuresFor, setsOf } from "../checker/EdiRules.ts"
import { Facts } from "../checker/Facts.ts"
import type { Event } from "../history/History.ts"
import { eventsOf, isFor } from "../history/History.ts"
import { asList, asRecord } from "../Json.ts"
import { past, until } from "../Until.ts"
import { Client, get, operator } from "../workload/WorkloadClient.ts"
import type { Message, Result, Site } from "../workload/WorkloadClient.ts"
import { outboxOf, outgoingOf } from "../workload/WorkloadEdi.ts"
import type { Outgoing } from "../workload/WorkloadEdi.ts"
import type { LogTable } from "./CollectDatabase.ts"
import { readLog, readShipments } from "./CollectDatabase.ts"
import { dockOf, exceptionsOf, pages, recordedDocuments } from "./CollectDocks.ts"
import type { Read } from "./CollectDocks.ts"

/** From where, and how time is moved. */
export interface CollectOptions extends Site {
  /** The database, past all proxies. */
  readonly databaseUrl: string
  /** Where the whole log is. */
  readonly table: LogTable
  /** Moves the clocks of all instances forward. */
  readonly advance: (millis: number) => Promise<void> | void
  readonly random: Random
}

const second = 1000
const minute = 60 * second
const hour = 60 * minute

/**
 * How far clocks are moved while something waits: past the waits between attempts, one after another, then on in small
 * steps (D9.3). An endpoint that fails for five days is disabled, and its schedule begins anew.
 */
const steps = [
  7 * second,
  6 * minute,
  36 * minute,
  2.5 * hour,
  6 * hour,
  12 * hour,
  17 * hour,
  24 * hour,
  24 * hour,
  5 * hour
]

/** How long nothing has come before clocks are moved, and how long all of it may take. */
const stillMillis = 1500
const deliveryMillis = 120 * second
const readersMillis = 45 * second

/** Waits and records. */
export const collect = async (options: CollectOptions): Promise<void> => {
  const { recorder } = options
  const operator = new Operator(options)
  await drain(options, operator)
  for (const message of await readLog(options.databaseUrl, options.table)) recorder.record(message)
  for (const shipment of await readShipments(options.databaseUrl)) recorder.record(shipment)
  await waitForReaders(options)
  await recordDocks(options, operator)
  await recordExceptions(options, operator)
  for (const document of await recordedDocuments((path) => operator.read(path))) recorder.record(document)
  await recordOutboxes(options)
  for (const endpoint of await operator.endpoints()) {
    recorder.record({
      type: "backlog",
      endpoint: endpoint.name,
      count: endpoint.backlog,
      enabled: endpoint.enabled
    })
    await operator.recordDeliveries(endpoint)
  }
  recorder.record({ type: "collected" })
}

/** An endpoint as its operator sees it. */
interface Seen {
  readonly id: string
  readonly name: string
  readonly backlog: number
  readonly enabled: boolean
}

/** Has everything delivered, in time that is moved forward where deliveries wait for it. */
const drain = async ({ advance, recorder }: CollectOptions, operator: Operator): Promise<void> => {
  const isOver = past(deliveryMillis)
  let step = 0
  while (!isOver()) {
    const endpoints = await operator.endpoints()
    for (const endpoint of endpoints) if (!endpoint.enabled) await operator.enable(endpoint)
    if (endpoints.length > 0 && endpoints.every(({ backlog, enabled }) => enabled && backlog === 0)) return
    const before = recorder.history.length
    const moved = await recorder.until(
      () => recorder.history.slice(before).some(({ type }) => type === "receipt"),
      stillMillis
    )
    if (!moved) await advance(steps[Math.min(step++, steps.length - 1)]!)
  }
}

/** Waits until every reader has seen the last message that it is to see; whether they did is for the checker. */
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
  for (const event of recorder.history) take(event)
  const leave = recorder.watch(take)
  await recorder.until(
    () => lasts.every(({ last, reader }) => (seen.get(reader) ?? 0) >= last),
    readersMillis
  )
  leave()
}

/** So many shipments are read of those at docks, the last ones: they met everything that went wrong. */
const docksRead = 60

const recordDocks = async ({ recorder }: CollectOptions, operator: Operator): Promise<void> => {
  const atDocks = new Set(
    eventsOf(recorder.history, "log").filter(({ messageType }) => messageType === "PALLET_EVENT")
      .map(({ shipmentId }) => shipmentId)
  )
  for (const shipmentId of [...atDocks].slice(-docksRead)) {
    const dock = await dockOf((path) => operator.read(path), shipmentId)
    if (dock !== undefined) recorder.record(dock)
  }
}

/** How long partners may take to be told of everything that has departed. */
const tellingMillis = 30 * second

/** Reads the outboxes of all partners when they are told of everything, or late: whether they are is for the checker. */
const recordOutboxes = async (options: CollectOptions): Promise<void> => {
  const { random, recorder } = options
  const facts = new Facts(recorder.history)
  for (const partner of facts.events("partner")) {
    const due = departuresFor(facts, partner).filter(({ sets }) => sets.length > 0)
    // Operators see no messages.
    const client = new Client(
      options,
      { ...partner, clientId: partner.client },
      random.split(partner.partner)
    )
    let rows: ReadonlyArray<Outgoing> = []
    await until(
      async () => {
        const items = await pages(reading(client), outboxOf(partner), 5)
        rows = (items ?? []).map((item) => outgoingOf(item, partner.partner, "all"))
        const told = new Set(rows.flatMap(({ text }) => setsOf(text)).map(({ shipment }) => shipment))
        return due.every(({ stored }) => told.has(stored.shipment.shipmentNumber))
      },
      tellingMillis,
      500
    )
    for (const row of rows) recorder.record(row)
  }
}

const recordExceptions = async ({ recorder }: CollectOptions, operator: Operator): Promise<void> => {
  const reported = new Set(
    eventsOf(recorder.history, "invoke").flatMap(({ asked }) =>
      asked.operation === "report" ? [asked.shipmentId] : []
    )
  )
  // A promoted copy may lack a shipment.
  for (const { shipment: { id: shipmentId } } of eventsOf(recorder.history, "stored")) {
    if (!reported.has(shipmentId)) continue
    const exceptions = await exceptionsOf((path) => operator.read(path), shipmentId)
    if (exceptions !== undefined) recorder.record(exceptions)
  }
}

/** The operator's side of the service. */
class Operator {
  readonly #client: Client
  readonly #options: CollectOptions
  /** The names of the endpoints of each business. */
  readonly #names: ReadonlyMap<string, ReadonlyArray<string>>

  constructor(options: CollectOptions) {
    this.#options = options
    this.#client = new Client(options, operator, options.random)
    const made = Map.groupBy(eventsOf(options.recorder.history, "endpoint"), ({ business }) => business)
    this.#names = new Map(
      [...made].map(([business, all]) => [business, all.map(({ endpoint }) => endpoint)])
    )
  }

  /** All endpoints; none when the service does not answer. */
  async endpoints(): Promise<ReadonlyArray<Seen>> {
    const body = await this.read("/v1/operator/webhook-endpoints?limit=100")
    const taken = new Map<string, number>()
    return asList(asRecord(body)["items"]).map((each) => {
      const { backlog, business, enabled, id } = asRecord(each)
      // Those of a business are in the order in which they were made.
      const slug = String(business)
      const at = taken.get(slug) ?? 0
      taken.set(slug, at + 1)
      return {
        id: String(id),
        name: this.#names.get(slug)?.[at] ?? `unknown ${String(id)}`,
        backlog: Number(backlog),
        enabled: enabled === true
      }
    })
  }

  /** Enables an endpoint that was disabled. */
  async enable({ id }: Seen): Promise<void> {
    const path = `/v1/operator/webhook-endpoints/${id}`
    await this.#settle({ method: "PATCH", path, body: { enabled: true } })
  }

  /** Records the deliveries of an endpoint, page by page. */
  async recordDeliveries({ id, name }: Seen): Promise<void> {
    const path = `/v1/operator/webhook-endpoints/${id}/deliveries`
    for (const each of await pages((path) => this.read(path), path, 100, "") ?? []) {
      const { attempts, messageId, status } = asRecord(each)
      this.#options.recorder.record({
        type: "delivery",
        endpoint: name,
        messageId: Number(messageId),
        status: String(status),
        attempts: asList(attempts).length
      })
    }
  }

  /** Reads an address; nothing when that is refused, or no answer comes. */
  read(path: string): Promise<unknown> {
    return reading(this.#client)(path)
  }

  #settle(message: Message): Promise<Result> {
    return settle(this.#client, message)
  }
}

const settle = (client: Client, message: Message): Promise<Result> =>
  client.settle({ asked: { operation: "operate", target: message.path }, message }, past(20 * second))

const reading = (client: Client): Read => async (path) => {
  const { body, outcome } = await settle(client, get(path))
  return outcome.type === "ok" ? body : undefined
}
