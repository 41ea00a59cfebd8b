/**
 * What is promised of exceptions and of cancelled shipments: what was acknowledged is there once, and stays (D13.5, D13.9).
 */
import { eventsOf } from "../history/History.ts"
import { isOk, seqsOf } from "./CheckerFacts.ts"
import type { Invariant } from "./CheckerFacts.ts"

/** Each exception that was acknowledged is listed once, under the id that its answer named. */
export const exceptionsAreListedOnce: Invariant = (facts) => {
  const reports = facts.of("report")
  const resolutions = facts.of("resolve")
  const lists = eventsOf(facts.history, "exceptions")
  return [
    ...reports.flatMap((request) => {
      const { acknowledged, asked: { description, shipmentId }, isRefused } = request
      const list = lists.findLast((each) => each.shipmentId === shipmentId)
      const listed = (list?.listed ?? []).filter((each) => each.description === description)
      const ids = request.calls.filter(isOk).map(({ outcome }) => outcome.answer.exceptionId)
      const text = listed.length > 1
        ? `is listed ${listed.length} times`
        : acknowledged !== undefined && ids.some((id) => id !== listed[0]?.id)
        ? `was acknowledged as ${[...new Set(ids)].join(", ")}, and is listed as ${listed[0]?.id ?? "none"}`
        : isRefused && listed.length > 0
        ? "was refused, and is listed"
        : undefined
      return text === undefined ? [] : [{
        text: `the exception ${description} of shipment ${shipmentId} ${text}`,
        events: [...seqsOf(request), ...(list === undefined ? [] : [list.seq])]
      }]
    }),
    ...lists.flatMap(({ listed, seq, shipmentId }) =>
      listed.flatMap(({ description, id, isResolved }) => {
        const asked = resolutions.filter((request) =>
          request.asked.shipmentId === shipmentId && request.asked.exceptionId === id
        )
        const isDue = asked.some(({ acknowledged }) => acknowledged !== undefined)
        const text = !reports.some(({ asked }) => asked.description === description)
          ? "is listed, and nobody has reported it"
          : isResolved && asked.every(({ isRefused }) => isRefused)
          ? "is resolved, and nobody has resolved it"
          : isDue && !isResolved
          ? "is open, though its resolution was acknowledged"
          : undefined
        return text === undefined ? [] : [{
          text: `the exception ${description} of shipment ${shipmentId} ${text}`,
          events: [...asked.flatMap(seqsOf), seq]
        }]
      })
    )
  ]
}

/** A shipment is cancelled for good, and only one that has not arrived. */
export const cancelledIsFinal: Invariant = (facts) => {
  const cancels = facts.of("cancel")
  return [
    ...cancels.flatMap((request) => {
      const { acknowledged, asked: { shipmentId }, isRefused } = request
      const stored = facts.stored.find(({ shipment }) => shipment.id === shipmentId)
      const isCancelled = stored?.shipment.status === "CANCELLED"
      const arrival = facts.of("arrive").find(({ acknowledged, asked }) =>
        acknowledged !== undefined && asked.shipmentId === shipmentId
      )
      const later = acknowledged === undefined ?
        undefined :
        facts.of("add").find((add) =>
          add.asked.shipment === stored?.shipment.shipmentNumber && add.business === request.business &&
          add.facility === request.facility && add.acknowledged !== undefined &&
          add.invoked.seq > acknowledged.seq
        )
      const text = acknowledged !== undefined && !isCancelled
        ? `was cancelled, and is stored as ${stored?.shipment.status}`
        : isCancelled && isRefused
        ? "is cancelled, though that was refused"
        : isCancelled && arrival !== undefined
        ? "is cancelled, though its arrival was acknowledged"
        : isCancelled && stored.shipment.orders.some(({ status }) => status !== "CANCELLED")
        ? "is cancelled, and its orders are not"
        : later !== undefined
        ? "was cancelled, and took a document later"
        : undefined
      return text === undefined ? [] : [{
        text: `shipment ${shipmentId} ${text}`,
        events: [
          ...seqsOf(request),
          ...(arrival === undefined ? [] : seqsOf(arrival)),
          ...(later === undefined ? [] : seqsOf(later)),
          ...(stored === undefined ? [] : [stored.seq])
        ]
      }]
    }),
    ...facts.stored.filter(({ shipment }) =>
      shipment.status === "CANCELLED" && !cancels.some(({ asked }) => asked.shipmentId === shipment.id)
    ).map(({ seq, shipment }) => ({
      text: `shipment ${shipment.id} is cancelled, and nobody has asked for it`,
      events: [seq]
    }))
  ]
}
