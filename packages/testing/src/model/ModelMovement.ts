/**
 * What the model says of shipments in motion, written from D6 of WIRE.md alone: pallet events, arrivals, departures,
 * links, and the messages that come of them.
 */
import { without } from "../generators/Given.ts"
import type { Json } from "../generators/History.ts"
import {
  checkDock,
  dockIdOf,
  listOf,
  memberOf,
  newId,
  ordersOf,
  placeOf,
  Refused,
  shipmentOf,
  textOf,
  timeOf
} from "./ModelState.ts"
import type { PalletRecord, Shipment, State } from "./ModelState.ts"
import type { Recorded } from "./Service.ts"

/** Links are told apart by what comes after the dashboard's own address. */
const dashboardUrl = ""

/** The values of a label; one that is empty counts as absent. */
const valuesOf = (event: Json, label: string): ReadonlyArray<string> =>
  listOf(event, "labels").filter(({ name }) => name === label).map((each) => textOf(each, "value")).filter((
    value
  ) => value !== "")

/** Records a pallet event (D6.1). */
export const recordPallet = (state: State, event: Json, now: string): Recorded => {
  const { business, facility } = placeOf(state, event["business"], event["facility"])
  const eventId = textOf(event, "eventId")
  const said = saidBy(event)
  const known = state.pallets.find((each) =>
    each.business === business.slug && each.facility === facility.slug && each.eventId === eventId
  )
  if (known !== undefined) {
    if (known.said !== said) throw new Refused("EVENT_ID_REUSED")
    return { answer: known.answer, repeated: true }
  }
  const dockSlug = textOf(event, "dockSlug")
  checkDock(facility, dockSlug)
  const shipment = match(state, event)
  checkOpen(shipment)
  const occurredAt = timeOf(event, "occurredAt")
  if (shipment.status === "SCHEDULED") arrived(shipment, occurredAt, dockSlug)
  const lpn = valuesOf(event, "lpn")[0] ?? ""
  const seen = state.pallets.find((each) => each.shipmentId === shipment.id && each.lpn === lpn && lpn !== "")
  const palletId = seen?.palletId ?? newId(state)
  const payload = payloadOf(state, event, shipment, palletId)
  const messageId = tell(state, shipment, "PALLET_EVENT", payload, now)
  const answer = {
    messageId,
    serviceShipmentId: String(shipment.id),
    servicePalletId: String(palletId),
    orders: payload.orders
  }
  state.pallets.push({
    business: business.slug,
    facility: facility.slug,
    eventId,
    said,
    answer,
    shipmentId: shipment.id,
    palletId,
    lpn,
    dockSlug,
    occurredAt,
    labels: listOf(event, "labels").map((each) => ({
      name: textOf(each, "name"),
      value: textOf(each, "value")
    })),
    payload
  })
  return { answer, repeated: false }
}

/** All that an event says: `null` is absent, `""` is none, and a time is the same in any offset. */
const saidBy = (event: Json): string =>
  JSON.stringify([
    ["dockSlug", "direction", "shipmentNumber"].map((name) => textOf(event, name)),
    timeOf(event, "occurredAt"),
    memberOf(event, "shipmentId"),
    listOf(event, "labels").map((label) => [textOf(label, "name"), textOf(label, "value")])
  ])

/** The given shipment, else the latest one that expects the pallet, else the last one at the dock (D6.2). */
const match = (state: State, event: Json): Shipment => {
  const here = state.shipments.filter((each) =>
    each.business === event["business"] && each.facility === event["facility"]
  )
  const id = memberOf(event, "shipmentId")
  const number = textOf(event, "shipmentNumber")
  if (id !== undefined || number !== "") {
    const given = here.find((each) => (id === undefined ? each.number === number : each.id === id))
    if (given === undefined) throw new Refused("SHIPMENT_NOT_FOUND")
    return given
  }
  const [lpn] = valuesOf(event, "lpn")
  const expecting = here.findLast((each) => !isFinal(each) && ordersWith(state, each, lpn).length > 0)
  if (expecting !== undefined) return expecting
  const atDock = here
    .filter((each) => each.status === "ARRIVED" && each.fields.dockSlug === textOf(event, "dockSlug"))
    .map((each) => each.arrivedAt)
    .sort()
  const last = here.findLast((each) =>
    each.status === "ARRIVED" && each.fields.dockSlug === textOf(event, "dockSlug") &&
    each.arrivedAt === atDock.at(-1)
  )
  if (last === undefined) throw new Refused("PALLET_NOT_MATCHED")
  return last
}

