/** D13.6: the record of documents, over REST and GraphQL. */
import type { DocumentRecordView } from "@dockline/core/document/DocumentRecord"
import type { Page } from "@dockline/core/values/Page"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { GraphqlServer, layerPostgres } from "../../support/GraphqlServer.ts"
import { problemOf, TestServer, unique } from "../../support/TestServer.ts"
import { item, order } from "../Sample.ts"
import { serving } from "../Serving.ts"

const list = Effect.fnUntraced(function*(query: Readonly<Record<string, string>>) {
  const server = yield* TestServer
  const { body, status } = yield* server.get(`/v1/documents?${new URLSearchParams(query)}`)
  assert.strictEqual(status, 200)
  return (body as Page<DocumentRecordView>).items
})

const fields =
  `id receivedAt clientId correlationId business { slug name } facility { slug name } shipmentNumber shipmentId
  orderNumbers strategies outcome code remedy counts { created updated removed replaced } changes { change type id reference }`

serving("the record of documents", layerPostgres(), (test) => {
  test(
    "tells of a document with faults, however it came, and of none that nobody can read",
    function*(server) {
      const { execute } = yield* GraphqlServer
      const orderNumber = unique("O")
      const headers = { "idempotency-key": unique("K"), "correlation-id": `misspelt ${orderNumber}` }
      const misspelt = { ...order({ orderNumber }), suplier: "N" }
      for (const status of [400, 400]) {
        assert.strictEqual((yield* server.post(misspelt, { headers })).status, status)
      }
      yield* server.post(order({ orderNumber, orderItemUpdateStrategy: "REPLACE" }))
      yield* server.post(
        `<document><business>acme</business><facility>east</facility><direction>OUTBOUND</direction>
              <orders><orderNumber>${orderNumber}</orderNumber><suplier>N</suplier></orders></document>`,
        { headers: { "content-type": "application/xml" } }
      )
      const { errors } = yield* execute({
        query: `mutation Submit($input: DocumentInput!) { submitDocument(input: $input) { created { id } } }`,
        variables: { input: order({ orderNumber, expectedArrivalAt: "soon" }) }
      }, "acme-client")
      assert.strictEqual(errors?.length, 1)
      yield* server.post(misspelt, { query: "?dryRun=true" })
      yield* server.post(`{"business":"acme","facility":"east","orderNumber":"${orderNumber}",`)
      yield* server.post({ ...misspelt, facility: "nowhere" })
      yield* server.post({ ...misspelt, business: "globex", facility: "main" })
      const refused = yield* list({ orderNumber, outcome: "REFUSED" })
      assert.deepStrictEqual(
        refused.map(({ code }) => code).toReversed(),
        ["MALFORMED_DOCUMENT", "INVALID_DOCUMENT", "MALFORMED_DOCUMENT", "INVALID_DOCUMENT"]
      )
      for (const { remedy } of refused) assert.include(remedy, "?dryRun=true names them again")
      assert.strictEqual((yield* list({ correlationId: `misspelt ${orderNumber}` })).length, 1)
    }
  )

  test("is the same over GraphQL; what is wrong with a query is told", function*() {
    const { execute } = yield* GraphqlServer
    const server = yield* TestServer
    const orderNumber = unique("O")
    yield* server.submit(order({ orderNumber, items: [item("L1")] }))
    const [record] = yield* list({ orderNumber })
    const { data } = yield* execute({
      query: `query Documents($order: String!, $id: Long!) {
            documents(orderNumber: $order, outcome: CREATED, from: "2020-01-01T00:00:00Z") { nodes { ${fields} } }
            document(id: $id) { ${fields} }
          }`,
      variables: { order: orderNumber, id: record!.id }
    }, "acme-client")
    assert.deepStrictEqual(data, { documents: { nodes: [record] }, document: record })
    yield* server.submit(order({ orderNumber, items: [item("L2")] }))
    const [removal] = yield* list({ orderNumber })
    const removals = yield* execute({
      query: `query Removals($order: String!) {
              any: documents(orderNumber: $order, removed: true) { nodes { id } }
              ofLpn: documents(shipmentNumber: $order, lpn: "L1") { nodes { id } }
              ofOther: documents(shipmentNumber: $order, lpn: "L2") { nodes { id } }
            }`,
      variables: { order: orderNumber }
    }, "acme-client")
    const found = { nodes: [{ id: removal!.id }] }
    assert.deepStrictEqual(removals.data, { any: found, ofLpn: found, ofOther: { nodes: [] } })
    for (
      const query of [
        "outcome=LOST",
        "from=soon",
        "limit=0",
        "after=-1",
        "colour=red",
        "removed=no",
        "lpn=L1&orderNumber=O1"
      ]
    ) {
      const problem = problemOf(yield* server.get(`/v1/documents?${query}`))
      assert.deepStrictEqual([problem.status, problem.code], [400, "INVALID_PARAMETER"], query)
    }
    const unknown = problemOf(yield* server.get("/v1/documents/9007199254740991"))
    assert.deepStrictEqual([unknown.status, unknown.code], [404, "DOCUMENT_NOT_FOUND"])
  })
})
