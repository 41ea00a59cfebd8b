/** D13.6: the record of documents, over REST and GraphQL. */
import type { DocumentRecordView } from "@dockline/core/DocumentRecord"
import type { Page } from "@dockline/core/Page"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { GraphqlServer, layerPostgres } from "../../support/GraphqlServer.ts"
import { problemOf, TestServer, unique } from "../../support/TestServer.ts"
import { order } from "../Sample.ts"

const list = Effect.fnUntraced(function*(query: Readonly<Record<string, string>>) {
  const server = yield* TestServer
  const { body, status } = yield* server.get(`/v1/documents?${new URLSearchParams(query)}`)
  assert.strictEqual(status, 200)
  return (body as Page<DocumentRecordView>).items
})

layer(layerPostgres(), { excludeTestServices: true })(
  "the record of documents",
  (it) => {
    it.effect("tells a refusal once, though it is asked again under its key, and no dry run", () =>
      Effect.gen(function*() {
        const server = yield* TestServer
        const orderNumber = unique("O")
        const headers = { "idempotency-key": unique("K") }
        for (const replayed of [undefined, "true"]) {
          const refused = yield* server.post(order({ orderNumber, dockSlug: "D9" }), { headers })
          assert.strictEqual(problemOf(refused).code, "UNKNOWN_DOCK")
          assert.strictEqual(refused.headers["idempotency-replayed"], replayed)
        }
        yield* server.post(order({ orderNumber }), { query: "?dryRun=true" })
        const accepted = { "idempotency-key": unique("K") }
        for (let times = 0; times < 2; times++) {
          yield* server.post(order({ orderNumber }), { headers: accepted })
        }
        assert.deepStrictEqual(
          (yield* list({ orderNumber })).map(({ code, outcome }) => `${outcome} ${code}`),
          ["CREATED ", "REFUSED UNKNOWN_DOCK"]
        )
        assert.strictEqual((yield* list({ orderNumber, outcome: "REFUSED" })).length, 1)
      }))

    it.effect("tells of a document with faults, however it came, and of none that nobody can read", () =>
      Effect.gen(function*() {
        const server = yield* TestServer
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
          query:
            `mutation Submit($input: DocumentInput!) { submitDocument(input: $input) { created { id } } }`,
          variables: { input: order({ orderNumber, expectedArrivalAt: "soon" }) }
        }, "acme-client")
        assert.strictEqual(errors?.length, 1)
        yield* server.post(misspelt, { query: "?dryRun=true" })
        yield* server.post(`{"business":"acme","facility":"east","orderNumber":"${orderNumber}",`)
        yield* server.post({ ...misspelt, facility: "nowhere" })
        yield* server.post({ ...misspelt, business: "globex", facility: "main" })
        assert.deepStrictEqual(
          (yield* list({ orderNumber, outcome: "REFUSED" })).map(({ code }) => code).toReversed(),
          ["MALFORMED_DOCUMENT", "INVALID_DOCUMENT", "MALFORMED_DOCUMENT", "INVALID_DOCUMENT"]
        )
        assert.strictEqual((yield* list({ correlationId: `misspelt ${orderNumber}` })).length, 1)
      }))
  }
)
