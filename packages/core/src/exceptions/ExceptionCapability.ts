/**
 * The capability `exceptions`: problems that people report about a shipment or one of its pallets (D13.5, D15.1). It includes its port in
 * memory, incidents for exceptions of high priority (D26.2), and counts of exceptions on dock boards (D13.15) and in the figures of days
 * (D13.13).
 *
 * Guarantee: the exceptions of a view are counted once, after the view is read.
 */
import { Effect, Option, Result, Schema } from "effect"
import * as Capability from "../capability/Capability.ts"
import type { IncidentKinds, ShipmentCounts } from "../capability/Capability.ts"
import { eachMessage, occurredAt } from "../capability/Capability.ts"
import * as Extension from "../capability/Extension.ts"
import { isSameLpn } from "../labels/Lpn.ts"
import { over, stateOf } from "../memory/MemoryDatabase.ts"
import { agrees, newestByTime, oldestFirst } from "../memory/MemoryLists.ts"
import { payloadOf } from "../messages/Message.ts"
import { messageShipment } from "../movement/ShipmentMessage.ts"
import { countedAtMost } from "../shipment/DockBoard.ts"
import type { BoardShipment, DockBoard } from "../shipment/DockBoard.ts"
import type { LocatedShipment } from "../shipment/Shipment.ts"
import type { ShipmentId } from "../values/Id.ts"
import type { Timestamp } from "../values/Timestamp.ts"
import * as ViewField from "../values/ViewField.ts"
import recorded from "./answers.json" with { type: "json" }
import {
  listExceptions,
  listShipmentExceptions,
  reportException,
  requests,
  resolveException
} from "./ExceptionOperations.ts"
import { exceptionMessages } from "./ExceptionRules.ts"
import { Exceptions, ExceptionStore } from "./Exceptions.ts"
import { statusOf } from "./ShipmentException.ts"
import type { LocatedException, ShipmentException } from "./ShipmentException.ts"

const Report = Schema.Struct({
  url: Schema.String,
  exception: Schema.Struct({
    id: Schema.String,
    kind: Schema.String,
    priority: Schema.String,
    lpn: Schema.String,
    description: Schema.String,
    shipmentNumber: Schema.String
  })
})

const reportOf = Schema.decodeUnknownOption(Report)

/** The kinds of incidents that exceptions cause. */
export const exceptionIncidents = {
  URGENT_EXCEPTION: {
    about: "an exception that was reported with high priority",
    source: Effect.succeed(eachMessage(["EXCEPTION_REPORTED"], (message) => {
      const payload = payloadOf(message)
      const report = Option.getOrUndefined(reportOf(payload))
      if (report?.exception.priority !== "HIGH") return undefined
      const { exception: { description, id, kind, lpn, shipmentNumber }, url } = report
      return {
        key: `exception:${id}`,
        facility: message.facility,
        at: occurredAt(message, payload),
        title: `Urgent exception: shipment ${shipmentNumber}`,
        text: `${lpn === "" ? kind : `${kind}, pallet ${lpn}`}: ${description}`,
        url
      }
    }))
  }
} as const satisfies IncidentKinds<never>

/** Counts of the open exceptions of one shipment on a dock board, or of all shipments of the facility. */
interface Open {
  readonly openExceptions: number
  readonly urgentExceptions: number
}

type ShownShipment = BoardShipment & Open

/** A dock board with counts of exceptions. */
export interface BoardWithExceptions extends DockBoard, Open {
  readonly docks: ReadonlyArray<
    Omit<DockBoard["docks"][number], "shipments"> & { readonly shipments: ReadonlyArray<ShownShipment> }
  >
  readonly expected: ReadonlyArray<ShownShipment>
  readonly departed: ReadonlyArray<ShownShipment>
}

const withExceptions = (
  board: DockBoard,
  all: Open,
  openOf: (shipment: BoardShipment) => Open
): BoardWithExceptions => {
  const viewOf = (shipment: BoardShipment): ShownShipment => ({ ...shipment, ...openOf(shipment) })
  return {
    ...board,
    docks: board.docks.map((dock) => ({ ...dock, shipments: dock.shipments.map(viewOf) })),
    expected: board.expected.map(viewOf),
    departed: board.departed.map(viewOf),
    ...all
  }
}

