/** D2.5 to D2.7: the bodies of documents over HTTP: their media types, charsets and sizes. Core's tests cover their contents. */
import { assert } from "@effect/vitest"
import { layerMemory, resultOf, unique } from "../../support/TestServer.ts"
import { asXml, item, order, xml } from "../Sample.ts"
import { serving } from "../Serving.ts"

const bodyLimit = 20_000

serving("D2.5, D2.6 the body of a document", layerMemory({ bodyLimit }), (test) => {
  test("is the same in JSON and in XML, with all it says of several orders", function*(server) {
    const { orderNumber: _, ...shipment } = order({ shipmentNumber: unique("S"), carrier: "A & B <C>" })
    const items = [item("000123", { quantity: 1.5, expirationDate: "2027-01-31" }), item("000124")]
    const orders = [{ orderNumber: unique("O"), items }, { orderNumber: unique("O"), supplier: "SUP" }]
    const created = yield* server.post(xml({ ...shipment, orders }), { headers: asXml })
    const merged = yield* server.submit({ ...shipment, orders, orderItemUpdateStrategy: "MERGE" })
    assert.deepStrictEqual([created.status, merged.created], [201, []])
    assert.deepStrictEqual(resultOf(created).shipment, merged.shipment)
    assert.deepStrictEqual(merged.shipment.orders.map(({ supplier }) => supplier), ["", "SUP"])
  })

  for (
    const [contentType, encoding] of [
      ["APPLICATION/JSON; charset=\"UTF-8\"", "utf8"],
      ["text/xml; charset=iso-8859-1", "latin1"],
      ["application/xml; charset=utf-16", "utf16le"]
    ] as const
  ) {
    test(`is read as ${contentType}`, function*(server) {
      const document = order({ carrier: "Müller" })
      const text = encoding === "utf8" ? JSON.stringify(document) : xml(document)
      const body = Buffer.from(encoding === "utf16le" ? `\ufeff${text}` : text, encoding)
      const reply = yield* server.post(body, { headers: { "content-type": contentType } })
      assert.strictEqual(resultOf(reply).shipment.carrier, "Müller")
    })
  }
})
