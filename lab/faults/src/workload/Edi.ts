/**
 * EDI partners (D18): each sends ship notices, repeated until they are answered; announced pallets come to the dock, and a cursor reads
 * the outbox of the partner.
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

/** The partner that announces its own orders on the shipments of another partner, by the slug of the latter. */
const sharers: Readonly<Record<string, string>> = { supplier: "rival" }

/** Two partners of one facility are told of their own orders, and one of another facility of all orders. */
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

/** An interchange with one ship notice (856) of these segments. */
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

/** The interchange of a ship notice (856). */
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

/** Announces an order on a shipment, with this number of pallets or a few; returns the notice and the shipment if it was acknowledged. */
const announce = async (customer: Actor, partner: string, shipment: string, pallets?: number) => {
  const { random, state } = customer
  const notice = {
    // Each number is used once.
    control: String(state.number()).padStart(9, "0"),
    shipment,
    order: customer.name("O"),
    lpns: platesOf(customer, inX12, pallets)
  }
  const request = newRequest()
  const { body, outcome } = await customer.finish(noticeRequest(notice, partner, "json"), 0, request)
  if (outcome.type !== "ok") return undefined
  // It is sometimes sent again: the answer must be the same, in JSON and in X12.
  if (random.chance(0.3)) await customer.attempt(noticeRequest(notice, partner, "edi-x12"), request)
  const id = Number(asRecord(asList(fileOf(body)["sets"])[0])["shipmentId"])
  // A rejected notice has created no shipment; the checker examines that.
  return id > 0 ? { ...notice, known: customer.knows(id, shipment, [notice.order]) } : undefined
}

/** The most pallets of a shipment that come. */
const mostComing = 6

/**
 * Runs one shipment from its notice, with this number of pallets or a few, to its departure. Some pallets come, and another partner may
 * have an order on it. Returns whether each step was acknowledged.
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

/** A number of pallets for which a notice and an advice are large files to the service, of more than 128 Ki characters. */
const largePallets = 2000

/** The latest time of large files after the beginning, in milliseconds. */
const longestWait = 5000

/** Runs an action once, at a random time after the beginning. */
const once = async ({ customer }: Dock, act: () => Promise<unknown>): Promise<void> => {
  await customer.pause(longestWait)
  if (!customer.state.isStopping) await act()
}

export const sendLargeNotice = (dock: Dock, partner: Partner): Promise<void> =>
  once(dock, () => handleNotice(dock, partner, largePallets))

/** Runs a shipment that causes a large advice, for a partner that is told of all orders; nothing for another partner. */
export const causeLargeAdvice = (dock: Dock, { tellsOf }: Partner): Promise<void> =>
  tellsOf === "ALL" ? once(dock, () => handleShipment(dock, largePallets)) : Promise.resolve()

/** The path of the outbox of a partner. */
export const outboxOf = ({ business, facility, partner }: Told<"partner"> | Partner): string =>
  `/v1/edi/outbox?business=${business}&facility=${facility}&partner=${partner}`

/** An interchange in the outbox of a partner. */
export const outgoingOf = (value: unknown, partner: string, reader: string): Told<"outgoing"> => {
  const { id, text } = asRecord(value)
  return { type: "outgoing", reader, partner, id: Number(id), text: String(text) }
}

/** Reads the outbox of a partner from the beginning, in small pages, as a customer that stores its cursor. */
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
