/** The GraphQL operations of the pages of exceptions (D13.5). */
import type { exceptions as capability } from "@dockline/core/exceptions/ExceptionCapability"
import { changesOf, listsOf, listsOfShipments } from "../api/operations.ts"
import type { Of } from "../api/operations.ts"
import { exceptionFields } from "./ExceptionExtension.ts"

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
