/**
 * Exceptions as a capability: what people report to be wrong with a shipment or one of its pallets (D13.5, D15.1).
 */
import { Effect } from "effect"
import * as Capability from "../capability/Capability.ts"
import recorded from "./answers.json" with { type: "json" }
import { exceptionMessages } from "./ExceptionMessages.ts"
import {
  listExceptions,
  listShipmentExceptions,
  reportException,
  resolveException
} from "./ExceptionOperations.ts"
import { Exceptions } from "./Exceptions.ts"
import { ofBoards, ofDays, ofDayShipments, shipmentCounts } from "./ExceptionsOfViews.ts"
import { requests } from "./internal/ExceptionRequests.ts"
import { memory } from "./internal/MemoryExceptions.ts"

/** Exceptions of shipments. */
export const exceptions = Capability.make("exceptions", {
  title: "Exceptions",
  description: "Report what is wrong with a shipment or a pallet, and how it was resolved",
  operations: {
    /** The exceptions of all shipments that the client may see, newest first (D13.5). */
    exceptions: listExceptions,
    /** The exceptions of a shipment, in id order (D13.5). */
    shipmentExceptions: listShipmentExceptions,
    /** Reports what is wrong with a shipment or one of its pallets: `{ palletId?, lpn?, kind, priority, description }` (D13.5). */
    reportException,
    /** Resolves an exception: `{ note }`; repeating it changes nothing (D13.5). */
    resolveException
  },
  services: Exceptions.layer,
  handlers: Effect.map(Exceptions, ({ list, ofShipment, report, resolve }) => ({
    exceptions: list,
    shipmentExceptions: ({ id, ...page }, principal) => ofShipment(id, page, principal),
    reportException: ({ body, id }, principal, keep) => report(id, body, principal, keep),
    resolveException: ({ body, exceptionId, id }, principal, keep) =>
      resolve(id, exceptionId, body, principal, keep)
  })),
  memory,
  messages: exceptionMessages,
  extensions: { dockBoard: ofBoards, day: ofDays, dayShipments: ofDayShipments },
  counts: shipmentCounts,
  requests,
  answers: recorded.answers,
  notes: {
    descriptions: {
      ExceptionKind: "What people find wrong with shipments and pallets.",
      "ExceptionKind.DAMAGED": "Goods are damaged",
      "ExceptionKind.SHORT": "Goods are missing",
      "ExceptionKind.OVER": "There are goods that do not belong there",
      "ExceptionKind.OTHER": "Anything else",
      ExceptionPriority: "How soon somebody must look at an exception.",
      "ExceptionPriority.LOW": "When there is time",
      "ExceptionPriority.HIGH": "At once",
      ExceptionStatus: "Whether an exception is resolved.",
      "ExceptionStatus.OPEN": "Somebody has to look at it",
      "ExceptionStatus.RESOLVED": "It is resolved, and final"
    },
    inputs: {
      "ReportExceptionInput.kind": "ExceptionKind",
      "ReportExceptionInput.priority": "ExceptionPriority"
    },
    schemaNames: { Exception: "ShipmentException", ExceptionPage: "ShipmentExceptionPage" }
  }
})
