/**
 * What happens at docks: shipments arrive, pallets pass, trucks leave. Each step is repeated until it is known to be
 * done.
 */
import type { Answered } from "../history/History.ts"
import { asRecord } from "../Json.ts"
import { graphql, newRequest, post } from "./WorkloadClient.ts"
import type { Client, Request, Result } from "./WorkloadClient.ts"
import { addOnce } from "./WorkloadDocuments.ts"
import { reportException } from "./WorkloadExceptions.ts"
import { readRequest } from "./WorkloadReads.ts"
import type { Known, State } from "./WorkloadState.ts"

/** Who works at a dock: a customer that announces shipments, and the tower. */
export interface Dock {
  readonly customer: Client
  readonly tower: Client
}

const eventAnswerOf = (value: unknown): Answered => {
  const { messageId, verdict } = asRecord(value)
  return typeof messageId === "number" ? { messageId, verdict: String(asRecord(verdict)["kind"]) } : {}
}

const eventRequest = (
  { account: { business, facility }, random }: Client,
  state: State,
  shipmentId: number,
  lpn: string,
  direction: "LOADING" | "UNLOADING",
  late = false
): Request => {
  const eventId = state.name(business, facility, "E")
  const occurredAt = state.moment()
  const way = random.chance(0.25) ? "graphql" : "rest"
  const asked = { operation: "event", eventId, shipmentId, occurredAt, lpn, direction, way, late } as const
  const input = {
    eventId,
    business,
    facility,
    dockSlug: "D1",
    direction,
    occurredAt,
    shipmentId,
    labels: [{ name: "lpn", value: lpn }, { name: "lot", value: eventId }]
  }
  if (way === "rest") {
    return { asked, once: true, message: post("/v1/pallet-events", input), read: eventAnswerOf }
  }
  const query = `mutation($input: PalletEventInput!) {
    recordPalletEvent(input: $input) {
      messageId serviceShipmentId servicePalletId orders verdict { kind shipmentId shipmentNumber dockSlug text }
    }
  }`
  return {
    asked,
    once: true,
    message: graphql(query, { input }),
    read: (body) => eventAnswerOf(asRecord(asRecord(body)["data"])["recordPalletEvent"])
  }
}

/** A step of a shipment. */
export const stepRequest = (operation: "arrive" | "depart", shipmentId: number): Request => ({
  asked: operation === "arrive" ? { operation, shipmentId } : { operation, shipmentId },
  once: true,
  message: post(`/v1/shipments/${shipmentId}/${operation}`)
})

/** One shipment from its announcement to its departure; whether each step of it is known to be done. */
export const handleShipment = async (dock: Dock, state: State, instance?: number): Promise<boolean> => {
  const { customer, tower: { random } } = dock
  const { business, facility } = customer.account
  const shipmentNumber = state.name(business, facility, "S")
  const order = state.name(business, facility, "O")
  const lpns = Array.from({ length: random.int(1, 3) }, () => state.name(business, facility, "L"))
  const shipment = await addOnce(
    customer,
    state,
    { shipmentNumber, strategy: "APPEND", own: { [order]: lpns } },
    instance
  )
  return shipment !== undefined && passDock(dock, state, { shipment, lpns, way: "LOADING" }, instance)
}

/** What comes to a dock: a shipment, and the pallets of it that pass, on the way on which they are to remain. */
export interface Freight {
  readonly shipment: Known
  readonly lpns: ReadonlyArray<string>
  readonly way: "LOADING" | "UNLOADING"
}

/** A shipment from its arrival to its departure; whether each step of it is known to be done. */
export const passDock = async (
  { customer, tower }: Dock,
  state: State,
  freight: Freight,
  instance?: number
): Promise<boolean> => {
  const { lpns: [first], shipment, way } = freight
  const { random } = tower
  const id = shipment.id
  // Where nobody says that it has arrived, its first pallet does, if there is one.
  const arrival = random.chance(0.7) || first === undefined ? [() => stepRequest("arrive", id)] : []
  const steps = [...arrival, ...palletSteps(tower, state, freight)]
  // At once, at whichever instance: what was acknowledged is there.
  const look = () => customer.attempt(readRequest(customer, shipment, ["id", "graphql"]))
  for (const [at, step] of steps.entries()) {
    const { outcome } = await settle(tower, state, step(), instance)
    if (outcome.type !== "ok") return false
    if (at === 0) await look()
    await tower.pause(80)
  }
  if (random.chance(0.5) && !await reportException(tower, state, id, instance)) return false
  // One more pallet, which may be in time or may not.
  const late = first !== undefined && random.chance(0.4)
    ? settle(tower, state, eventRequest(tower, state, id, first, way, true), instance)
    : undefined
  const { outcome } = await settle(tower, state, stepRequest("depart", id), instance)
  if (outcome.type === "ok") await look()
  await late
  return outcome.type === "ok"
}

/** Each pallet is loaded, and some are taken off again and loaded once more; or the other way round. */
const palletSteps = (tower: Client, state: State, { lpns, shipment, way }: Freight) => {
  const back = way === "LOADING" ? "UNLOADING" : "LOADING"
  return lpns.flatMap((lpn) =>
    Array.from(
      { length: tower.random.int(1, 4) },
      (_, turn) => () => eventRequest(tower, state, shipment.id, lpn, turn % 2 === 0 ? way : back)
    )
  )
}

/** Settles a request, and asks again in doubt. */
export const settle = async (
  client: Client,
  state: State,
  request: Request,
  instance?: number
): Promise<Result> => {
  const id = newRequest()
  const asked = instance === undefined ? request : { ...request, instance }
  const result = await client.settle(asked, state.isOver, id)
  // In doubt it is asked again: what was done once stays done once.
  if (result.outcome.type === "ok" && client.random.chance(0.15)) await client.attempt(asked, id)
  return result
}

/** One shipment after another. */
export const workAtDock = async (dock: Dock, state: State): Promise<void> => {
  while (!state.isStopping) {
    await handleShipment(dock, state)
    await dock.tower.pause(150)
  }
}
