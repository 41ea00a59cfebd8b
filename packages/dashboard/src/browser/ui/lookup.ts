/** Looks up entities that messages and other data name only by id: many in one request, and each entity once. */
import { signal } from "@preact/signals"
import type { Signal } from "@preact/signals"
import { fieldOf, messages } from "../api/operations.ts"
import type { Message, Page, Pallet, Shipment } from "../api/operations.ts"
import { perform } from "../api/operator.ts"
import { readEach, run } from "../api/request.ts"
import { session, slugsOf } from "../session.ts"
import { textOf } from "./messages.ts"

/** The most answers that are kept; the oldest are dropped first. */
const mostKept = 1000

/** Makes a function that looks up an entity by its key: `undefined` until it is known, or if it cannot be read. */
const lookup = <A>(read: (keys: ReadonlyArray<string>) => Promise<ReadonlyArray<A | undefined>>) => {
  const answers = new Map<string, Signal<A | undefined>>()
  let waiting: Array<string> = []
  const readWaiting = async (): Promise<void> => {
    const keys = waiting
    waiting = []
    const values = await read(keys).catch(() => undefined)
    for (const [at, key] of keys.entries()) {
      const entry = answers.get(key)
      // After a failure, an entity is looked up again when it is shown again.
      if (values === undefined) answers.delete(key)
      else if (entry !== undefined && values[at] !== undefined) entry.value = values[at]
    }
  }
  return (key: string): Signal<A | undefined> => {
    const entry = answers.get(key)
    if (entry !== undefined) return entry
    const value = signal<A | undefined>(undefined)
    answers.set(key, value)
    if (answers.size > mostKept) answers.delete(answers.keys().next().value!)
    waiting.push(key)
    if (waiting.length === 1) setTimeout(() => void readWaiting())
    return value
  }
}

/** The number of a shipment. */
export const shipmentNumber = lookup(async (ids) =>
  (await readEach<Pick<Shipment, "shipmentNumber">>(ids.map(fieldOf.shipment))).map((row) =>
    row?.shipmentNumber
  )
)

type PalletEvent = Pallet["events"][number]

/** Whether the verdict on a pallet says that the pallet should not have crossed the dock. */
export const isWrong = ({ kind }: PalletEvent["verdict"]): boolean =>
  kind !== "EXPECTED" && kind !== "REPEATED"

/** The keys of a pallet in messages. */
interface PalletKey {
  readonly shipmentId: string
  readonly palletId: string
}

interface PalletEvents {
  readonly shipmentNumber: string
  readonly lpn: string
  readonly events: ReadonlyArray<PalletEvent>
}

type Pallets = Map<string, PalletEvents>

const palletKey = ({ message }: Pick<Message, "message">): PalletKey => ({
  shipmentId: textOf(message, "serviceShipmentId"),
  palletId: textOf(message, "servicePalletId")
})

const nameOf = ({ palletId, shipmentId }: PalletKey): string => `${shipmentId}/${palletId}`

/** Reads pallets page by page, beginning at the lowest id of each shipment: pallets that pass together have adjacent ids. */
const readPallets = async (
  keys: ReadonlyArray<PalletKey>,
  pallets: Pallets = new Map()
): Promise<Pallets> => {
  const groups = Array.from(Map.groupBy(keys, ({ shipmentId }) => shipmentId))
  if (groups.length === 0) return pallets
  const shipments = await readEach<
    Pick<Shipment, "shipmentNumber"> & { readonly pallets: Page<Pick<Pallet, "id" | "lpn" | "events">> }
  >(
    groups.map(([id, keys]) => {
      const ids = new Set(keys.map(({ palletId }) => Number(palletId)))
      return fieldOf.palletsFrom(id, String(Math.min(...ids)), ids.size)
    })
  )
  const rest = groups.flatMap(([shipmentId, keys], at) => {
    const { pallets: { nodes }, shipmentNumber } = shipments[at] ??
      { pallets: { nodes: [] }, shipmentNumber: "" }
    for (const { events, id, lpn } of nodes) {
      pallets.set(nameOf({ shipmentId, palletId: id }), { events, lpn, shipmentNumber })
    }
    const last = Number(nodes.at(-1)?.id ?? Infinity)
    return keys.filter(({ palletId }) => Number(palletId) > last)
  })
  return readPallets(rest, pallets)
}

