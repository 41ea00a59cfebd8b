/** The additions of exceptions to the pages of the contract, and the GraphQL operations of their own pages (D13.5). */
import type { exceptions as capability } from "@dockline/core/exceptions/ExceptionCapability"
import { changesOf, listsOf, listsOfShipments } from "../api/operations.ts"
import type { Of } from "../api/operations.ts"
import type { DashboardCapability, MessageKind } from "../capability.ts"

/** The fields of an exception on the page of its shipment, and in answers to changes. */
const exceptionFields =
  "id shipmentId palletId lpn kind priority description status reportedAt reportedBy resolvedAt resolvedBy note"

/** The description of an exception, in the words of its reporter. */
const summary: MessageKind["summary"] = ({ exception }) =>
  typeof exception === "object" && exception !== null && "description" in exception
    ? String(exception.description)
    : ""

const isUrgent = ({ exception }: Parameters<MessageKind["summary"]>[0]): boolean =>
  typeof exception === "object" && exception !== null && "priority" in exception &&
  exception.priority === "HIGH"

/** One filter for both the reports and the resolutions. */
const filter = ["exceptions", "Exceptions"] as const

const open = "openExceptions urgentExceptions"

export const extension: Pick<DashboardCapability, "fields" | "numbers" | "messages"> = {
  fields: {
    shipment: `exceptions { nodes { ${exceptionFields} } pageInfo { hasNextPage endCursor } }`,
    board: open,
    boardShipment: open,
    day: "exceptions openExceptions",
    dayShipment: "openExceptions"
  },
  numbers: { exceptions: "Exceptions", openExceptions: "Open exceptions" },
  messages: {
    EXCEPTION_REPORTED: {
      name: "Exception report",
      filter,
      badge: () => ["Exception", "bad"],
      summary,
      noticeOf: (message) => isUrgent(message) ? `High exception: ${summary(message)}` : undefined
    },
    EXCEPTION_RESOLVED: {
      name: "Exception resolution",
      filter,
      badge: () => ["Resolved", "ok"],
      summary
    }
  }
}

type Operations = (typeof capability)["operations"]

const list = listsOf<Operations>()

const change = changesOf<Operations>()

export const exceptionsOfShipment = listsOfShipments<Operations>()(
  "shipmentExceptions",
  "exceptions",
  {},
  exceptionFields
)
export type Exception = Of<typeof exceptionsOfShipment>

/** A page of the exceptions of all shipments of a business or a facility, newest first. */
export const exceptions = list(
  "exceptions",
  { business: "String", facility: "String", status: "ExceptionStatus", priority: "ExceptionPriority" },
  `${exceptionFields} business facility shipmentNumber`
)
export type LocatedException = Of<typeof exceptions>

export const reportException = change("reportException", exceptionFields)
export const resolveException = change("resolveException", exceptionFields)
