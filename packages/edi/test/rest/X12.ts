/** Partners of acme, and the files that they send. */
import { Effect } from "effect"
import { assert } from "vitest"
import { depart, label, palletEvent, record } from "../../../../test/http/facility/Facility.ts"
import { bodyOf, operate } from "../../../../test/http/operator/Operator.ts"
import { TestServer, unique } from "../../../../test/support/TestServer.ts"
import type { PageView } from "../../../../test/support/TestServer.ts"

/** The last control number used. */
let files = 100

/** A ship notice of a partner, under a control number of its own. */
export const notice = (sender: string, number: string, lpn: string): string => {
  const control = String(++files).padStart(9, "0")
  const isa = `ISA*00*          *00*          *ZZ*${
    sender.padEnd(15)
  }*ZZ*WAREHOUSE      *261120*1700*U*00401*${control}*0*P*>`
  return [
    isa,
    `GS*SH*${sender}*WAREHOUSE*20261120*1700*1*X*004010`,
    "ST*856*0001",
    `BSN*00*${number}*20261120*1700`,
    "HL*1**S",
    "HL*2*1*O",
    `PRF*PO-${number}`,
    "HL*3*2*T",
    `MAN*W*${lpn}`,
    "HL*4*3*I",
    "LIN**SK*SKU-1",
    "SN1**5*CA",
    "SE*11*0001",
    "GE*1*1",
    `IEA*1*${control}`
  ].map((line) => `${line}~\n`).join("")
}

/** The path of the partners of acme, below `/v1/operator`. */
export const partners = "businesses/acme/edi-partners"

/** Makes a partner of acme east: its id in envelopes, and its slug. */
export const aPartner = Effect.fnUntraced(function*(fields: Readonly<Record<string, unknown>> = {}) {
  const id = unique("P").toUpperCase()
  const body = {
    slug: id.toLowerCase(),
    facility: "east",
    name: "A partner",
    theirs: { qualifier: "ZZ", id },
    ours: { qualifier: "ZZ", id: "WAREHOUSE" },
    ...fields
  }
  assert.strictEqual((yield* operate("POST", partners, body)).status, 201)
  return { id, slug: body.slug }
})

/** Sends a ship notice of a partner, lets its pallet pass, and lets the truck leave. */
export const departed = Effect.fnUntraced(function*(partner: string) {
  const server = yield* TestServer
  const [number, lpn] = [unique("ASN"), unique("L")]
  const reply = yield* server.request("POST", "/v1/edi", {
    headers: { "content-type": "application/edi-x12" },
    body: notice(partner, number, lpn)
  })
  assert.strictEqual(reply.status, 200, reply.text)
  const { items: [shipment] } = bodyOf<PageView<{ readonly id: number }>>(
    yield* server.get(`/v1/shipments?business=acme&shipmentNumber=${number}`),
    200
  )
  const event = palletEvent({ shipmentId: shipment!.id, direction: "UNLOADING", labels: [label("lpn", lpn)] })
  assert.strictEqual((yield* record(event)).status, 201)
  assert.strictEqual((yield* depart(shipment!.id)).status, 200)
  return shipment!.id
})