/** The pallet events of messages, with the LPN and the shipment number; `undefined` for an event that cannot be read. */
const eventsOf = async (
  list: ReadonlyArray<Pick<Message, "id" | "message">>
): Promise<
  ReadonlyArray<Omit<PalletEvents, "events"> & { readonly event: PalletEvent | undefined } | undefined>
> => {
  const pallets = await readPallets(list.map(palletKey))
  return list.map((message) => {
    const pallet = pallets.get(nameOf(palletKey(message)))
    return pallet && {
      shipmentNumber: pallet.shipmentNumber,
      lpn: pallet.lpn,
      event: pallet.events.find(({ messageId }) => messageId === message.id)
    }
  })
}

/** The pallet events of messages whose pallets should not have crossed the dock; `undefined` for all other messages. */
export const wrongEvents = async (
  list: ReadonlyArray<Pick<Message, "id" | "message">>
): Promise<ReadonlyArray<PalletEvent & Pick<Pallet, "lpn"> | undefined>> =>
  (await eventsOf(list)).map((match) =>
    match?.event !== undefined && isWrong(match.event.verdict)
      ? { ...match.event, lpn: match.lpn }
      : undefined
  )

const eventIn = lookup((keys) => eventsOf(keys.map((key) => JSON.parse(key) as Message)))

/** The pallet event of a message, with the LPN and the shipment number; `undefined` until it is known. */
export const palletEvent = ({ id, message: { servicePalletId, serviceShipmentId } }: Message) =>
  eventIn(JSON.stringify({ id, message: { servicePalletId, serviceShipmentId } })).value

const principals = lookup((ids) =>
  Promise.all(ids.map((id) => {
    const [, personId] = /^person:(.*)/.exec(id) ?? []
    const path = personId === undefined ? `clients/${encodeURIComponent(id)}` : `people/${personId}`
    // The view of a client or a person has a name.
    return perform("GET", `/v1/operator/${path}`).then((row) => (row as { readonly name: string }).name, () =>
      undefined)
  }))
)

/** The name of a client or a person with this id: for operators, and for the reader's own id; otherwise the id itself. */
export const nameOfPrincipal = (id: string): string => {
  if (id === session.value?.clientId) return session.value.name
  return (id !== "" && session.value?.operator === true ? principals(id).value : undefined) ?? id
}

/** The types of the messages about a step, by its status. */
const typesOfStep: Readonly<Record<string, ReadonlyArray<string>>> = {
  ARRIVED: ["SHIPMENT_ARRIVED"],
  DEPARTED: ["SHIPMENT_COMPLETE", "SHIPMENT_DISCREPANCIES"],
  CANCELLED: ["SHIPMENT_CANCELLED"]
}

interface StepSearch {
  readonly shipmentId: string
  readonly businessSlug: string
  readonly facilitySlug: string
  readonly messageTypes: ReadonlyArray<string>
  readonly since: string
}

/** A message is sent when its step is recorded, which may be before the time of the step if the clock of its sender was ahead. */
const aheadMillis = 5000

/** The most messages that are read to find those about a step. */
const searchedAtMost = 200

const messagesIn = lookup((keys) =>
  Promise.all(keys.map(async (key) => {
    const { shipmentId, ...input } = JSON.parse(key) as StepSearch
    const list = await run(messages, { input: { ...input, afterId: undefined, limit: searchedAtMost } })
    return list.filter(({ message }) => message["serviceShipmentId"] === shipmentId)
  }))
)

/** The messages about a step of a shipment; none until they are found. */
export const messagesOfStep = (
  shipment: Shipment,
  { completedAt, status }: Shipment["statusEvents"][number]
): ReadonlyArray<Message> => {
  const messageTypes = typesOfStep[status]
  if (messageTypes === undefined) return []
  const { business, facility } = slugsOf(shipment)
  const search: StepSearch = {
    shipmentId: String(shipment.id),
    businessSlug: business,
    facilitySlug: facility,
    messageTypes,
    since: new Date(Date.parse(completedAt) - aheadMillis).toISOString()
  }
  return messagesIn(JSON.stringify(search)).value ?? []
}
