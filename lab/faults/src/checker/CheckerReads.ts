/**
 * What is promised of answers that show documents: they are current, and show a document whole.
 */
import type { Asked, EventOf } from "../history/History.ts"
import { itemIn, keysOf, lpnsIn, valuesSince, writesOfFields } from "./CheckerDocuments.ts"
import type { Marking } from "./CheckerDocuments.ts"
import { isOk, seqsOf } from "./CheckerFacts.ts"
import type { Call, Facts, Invariant, Request } from "./CheckerFacts.ts"

type Read = Call & { readonly outcome: EventOf<"ok"> }

/** The answers that show a shipment, and the documents that added to it, of each shipment. */
const shipmentsOf = (facts: Facts, isShown: (operation: Asked["operation"]) => boolean) => {
  const keyOf = ({ asked, business, facility }: Pick<Request, "asked" | "business" | "facility">) =>
    "shipment" in asked ? `${business} ${facility} ${asked.shipment}` : ""
  const adds = Map.groupBy(facts.of("add"), keyOf)
  return Array.from(
    Map.groupBy(
      facts.calls.filter(isOk).filter(({ invoke }) => isShown(invoke.asked.operation)),
      ({ invoke }) => keyOf(invoke)
    ),
    ([key, reads]) => ({ reads, adds: adds.get(key) ?? [] })
  )
}

/**
 * A read shows what was acknowledged before it began and what an earlier read has shown, and nothing that was asked
 * for only after it ended, or refused (read committed, one snapshot a read).
 */
export const readsAreCurrent: Invariant = (facts) => {
  const steps = [...facts.of("arrive"), ...facts.of("depart"), ...facts.of("cancel")]
  const fields = Map.groupBy(writesOfFields(facts), ([write]) => write!.asked.shipment)
  return shipmentsOf(facts, (operation) => operation === "read").flatMap(({ adds, reads }) => [
    ...readsOf(reads, adds),
    ...reads.flatMap((read) => statusesOf(read, steps)),
    ...reads.flatMap((read) => fieldsOf(read, fields.get(adds[0]?.asked.shipment ?? "") ?? []))
  ])
}

/** Of a document all is shown or nothing, to readers and in the answers to documents; in its own answer all (D2.1). */
export const answersAreWhole: Invariant = (facts) =>
  shipmentsOf(facts, (operation) => operation === "read" || operation === "add").flatMap(({ adds, reads }) =>
    reads.flatMap((read) => {
      const { asked, request } = read.invoke
      // One order is a part of what a document says.
      if (asked.operation === "read" && asked.order !== undefined) return []
      const there = new Set((read.outcome.answer.shipments ?? []).flatMap(lpnsIn))
      return adds.flatMap((add) => {
        const own = keysOf(add.asked.own)
        const count = own.filter((key) => there.has(key)).length
        const isOwn = add.invoked.request === request
        if (count === own.length || (count === 0 && !isOwn)) return []
        return [{
          text: `${
            isOwn ? "its own answer" : `an answer to ${asked.operation}`
          } shows ${count} of the ${own.length} items of a document for ${add.asked.shipment}`,
          events: [...seqsOf(add), read.invoke.seq, read.outcome.seq]
        }]
      })
    })
  )

/** What a read says of fields that were written before it began. */
const fieldsOf = (read: Read, fields: ReadonlyArray<ReadonlyArray<Marking>>) =>
  fields.flatMap((writes) => {
    const { field, lpn, order } = writes[0]!.asked.mark
    const { asked } = read.invoke
    if (asked.operation === "read" && asked.order !== undefined && asked.order !== order) return []
    const last = writes.findLast(({ acknowledged }) => (acknowledged?.seq ?? Infinity) < read.invoke.seq)
    if (last === undefined) return []
    const [shown] = read.outcome.answer.shipments ?? []
    const found = itemIn(shown, order, lpn)?.marks[field]
    return found !== undefined && valuesSince(writes, last, read.outcome.seq).includes(found) ? [] : [{
      text: `a read shows ${field} of ${lpn} as ${found} after ${last.asked.mark.value} was acknowledged`,
      events: [...seqsOf(last), read.invoke.seq, read.outcome.seq]
    }]
  })

/** The statuses of a shipment after each step. */
const mayShow = {
  arrive: ["ARRIVED", "DEPARTED"],
  depart: ["DEPARTED"],
  cancel: ["CANCELLED"]
} satisfies Readonly<Record<string, ReadonlyArray<string>>>

type Step = Request<"arrive"> | Request<"depart"> | Request<"cancel">

/** What a read says of a shipment that was moved before it began. */
const statusesOf = (read: Read, steps: ReadonlyArray<Step>) =>
  (read.outcome.answer.shipments ?? []).filter(({ status }) => status !== "").flatMap(({ id, status }) =>
    steps.filter(({ acknowledged, asked }) =>
      asked.shipmentId === id && (acknowledged?.seq ?? Infinity) < read.invoke.seq &&
      !mayShow[asked.operation].includes(status)
    ).map((step) => ({
      text: `a read of shipment ${id} shows it ${status} after its ${step.asked.operation} was acknowledged`,
      events: [...seqsOf(step), read.invoke.seq, read.outcome.seq]
    }))
  )

const readsOf = (reads: ReadonlyArray<Read>, adds: ReadonlyArray<Request<"add">>) => {
  /** When each item was first shown to somebody. */
  const firstShown = new Map<string, number>()
  return reads.toSorted((left, right) => left.outcome.seq - right.outcome.seq).flatMap((read) => {
    const shown = new Set((read.outcome.answer.shipments ?? []).flatMap(lpnsIn))
    const { asked } = read.invoke
    const order = asked.operation === "read" ? asked.order : undefined
    const found = adds.flatMap((add) =>
      keysOf(add.asked.own).filter((key) => order === undefined || key.startsWith(`${order} `)).flatMap(
        (key) => {
          const text = wrongAbout(read, add, shown.has(key), firstShown.get(key) ?? Infinity)
          if (shown.has(key) && !firstShown.has(key)) firstShown.set(key, read.outcome.seq)
          return text === undefined ? [] : [{
            text: `a read of ${add.asked.shipment} ${text}: ${key}`,
            events: [...seqsOf(add), read.invoke.seq, read.outcome.seq]
          }]
        }
      )
    )
    return found
  })
}

const wrongAbout = (
  read: Read,
  add: Request<"add">,
  isShown: boolean,
  firstShown: number
): string | undefined => {
  if (isShown && add.isRefused) return "shows an item of a refused document"
  if (isShown && add.invoked.seq > read.outcome.seq) return "shows an item before anybody has sent it"
  if (!isShown && (add.acknowledged?.seq ?? Infinity) < read.invoke.seq) {
    return "does not show an acknowledged item"
  }
  if (!isShown && firstShown < read.invoke.seq) return "does not show an item that an earlier one has shown"
  return undefined
}
