/** D23.1, D23.2: sets about shipments of other partners. */
import type { EdiReceipt } from "@dockline/edi/domain/EdiIntake"
import { assert, it } from "vitest"
import { fileWith, noticeOf } from "../Files.ts"
import { client, open, partnerOf } from "./World.ts"

const partners = [partnerOf("alpha"), partnerOf("beta")]

const sentBy = (name: string, kind: "856" | "940", lines: ReadonlyArray<string>): string =>
  fileWith(kind, kind === "856" ? "SH" : "OW", lines)
    .replace(`ZZ*${"SENDER".padEnd(15)}`, `ZZ*${name.toUpperCase().padEnd(15)}`)
    .replace("*SENDER*", `*${name.toUpperCase()}*`)

const saidOf = ([receipt]: ReadonlyArray<EdiReceipt>): ReadonlyArray<string> =>
  receipt!.file.sets.flatMap(({ faults, outcome }) => [outcome, ...faults])

it("D23.1 each time that a set says of another partner's shipment is noted, as it is left", async () => {
  await using world = await open(partners)
  const take = (text: string) => world.run((exchange) => exchange.take(text, client))
  const noticeAt = (order: string, purpose: string, ...times: ReadonlyArray<string>) =>
    noticeOf("S-1", [`L-${order}`], { order, purpose }).flatMap((line) =>
      line.startsWith("DTM") ? [line, ...times] : [line]
    )
  await take(sentBy("alpha", "856", noticeAt("A-1", "00", "DTM*011*20261119*0700")))
  const [same, other] = [
    noticeAt("B-1", "04", "DTM*011*20261119*0700"),
    noticeAt("B-2", "04", "DTM*011*20261119*0900", "DTM*002*20261125")
  ]
  assert.deepStrictEqual(saidOf(await take(sentBy("beta", "856", same))), ["ACCEPTED"])
  const [outcome, ...faults] = saidOf(await take(sentBy("beta", "856", other)))
  assert.strictEqual(outcome, "NOTED")
  assert.strictEqual(faults.length, 2)
  assert.match(faults[0]!, /DTM.*the load was made by another partner, whose DTM\*011 stays/)
  assert.match(faults[1]!, /DTM.*the load was made by another partner, whose DTM\*002 stays/)
  const page = await world.dockline.shipments({ business: "acme" }, client)
  if (!page.ok) throw page.error
  assert.deepStrictEqual(page.value.items[0]!.additionalFields, [
    { name: "DTM*011", value: "2026-11-19T12:00:00.000Z" }
  ])
})

it.each(
  [
    ["856", "L-1", "OUTBOUND", ["BSN*01*L-1*20261120*1700", "HL*1**S"]],
    ["940", "S-1", "INBOUND", ["W05*F*O-1", "N9*LO*S-1"]]
  ] as const
)(
  "D18.2 a cancellation (%s) of %s, which is %s, is rejected",
  async (kind, shipmentNumber, direction, lines) => {
    await using world = await open(partners)
    await world.dockline.submit({
      business: "acme",
      facility: "east",
      direction,
      shipmentNumber,
      orders: [{ orderNumber: "O-1", items: [{ lpn: "P", sku: "X", quantity: 1, quantityUnit: "CASE" }] }]
    }, client)
    const receipts = await world.run((exchange) => exchange.take(sentBy("alpha", kind, lines), client))
    assert.strictEqual(saidOf(receipts)[0], "REJECTED")
    const page = await world.dockline.shipments({ business: "acme" }, client)
    assert.strictEqual(page.ok && page.value.items[0]!.status, "SCHEDULED")
  }
)
