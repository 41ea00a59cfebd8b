import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import {
  layerMemory,
  problemOf,
  refusalOf,
  resultOf,
  shipmentOf,
  TestServer,
  unique
} from "../../support/TestServer.ts"
import { asXml, item, order, xml } from "../Sample.ts"

const type = (contentType: string) => ({ headers: { "content-type": contentType } })

const head = (number: string) =>
  `<business>acme</business><facility>east</facility><direction>OUTBOUND</direction><orderNumber>${number}</orderNumber>`

const utf16 = (text: string, littleEndian: boolean): Buffer => {
  const buffer = Buffer.from(text, "utf16le")
  return littleEndian ? buffer : buffer.swap16()
}

const latin1 = (declaration: string) => (name: string) =>
  Buffer.from(`${declaration}<d>${head(name)}<carrier>Müller</carrier></d>`, "latin1")

layer(layerMemory(), { excludeTestServices: true })("D2.5 XML", (it) => {
  for (const contentType of ["application/xml", "text/xml", "application/xml; charset=utf-8", "Text/XML"]) {
    it.effect(`${contentType} is read, whatever the root is named`, () =>
      Effect.gen(function*() {
        const server = yield* TestServer
        for (const root of ["Document", "x", "ns:Order"]) {
          assert.strictEqual((yield* server.post(xml(order(), root), type(contentType))).status, 201)
        }
      }))
  }

  it.effect("the same document is the same shipment in JSON and in XML", () =>
    Effect.gen(function*() {
      const server = yield* TestServer
      const document = order({
        shipmentNumber: unique("S"),
        expectedArrivalAt: "2026-11-20T17:00:00Z",
        carrier: "A & B <C>",
        expectedQuantity: 12,
        additionalFields: [{ name: "a", value: "1" }, { name: "b", value: "" }],
        items: [
          item("000123", {
            quantity: 1.5,
            isDangerousGood: true,
            expirationDate: "2027-01-31",
            caseSerials: [{ id: "1", quantity: 2 }, { id: "2", quantity: 3 }]
          }),
          item("000124")
        ]
      })
      const fromXml = yield* server.submit(xml(document), { headers: asXml })
      const fromJson = yield* server.submit({ ...document, orderItemUpdateStrategy: "MERGE" })
      assert.deepStrictEqual(fromJson.shipment, fromXml.shipment)
      assert.deepStrictEqual(fromJson.created, [])
    }))

  it.effect("text stays as it is, numbers, booleans and dates are trimmed", () =>
    Effect.gen(function*() {
      const server = yield* TestServer
      const body = `<d>${head(unique("O"))}<carrier>  000 </carrier><items><lpn> 007 </lpn><sku>0</sku>
          <quantity> 007.50 </quantity><quantityUnit>CASE</quantityUnit><isDangerousGood> true
          </isDangerousGood><expirationDate> 2027-01-31 </expirationDate></items></d>`
      const { shipment } = resultOf(yield* server.post(body, { headers: asXml }))
      const [read] = shipment.orders[0]!.items
      assert.strictEqual(shipment.carrier, "  000 ")
      assert.deepInclude(read, {
        lpn: " 007 ",
        sku: "0",
        quantity: 7.5,
        isDangerousGood: true,
        expirationDate: "2027-01-31"
      })
    }))

  it.effect("an empty element is empty text, and absent where the field is no text", () =>
    Effect.gen(function*() {
      const server = yield* TestServer
      const number = unique("O")
      const body = `<d>${head(number)}<carrier></carrier><expectedQuantity/><items/></d>`
      assert.strictEqual((yield* server.post(body, { headers: asXml })).status, 201)
      const missing = `<d>${head("")}<items><lpn/><sku>S</sku><quantity/></items></d>`
      const problem = problemOf(yield* server.post(missing, { headers: asXml }))
      assert.strictEqual(problem.status, 422)
      assert.sameMembers(problem.errors?.map(({ path }) => path) ?? [], [
        "orderNumber",
        "items[0].lpn",
        "items[0].quantity",
        "items[0].quantityUnit"
      ])
    }))

  for (
    const [name, content, status, path] of [
      ["a number that is none", "<expectedQuantity>five</expectedQuantity>", 400, "expectedQuantity"],
      ["a malformed date", "<expectedArrivalAt>tomorrow</expectedArrivalAt>", 422, "expectedArrivalAt"],
      ["an unknown element", "<colour>red</colour>", 400, "colour"]
    ] as const
  ) {
    it.effect(`${name} is ${status}`, () =>
      Effect.gen(function*() {
        const server = yield* TestServer
        const problem = problemOf(yield* server.post(`<d>${head("O")}${content}</d>`, { headers: asXml }))
        assert.strictEqual(problem.status, status, JSON.stringify(problem))
        assert.deepStrictEqual(problem.errors?.map((error) => error.path), [path])
      }))
  }

  it.effect("a DOCTYPE is 400", () =>
    Effect.gen(function*() {
      const server = yield* TestServer
      const bomb = "<!DOCTYPE d [<!ENTITY a \"xx\"><!ENTITY b \"&a;&a;\">]>"
      const body = `${bomb}<d>${head("O")}<carrier>&a;</carrier></d>`
      const problem = problemOf(yield* server.post(body, { headers: asXml }))
      assert.strictEqual(problem.status, 400)
      assert.include(problem.detail, "DOCTYPE")
    }))

  for (
    const [name, contentType, make] of [
      ["ISO-8859-1 by header", "application/xml; charset=iso-8859-1", latin1("")],
      ["ISO-8859-1 by declaration", "text/xml", latin1("<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?>")],
      [
        "ISO-8859-1 by header against a declaration",
        "text/xml; charset=iso-8859-1",
        latin1("<?xml version=\"1.0\" encoding=\"UTF-8\"?>")
      ],
      [
        "UTF-16 by byte order mark",
        "application/xml",
        (name: string) => utf16(`\ufeff<d>${head(name)}<carrier>Müller</carrier></d>`, true)
      ],
      [
        "UTF-16BE by header",
        "application/xml; charset=utf-16be",
        (name: string) => utf16(`<d>${head(name)}<carrier>Müller</carrier></d>`, false)
      ]
    ] as const
  ) {
    it.effect(`the charset is honoured: ${name}`, () =>
      Effect.gen(function*() {
        const server = yield* TestServer
        const { shipment } = resultOf(yield* server.post(make(unique("O")), type(contentType)))
        assert.strictEqual(shipment.carrier, "Müller")
        assert.strictEqual(shipmentOf(yield* server.get(`/v1/shipments/${shipment.id}`)).carrier, "Müller")
      }))
  }

  it.effect("another charset is 415, by header and by declaration", () =>
    Effect.gen(function*() {
      const server = yield* TestServer
      const header = yield* server.post(xml(order()), type("text/xml; charset=windows-1252"))
      const declared = `<?xml version="1.0" encoding="Shift_JIS"?>${xml(order())}`
      assert.deepStrictEqual(refusalOf(header), [415, "UNSUPPORTED_MEDIA_TYPE"])
      assert.strictEqual((yield* server.post(declared, { headers: asXml })).status, 415)
    }))
})
