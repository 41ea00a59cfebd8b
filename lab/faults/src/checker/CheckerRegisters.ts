/**
 * Registers are linearizable: what reads show is what one order of all writes and reads explains, in which each takes
 * place between its beginning and its end. A write whose outcome is unknown may take place at any later time, also when
 * an instance that was frozen goes on; one under an `Idempotency-Key` not after its repeat was acknowledged.
 *
 * As no two writes write the same version, the order exists exactly when the zones of the versions fit (Gibbons and
 * Korach, Testing Shared Memories, 1997): the zone of a version lies between the first end and the last beginning of
 * its write and reads. Zones during which a version must have been there do not overlap, and no other lies in one.
 */
import { eventsOf } from "../history/History.ts"
import type { Asked, EventOf, ShownShipment } from "../history/History.ts"
import { endOf, isOk } from "./CheckerFacts.ts"
import type { Call, Facts, Invariant } from "./CheckerFacts.ts"

/** A write or a read: from when to when it may have taken place. */
interface Span {
  readonly start: number
  readonly end: number
  readonly seq: number
}

type Overwrite = Extract<Asked, { readonly operation: "overwrite" }>

/** A register with all that was done with it. */
interface Register {
  readonly asked: Overwrite
  /** By version; the initial one is "". */
  readonly writes: Map<string, Span>
  readonly reads: Map<string, Array<Span>>
  /** Versions that were surely not written. */
  readonly refused: Set<string>
}

const initial = ""

/** What a read says of a register: its one version, several of them, or not all of its items. */
const versionIn = (
  shipment: ShownShipment | undefined,
  { items, orders }: Overwrite,
  only: string | undefined
): string | { readonly mixed: string } => {
  const lots = new Set<string>()
  let count = 0
  for (const order of shipment?.orders ?? []) {
    for (const { lot } of order.items) {
      lots.add(lot)
      count++
    }
  }
  if (count === 0) return initial
  const expected = items * (only === undefined ? orders.length : 1)
  const [version] = lots
  return lots.size === 1 && count === expected
    ? version!
    : { mixed: `${count} of ${expected} items, of the versions ${[...lots].join(", ")}` }
}

const registersOf = (facts: Facts): ReadonlyArray<Register & { readonly key: string }> => {
  const byShipment = Map.groupBy(
    facts.of("overwrite"),
    ({ asked, business, facility }) => `${business} ${facility} ${asked.shipment}`
  )
  return Array.from(byShipment, ([key, requests]) => {
    const writes = new Map<string, Span>([[initial, { start: -1, end: -1, seq: -1 }]])
    const refused = new Set<string>()
    for (const request of requests) {
      // Without a key each try wrote a version of its own.
      const tries = request.once ? [request.calls] : request.calls.map((call) => [call])
      for (const calls of tries) {
        const { asked, seq } = calls[0]!.invoke
        const version = asked.operation === "overwrite" ? asked.version : ""
        if (calls.every(({ outcome }) => outcome?.type === "refused")) refused.add(version)
        else writes.set(version, { start: seq, end: endOf(calls.find(isOk)?.outcome), seq })
      }
    }
    return { key, asked: requests[0]!.asked, writes, refused, reads: new Map() }
  })
}

/** The reads of a register: by clients, and of what is stored at the end, which may be nothing. */
const shownTo = (facts: Facts, key: string, asked: Overwrite) => {
  const stored = facts.stored.filter(({ business, facility, shipment }) =>
    `${business} ${facility} ${shipment.shipmentNumber}` === key
  )
  const ends = stored.length > 0
    ? stored
    : eventsOf(facts.history, "collected").map(({ seq }) => ({ seq, shipment: undefined }))
  return [
    ...facts.calls.filter(isOk).flatMap((call) => readOf(call, key, asked)),
    ...ends.map(({ seq, shipment }) => ({
      span: { start: seq, end: seq, seq },
      version: versionIn(shipment, asked, undefined)
    }))
  ]
}

