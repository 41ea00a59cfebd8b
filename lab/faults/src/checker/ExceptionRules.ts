/** The guarantees for exceptions: the list has each acknowledged exception once, and the log has each of its messages once. */
import type { EventOf } from "../history/History.ts"
import { found, isOk } from "./Facts.ts"
import type { Facts, Finding, Request } from "./Facts.ts"

/**
 * A listed exception has one message about its report and, if it is resolved, one about its resolution after that. An exception that is not
 * listed has no message (D15.1).
 */
export const exceptionsAreToldOnce = function*(facts: Facts): Finding {
  const messages = facts.log.filter(({ exception }) => exception !== undefined)
  const messagesByException = Map.groupBy(
    messages,
    ({ business, exception }) => `${business} ${exception!.id}`
  )
  for (const list of facts.events("exceptions")) {
    const { listed, shipmentId } = list
    const business = facts.storedUnder(shipmentId)?.business
    for (const { id, isResolved } of listed) {
      const log = messagesByException.get(`${business} ${id}`) ?? []
      const types = log.map(({ messageType }) => messageType).join(", ")
      const due = isResolved ? "EXCEPTION_REPORTED, EXCEPTION_RESOLVED" : "EXCEPTION_REPORTED"
      if (types === due) continue
      const text = `exception ${id} of shipment ${shipmentId} is told by ${types || "none"}, and not ${due}`
      yield found(text, log, list)
    }
    for (const message of messages.filter((each) => each.shipmentId === shipmentId)) {
      const exceptionId = message.exception!.id
      if (listed.some(({ id }) => id === exceptionId)) continue
      yield found(
        `message ${message.id} tells of exception ${exceptionId}, which is not listed`,
        message,
        list
      )
    }
  }
}

/**
 * An acknowledged exception is listed once, with the id from the answer, and as resolved if its resolution was acknowledged. A client has
 * reported each listed exception, and a client has resolved each resolved exception (D13.5).
 */
export const exceptionsAreListedOnce = function*(facts: Facts): Finding {
  const reports = facts.of("report")
  const resolutions = facts.of("resolve")
  const lists = facts.events("exceptions")
  for (const request of reports) {
    const { description, shipmentId } = request.asked
    const list = lists.findLast((each) => each.shipmentId === shipmentId)
    const text = wrongAboutReport(request, list?.listed ?? [])
    if (text === undefined) continue
    yield found(`the exception ${description} of shipment ${shipmentId} ${text}`, request, list)
  }
  for (const list of lists) {
    for (const exception of list.listed) {
      const { description, id } = exception
      const own = resolutions.filter(({ asked }) =>
        asked.shipmentId === list.shipmentId && asked.exceptionId === id
      )
      const text = reports.some(({ asked }) => asked.description === description)
        ? wrongAboutResolution(exception, own)
        : "is listed, and nobody has reported it"
      if (text === undefined) continue
      yield found(`the exception ${description} of shipment ${list.shipmentId} ${text}`, own, list)
    }
  }
}

type Exceptions = EventOf<"exceptions">["listed"]

/** How the list of a shipment contradicts a report. The description identifies the exception. */
const wrongAboutReport = (
  { acknowledged, asked, calls, isRefused }: Request<"report">,
  exceptions: Exceptions
): string | undefined => {
  const own = exceptions.filter(({ description }) => description === asked.description)
  if (own.length > 1) return `is listed ${own.length} times`
  const id = own[0]?.id
  const ids = new Set(calls.filter(isOk).map(({ outcome }) => outcome.answer.exceptionId))
  if (acknowledged !== undefined && [...ids].some((each) => each !== id)) {
    return `was acknowledged as ${[...ids].join(", ")}, and is listed as ${id ?? "none"}`
  }
  return isRefused && own.length > 0 ? "was refused, and is listed" : undefined
}

/** How the list contradicts the resolutions of an exception. */
const wrongAboutResolution = (
  { isResolved }: Exceptions[number],
  resolutions: ReadonlyArray<Request<"resolve">>
): string | undefined => {
  if (isResolved && resolutions.every(({ isRefused }) => isRefused)) {
    return "is resolved, and nobody has resolved it"
  }
  const isDue = resolutions.some(({ acknowledged }) => acknowledged !== undefined)
  return isDue && !isResolved ? "is open, though its resolution was acknowledged" : undefined
}
