/**
 * Partners that speak EDI (D18): each sends ship notices, again and again until they are answered, what they announce comes to
 * the dock, and what is to be sent to the partner is read with a cursor.
 */
import type { EventOf, Told } from "../history/History.ts"
import { asList, asRecord } from "../Json.ts"
import type { Actor } from "./Actor.ts"
import { newRequest, operate, patienceFor } from "./Client.ts"
import type { Account, Request } from "./Client.ts"
import { handleShipment, passDock } from "./Docks.ts"
import type { Dock } from "./Docks.ts"
import { inX12, platesOf } from "./Plates.ts"

/** A partner, and the client that sends its files. */
export type Partner = Account & Pick<EventOf<"partner">, "partner" | "tellsOf">

/** The partner that announces orders of its own on the shipments of another one, by its slug. */
const sharers: Readonly<Record<string, string>> = { supplier: "rival" }

/** Two partners of one facility are told of what they have announced, and one of another facility of everything. */
export const partners: ReadonlyArray<Partner> = [
  { clientId: "acme-east-client", business: "acme", facility: "east", partner: "supplier", tellsOf: "OWN" },
  { clientId: "acme-east-client", business: "acme", facility: "east", partner: "rival", tellsOf: "OWN" },
  { clientId: "globex-client", business: "globex", facility: "main", partner: "depositor", tellsOf: "ALL" }
]

/** The partner whose files the client of a place sends. */
export const partnerOf = ({ clientId, facility }: Account): Partner | undefined =>
  partners.find((each) => each.clientId === clientId && each.facility === facility)

const ours = "WAREHOUSE"

/** The name of a partner in envelopes. */
const idOf = (partner: string): string => partner.toUpperCase()

export const partnerRequest = (
  { business, facility, partner, tellsOf }: Omit<Partner, "clientId">
): Request =>
  operate(`partner ${partner}`, {
    path: `/v1/operator/businesses/${business}/edi-partners`,
    body: {
      slug: partner,
      facility,
      name: partner,
      tellsOf,
      theirs: { qualifier: "ZZ", id: idOf(partner) },
      ours: { qualifier: "ZZ", id: ours }
    }
  })

interface Notice {
  readonly control: string
  readonly shipment: string
  readonly order: string
  readonly lpns: ReadonlyArray<string>
}

/** The interchange of one set of ship notices (856), of these segments. */
export const interchangeOf = (partner: string, control: string, segments: ReadonlyArray<string>): string => {
  const theirs = idOf(partner)
  const set = ["ST*856*0001", ...segments]
  const side = (id: string) => `ZZ*${id.padEnd(15)}`
  return [
    `ISA*00*          *00*          *${side(theirs)}*${side(ours)}*261120*0700*U*00401*${control}*0*P*>`,
    `GS*SH*${theirs}*${ours}*20261120*0700*${Number(control)}*X*004010`,
    ...set,
    `SE*${set.length + 1}*0001`,
    `GE*1*${Number(control)}`,
    `IEA*1*${control}`
  ].map((segment) => `${segment}~\n`).join("")
}

/** The interchange of one ship notice (856). */
const noticeOf = ({ control, lpns, order, shipment }: Notice, partner: string): string =>
  interchangeOf(partner, control, [
    `BSN*00*${shipment}*20261120*0700`,
    "HL*1**S",
    "HL*2*1*O",
    `PRF*${order}`,
    ...lpns.flatMap((lpn, at) => [
      `HL*${2 * at + 3}*2*T`,
      `MAN*W*${lpn}`,
      `HL*${2 * at + 4}*${2 * at + 3}*I`,
      "LIN**SK*SKU",
      "SN1**1*CA"
    ])
  ])

/** The record of the only interchange of a file, in the answer to it. */
export const fileOf = (body: unknown) => asRecord(asList(asRecord(body)["files"])[0])

const noticeRequest = (notice: Notice, partner: string, answer: "json" | "edi-x12"): Request => {
  const { control, lpns, order, shipment } = notice
  return {
    asked: { operation: "notice", partner, control, shipment, own: { [order]: lpns } },
    once: true,
    patience: patienceFor(lpns.length),
    message: { path: "/v1/edi", x12: { text: noticeOf(notice, partner), answer } },
    read: (body) => ({ acknowledgment: typeof body === "string" ? body : String(fileOf(body)["answer"]) })
  }
}

