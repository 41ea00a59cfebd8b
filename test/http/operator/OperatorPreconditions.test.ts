/** D11: entities that operators read have versions, and a change with `If-Match` is refused once somebody else has changed the entity. */
import { assert } from "@effect/vitest"
import { layerMemory, unique } from "../../support/TestServer.ts"
import { serving } from "../Serving.ts"
import { bodyOf, endpointOf, get, makeClient, makeEndpoint, operate, operatorOf, vault } from "./Operator.ts"

serving("D11 changes that expect a version", layerMemory({ vault }), (test) => {
  test("are made as long as nobody has changed it since, by its ETag", function*() {
    const business = unique("biz")
    bodyOf(yield* operate("POST", "businesses", { slug: business, name: "A" }), 201)
    bodyOf(yield* operate("POST", `businesses/${business}/facilities`, { slug: "main", name: "Main" }), 201)
    const side = { qualifier: "ZZ", id: "THEM", group: "THEM" }
    const partner = {
      slug: "supplier",
      name: "A",
      facility: "main",
      theirs: side,
      ours: { ...side, id: "US" },
      takes: ["856"],
      tells: []
    }
    bodyOf(yield* operate("POST", `businesses/${business}/edi-partners`, partner), 201)
    const grants = [operatorOf(business)]
    const { id: client } = yield* makeClient(...grants)
    const { id: endpoint } = yield* makeEndpoint(business)
    const { id: person } = bodyOf<{ readonly id: string }>(
      yield* operate("POST", "people", { name: "A", subject: unique("sub"), grants }),
      201
    )
    const field = (name: string) => [{ name, label: "lpn", list: false }]
    const cases = [
      [`clients/${client}`, "PATCH", { name: "B" }, { name: "C" }],
      [`people/${person}`, "PATCH", { name: "B" }, { name: "C" }],
      [`webhook-endpoints/${endpoint}`, "PATCH", { ratePerSecond: 1 }, { ratePerSecond: 2 }],
      [`businesses/${business}/edi-partners/supplier`, "PATCH", { takes: ["940"] }, { takes: ["856"] }],
      [`businesses/${business}/field-map`, "PUT", field("B"), field("C")]
    ] as const
    for (const [path, method, mine, theirs] of cases) {
      const expecting = (tag: string, body: unknown) =>
        operate(method, path, body, { headers: { "if-match": tag } })
      const { etag: first = "" } = (yield* get(path)).headers
      assert.match(first, /^"[\da-f]{32}"$/, path)
      const changed = yield* expecting(first, mine)
      bodyOf(changed, 200)
      const { etag: second = "" } = (yield* get(path)).headers
      assert.strictEqual(changed.headers["etag"], second, path)
      assert.notStrictEqual(second, first, path)
      for (const tag of [first, "\"*\""]) {
        const refused = yield* expecting(tag, theirs)
        assert.strictEqual(bodyOf<{ readonly code: string }>(refused, 412).code, "PRECONDITION_FAILED")
        assert.strictEqual((yield* get(path)).headers["etag"], second)
      }
      bodyOf(yield* expecting(`${first}, ${second}`, theirs), 200)
      bodyOf(yield* expecting("*", mine), 200)
      assert.strictEqual((yield* get(path)).headers["etag"], second, path)
    }
    const made = [
      ["clients", { name: "A", grants }],
      ["people", { name: "A", subject: unique("sub"), grants }],
      ["webhook-endpoints", endpointOf(business)],
      [`businesses/${business}/edi-partners`, {
        ...partner,
        slug: "other",
        theirs: { ...side, id: "OTHERS" }
      }]
    ] as const
    for (const [path, body] of made) {
      const { headers } = yield* operate("POST", path, body)
      const read = yield* get(headers["location"]!.replace("/v1/operator/", ""))
      assert.match(headers["etag"] ?? "", /^"[\da-f]{32}"$/, path)
      assert.strictEqual(headers["etag"], read.headers["etag"], path)
    }
    const untaken = yield* operate("PATCH", `businesses/${business}`, { name: "B" }, {
      headers: { "if-match": "*" }
    })
    assert.strictEqual(bodyOf<{ readonly code: string }>(untaken, 400).code, "MALFORMED_REQUEST")
  })
})
