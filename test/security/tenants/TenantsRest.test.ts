/**
 * Tenant isolation over REST: a client with all permissions at one business learns and changes nothing of another, by any declared
 * operation. The operations of operators have their tests in `test/http/operator/OperatorAccess.test.ts`.
 */
import { Api, withCapabilities } from "@dockline/http-adapter/api/Api"
import { withParts } from "@dockline/http-adapter/api/Parts"
import { capabilities, restParts } from "@dockline/server/Capabilities"
import { assert, describe, it as plainIt, layer } from "@effect/vitest"
import { Effect } from "effect"
import { HttpApi } from "effect/http-api"
import { makeClient, vault } from "../../http/operator/Operator.ts"
import { order } from "../../http/Sample.ts"
import type { Reply } from "../../http/Wire.ts"
import { layerPostgres, once, TestServer, unique } from "../../support/TestServer.ts"
import type { PageView } from "../../support/TestServer.ts"
import { methods, operations, probesOf } from "./Asked.ts"
import type { Given, Method } from "./Asked.ts"
import { codeOf, rest } from "./Doors.ts"
import { everythingAtGlobex, makeVictim, mark, stateOf } from "./Intruder.ts"

/** The routes with the same answer for everybody. */
const toEverybody = [
  "requestToken",
  "describeAuthorizationServer",
  "describeOpenIdProvider",
  "listKeys",
  "readWebhookKeys",
  "healthz",
  "readyz",
  "metrics"
]

/** Routes over the operations on SKUs; `kargo/test/skus/SkuMaster.test.ts` calls them for places of others. */
const ofKargo = ["upsertSkuMaster", "getSkuMaster", "deleteSkuMaster"]

/** The route for X12, whose partners belong to the client: `packages/edi/test/rest` has its tests. */
const byPartner = ["sendEdi"]

/** A route over the log of messages at the places of the client: `packages/epcis/test/rest` calls it for data of others. */
const ofMessages = ["queryEpcisEvents"]

/** A route for a file at a place, like documents: `packages/packing-lists/test/rest` calls it for places of others. */
const byPlace = ["sendPackingList"]

describe("the routes of the API", () => {
  // @threat tenants.2
  plainIt("are of declared operations, which have their probes, or say the same to everybody", () => {
    const routes: Array<string> = []
    HttpApi.reflect(withCapabilities(Api, withParts(capabilities, restParts)), {
      onGroup: () => {},
      onEndpoint: ({ endpoint }) => {
        if (!endpoint.path.startsWith("/v1/operator/")) routes.push(endpoint.identifier)
      }
    })
    const known = [
      ...methods.map((method): string => operations[method].name),
      ...ofKargo,
      ...toEverybody,
      ...byPartner,
      ...byPlace,
      ...ofMessages
    ]
    assert.deepStrictEqual(routes.toSorted(), known.toSorted())
  })
})

/** An id that no entity has, as long as the ids of the victim. */
const nobodys = 999_999_999

/** The content of an answer, whichever of the ids was in the request: both are cut out, because a name may contain their digits. */
const saying = ({ status, headers, text }: Reply, ...ids: ReadonlyArray<number>) => {
  const { "correlation-id": _id, date: _date, ratelimit: _limit, "content-length": _length, ...others } =
    headers
  return { status, others, text: ids.reduce((said, id) => said.replaceAll(String(id), "{id}"), text) }
}

const intruder = Effect.gen(function*() {
  const { as } = yield* makeClient(everythingAtGlobex)
  const ask = (method: Method, given: Given, headers?: Readonly<Record<string, string>>) =>
    rest(method, given, as, headers)
  const made = yield* ask("submit", order({ business: "globex", facility: "main", dockSlug: "D1" }))
  const { shipment } = made.body as { readonly shipment: { readonly id: number } }
  return { ask, own: { id: shipment.id } }
})

/** The intruder, and the victim in its initial state. */
const makeScene = Effect.gen(function*() {
  const { ask, own } = yield* intruder
  const victim = yield* makeVictim
  return { ask, own, victim, before: yield* stateOf(victim) }
})