const none: Open = { openExceptions: 0, urgentExceptions: 0 }

const shownOpen = ({ open, urgent }: { readonly open: number; readonly urgent: number }): Open => ({
  openExceptions: open,
  urgentExceptions: urgent
})

/** The fields that this capability adds to dock boards. */
export const ofBoards = Extension.view<"dockBoard", BoardWithExceptions>()({
  views: {
    BoardShipment: {
      openExceptions: ViewField.whole("Its exceptions that are not resolved"),
      urgentExceptions: ViewField.whole("Its open exceptions of high priority")
    },
    DockBoard: {
      openExceptions: ViewField.whole(
        `Exceptions of the facility that are not resolved, up to ${countedAtMost}`
      ),
      urgentExceptions: ViewField.whole(`Open exceptions of high priority, up to ${countedAtMost}`)
    }
  },
  example: recorded.boards.dockBoard,
  load: Effect.map(ExceptionStore, ({ countsOf, openAt }) => (place, board) => {
    const shipments = [
      ...board.docks.flatMap((dock) => dock.shipments),
      ...board.expected,
      ...board.departed
    ]
    return Effect.map(
      Effect.all([
        shipments.length === 0 ? Effect.succeed([]) : countsOf(place, shipments.map(({ id }) => id)),
        openAt(place, countedAtMost)
      ], { concurrency: "unbounded" }),
      ([counts, all]) => {
        const byShipment = new Map(counts.map((each) => [each.shipmentId, shownOpen(each)]))
        return withExceptions(board, shownOpen(all), ({ id }) => byShipment.get(id) ?? none)
      }
    )
  })
})

/** The fields that this capability adds to the groups of a day. */
export const ofDays = Extension.ofFields({
  fields: {
    exceptions: ViewField.whole("Exceptions of these shipments"),
    openExceptions: ViewField.whole("Open exceptions")
  },
  example: recorded.days.day
})

/** The fields that this capability adds to the shipments of a day. */
export const ofDayShipments = Extension.ofFields({
  fields: {
    exceptions: ViewField.whole("Exceptions of the shipment"),
    openExceptions: ViewField.whole("Open exceptions")
  },
  example: recorded.days.dayShipments
})

/** The counts of exceptions by shipment. */
export const shipmentCounts = {
  names: ["exceptions", "openExceptions"],
  /** Makes the function that counts the exceptions of shipments at a facility. */
  countsOf: Effect.map(
    ExceptionStore,
    ({ countsOf }): ShipmentCounts["countsOf"] => (place, shipmentIds) =>
      Effect.map(countsOf(place, shipmentIds), (counts) =>
        new Map(
          counts.map(({ open, reported, shipmentId }) => [
            shipmentId,
            { exceptions: reported, openExceptions: open }
          ])
        ))
  )
}

/** The exceptions of each shipment, in id order. */
const exceptionsOf = stateOf(() => new Map<number, ReadonlyArray<ShipmentException>>())

const countOf = (exceptions: ReadonlyArray<ShipmentException>) => {
  const open = exceptions.filter((each) => statusOf(each) === "OPEN")
  return { open: open.length, urgent: open.filter(({ priority }) => priority === "HIGH").length }
}