/** The numbers of the orders that hold an item with that lpn. */
export const ordersWith = (
  state: State,
  shipment: Shipment,
  lpn: string | undefined
): ReadonlyArray<string> =>
  ordersOf(state, shipment)
    .filter(({ items }) => lpn !== undefined && items.some(({ fields }) => fields["lpn"] === lpn))
    .map(({ number }) => number)

/** The numbers of the orders that hold an item with that lpn, else that of the only one (D6.3). */
export const ordersOfPallet = (
  state: State,
  shipment: Shipment,
  lpn: string | undefined
): ReadonlyArray<string> => {
  const all = ordersOf(state, shipment).map(({ number }) => number)
  const holding = ordersWith(state, shipment, lpn)
  return holding.length === 0 && all.length === 1 ? all : holding
}

/** The contract's fields and the customer's own (D6.4). */
const payloadOf = (state: State, event: Json, shipment: Shipment, palletId: number) => {
  const [business, facility] = [shipment.business, shipment.facility]
  const { fieldMap } = placeOf(state, business, facility).business
  return {
    businessSlug: business,
    facilitySlug: facility,
    serviceShipmentId: String(shipment.id),
    servicePalletId: String(palletId),
    occurredAt: timeOf(event, "occurredAt"),
    url: `${dashboardUrl}/shipments/${shipment.id}/pallets/${palletId}`,
    direction: textOf(event, "direction"),
    orders: ordersOfPallet(state, shipment, valuesOf(event, "lpn")[0]),
    dockId: dockIdOf(state, business, facility, textOf(event, "dockSlug")),
    ...Object.fromEntries(
      fieldMap.map(({ name, label, list }) => [
        name,
        list ? valuesOf(event, label) : valuesOf(event, label)[0] ?? ""
      ])
    )
  }
}

const tell = (
  state: State,
  { business, facility }: Shipment,
  type: "PALLET_EVENT" | "SHIPMENT_COMPLETE",
  payload: Json,
  sentAt: string
): number => {
  const id = newId(state)
  state.messages.push({ id, business, facility, type, json: JSON.stringify(payload), sentAt })
  return id
}

const arrived = (shipment: Shipment, at: string, dockSlug: string): void => {
  shipment.status = "ARRIVED"
  shipment.arrivedAt = at
  if (dockSlug !== "") shipment.fields.dockSlug = dockSlug
}

/** An arrival (D6.5). */
export const arrive = (state: State, id: string, arrival: Json, now: string): Shipment => {
  const shipment = shipmentOf(state, id)
  const dockSlug = textOf(arrival, "dockSlug")
  if (dockSlug !== "") checkDock(placeOf(state, shipment.business, shipment.facility).facility, dockSlug)
  if (isFinal(shipment)) throw new Refused("INVALID_TRANSITION")
  if (shipment.status === "SCHEDULED") arrived(shipment, timeOf(arrival, "occurredAt") || now, dockSlug)
  return shipment
}

/** A departure, which completes the shipment and its orders (D6.5, D6.6). */
export const depart = (state: State, id: string, departure: Json, now: string): Shipment => {
  const shipment = shipmentOf(state, id)
  if (shipment.status === "DEPARTED") return shipment
  if (shipment.status !== "ARRIVED") throw new Refused("INVALID_TRANSITION")
  shipment.status = "DEPARTED"
  shipment.departedAt = timeOf(departure, "occurredAt") || now
  const orders = ordersOf(state, shipment)
  for (const order of orders) order.status = "COMPLETED"
  tell(state, shipment, "SHIPMENT_COMPLETE", {
    serviceShipmentId: String(shipment.id),
    orders: orders.map(({ number }) => number),
    url: `${dashboardUrl}/shipments/${shipment.id}`,
    dockId: dockIdOf(state, shipment.business, shipment.facility, shipment.fields.dockSlug),
    pallets: left(state, shipment).map(({ payload }) => without(payload, "occurredAt"))
  }, now)
  return shipment
}

