/**
 * The guarantees for the events of EPCIS (D24): messages make the same events wherever they are read, and no reader of pages or receiver of
 * webhooks misses one or gets one twice.
 */
import { createHash } from "node:crypto"
import { epcisEventOf, epcisEvents, epcisPath } from "../history/History.ts"
import type { EventOf, PalletFacts } from "../history/History.ts"
import { found } from "./Facts.ts"
import type { Facts, Finding } from "./Facts.ts"

type Logged = EventOf<"log">
type Endpoint = EventOf<"endpoint">

/** The namespace of the ids of events. */
const namespace = Buffer.from("e41af98abc985a8f85c252b328fad640", "hex")

/** The id of an event of a message: a UUID of version 5 (D24.1). */
export const eventIdOf = (business: string, messageId: number, number: number): string => {
  const bytes = createHash("sha1").update(namespace).update(`${business}/${messageId}/${number}`).digest()
  bytes[6] = (bytes[6]! & 0x0f) | 0x50
  bytes[8] = (bytes[8]! & 0x3f) | 0x80
  return `urn:uuid:${bytes.toString("hex", 0, 16).replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-")}`
}

/** A message, and the events that it makes. */
interface Source {
  readonly message: Logged
  readonly events: ReadonlyArray<string>
}

/** Whether a pallet remains where it was brought: its first and its last crossing have one direction (D6.6). */
const remains = (crossings: ReadonlyArray<PalletFacts>): boolean => {
  const inOrder = crossings.toSorted((left, right) =>
    (left.occurredAt ?? "") < (right.occurredAt ?? "") ? -1 : 1
  )
  return inOrder[0]?.direction === inOrder.at(-1)?.direction
}

/** The messages of a business that make events, in the order of the log. */
export const sourcesOf = (facts: Facts, business: string): ReadonlyArray<Source> => {
  const pallets = new Map<string, { crossings: ReadonlyArray<PalletFacts>; id: string; isWrong: boolean }>()
  const eventOfPallet = (message: Logged, pallet: PalletFacts): string => {
    const key = `${message.shipmentId} ${pallet.palletId}`
    const before = pallets.get(key)
    const crossings = [...before?.crossings ?? [], pallet]
    const isThere = remains(crossings)
    const isNew = before === undefined || (before.isWrong && isThere)
    const id = isNew ? eventIdOf(business, message.id, 0) : before.id
    pallets.set(key, { crossings, id, isWrong: !isThere })
    return epcisEventOf(id, !isThere)
  }
  const eventsIn = (message: Logged): ReadonlyArray<string> => {
    const own = (number: number) => eventIdOf(business, message.id, number)
    switch (message.messageType) {
      case "PALLET_EVENT":
        return message.pallets.map((pallet) => eventOfPallet(message, pallet))
      case "SHIPMENT_ARRIVED":
        return [own(0)]
      case "SHIPMENT_COMPLETE": {
        const directions = new Set(message.pallets.map(({ direction }) => direction))
        const loads = ["LOADING", "UNLOADING"].flatMap((direction, at) =>
          directions.has(direction) ? [own(at + 1)] : []
        )
        return [own(0), ...loads]
      }
      default:
        return []
    }
  }
  return facts.log.filter((message) => message.business === business)
    .map((message) => ({ message, events: eventsIn(message) }))
    .filter(({ events }) => events.length > 0)
}

/** Whether the second of two lists begins with the first. */
const begins = (list: ReadonlyArray<string>, others: ReadonlyArray<string>): boolean =>
  list.every((each, at) => each === others[at])

/**
 * A reader of pages gets the events of the messages that existed when it began, in the order of the log, each once; messages dropped by age
 * are missing from the beginning (D24.4).
 */