/** The port in memory. */
export const memory = over(ExceptionStore, (database, transact) => {
  const exceptions = exceptionsOf(database)
  const of = (shipmentId: ShipmentId): ReadonlyArray<ShipmentException> => exceptions.get(shipmentId) ?? []

  return {
    report: (shipmentId, { lpn, palletId }, decide, keep) =>
      transact(keep, (settings) => {
        const match = database.locatedShipment(shipmentId)
        if (match === null) return Result.succeed(null)
        const pallet = match.shipment.pallets.find((each) =>
          palletId === null ? lpn !== "" && isSameLpn(each.lpn, lpn) : each.id === palletId
        )
        const snapshot = {
          ...snapshotOf(match, settings.now),
          newExceptionId: database.lastId("exception") + 1,
          exceptions: of(shipmentId).length,
          pallet: pallet ?? null
        }
        return Result.map(decide(snapshot), ({ exception, message }) => {
          // Appending comes first, because it may fail, and there is no rollback.
          Result.getOrThrow(database.messages.append([message], settings))
          database.nextId("exception")
          exceptions.set(shipmentId, [...of(shipmentId), exception])
          return locatedIn(match)(exception)
        })
      }),
    resolve: (shipmentId, exceptionId, decide, keep) =>
      transact(keep, (settings) => {
        const match = database.locatedShipment(shipmentId)
        if (match === null) return Result.succeed(null)
        const exception = of(shipmentId).find(({ id }) => id === exceptionId) ?? null
        return Result.map(decide({ ...snapshotOf(match, settings.now), exception }), (plan) => {
          if (plan === null) return exception === null ? null : locatedIn(match)(exception)
          Result.getOrThrow(database.messages.append([plan.message], settings))
          const all = of(shipmentId).map((each) => each.id === exceptionId ? plan.exception : each)
          exceptions.set(shipmentId, all)
          return locatedIn(match)(plan.exception)
        })
      }),
    ofShipment: (shipmentId, page) =>
      Effect.sync(() => {
        const match = database.locatedShipment(shipmentId)
        if (match === null) return null
        const all = of(shipmentId).map(locatedIn(match))
        return { location: match.location, page: oldestFirst(all, page, idOf) }
      }),
    list: (scopes, filter, page) =>
      Effect.sync(() => {
        const { priority, status } = filter
        const matches = database.shipmentsWithin(scopes, filter)
          .flatMap((each) => of(each.shipment.id).map(locatedIn(each)))
          .filter(({ exception }) =>
            agrees({ priority }, exception) && (status ?? statusOf(exception)) === statusOf(exception)
          )
        return newestByTime(matches, page, positionOf)
      }),
    countsOf: (_, shipmentIds) =>
      Effect.sync(() =>
        shipmentIds.flatMap((shipmentId) => {
          const all = of(shipmentId)
          return all.length === 0 ? [] : [{ shipmentId, reported: all.length, ...countOf(all) }]
        })
      ),
    openAt: ({ business, facility }, atMost) =>
      Effect.sync(() => {
        const here = database.shipmentsWithin([{ business, facilities: [facility] }], {})
        const { open, urgent } = countOf(here.flatMap(({ shipment }) => of(shipment.id)))
        return { open: Math.min(atMost, open), urgent: Math.min(atMost, urgent) }
      })
  }
})

const snapshotOf = (match: LocatedShipment, now: Timestamp) => ({
  now,
  location: match.location,
  shipmentNumber: match.shipment.number,
  shipment: messageShipment(match)
})

const locatedIn =
  ({ location, shipment }: LocatedShipment) => (exception: ShipmentException): LocatedException => ({
    location,
    shipmentId: shipment.id,
    shipmentNumber: shipment.number,
    exception
  })

const idOf = ({ exception }: LocatedException): number => exception.id

const positionOf = ({ exception: { id, reportedAt } }: LocatedException) => ({ at: reportedAt, id })

/** Exceptions of shipments. */
export const exceptions = Capability.make("exceptions", {
  title: "Exceptions",
  description: "Report problems of shipments and pallets, and how they were resolved",
  operations: {
    /** The exceptions of all shipments that the client may see, newest first (D13.5). */
    exceptions: listExceptions,
    /** The exceptions of a shipment, in id order (D13.5). */
    shipmentExceptions: listShipmentExceptions,
    /** Reports a problem of a shipment or one of its pallets: `{ palletId?, lpn?, kind, priority, description }` (D13.5). */
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
  incidents: exceptionIncidents,
  requests,
  answers: recorded.answers,
  notes: {
    descriptions: {
      ExceptionKind: "The kind of a problem with a shipment or a pallet.",
      "ExceptionKind.DAMAGED": "Goods are damaged",
      "ExceptionKind.SHORT": "Goods are missing",
      "ExceptionKind.OVER": "Goods do not belong there",
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
