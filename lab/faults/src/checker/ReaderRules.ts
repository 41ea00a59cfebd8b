/**
 * The guarantees for readers of the log: they get each of their messages once, unchanged, in the order of ids; they learn when messages
 * that they have seen are lost; and messages are dropped when they have expired, and no others.
 */
import { epcisPath, isFor } from "../history/History.ts"
import type { EventOf } from "../history/History.ts"
import { found } from "./Facts.ts"
import type { Facts, Finding } from "./Facts.ts"

/** A message that a reader has to see. */
type Due = EventOf<"log"> | EventOf<"lost">

/** The reason why a message that was seen is not the next one; nothing if it is. */
const difference = (seen: EventOf<"seen">, next: Due | undefined): string | undefined => {
  const { id } = seen
  if (next === undefined) return `message ${id}, where the log holds no more for it`
  if (id < next.id) return `message ${id} again, or one that the log does not hold for it, before ${next.id}`
  if (id > next.id) return `message ${id}, and missed ${next.id}`
  const fields = ["digest", "messageType", "business", "facility"] as const
  return fields.every((field) => seen[field] === next[field])
    ? undefined
    : `message ${id} other than the log has it`
}

/**
 * The messages that a reader has to see: its messages of the log except those that it was told to be dropped. Before those from a promoted
 * copy come as many of the lost ones as it has happened to see, from the first one on.
 */
const dueTo = (
  facts: Facts,
  reader: EventOf<"reader">,
  own: ReadonlyArray<EventOf<"seen">>
): ReadonlyArray<Due> => {
  const told = facts.events("expired").filter((each) => each.reader === reader.reader)
  const isSkipped = (id: number) => told.some(({ afterId, droppedId }) => id > afterId && id <= droppedId)
  const log = facts.log.filter((message) => isFor(reader, message) && !isSkipped(message.id))
  const { gap } = facts
  if (gap === undefined) return log
  const kept = log.filter(({ id }) => id <= (gap.newest[reader.business] ?? 0))
  const lost = facts.lost.filter((message) => isFor(reader, message))
  const other = lost.findIndex((message, at) => {
    const seen = own[kept.length + at]
    return seen === undefined || difference(seen, message) !== undefined
  })
  return [...kept, ...(other < 0 ? lost : lost.slice(0, other)), ...log.slice(kept.length)]
}

/** Readers see every message exactly as it is in the log, in order, without a gap, and nothing else (D7.2, D8.3). */
export const readersSeeTheLog = function*(facts: Facts): Finding {
  const seen = Map.groupBy(facts.events("seen"), ({ reader }) => reader)
  const readers = facts.events("reader")
  for (const [name, own] of seen) {
    if (!readers.some(({ reader }) => reader === name)) yield found(`nobody knows reader ${name}`, own[0])
  }
  for (const reader of readers) {
    const own = seen.get(reader.reader) ?? []
    const due = dueTo(facts, reader, own)
    const at = own.findIndex((message, index) => difference(message, due[index]) !== undefined)
    const missed = due.slice(own.length)
    if (at >= 0) {
      // Messages after the first difference show nothing more.
      yield found(`${reader.reader} saw ${difference(own[at]!, due[at])}`, own[at], due[at])
    } else if (missed.length > 0) {
      const range = `${missed[0]!.id} to ${missed.at(-1)!.id}, ${missed.length} of them`
      yield found(`${reader.reader} never saw messages ${range}`, missed.slice(0, 10))
    }
  }
}

/** The ids of documents of EPCIS that came after a promotion. */
const documentIds = (facts: Facts, business: string): ReadonlyArray<number> => {
  const own = new Set(
    facts.events("endpoint").filter((each) => each.business === business).map(({ endpoint }) => endpoint)
  )
  return facts.events("receipt")
    .filter(({ endpoint, path, seq }) =>
      path === epcisPath && own.has(endpoint) && seq > (facts.gap?.end ?? 0)
    )
    .map(({ webhookId }) => Number(webhookId.replace(/^msg_/, "")))
}

