/**
 * The work at docks: shipments arrive, pallets pass, people report problems, trucks leave, and shipments are cancelled. Each step is
 * repeated until it is acknowledged.
 */
import type { Answered, AskedOf, Direction } from "../history/History.ts"
import { asRecord } from "../Json.ts"
import type { Actor, Known } from "./Actor.ts"
import { graphql, newRequest } from "./Client.ts"
import type { Request } from "./Client.ts"
import { addOnce, lpnsFor } from "./Documents.ts"
import { inDocuments, platesOf, scanOf } from "./Plates.ts"
import { readRequest } from "./Reads.ts"

/** The clients at a dock: a customer that announces shipments, and the tower. */
export interface Dock {
  readonly customer: Actor
  readonly tower: Actor
}

export const dockOf = (actor: Actor): Dock => ({
  customer: actor.other("customer"),
  tower: actor.other("tower", "tower")
})

/** The kind of a verdict, and whether the pallet came late. */
export const verdictOf = (value: unknown): string => {
  const { kind, late } = asRecord(value)
  return late === true ? `${String(kind)} LATE` : String(kind)
}

const eventAnswerOf = (value: unknown): Answered => {
  const { messageId, verdict } = asRecord(value)
  return typeof messageId === "number" ? { messageId, verdict: verdictOf(verdict) } : {}
}

const recordPallet = `mutation($input: PalletEventInput!) {
    recordPalletEvent(input: $input) {
      messageId serviceShipmentId servicePalletId orders verdict { kind shipmentId shipmentNumber dockSlug text late }
    }
  }`

interface Passing extends Pick<AskedOf<"event">, "shipmentId" | "direction" | "clock" | "late"> {
  readonly plate: string
  /** Whether the event does not name its shipment. */
  readonly isUnnamed?: boolean
}

const eventRequest = (
  tower: Actor,
  { clock, direction, isUnnamed = false, late, plate, shipmentId }: Passing
): Request => {
  const lpn = scanOf(tower, plate)
  const { account: { business, facility }, random, state } = tower
  const eventId = tower.name("E")
  const occurredAt = state.moment(clock)
  const way = random.chance(0.25) ? "graphql" : "rest"
  const labels = [{ name: "lpn", value: lpn }, { name: "lot", value: eventId }]
  const place = { business, facility, dockSlug: "D1", ...(isUnnamed ? {} : { shipmentId }) }
  const input = { eventId, ...place, direction, occurredAt, labels }
  return {
    asked: { operation: "event", eventId, shipmentId, occurredAt, clock, lpn, direction, way, late },
    once: true,
    message: way === "rest"
      ? { path: "/v1/pallet-events", body: input }
      : graphql(recordPallet, { input }),
    read: (body) =>
      eventAnswerOf(way === "rest" ? body : asRecord(asRecord(body)["data"])["recordPalletEvent"])
  }
}

const stepRequest = (
  step: AskedOf<"arrive"> | AskedOf<"depart"> | AskedOf<"cancel">
): Request => {
  const { operation, shipmentId } = step
  const body = "occurredAt" in step ? { occurredAt: step.occurredAt } : {}
  return { asked: step, once: true, message: { path: `/v1/shipments/${shipmentId}/${operation}`, body } }
}

/**
 * Runs one shipment from its announcement to its departure; `absent` pallets do not come. Returns whether each step was acknowledged.
 */
export const handleShipment = async (dock: Dock, absent = 0): Promise<boolean> => {
  const { customer } = dock
  const lpns = platesOf(customer, inDocuments)
  const own = { [customer.name("O")]: [...lpns, ...platesOf(customer, inDocuments, absent)] }
  const addition = { shipment: customer.name("S"), own }
  const shipment = await addOnce(customer, addition)
  return shipment !== undefined && passDock(dock, { shipment, lpns, way: "LOADING" })
}

/** A shipment at a dock, with the pallets that pass and the direction in which they finally pass. */
interface Freight {
  readonly shipment: Known
  readonly lpns: ReadonlyArray<string>
  readonly way: Direction
}

