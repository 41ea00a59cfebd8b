/**
 * Partners that speak EDI (D18): each sends ship notices, again and again until they are answered, what they announce comes to
 * the dock, and what is to be sent to the partner is read with a cursor.
 */
import type { EventOf, Occurrence } from "../history/History.ts"
import { asList, asRecord } from "../Json.ts"
import { get, newRequest, post } from "./WorkloadClient.ts"
import type { Account, Client, Request } from "./WorkloadClient.ts"
import { passDock } from "./WorkloadPallets.ts"
import type { Dock } from "./WorkloadPallets.ts"
import type { State } from "./WorkloadState.ts"

/** A partner, and the client that sends its files. */
export type Partner = Account & Pick<EventOf<"partner">, "partner" | "tellsOf">

/** One partner is told of what it has announced, and one of everything. */
export const partners: ReadonlyArray<Partner> = [
  { clientId: "acme-east-client", business: "acme", facility: "east", partner: "supplier", tellsOf: "OWN" },
  { clientId: "globex-client", business: "globex", facility: "main", partner: "depositor", tellsOf: "ALL" }
]

/** The partner whose files the client of a place sends. */
export const partnerOf = ({ clientId, facility }: Account): Partner | undefined =>
  partners.find((each) => each.clientId === clientId && each.facility === facility)

const [theirs, ours] = ["PARTNER", "WAREHOUSE"]

/** The partner as the operator enters it. */
export const partnerRequest = ({ business, facility, partner, tellsOf }: Partner): Request => ({
  asked: { operation: "operate", target: `partner ${partner}` },
  message: post(`/v1/operator/businesses/${business}/edi-partners`, {
    slug: partner,
    facility,
    name: partner,
    theirs: { qualifier: "ZZ", id: theirs },
    ours: { qualifier: "ZZ", id: ours },
    tellsOf
  })
})

/** What a notice says of one order. */
interface Notice {
  readonly control: string
  readonly shipmentNumber: string
  readonly order: string
  readonly lpns: ReadonlyArray<string>
}

/** The interchange of one ship notice (856). */
const interchangeOf = ({ control, lpns, order, shipmentNumber }: Notice): string => {
  const set = [
    "ST*856*0001",
    `BSN*00*${shipmentNumber}*20261120*0700`,
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
  ]
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

const fileOf = (body: unknown) => asRecord(asList(asRecord(body)["files"])[0])

const noticeRequest = (notice: Notice, partner: string, answer: "json" | "edi-x12"): Request => ({
  asked: {
    operation: "notice",
    partner,
    control: notice.control,
    shipment: notice.shipmentNumber,
    own: { [notice.order]: notice.lpns }
  },
  once: true,
  message: { method: "POST", path: "/v1/edi", x12: { text: interchangeOf(notice), answer } },
  read: (body) => ({
    acknowledgment: typeof body === "string" ? body : String(fileOf(body)["answer"])
  })
})

/** One shipment from its notice to its departure, some pallets of which come; whether each step is known to be done. */
export const handleNotice = async (
  dock: Dock,
  state: State,
  { business, facility, partner }: Partner,
  instance?: number
): Promise<boolean> => {
  const { customer } = dock
  const { random } = customer
  const name = (kind: string) => state.name(business, facility, kind)
  const notice = {
    // The number of a name is given once.
    control: /\d+$/.exec(name("C"))![0].padStart(9, "0"),
    shipmentNumber: name("S"),
    order: name("O"),
    lpns: Array.from({ length: random.int(1, 3) }, () => name("L"))
  }
  const request = newRequest()
  const at = instance === undefined ? {} : { instance }
  const asked = { ...noticeRequest(notice, partner, "json"), ...at }
  const { body, outcome } = await customer.settle(asked, state.isOver, request)
  if (outcome.type !== "ok") return false
  // In doubt it is sent again: the answer is the same, in JSON and as it is.
  if (random.chance(0.3)) await customer.attempt(noticeRequest(notice, partner, "edi-x12"), request)
  const id = Number(asRecord(asList(fileOf(body)["sets"])[0])["shipmentId"])
  // A notice that was rejected made no shipment, which is for the checker.
  if (!(id > 0)) return false
  const shipment = { id, shipmentNumber: notice.shipmentNumber, business, facility, orders: [notice.order] }
  state.add(shipment)
  const lpns = notice.lpns.filter(() => random.chance(0.8))
  return passDock(dock, state, { shipment, lpns, way: "UNLOADING" }, instance)
}

/** One notice after another. */
export const sendNotices = async (dock: Dock, state: State, partner: Partner): Promise<void> => {
  while (!state.isStopping) {
    await handleNotice(dock, state, partner)
    await dock.customer.pause(150)
  }
}

/** Where the outbox of a partner is. */
export const outboxOf = (
  { business, facility, partner }: Pick<Partner, "business" | "facility" | "partner">
): string => `/v1/edi/outbox?business=${business}&facility=${facility}&partner=${partner}`

/** Something that is to be sent to a partner, before it is recorded. */
export type Outgoing = Extract<Occurrence, { readonly type: "outgoing" }>

/** Something that is to be sent to a partner, as the outbox shows it. */
export const outgoingOf = (value: unknown, partner: string, reader: string): Outgoing => {
  const { id, text } = asRecord(value)
  return { type: "outgoing", reader, partner, id: Number(id), text: String(text) }
}

/** Reads what is to be sent to a partner from the beginning on, in small pages, as a customer does that stores its cursor. */
export const readOutbox = async (client: Client, state: State, partner: Partner): Promise<void> => {
  const reader = `cursor ${newRequest()}`
  const asked = { operation: "operate", target: `outbox of ${partner.partner}` } as const
  for (let after = 0; !state.isStopping;) {
    const { body, outcome } = await client.attempt({
      asked,
      message: get(`${outboxOf(partner)}&limit=2&after=${after}`)
    })
    const items = outcome.type === "ok" ? asList(asRecord(body)["items"]) : []
    for (const item of items) {
      const seen = outgoingOf(item, partner.partner, reader)
      state.site.recorder.record(seen)
      after = seen.id
    }
    await client.pause(200)
  }
}