/** A reader whose cursor is beyond the log of a promoted copy is told so, until ids were advanced, and never otherwise (D7.5). */
export const readersAreTold = function*(facts: Facts): Finding {
  const { gap } = facts
  const told = facts.events("ahead")
  const cut = facts.events("promoted")[0]?.seq ?? Infinity
  const [advanced] = facts.events("advanced")
  const until = advanced?.seq ?? Infinity
  for (const each of told) {
    const { afterId, asked, newestId, reader, seq } = each
    if (seq >= cut && asked <= until) continue
    const text = `${reader} was told that ${afterId} is beyond ${newestId}, the newest id, where it was not`
    yield found(text, each)
  }
  if (gap === undefined) return
  // Businesses publish events by themselves, so that the log of the copy has grown beyond its newest message.
  const published = (business: string): number =>
    Math.max(0, ...documentIds(facts, business).filter((id) => id <= (advanced?.newestId ?? 0)))
  for (const { business, reader } of facts.events("reader")) {
    const last = facts.events("seen").findLast((seen) => seen.reader === reader && seen.seq < gap.end)
    const isTold = told.some((each) => each.reader === reader && each.seq > gap.end && each.seq < until)
    const newest = Math.max(gap.newest[business] ?? 0, published(business))
    if (last === undefined || last.id <= newest || isTold) continue
    yield found(`${reader} had seen message ${last.id}, which is lost, and was not told so`, last)
  }
  if (advanced === undefined) yield found("the ids of the log could not be moved on", { seq: gap.end })
}

/** No reader or endpoint gets one id for two different messages (D7.5, D9.5). */
export const idsAreGivenOnce = function*(facts: Facts): Finding {
  const given = [
    ...facts.events("seen").map(({ digest, id, reader, seq }) => ({ digest, seq, to: reader, id: `${id}` })),
    // Documents that the service publishes by itself after a promotion may have earlier ids, until ids are advanced.
    ...facts.events("receipt").filter(({ path, seq }) => path !== epcisPath || seq > (facts.gap?.end ?? -1))
      .map(({ digest, endpoint, seq, webhookId }) => ({ digest, seq, to: endpoint, id: webhookId }))
  ]
  for (const [first, ...others] of Map.groupBy(given, ({ id, to }) => `${to} ${id}`).values()) {
    const other = others.find(({ digest }) => digest !== first!.digest)
    if (other !== undefined) yield found(`${other.to} got two messages as ${other.id}`, first, other)
  }
}

/** Some time after the start of an instance, everything that had expired by then is gone, however busy the log is (D7.4). */
export const expiredMessagesGo = function*(facts: Facts): Finding {
  for (const swept of facts.events("swept")) {
    const { expired, instance, left, millis } = swept
    if (left === 0) continue
    const text = `${left} of ${expired} expired messages are left ${millis} ms after`
    yield found(`${text} instance ${instance} was started`, swept)
  }
}

/** Only expired messages are dropped, and readers are told about dropped ones (D7.4). */
export const nothingElseGoes = function*(facts: Facts): Finding {
  const { dropped, log } = facts
  const millis = facts.events("retention")[0]?.millis ?? Infinity
  for (const each of dropped.values()) {
    const { age, id } = each
    if (age !== null && age < millis) yield found(`message ${id} was dropped when it was ${age} ms old`, each)
  }
  for (const told of facts.events("expired")) {
    const { afterId, droppedId, reader } = told
    const business = facts.events("reader").find((each) => each.reader === reader)?.business
    const kept = log.filter((message) =>
      message.business === business && message.id > afterId && message.id <= droppedId &&
      !dropped.has(message.id)
    )
    if (kept.length === 0 && droppedId > afterId) continue
    const why = kept[0] === undefined ? "that is no later one" : `message ${kept[0].id} is not`
    const text = `${reader} was told that ${droppedId} is dropped, reading after ${afterId}; ${why}`
    yield found(text, told, kept.slice(0, 5))
  }
}
