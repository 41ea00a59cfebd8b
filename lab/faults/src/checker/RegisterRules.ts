/**
 * Registers are linearizable: one order of all writes and reads explains the reads, in which each takes place between its beginning and its
 * end. A write with an unknown outcome may take place at any later time, even when a frozen instance continues; one under an
 * `Idempotency-Key` not after its repetition was acknowledged.
 *
 * As no two writes write the same version, the order exists exactly when the zones of the versions fit (Gibbons and
 * Korach, Testing Shared Memories, 1997): the zone of a version lies between the first end and the last beginning of
 * its write and reads. Zones during which a version must have been there do not overlap, and no other lies in one.
 */
import type { AskedOf, ShownShipment } from "../history/History.ts"
import { found, isOk } from "./Facts.ts"
import type { Facts, Finding } from "./Facts.ts"

/** A write or a read, with the time in which it may have taken place. */
interface Span {
  readonly start: number
  readonly end: number
  readonly seq: number
}

/** The content of a register in a read: its one version, or that it shows several of them or not all of its items. */
interface Read {
  readonly span: Span
  readonly version: string
  readonly mixed?: string
}

type Overwrite = AskedOf<"overwrite">

const versionIn = (
  shipment: ShownShipment | undefined,
  { items, orders }: Overwrite,
  only?: string
): Omit<Read, "span"> => {
  const lots = (shipment?.orders ?? []).flatMap((order) => order.items.map(({ lot }) => lot))
  const [version = "", ...others] = new Set(lots)
  const due = items * (only === undefined ? orders.length : 1)
  if (lots.length === 0 || (others.length === 0 && lots.length === due)) return { version }
  const versions = [version, ...others].join(", ")
  return { version, mixed: `${lots.length} of ${due} items, of the versions ${versions}` }
}

const keyOf = (business: string, facility: string, shipment: string) => `${business} ${facility} ${shipment}`

/**
 * Each register with all its operations: its writes by version (the initial one is ""), the versions that were certainly not written, and
 * the reads: by clients, and of the stored state at the end, which may be missing.
 */
const registersOf = (facts: Facts) => {
  const registers = Map.groupBy(
    facts.of("overwrite"),
    ({ asked, business, facility }) => keyOf(business, facility, asked.shipment)
  )
  return Array.from(registers, ([key, requests]) => {
    const { asked } = requests[0]!
    const writes = new Map<string, Span>([["", { start: -1, end: -1, seq: -1 }]])
    const refused = new Set<string>()
    // Without a key, each try wrote a version of its own.
    for (const calls of requests.flatMap(({ calls, once }) => once ? [calls] : calls.map((call) => [call]))) {
      const { asked, seq } = calls[0]!.invoke
      const version = asked.operation === "overwrite" ? asked.version : ""
      if (calls.every(({ outcome }) => outcome?.type === "refused")) refused.add(version)
      else writes.set(version, { start: seq, end: calls.find(isOk)?.outcome.seq ?? Infinity, seq })
    }
    const reads = facts.calls.filter(isOk).flatMap(({ invoke, outcome }): ReadonlyArray<Read> => {
      const about = invoke.asked
      if (about.operation !== "read" || keyOf(invoke.business, invoke.facility, about.shipment) !== key) {
        return []
      }
      const span = { start: invoke.seq, end: outcome.seq, seq: outcome.seq }
      return [{ span, ...versionIn(outcome.answer.shipments?.[0], asked, about.order) }]
    })
    const stored = facts.stored.filter(({ business, facility, shipment }) =>
      keyOf(business, facility, shipment.shipmentNumber) === key
    )
    const ends = (stored.length > 0 ? stored : facts.events("collected")).map((event): Read => ({
      span: { start: event.seq, end: event.seq, seq: event.seq },
      ...versionIn(event.type === "stored" ? event.shipment : undefined, asked)
    }))
    return { asked, writes, refused, reads: [...reads, ...ends] }
  })
}

/** The items of all orders of a document change together, also for readers (D2.1, D3). */
export const registersAreWhole = function*(facts: Facts): Finding {
  for (const { asked, reads } of registersOf(facts)) {
    for (const { mixed, span } of reads) {
      if (mixed !== undefined) yield found(`${asked.shipment} shows ${mixed}`, span)
    }
  }
  for (const call of facts.calls.filter(isOk)) {
    const { asked } = call.invoke
    if (asked.operation !== "overwrite") continue
    const { mixed, version } = versionIn(call.outcome.answer.shipments?.[0], asked)
    if (mixed === undefined && version === asked.version) continue
    const shown = mixed ?? (version || "none")
    yield found(`the answer to version ${asked.version} of ${asked.shipment} shows ${shown}`, call)
  }
}

export const linearizable = function*(facts: Facts): Finding {
  for (const { asked: { shipment }, reads, refused, writes } of registersOf(facts)) {
    const whole = Map.groupBy(reads.filter(({ mixed }) => mixed === undefined), ({ version }) => version)
    const spans = new Map(Array.from(whole, ([version, all]) => [version, all.map(({ span }) => span)]))
    for (const [version, all] of spans) {
      const write = writes.get(version)
      const early = all.filter(({ end }) => write === undefined || end < write.start)
      const why = refused.has(version) ? "was refused" : "nobody had written"
      if (early.length > 0) yield found(`${shipment} shows version ${version}, which ${why}`, early)
    }
    yield* conflicts(shipment, zonesOf(writes, spans))
  }
}

interface Zone {
  readonly version: string
  readonly firstEnd: number
  readonly lastStart: number
  readonly spans: ReadonlyArray<Span>
}

const zonesOf = (
  writes: ReadonlyMap<string, Span>,
  reads: ReadonlyMap<string, ReadonlyArray<Span>>
): ReadonlyArray<Zone> =>
  Array.from(writes).flatMap(([version, write]) => {
    const spans = [write, ...reads.get(version) ?? []]
    // A write that nobody has seen, and that may not have taken place.
    if (spans.length === 1 && write.end === Infinity) return []
    return [{
      version: version || "none",
      firstEnd: Math.min(...spans.map(({ end }) => end)),
      lastStart: Math.max(...spans.map(({ start }) => start)),
      spans: spans.filter(({ seq }) => seq >= 0)
    }]
  })

const isForward = ({ firstEnd, lastStart }: Zone): boolean => firstEnd < lastStart

const conflicts = function*(shipment: string, zones: ReadonlyArray<Zone>): Finding {
  for (const zone of zones.filter(isForward)) {
    for (const other of zones) {
      const overlap = zone.firstEnd < other.lastStart && other.firstEnd < zone.lastStart
      // When two overlap, the one that ends first is reported with the other.
      const isTold = !isForward(other) || zone.lastStart < other.lastStart
      if (other === zone || !overlap || !isTold) continue
      const text = `shows version ${zone.version} when version ${other.version} had taken its place`
      yield found(`${shipment} ${text}`, zone.spans, other.spans)
    }
  }
}