layer(layerPostgres({ vault }), { excludeTestServices: true })(
  "tenant isolation over REST",
  (it) => {
    const scene = once(makeScene)

    for (const method of methods) {
      const { name } = operations[method]
      // @threat tenants.1
      it.effect(`${name} shows and changes nothing of another business`, () =>
        Effect.gen(function*() {
          const { ask, before, own, victim } = yield* scene
          assert.include(before.join(), mark)
          for (const [given, refusal] of probesOf(method, victim, own)) {
            const reply = yield* ask(method, given)
            const what = `${name} ${JSON.stringify(given)}: ${reply.text}`
            if (refusal === undefined) assert.isBelow(reply.status, 300, what)
            else assert.match(codeOf(reply) ?? "", new RegExp(refusal), what)
            assert.notInclude(withoutGiven(reply.text, given) + JSON.stringify(reply.headers), mark, what)
            assert.notInclude(reply.text, `"shipmentId":${victim.id}`, what)
            if (reply.status >= 400) assert.notProperty(reply.headers, "location")
          }
          assert.deepStrictEqual(yield* stateOf(victim), before)
        }))

      // @threat tenants.6
      it.effect(`${name} answers to an id of another business as to one that nobody has`, () =>
        Effect.gen(function*() {
          const { ask, own, victim } = yield* scene
          const unknown = probesOf(method, { ...victim, id: nobodys }, own)
          for (const [at, [given, refusal]] of probesOf(method, victim, own).entries()) {
            if (refusal !== "SHIPMENT_NOT_FOUND") continue
            assert.deepStrictEqual(
              saying(yield* ask(method, given), nobodys, victim.id),
              saying(yield* ask(method, unknown[at]![0]), nobodys, victim.id)
            )
          }
        }))
    }

    // @threat tenants.8
    it.effect("lists page by page hold what is one's own, and no cursor leads elsewhere", () =>
      Effect.gen(function*() {
        yield* intruder
        yield* makeVictim
        const { ask } = yield* intruder
        yield* makeVictim
        for (const method of ["shipments", "orders"] as const) {
          let next: string | null = "0"
          const seen: Array<string> = []
          while (next !== null) {
            const reply: Reply = yield* ask(method, { limit: 1, after: next })
            assert.strictEqual(reply.status, 200, reply.text)
            assert.notInclude(reply.text, "acme")
            const page = reply.body as PageView<{ readonly id: number | string }>
            seen.push(...page.items.map(({ id }) => String(id)))
            // The cursor names an entry of the page, and no hidden one.
            if (page.next !== null) assert.strictEqual(page.next, seen.at(-1))
            next = page.next
          }
          assert.isAtLeast(seen.length, 2)
        }
      }))

    // @threat tenants.7
    it.effect("an Idempotency-Key of another client answers nothing of it, and keeps nothing from it", () =>
      Effect.gen(function*() {
        const { ask } = yield* intruder
        const server = yield* TestServer
        const document = order({ facility: "west", carrier: `${mark} carrier` })
        const key = { "idempotency-key": unique("key") }
        // The intruder comes first: its refusal must not be the answer for the owner of the place.
        assert.strictEqual((yield* ask("submit", document, key)).status, 403)
        const first = yield* server.post(document, { headers: key })
        assert.strictEqual(first.status, 201, first.text)
        const other = yield* intruder
        const stolen = yield* other.ask("submit", document, key)
        assert.strictEqual(stolen.status, 403)
        assert.notProperty(stolen.headers, "idempotency-replayed")
        assert.notInclude(stolen.text, mark)
        const again = yield* server.post(document, { headers: key })
        assert.deepStrictEqual([again.status, again.text], [first.status, first.text])
      }))
  }
)

/** An answer without the texts of the request, which the intruder knows. */
const withoutGiven = (text: string, given: Given): string =>
  Object.values(given).reduce<string>((text, value) => text.replaceAll(String(value), ""), text)
