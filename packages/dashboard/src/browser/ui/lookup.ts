/** Looks up what messages and other things name only by ids: many at once, and each once. */
import { signal } from "@preact/signals"
import type { Signal } from "@preact/signals"
import { fieldOf, messages } from "../api/operations.ts"
import type { Message, Pallet, Shipment } from "../api/operations.ts"
import { readEach, run } from "../api/request.ts"
import { slugsOf } from "../session.ts"
import { textOf } from "./messageKinds.ts"

/** The most answers that are kept; the oldest go first. */
const mostKept = 1000

/** Makes a function that looks something up by its key: `undefined` until it is known, and where it cannot be. */
const lookup = <A>(read: (keys: ReadonlyArray<string>) => Promise<ReadonlyArray<A | undefined>>) => {
  const answers = new Map<string, Signal<A | undefined>>()
  let waiting: Array<string> = []
  const readWaiting = async (): Promise<void> => {
    const keys = waiting
    waiting = []
    const values = await read(keys).catch(() => undefined)
    for (const [at, key] of keys.entries()) {
      const entry = answers.get(key)
      // After a failure, it is asked for again when it is shown again.
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

/** Whether a tower was told that the pallet should not go on. */
export const isWrong = ({ kind }: PalletEvent["verdict"]): boolean =>
  kind !== "EXPECTED" && kind !== "REPEATED"

/** What messages tell of pallets, where a pallet should not have crossed the dock. */
export const wrongEvents = async (
  list: ReadonlyArray<Pick<Message, "id" | "message">>
): Promise<ReadonlyArray<PalletEvent | undefined>> => {
  const pallets = await readEach<Pick<Pallet, "events">>(
    list.map(({ message }) =>
      fieldOf.pallet(textOf(message, "serviceShipmentId"), textOf(message, "servicePalletId"))
    )
  )
  return list.map(({ id }, at) =>
    pallets[at]?.events.find(({ messageId, verdict }) => messageId === id && isWrong(verdict))
  )
}

const wrongEventIn = lookup((keys) => wrongEvents(keys.map((key) => JSON.parse(key) as Message)))

/** What a message tells of a pallet, where that should not have crossed the dock. */
export const wrongEvent = ({ id, message: { servicePalletId, serviceShipmentId } }: Message) =>
  wrongEventIn(JSON.stringify({ id, message: { servicePalletId, serviceShipmentId } })).value

/** The types of the messages that tell of a step, by its status. */
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

/** Messages are sent when a step is recorded; the clock of who took it may have been ahead. */
const aheadMillis = 5000

/** The most messages among which those of a step are looked for. */
const searchedAtMost = 200

const messagesIn = lookup((keys) =>
  Promise.all(keys.map(async (key) => {
    const { shipmentId, ...input } = JSON.parse(key) as StepSearch
    const list = await run(messages, { input: { ...input, afterId: undefined, limit: searchedAtMost } })
    return list.filter(({ message }) => message["serviceShipmentId"] === shipmentId)
  }))
)

/** The messages that tell of a step of a shipment; none until they are found. */
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