/** Runs a shipment from its arrival to its departure; returns whether each step was acknowledged. */
export const passDock = async (
  { customer, tower }: Dock,
  { lpns, shipment, way }: Freight
): Promise<boolean> => {
  const { random, state } = tower
  const { id } = shipment
  const [first] = lpns
  const back = way === "LOADING" ? "UNLOADING" : "LOADING"
  // All times of a truck are from one clock, so that they are in order; or its steps have no time, and the server sets it.
  const clock = random.pick(["usual", "usual", "ahead", "behind"] as const)
  const isTimed = random.chance(0.5)
  const step = (operation: "arrive" | "depart") =>
    stepRequest({ operation, shipmentId: id, ...(isTimed ? { clock, occurredAt: state.moment(clock) } : {}) })
  const pass = (plate: string, direction: Direction, more: Partial<Passing> = {}) =>
    eventRequest(tower, { shipmentId: id, plate, direction, clock, late: false, ...more })
  if (random.chance(0.2)) {
    const far = random.pick(["far ahead", "far behind"] as const)
    await tower.finish(
      stepRequest({ operation: "arrive", shipmentId: id, clock: far, occurredAt: state.moment(far) })
    )
    if (first !== undefined) await tower.finish(pass(first, way, { clock: far }))
  }
  const steps = [
    // If nobody reports the arrival, the first pallet causes it, if there is one.
    ...(random.chance(0.7) || first === undefined ? [() => step("arrive")] : []),
    // Each pallet is loaded, and some are unloaded and loaded again; or the reverse.
    ...lpns.flatMap((lpn) =>
      Array.from(
        { length: random.int(1, 4) },
        (_, turn) => () => pass(lpn, turn % 2 === 0 ? way : back)
      )
    )
  ]
  // At once, at any instance: acknowledged writes must be visible.
  const look = () => customer.attempt(readRequest(customer, shipment, ["id", "graphql"]))
  for (const [at, step] of steps.entries()) {
    const { outcome } = await tower.finish(step())
    if (outcome.type !== "ok") return false
    if (at === 0) await look()
    await tower.pause(80)
  }
  if (random.chance(0.5) && !await reportException(tower, id)) return false
  // A pallet that passed before the departure is reported during or after it; another one passes after it.
  const passLate = (isUnnamed: boolean) =>
    first !== undefined && random.chance(0.4)
      ? pass(first, random.pick([way, back]), { late: true, isUnnamed })
      : undefined
  // An event that names no shipment and is later than the departure may belong to the next truck.
  const [meanwhile, afterwards] = [passLate(false), passLate(clock !== "ahead" && random.chance(0.5))]
  const reported = meanwhile && tower.finish(meanwhile)
  const { outcome } = await tower.finish(step("depart"))
  if (outcome.type === "ok") await look()
  await reported
  if (outcome.type !== "ok") return false
  for (const event of [afterwards, passLate(false)]) if (event !== undefined) await tower.finish(event)
  return true
}

export const workAtDock = (dock: Dock): Promise<void> => dock.tower.repeat(() => handleShipment(dock), 150)

/** Reports an exception with a key, and resolves it in half of the cases; returns whether both were acknowledged. */
const reportException = async (actor: Actor, shipmentId: number): Promise<boolean> => {
  const key = newRequest()
  const description = actor.name("X")
  const priority = actor.random.chance(0.7) ? "HIGH" : "LOW"
  const path = `/v1/shipments/${shipmentId}/exceptions`
  const idOf = (body: unknown) => Number(asRecord(body)["exceptionId"])
  const { body, outcome } = await actor.finish(
    {
      asked: { operation: "report", shipmentId, description },
      once: true,
      message: { path, body: { kind: "DAMAGED", priority, description }, key },
      read: (body) => ({ exceptionId: idOf(body) })
    },
    0.3,
    key
  )
  if (outcome.type !== "ok") return false
  if (actor.random.chance(0.5)) return true
  const exceptionId = idOf(body)
  const resolved = await actor.finish({
    asked: { operation: "resolve", shipmentId, exceptionId },
    message: { path: `${path}/${exceptionId}/resolve`, body: { note: description } }
  }, 0)
  return resolved.outcome.type === "ok"
}

/** Reports exceptions of recent shipments, one after another. */
export const reportAtRandom = (actor: Actor): Promise<void> =>
  actor.repeat(async () => {
    const own = actor.state.shipmentsOf(actor.account)
    if (own.length > 0) await reportException(actor, actor.random.pick(own.slice(-8)).id)
  }, 100)

/**
 * Cancelled shipments: each is announced and cancelled, some at the moment of their arrival, and documents for them still come.
 */
export const callOff = ({ customer, tower }: Dock): Promise<void> =>
  customer.repeat(async () => {
    const [shipment, orders] = [customer.name("S"), [customer.name("O")]]
    const known = await addOnce(customer, { shipment, own: lpnsFor(customer, orders) })
    if (known === undefined) return
    const contested = customer.random.chance(0.4) ? true : undefined
    const arrival = contested &&
      tower.finish(stepRequest({ operation: "arrive", shipmentId: known.id, contested }))
    await customer.finish(stepRequest({ operation: "cancel", shipmentId: known.id, contested }))
    await arrival
    await addOnce(customer, { shipment, own: lpnsFor(customer, orders), contested: true })
  }, 500)
