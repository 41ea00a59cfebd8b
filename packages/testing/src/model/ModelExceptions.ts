/**
 * What the model says of exceptions, written from D13.5 of WIRE.md alone.
 */
import type { ExceptionView } from "@dockline/core/ExceptionView"
import { exceptionKinds, exceptionPriorities } from "@dockline/core/ShipmentException"
import type { Json } from "../generators/History.ts"
import { clientId, newId, Refused, shipmentOf, textOf } from "./ModelState.ts"
import type { Exception, State } from "./ModelState.ts"
import { showPlace } from "./ModelView.ts"

/** Reports an exception, of the shipment or of one of its pallets; returns its id. */
export const report = (state: State, id: string, given: Json, now: string): string => {
  const [kind, priority, description] = [
    textOf(given, "kind"),
    textOf(given, "priority"),
    requiredText(given, "description")
  ]
  checkName(exceptionKinds, kind)
  checkName(exceptionPriorities, priority)
  const shipment = shipmentOf(state, id)
  const [palletId, lpn] = [textOf(given, "palletId"), textOf(given, "lpn")]
  const pallet = state.pallets.find((each) =>
    each.shipmentId === shipment.id &&
    (palletId === "" ? lpn !== "" && each.lpn === lpn : String(each.palletId) === palletId)
  )
  if (palletId !== "" && (pallet === undefined || (lpn !== "" && pallet.lpn !== lpn))) {
    throw new Refused("PALLET_NOT_FOUND")
  }
  const exception: Exception = {
    id: newId(state),
    shipmentId: shipment.id,
    palletId: pallet === undefined ? "" : String(pallet.palletId),
    lpn: pallet?.lpn ?? lpn,
    kind,
    priority,
    description,
    reportedAt: now,
    resolvedAt: "",
    note: ""
  }
  state.exceptions.push(exception)
  return String(exception.id)
}

/** Resolves an exception of a shipment; a resolution is final. */
export const resolve = (
  state: State,
  id: string,
  exceptionId: string,
  given: Json,
  now: string
): ExceptionView => {
  const note = requiredText(given, "note")
  const shipment = shipmentOf(state, id)
  const exception = state.exceptions.find((each) =>
    each.shipmentId === shipment.id && String(each.id) === exceptionId
  )
  if (exception === undefined) throw new Refused("EXCEPTION_NOT_FOUND")
  if (exception.resolvedAt === "") {
    exception.resolvedAt = now
    exception.note = note
  }
  return show(state, exception)
}

/** The exceptions of a shipment, in id order. */
export const exceptionsOf = (state: State, id: string): ReadonlyArray<ExceptionView> => {
  const shipment = shipmentOf(state, id)
  return state.exceptions.filter(({ shipmentId }) => shipmentId === shipment.id).map((each) =>
    show(state, each)
  )
}

const requiredText = (given: Json, name: string): string => {
  const text = textOf(given, name)
  if (text === "") throw new Refused("INVALID_REQUEST")
  return text
}

const checkName = (names: ReadonlyArray<string>, name: string): void => {
  if (!names.includes(name)) throw new Refused("INVALID_REQUEST")
}

const show = (state: State, exception: Exception): ExceptionView => {
  const { id, resolvedAt, shipmentId } = exception
  const shipment = shipmentOf(state, String(shipmentId))
  const shown: object = {
    ...exception,
    ...showPlace(state, shipment),
    shipmentNumber: shipment.number,
    id: String(id),
    status: resolvedAt === "" ? "OPEN" : "RESOLVED",
    reportedBy: clientId,
    resolvedAt,
    resolvedBy: resolvedAt === "" ? "" : clientId
  }
  return shown as ExceptionView
}
