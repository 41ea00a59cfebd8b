/** The guarantees for answers that show documents: they are current, and show each document completely. */
import type { Operation } from "../history/History.ts"
import { isValueSince, itemIn, keysOf, lpnsIn, writesOfFields } from "./DocumentRules.ts"
import type { FieldWrite } from "./DocumentRules.ts"
import { found, isOk } from "./Facts.ts"
import type { Facts, Finding, OkCall, Request } from "./Facts.ts"

/** A document that adds items, or a notice. */
type Adding = Request<"add" | "notice">

/** For each shipment, the answers that show it, and the documents that added to it. */
const shipmentsOf = (facts: Facts, shown: ReadonlyArray<Operation>) => {
  const keyOf = ({ asked, business, facility }: Pick<OkCall["invoke"], "asked" | "business" | "facility">) =>
    "shipment" in asked ? `${business} ${facility} ${asked.shipment}` : ""
  const adds = Map.groupBy<string, Adding>(
    [...facts.of("add"), ...facts.of("notice")],
    ({ invoked }) => keyOf(invoked)
  )
  const reads = facts.calls.filter(isOk).filter(({ invoke }) => shown.includes(invoke.asked.operation))
  return Array.from(
    Map.groupBy(reads, ({ invoke }) => keyOf(invoke)),
    ([key, reads]) => ({ reads, adds: adds.get(key) ?? [] })
  )
}

/** The order, for a read of a single order. */
const orderOf = ({ invoke: { asked } }: OkCall): string | undefined =>
  asked.operation === "read" ? asked.order : undefined

const lpnsShown = ({ outcome }: OkCall): ReadonlySet<string> =>
  new Set((outcome.answer.shipments ?? []).flatMap(lpnsIn))

/** The statuses of a shipment after each step. */
const mayShow: Readonly<Record<"arrive" | "depart" | "cancel", ReadonlyArray<string>>> = {
  arrive: ["ARRIVED", "DEPARTED"],
  depart: ["DEPARTED"],
  cancel: ["CANCELLED"]
}

/**
 * A read shows everything that was acknowledged before it began or that an earlier read has shown, and nothing that was requested only
 * after it ended, or refused (read committed, one snapshot a read).
 */
export const readsAreCurrent = function*(facts: Facts): Finding {
  const steps = (["arrive", "depart", "cancel"] as const).flatMap((operation) =>
    facts.acknowledged(operation).map((step) => ({ operation, step }))
  )
  const fields = Map.groupBy(writesOfFields(facts), ([write]) => write!.asked.shipment)
  for (const { adds, reads } of shipmentsOf(facts, ["read"])) {
    yield* staleItems(reads, adds)
    for (const read of reads) {
      for (const { id, status } of read.outcome.answer.shipments ?? []) {
        for (const { operation, step } of steps) {
          const isLate = step.asked.shipmentId === id && step.acknowledged.seq < read.invoke.seq
          if (status === "" || !isLate || mayShow[operation].includes(status)) continue
          const text = `shows it ${status} after its ${operation} was acknowledged`
          yield found(`a read of shipment ${id} ${text}`, step, read)
        }
      }
      yield* staleFields(read, fields.get(adds[0]?.asked.shipment ?? "") ?? [])
    }
  }
}

const staleItems = function*(reads: ReadonlyArray<OkCall>, adds: ReadonlyArray<Adding>): Finding {
  /** The time at which each item was first shown. */
  const firstShown = new Map<string, number>()
  for (const read of reads.toSorted((left, right) => left.outcome.seq - right.outcome.seq)) {
    const shown = lpnsShown(read)
    const order = orderOf(read)
    for (const add of adds) {
      for (const key of keysOf(add.asked.own)) {
        if (order !== undefined && !key.startsWith(`${order} `)) continue
        const text = wrongAbout(read, add, shown.has(key), firstShown.get(key) ?? Infinity)
        if (shown.has(key) && !firstShown.has(key)) firstShown.set(key, read.outcome.seq)
        if (text !== undefined) yield found(`a read of ${add.asked.shipment} ${text}: ${key}`, add, read)
      }
    }
  }
}

const wrongAbout = (
  { invoke, outcome }: OkCall,
  add: Adding,
  isShown: boolean,
  firstShown: number
): string | undefined => {
  if (isShown && add.isRefused) return "shows an item of a refused document"
  if (isShown && add.invoked.seq > outcome.seq) return "shows an item before anybody has sent it"
  if (isShown) return undefined
  if ((add.acknowledged?.seq ?? Infinity) < invoke.seq) return "does not show an acknowledged item"
  return firstShown < invoke.seq ? "does not show an item that an earlier one has shown" : undefined
}

/** The values that a read shows of fields that were written before it began. */
const staleFields = function*(read: OkCall, fields: ReadonlyArray<ReadonlyArray<FieldWrite>>): Finding {
  for (const writes of fields) {
    const { field, lpn, order } = writes[0]!.asked.mark
    const last = writes.findLast(({ acknowledged }) => (acknowledged?.seq ?? Infinity) < read.invoke.seq)
    if (last === undefined || (orderOf(read) ?? order) !== order) continue
    const shown = itemIn(read.outcome.answer.shipments?.[0], order, lpn)?.[field]
    if (isValueSince(shown, writes, last, read.outcome.seq)) continue
    const text = `a read shows ${field} of ${lpn} as ${shown} after ${last.asked.mark.value} was acknowledged`
    yield found(text, last, read)
  }
}

/** A document is shown completely or not at all, to readers and in the answers to documents; in its own answer completely (D2.1). */
export const answersAreWhole = function*(facts: Facts): Finding {
  for (const { adds, reads } of shipmentsOf(facts, ["read", "add"])) {
    // One order is only a part of a document.
    for (const read of reads.filter((read) => orderOf(read) === undefined)) {
      const there = lpnsShown(read)
      for (const add of adds) {
        const own = keysOf(add.asked.own)
        const count = own.filter((key) => there.has(key)).length
        const isOwn = add.invoked.request === read.invoke.request
        if (count === own.length || (count === 0 && !isOwn)) continue
        const answer = isOwn ? "its own answer" : `an answer to ${read.invoke.asked.operation}`
        const items = `${count} of the ${own.length} items of a document for ${add.asked.shipment}`
        yield found(`${answer} shows ${items}`, add, read)
      }
    }
  }
}