export const eventsAreReadOnce = function*(facts: Facts): Finding {
  const sources = new Map<string, ReadonlyArray<Source>>()
  // A page from a lost database may have lost messages.
  const scans = Array.from(Map.groupBy(facts.events("page"), ({ scan }) => scan).values())
    .filter(([first]) => first!.begun > (facts.gap?.end ?? -1))
  for (const pages of scans) {
    const { begun, business } = pages[0]!
    const all = sources.get(business) ?? sourcesOf(facts, business)
    sources.set(business, all)
    const kept = all.findIndex(({ message }) => !facts.dropped.has(message.id))
    const events = pages.flatMap((page) => page.events)
    const starts = Array.from({ length: Math.max(0, kept < 0 ? all.length : kept) + 1 }, (_, at) => at)
    const start = starts.find((at) => begins(events, all.slice(at).flatMap((source) => source.events)))
    if (start === undefined) {
      const due = all.flatMap((source) => source.events.map((event) => ({ event, message: source.message })))
      const at = events.findIndex((event, at) => event !== due[at]?.event)
      const text = `a reader of the events of ${business} got ${events[at]} as number ${at + 1}`
      yield found(`${text}, and not ${due[at]?.event ?? "none"}`, pages, due[at]?.message)
      continue
    }
    if (pages.at(-1)?.isLast !== true) continue
    const known = new Set(all.map(({ message }) => message.id))
    const newest = facts.events("seen").findLast((seen) =>
      seen.seq < begun && seen.business === business && known.has(seen.id)
    )
    const due = all.slice(start).filter(({ message }) => message.id <= (newest?.id ?? 0))
      .flatMap((source) => source.events)
    if (events.length >= due.length) continue
    const text =
      `a reader of the events of ${business} got ${events.length}, and there were ${due.length} before`
    yield found(text, pages, newest)
  }
}

/** Whether an endpoint gets documents of EPCIS, and no messages of the log. */
export const getsEvents = ({ types }: Pick<Endpoint, "types">): boolean =>
  types?.includes(epcisEvents) === true

/** A document that came to an endpoint, and the message that made it; `isLost`: it may be gone with its database. */
interface Document {
  readonly id: number
  readonly receipts: ReadonlyArray<EventOf<"receipt">>
  readonly source: Source | undefined
  readonly isLost: boolean
}

/**
 * The documents that an endpoint received, in the order of their ids, which is that of the log, and the messages whose documents never
 * came. Messages dropped by age may be missing. Documents of a lost database may be published again, under ids that were already used, and
 * then only the end is judged.
 */
export const documentsAt = (
  facts: Facts,
  { business, endpoint }: Pick<Endpoint, "business" | "endpoint">
) => {
  const { dropped, gap } = facts
  const left = [...sourcesOf(facts, business)]
  const again: Array<Source> = []
  const missed: Array<Source> = []
  const take = (text: string, isLost: boolean): Source | undefined => {
    const isOwn = ({ events }: Source) => events.join() === text
    const next = left.findIndex((source) => isOwn(source) || !dropped.has(source.message.id))
    const at = next >= 0 && isOwn(left[next]!) ? next : left.findIndex(isOwn)
    if (at < 0) {
      const repeated = isLost ? -1 : again.findIndex(isOwn)
      return repeated < 0 ? undefined : again.splice(repeated, 1)[0]
    }
    const source = left[at]!
    if (gap === undefined) missed.push(...left.splice(0, at + 1).slice(0, at))
    else left.splice(at, 1)
    if (isLost) again.push(source)
    return source
  }
  const documents = Array.from(
    Map.groupBy(
      facts.events("receipt").filter((each) => each.endpoint === endpoint),
      ({ digest, webhookId }) => `${webhookId} ${digest}`
    ).values(),
    (receipts) => ({ id: Number(receipts[0]!.webhookId.replace(/^msg_/, "")), receipts })
  ).toSorted((one, other) => one.id - other.id).map(({ id, receipts }): Document => {
    const { seq, things = [] } = receipts[0]!
    const isLost = gap !== undefined && seq > gap.begin && seq < gap.end
    return { id, receipts, source: take(things.join(), isLost), isLost }
  })
  missed.push(...left)
  return { documents, missed: missed.filter(({ message }) => !dropped.has(message.id)) }
}

/**
 * Each message that makes events has one document for the endpoints with its type, under one id, in the order of the log (D24.5). Whether
 * and when it is delivered is judged together with all webhooks.
 */
export const eventsArePublishedOnce = function*(facts: Facts): Finding {
  for (const endpoint of facts.events("endpoint").filter(getsEvents)) {
    const name = endpoint.endpoint
    const { documents, missed } = documentsAt(facts, endpoint)
    for (const { isLost, receipts, source } of documents) {
      const [first] = receipts
      const text = source === undefined && !isLost
        ? "holds events that no message has made, or that were published before"
        : receipts.some(({ path }) => path !== epcisPath)
        ? "came to another path"
        : receipts.some(({ signed }) => !signed)
        ? "has no good signature"
        : undefined
      if (text !== undefined) yield found(`what ${name} got as ${first!.webhookId} ${text}`, receipts)
    }
    for (const { message } of missed) {
      yield found(`${name} never got the events of message ${message.id}`, message)
    }
  }
}