/** The last events of the pallets that remain (D6.6). */
export const left = (state: State, shipment: Shipment): ReadonlyArray<PalletRecord> => {
  const events = state.pallets.filter(({ shipmentId }) => shipmentId === shipment.id)
  const palletIds = [...new Set(events.map(({ palletId }) => palletId))].sort((left, right) => left - right)
  return palletIds.flatMap((palletId) => {
    return cancelled(collapsed(inOrder(events.filter((event) => event.palletId === palletId))))
  })
}

/** The last event of each pallet, in the order of their ids. */
export const lastSeen = (state: State, shipment: Shipment): ReadonlyArray<PalletRecord> => {
  const events = inOrder(state.pallets.filter(({ shipmentId }) => shipmentId === shipment.id))
  return events
    .filter(({ palletId }, index) => !events.slice(index + 1).some((later) => later.palletId === palletId))
    .toSorted((one, other) => one.palletId - other.palletId)
}

const directionOf = ({ payload }: PalletRecord): unknown => payload["direction"]

/** In order of occurrence; events of one instant as they were recorded. */
export const inOrder = (events: ReadonlyArray<PalletRecord>): ReadonlyArray<PalletRecord> =>
  events.toSorted((left, right) => Date.parse(left.occurredAt) - Date.parse(right.occurredAt))

/** Repeats of one direction are one event, the last of them. */
const collapsed = (events: ReadonlyArray<PalletRecord>): ReadonlyArray<PalletRecord> =>
  events.filter((event, index) => {
    const next = events[index + 1]
    return next === undefined || directionOf(next) !== directionOf(event)
  })

/** Opposite neighbours cancel, from the first on. */
const cancelled = (events: ReadonlyArray<PalletRecord>): ReadonlyArray<PalletRecord> => {
  const [first, second] = events
  return first === undefined || second === undefined || directionOf(first) === directionOf(second)
    ? events
    : cancelled(events.slice(2))
}

/** A cancellation of a scheduled shipment without links, and of its orders (D13.9). */
export const cancel = (state: State, id: string): Shipment => {
  const shipment = shipmentOf(state, id)
  if (shipment.status === "CANCELLED") return shipment
  const hasPallets = state.pallets.some(({ shipmentId }) => shipmentId === shipment.id)
  if (shipment.status !== "SCHEDULED" || shipment.linked.length > 0 || hasPallets) {
    throw new Refused("INVALID_TRANSITION")
  }
  shipment.status = "CANCELLED"
  for (const order of ordersOf(state, shipment)) order.status = "CANCELLED"
  return shipment
}

/** Whether nothing more happens to a shipment. */
export const isFinal = ({ status }: Shipment): boolean => status === "DEPARTED" || status === "CANCELLED"

const checkOpen = (shipment: Shipment): void => {
  if (isFinal(shipment)) throw new Refused(`SHIPMENT_${shipment.status}`)
}

/** A link, which holds for both shipments (D6.5); what has departed is final. */
export const link = (state: State, id: string, linkedId: string): Shipment => {
  if (id === linkedId) throw new Refused("INVALID_REQUEST")
  const shipment = shipmentOf(state, id)
  const linked = shipmentOf(state, linkedId)
  if (shipment.business !== linked.business) throw new Refused("SHIPMENT_NOT_FOUND")
  if (shipment.linked.includes(linked.id)) return shipment
  checkOpen(shipment)
  checkOpen(linked)
  shipment.linked.push(linked.id)
  linked.linked.push(shipment.id)
  return shipment
}
