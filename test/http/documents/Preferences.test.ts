import { assert } from "@effect/vitest"
import { layerMemory, refusalOf, resultOf, shipmentsOf, unique } from "../../support/TestServer.ts"
import { item, order } from "../Sample.ts"
import { serving } from "../Serving.ts"

const prefer = (value: string) => ({ headers: { prefer: value } })
const accept = (value: string) => ({ headers: { accept: value } })

/** A document with every kind of text that XML has to escape. */
const rich = (name: string) =>
  order({
    orderNumber: name,
    carrier: "<a href=\"x\">&amp; ]]> 'q' \u{1F69A} ünï",
    consigneeName: "  spaces\tand\r\nlines\r  ",
    additionalFields: [{ name: "a b<c>", value: "" }, { name: "z", value: "&#65;" }],
    items: [
      item("000123", { quantity: 0.1, weightPerUnit: 1e-7, caseSerials: [{ id: "1", quantity: 9 }] }),
      item("000124", { quantity: Number.MAX_SAFE_INTEGER, isDangerousGood: true })
    ]
  })

serving("preferences", layerMemory(), (test) => {
  for (
    const [name, options] of [
      ["Prefer: dry-run", prefer("dry-run")],
      ["Prefer: return=minimal;x=1, DRY-RUN", { headers: { prefer: "return=representation, DRY-RUN" } }],
      ["?dryRun=true", { query: "?dryRun=true" }]
    ] as const
  ) {
    test(`D5.3 ${name} answers as the real run does, without ids, and writes nothing`, function*(server) {
      const document = order({ items: [item("L-1"), item("L-2", { identifier: "I" })] })
      const dryReply = yield* server.post(document, options)
      const dry = resultOf(dryReply)
      assert.strictEqual(dryReply.status, 201)
      assert.notProperty(dryReply.headers, "location")
      assert.strictEqual(dryReply.headers["preference-applied"], "dry-run")
      const listed = yield* server.get(`/v1/shipments?shipmentNumber=${document.orderNumber}`)
      assert.deepStrictEqual(shipmentsOf(listed).items, [])
      const real = yield* server.submit(document)
      assert.deepStrictEqual(
        dry.created,
        real.created.map((entity) => ({ ...entity, id: "" }))
      )
      assert.strictEqual(dry.shipment.id, 0)
      const [order1] = real.shipment.orders
      assert.deepStrictEqual(dry.shipment, {
        ...real.shipment,
        id: 0,
        scheduledAt: dry.shipment.scheduledAt,
        expectedArrivalAt: dry.shipment.scheduledAt,
        statusEvents: [
          { ...real.shipment.statusEvents[0]!, completedAt: dry.shipment.scheduledAt },
          ...real.shipment.statusEvents.slice(1)
        ],
        orders: [{ ...order1!, id: "", items: order1!.items.map((each) => ({ ...each, id: "" })) }]
      })
    })
  }

  test("D5.3 dryRun=false and dry-run=false are real, anything else but true is 400", function*(server) {
    assert.property((yield* server.post(order(), { query: "?dryRun=false" })).headers, "location")
    assert.property((yield* server.post(order(), prefer("dry-run=false"))).headers, "location")
    const cases = [
      ["?dryRun=yes", "must be one of true, false"],
      ["?dryRun", "must be one of true, false"],
      ["?dryRun=1", "must be one of true, false"],
      ["?dryRun=true&dryRun=true", "was sent more than once; send it once"]
    ] as const
    for (const [query, detail] of cases) {
      const reply = yield* server.post(order(), { query })
      assert.deepStrictEqual([query, ...refusalOf(reply)], [query, 400, "INVALID_PARAMETER"])
      assert.deepInclude(reply.body, { errors: [{ path: "dryRun", detail }] })
    }
  })

  test("D2.8 return=minimal is id and status, and says that it was applied", function*(server) {
    const document = order({ items: [item("L")] })
    const reply = yield* server.post(document, prefer("return=minimal"))
    assert.strictEqual(reply.status, 201)
    assert.strictEqual(reply.headers["preference-applied"], "return=minimal")
    const { shipment } = reply.body as { readonly shipment: { readonly id: number } }
    assert.deepStrictEqual(reply.body, { shipment: { id: shipment.id, status: "SCHEDULED" } })
    assert.strictEqual(reply.headers["location"], `/v1/shipments/${shipment.id}`)
    const again = yield* server.post(document, {
      headers: { prefer: "return=minimal", accept: "text/xml" }
    })
    assert.deepStrictEqual(again.body, reply.body)
    assert.match(
      again.text,
      /<IntakeResult><shipment><id>\d+<\/id><status>SCHEDULED<\/status><\/shipment>/
    )
    const whole = yield* server.post(order(), prefer("return=representation"))
    assert.notProperty(whole.headers, "preference-applied")
    assert.property(whole.body, "created")
  })

  for (const type of ["application/xml", "text/xml"]) {
    test(`D2.8 Accept: ${type} says the same as JSON, read through our own reader`, function*(server) {
      const document = rich(unique("O"))
      const created = yield* server.post(document, accept(type))
      assert.strictEqual(created.headers["content-type"], `${type}; charset=utf-8`)
      const merge = { ...document, orderItemUpdateStrategy: "MERGE" }
      const inJson = yield* server.post(merge)
      const inXml = yield* server.post(merge, accept(type))
      // In XML, a list without entries is the same as an absent one.
      assert.deepStrictEqual(inXml.body, { notes: [], ...resultOf(inJson) })
      assert.deepStrictEqual(resultOf(created).shipment, resultOf(inJson).shipment)
    })
  }

  test("D4.2 a problem is JSON whatever is accepted", function*(server) {
    const reply = yield* server.post("{", accept("application/xml"))
    assert.strictEqual(reply.headers["content-type"], "application/problem+json")
  })
})