/** Announces an order on a shipment, of so many pallets or few; the notice and the shipment, if that is known to be done. */
const announce = async (customer: Actor, partner: string, shipment: string, pallets?: number) => {
  const { random, state } = customer
  const notice = {
    // A number is given once.
    control: String(state.number()).padStart(9, "0"),
    shipment,
    order: customer.name("O"),
    lpns: platesOf(customer, inX12, pallets)
  }
  const request = newRequest()
  const { body, outcome } = await customer.finish(noticeRequest(notice, partner, "json"), 0, request)
  if (outcome.type !== "ok") return undefined
  // In doubt it is sent again: the answer is the same, in JSON and as it is.
  if (random.chance(0.3)) await customer.attempt(noticeRequest(notice, partner, "edi-x12"), request)
  const id = Number(asRecord(asList(fileOf(body)["sets"])[0])["shipmentId"])
  // A notice that was rejected made no shipment, which is for the checker.
  return id > 0 ? { ...notice, known: customer.knows(id, shipment, [notice.order]) } : undefined
}

/** How many of the pallets of a shipment come at most. */
const mostComing = 6

/**
 * One shipment from its notice, of so many pallets or few, to its departure, some pallets of which come, perhaps with an order of another
 * partner; whether each step is known to be done.
 */
export const handleNotice = async (
  dock: Dock,
  { partner }: Partner,
  pallets?: number
): Promise<boolean> => {
  const { customer } = dock
  const { random } = customer
  const own = await announce(customer, partner, customer.name("S"), pallets)
  if (own === undefined) return false
  const sharer = random.chance(0.5) ? sharers[partner] : undefined
  const shared = sharer === undefined ? own : await announce(customer, sharer, own.shipment)
  if (shared === undefined) return false
  const all = [...new Set([...shared.lpns, ...own.lpns])]
  const lpns = all.slice(0, mostComing).filter(() => random.chance(0.8))
  return passDock(dock, { shipment: own.known, lpns, way: "UNLOADING" })
}

export const sendNotices = (dock: Dock, partner: Partner): Promise<void> =>
  dock.customer.repeat(() => handleNotice(dock, partner), 150)

/** So many pallets that a notice and an advice of them are large files to the service, in characters more than 128 Ki. */
const largePallets = 2000

/** How long after the beginning large files come at the latest, in milliseconds. */
const longestWait = 5000

/** Does something once, some time after the beginning. */
const once = async ({ customer }: Dock, act: () => Promise<unknown>): Promise<void> => {
  await customer.pause(longestWait)
  if (!customer.state.isStopping) await act()
}

export const sendLargeNotice = (dock: Dock, partner: Partner): Promise<void> =>
  once(dock, () => handleNotice(dock, partner, largePallets))

/** Handles a shipment of which a partner that is told of all is told by a large advice; nothing for another partner. */
export const causeLargeAdvice = (dock: Dock, { tellsOf }: Partner): Promise<void> =>
  tellsOf === "ALL" ? once(dock, () => handleShipment(dock, largePallets)) : Promise.resolve()

/** Where the outbox of a partner is. */
export const outboxOf = ({ business, facility, partner }: Told<"partner"> | Partner): string =>
  `/v1/edi/outbox?business=${business}&facility=${facility}&partner=${partner}`

/** Something that is to be sent to a partner, as the outbox shows it. */
export const outgoingOf = (value: unknown, partner: string, reader: string): Told<"outgoing"> => {
  const { id, text } = asRecord(value)
  return { type: "outgoing", reader, partner, id: Number(id), text: String(text) }
}

/** Reads what is to be sent to a partner from the beginning on, in small pages, as a customer does that stores its cursor. */
export const readOutbox = (actor: Actor, partner: Partner): Promise<void> => {
  const reader = `cursor ${newRequest()}`
  let after = 0
  return actor.repeat(async () => {
    const path = `${outboxOf(partner)}&limit=2&after=${after}`
    const { body, outcome } = await actor.attempt(operate(`outbox of ${partner.partner}`, { path }))
    for (const item of outcome.type === "ok" ? asList(asRecord(body)["items"]) : []) {
      const seen = outgoingOf(item, partner.partner, reader)
      actor.site.recorder.record(seen)
      after = seen.id
    }
  }, 200)
}