const readOf = (call: Call & { readonly outcome: EventOf<"ok"> }, key: string, asked: Overwrite) => {
  const { invoke, outcome } = call
  const about = invoke.asked
  if (about.operation !== "read" || `${invoke.business} ${invoke.facility} ${about.shipment}` !== key) {
    return []
  }
  const [shipment] = outcome.answer.shipments ?? []
  const span = { start: invoke.seq, end: outcome.seq, seq: outcome.seq }
  return [{ span, version: versionIn(shipment, asked, about.order) }]
}

/** Of a document with several orders all items change together, for readers too (D2.1, D3). */
export const registersAreWhole: Invariant = (facts) =>
  registersOf(facts).flatMap(({ asked, key }) => [
    ...shownTo(facts, key, asked).flatMap(({ span, version }) =>
      typeof version === "string"
        ? []
        : [{ text: `${asked.shipment} shows ${version.mixed}`, events: [span.seq] }]
    ),
    ...facts.calls.filter(isOk).flatMap(({ invoke, outcome }) => {
      if (invoke.asked.operation !== "overwrite" || invoke.asked.shipment !== asked.shipment) return []
      const version = versionIn(outcome.answer.shipments?.[0], asked, undefined)
      return version === invoke.asked.version ? [] : [{
        text: `the answer to version ${invoke.asked.version} of ${asked.shipment} shows ${
          typeof version === "string" ? `version ${version}` : version.mixed
        }`,
        events: [invoke.seq, outcome.seq]
      }]
    })
  ])

interface Zone {
  readonly version: string
  readonly firstEnd: number
  readonly lastStart: number
  readonly events: ReadonlyArray<number>
}

/** The registers are linearizable. */
export const linearizable: Invariant = (facts) =>
  registersOf(facts).flatMap(({ asked, key, reads, refused, writes }) => {
    for (const { span, version } of shownTo(facts, key, asked)) {
      if (typeof version !== "string") continue
      const spans = reads.get(version) ?? []
      spans.push(span)
      reads.set(version, spans)
    }
    const invented = [...reads].flatMap(([version, spans]) => {
      const write = writes.get(version)
      const early = spans.filter(({ end }) => write === undefined || end < write.start)
      return early.length === 0 ? [] : [{
        text: `${asked.shipment} shows version ${version}, which ${
          refused.has(version) ? "was refused" : "nobody had written"
        }`,
        events: early.map(({ seq }) => seq)
      }]
    })
    return [...invented, ...conflicts(asked.shipment, zonesOf(writes, reads))]
  })

const zonesOf = (writes: Register["writes"], reads: Register["reads"]): ReadonlyArray<Zone> =>
  Array.from(writes).flatMap(([version, write]) => {
    const spans = [write, ...reads.get(version) ?? []]
    // A write that nobody has seen, and that may not have taken place.
    if (spans.length === 1 && write.end === Infinity) return []
    return [{
      version,
      firstEnd: Math.min(...spans.map(({ end }) => end)),
      lastStart: Math.max(...spans.map(({ start }) => start)),
      events: spans.map(({ seq }) => seq).filter((seq) => seq >= 0)
    }]
  })

const conflicts = (shipment: string, zones: ReadonlyArray<Zone>) => {
  const forward = zones.filter(({ firstEnd, lastStart }) => firstEnd < lastStart)
  return forward.flatMap((zone) =>
    zones.filter((other) => other !== zone).filter((other) => {
      const isForward = other.firstEnd < other.lastStart
      // Of two that overlap, the one that ends first is told of the other.
      if (isForward) {
        return zone.firstEnd < other.lastStart && other.firstEnd < zone.lastStart &&
          zone.lastStart < other.lastStart
      }
      return zone.firstEnd < other.lastStart && other.firstEnd < zone.lastStart
    }).map((other) => ({
      text: `${shipment} shows version ${zone.version || "none"} when version ${
        other.version || "none"
      } had taken its place`,
      events: [...zone.events, ...other.events]
    }))
  )
}
