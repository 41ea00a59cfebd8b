/** The guarantees for exceptions: each is listed once, reported once, and stays. */
import { found, isOk } from "./Facts.ts"
import type { Facts, Finding } from "./Facts.ts"

/** Each listed exception has one message, and one about its resolution after that; no other exception has any (D15.1). */
export const exceptionsAreToldOnce = function*(facts: Facts): Finding {
  const messages = facts.log.filter(({ exception }) => exception !== undefined)
  const about = Map.groupBy(messages, ({ business, exception }) => `${business} ${exception!.id}`)
  for (const list of facts.events("exceptions")) {
    const { listed, shipmentId } = list
    const business = facts.storedUnder(shipmentId)?.business
    for (const { id, isResolved } of listed) {
      const log = about.get(`${business} ${id}`) ?? []
      const told = log.map(({ messageType }) => messageType).join(", ")
      const due = isResolved ? "EXCEPTION_REPORTED, EXCEPTION_RESOLVED" : "EXCEPTION_REPORTED"
      if (told === due) continue
      const text = `exception ${id} of shipment ${shipmentId} is told by ${told || "none"}, and not ${due}`
      yield found(text, log, list)
    }
    for (const message of messages.filter((each) => each.shipmentId === shipmentId)) {
      const told = message.exception!.id
      if (listed.some(({ id }) => id === told)) continue
      yield found(`message ${message.id} tells of exception ${told}, which is not listed`, message, list)
    }
  }
}

/** Each acknowledged exception is listed once, with the id of its answer, and stays (D13.5). */
export const exceptionsAreListedOnce = function*(facts: Facts): Finding {
  const reports = facts.of("report")
  const lists = facts.events("exceptions")
  for (const request of reports) {
    const { acknowledged, asked: { description, shipmentId }, calls, isRefused } = request
    const list = lists.findLast((each) => each.shipmentId === shipmentId)
    const listed = (list?.listed ?? []).filter((each) => each.description === description)
    const ids = new Set(calls.filter(isOk).map(({ outcome }) => outcome.answer.exceptionId))
    const text = listed.length > 1
      ? `is listed ${listed.length} times`
      : acknowledged !== undefined && [...ids].some((id) => id !== listed[0]?.id)
      ? `was acknowledged as ${[...ids].join(", ")}, and is listed as ${listed[0]?.id ?? "none"}`
      : isRefused && listed.length > 0
      ? "was refused, and is listed"
      : undefined
    if (text === undefined) continue
    yield found(`the exception ${description} of shipment ${shipmentId} ${text}`, request, list)
  }
  for (const list of lists) {
    for (const { description, id, isResolved } of list.listed) {
      const asked = facts.of("resolve").filter((request) =>
        request.asked.shipmentId === list.shipmentId && request.asked.exceptionId === id
      )
      const isDue = asked.some(({ acknowledged }) => acknowledged !== undefined)
      const text = !reports.some(({ asked }) => asked.description === description)
        ? "is listed, and nobody has reported it"
        : isResolved && asked.every(({ isRefused }) => isRefused)
        ? "is resolved, and nobody has resolved it"
        : isDue && !isResolved
        ? "is open, though its resolution was acknowledged"
        : undefined
      if (text === undefined) continue
      yield found(`the exception ${description} of shipment ${list.shipmentId} ${text}`, asked, list)
    }
  }
}
