/** D17.4: the SKU master in the form of Kargo's service; the requests are those in Kargo's contract. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { faultsOf } from "../../../../test/http/operator/Operator.ts"
import { asXml } from "../../../../test/http/Sample.ts"
import { serving } from "../../../../test/http/Serving.ts"
import type { Reply } from "../../../../test/http/Wire.ts"
import { layerMemory, refusalOf, TestServer, unique } from "../../../../test/support/TestServer.ts"

const path = "/v1/sku_master"

const place = { business: "acme", facility: "east" }

const at = (query: Readonly<Record<string, string>>) =>
  `${path}?${new URLSearchParams({ ...place, ...query })}`

/** Posts SKUs, and reads the stored ones. */
const client = Effect.map(TestServer, (server) => ({
  upsert: (body: unknown, headers: Readonly<Record<string, string>> = {}) =>
    server.request("POST", path, {
      body: typeof body === "string" ? body : JSON.stringify(body),
      headers: { "content-type": "application/json", ...headers }
    }),
  get: (query: Readonly<Record<string, string>>) => server.get(at(query)),
  server
}))

/** The SKUs of a reply. */
const skusOf = ({ body }: Reply) =>
  (body as { readonly skus: ReadonlyArray<Readonly<Record<string, unknown>>> }).skus

/** The status and the code of a refusal, and the paths of its faults. */
const refusedAt = (reply: Reply) => [...refusalOf(reply), ...Object.keys(faultsOf(reply))]

const whole = (id: string) => ({
  sku_id: id,
  description: "Test SKU 001",
  unit_of_measure: "CASE",
  unit_of_weight: "LB",
  alternate_sku_ids: ["ALT-001", "UPC-001"],
  cases_per_pallet: 55,
  cases_per_layer: 7,
  layers_per_pallet: 10,
  sku_metadata: { source: "local-test", category: "snack", more: [1, null, { a: true }] }
})

const few = (id: string) => ({
  sku_id: id,
  description: "Test SKU 002",
  unit_of_measure: "EACH",
  cases_per_pallet: 43,
  cases_per_layer: 6,
  layers_per_pallet: 8
})

const page = (total: number, limit: number | null, offset: number | null, next_offset: number | null) => ({
  total,
  limit,
  offset,
  next_offset
})

const none = { unit_of_weight: null, alternate_sku_ids: null, sku_metadata: null }

serving("/v1/sku_master", layerMemory(), (test) => {
  test("D17.4 adds SKUs, and changes the given fields of existing SKUs", function*() {
    const { get, upsert } = yield* client
    const [one, two] = [unique("SKU"), unique("SKU")]
    const reply = yield* upsert({ ...place, skus: [whole(one), few(two)] })
    assert.strictEqual(reply.status, 200)
    const times = { created_at: skusOf(reply)[0]!["created_at"], updated_at: null }
    assert.deepStrictEqual<unknown>(reply.body, {
      numRecordsAdded: 2,
      numRecordsUpdated: 0,
      skus: [{ ...place, ...whole(one), ...times }, { ...place, ...few(two), ...none, ...times }]
    })
    const description = "Updated SKU description"
    const update = yield* upsert({ ...place, skus: [{ sku_id: one, description }] })
    const updated_at = skusOf(update)[0]!["updated_at"]
    assert.isString(updated_at)
    const after = { ...place, ...whole(one), ...times, description, updated_at }
    assert.deepStrictEqual<unknown>(update.body, {
      numRecordsAdded: 0,
      numRecordsUpdated: 1,
      skus: [after]
    })
    assert.deepStrictEqual<unknown>((yield* get({ sku_id: one })).body, {
      skus: [after],
      ...page(1, null, null, null)
    })
  })

  test("D17.4 takes XML as Kargo's contract shows it, and answers in XML where that is asked for", function*() {
    const { get, server, upsert } = yield* client
    const [one, two] = [unique("SKU"), unique("SKU")]
    const body = `<SkuMasterUpsertRequest>
  <business>acme</business>
  <facility>east</facility>
  <skus>
    <sku_id>${one}</sku_id>
    <description>Test SKU 001</description>
    <unit_of_measure>CASE</unit_of_measure>
    <alternate_sku_ids>ALT-001</alternate_sku_ids>
    <alternate_sku_ids>UPC-001</alternate_sku_ids>
    <cases_per_pallet>55</cases_per_pallet>
    <sku_metadata>
      <source>local-test</source>
      <tag>a</tag>
      <tag>b</tag>
      <__proto__><x>1</x></__proto__>
    </sku_metadata>
  </skus>
  <skus>
    <sku_id>${two}</sku_id>
    <sku_metadata>text</sku_metadata>
  </skus>
</SkuMasterUpsertRequest>`
    for (const type of ["application/xml", "text/xml"]) {
      const { status } = yield* upsert(body, { "content-type": type })
      assert.strictEqual(status, 200)
    }
    const [first] = skusOf(yield* get({ sku_id: one }))
    assert.deepStrictEqual(first!["alternate_sku_ids"], ["ALT-001", "UPC-001"])
    assert.strictEqual(
      JSON.stringify(first!["sku_metadata"]),
      "{\"source\":\"local-test\",\"tag\":[\"a\",\"b\"],\"__proto__\":{\"x\":\"1\"}}"
    )
    const [second] = skusOf(yield* get({ sku_id: two }))
    assert.strictEqual(second!["sku_metadata"], "text")
    const xml = yield* server.get(at({ sku_id: two }), { headers: { accept: "application/xml" } })
    assert.include(
      xml.text,
      `<SkuMasterListResult><skus><business>acme</business><facility>east</facility><sku_id>${two}</sku_id>`
    )
    const bad = "<a><skus><sku_id>1</sku_id><cases_per_pallet>x</cases_per_pallet></skus></a>"
    assert.deepStrictEqual(refusedAt(yield* upsert(bad, asXml)), [
      400,
      "MALFORMED_REQUEST",
      "skus[0].cases_per_pallet"
    ])
  })

  test("D17.4 reads pages of at most 100, by limit and offset", function*() {
    const { get, server, upsert } = yield* client
    const prefix = unique("PAGE")
    const west = { business: "acme", facility: "west" }
    const ids = Array.from({ length: 120 }, (_, n) => `${prefix}-${String(n).padStart(3, "0")}`)
    yield* upsert({ ...west, skus: ids.map((sku_id) => ({ sku_id })) })
    const pages = [
      [{ limit: "500" }, ids.slice(0, 100), page(120, 100, 0, 100)],
      [{ limit: "50", offset: "100" }, ids.slice(100), page(120, 50, 100, null)],
      [{}, ids, page(120, null, null, null)]
    ] as const
    for (const [query, expected, rest] of pages) {
      const reply = yield* get({ ...west, ...query })
      assert.deepStrictEqual(skusOf(reply).map(({ sku_id }) => sku_id), expected)
      assert.deepInclude(reply.body, rest)
    }
    const csv = yield* server.get("/v1/skus?business=acme&facility=west", {
      headers: { accept: "text/csv" }
    })
    assert.strictEqual(csv.text.split("\r\n").filter((line) => line.startsWith(prefix)).length, 120)
    for (const query of [{ limit: "0" }, { limit: "x" }, { limit: "5", offset: "-1" }, { sku_id: "\0" }]) {
      assert.strictEqual((yield* get(query)).status, 422, JSON.stringify(query))
    }
    assert.strictEqual((yield* server.get(path)).status, 422)
    assert.strictEqual((yield* server.get(at({ page: "1" }))).status, 400)
  })

  test("D17.4 deletes a SKU; one that is not there is no error", function*() {
    const { get, server, upsert } = yield* client
    const id = unique("GONE")
    yield* upsert({ ...place, skus: [{ sku_id: id }] })
    for (const numRecordsDeleted of [1, 0]) {
      const { status, text } = yield* server.request("DELETE", at({ sku_id: id }))
      assert.deepStrictEqual([status, JSON.parse(text)], [200, { numRecordsDeleted }])
    }
    assert.deepStrictEqual<unknown>(skusOf(yield* get({ sku_id: id })), [])
    assert.strictEqual((yield* server.request("DELETE", at({}))).status, 422)
  })

  test("D17.4 refuses as Kargo's service does, and changes nothing", function*() {
    const { get, server, upsert } = yield* client
    const id = unique("TWICE")
    const cases: ReadonlyArray<readonly [unknown, ReadonlyArray<unknown>]> = [
      [{ ...place, skus: [{ sku_id: id }, { sku_id: id }] }, [422, "INVALID_REQUEST", "skus[1].sku_id"]],
      [{ skus: [{}] }, [422, "INVALID_REQUEST", "skus[0].sku_id", "business", "facility"]],
      [{ ...place, skus: [{ sku_id: 5 }] }, [400, "MALFORMED_REQUEST", "skus[0].sku_id"]],
      [{ ...place, skus: [{ sku_id: id, colour: "" }] }, [400, "MALFORMED_REQUEST", "skus[0].colour"]],
      [{ ...place, skus: [{ sku_id: id, sku_metadata: "x".repeat(5000) }] }, [
        422,
        "INVALID_REQUEST",
        "skus[0].sku_metadata"
      ]],
      ["{", [400, "MALFORMED_REQUEST", ""]],
      [{ ...place, facility: "none", skus: [{ sku_id: id }] }, [404, "FACILITY_NOT_FOUND"]],
      [{ business: "globex", facility: "main", skus: [{ sku_id: id }] }, [403, "FORBIDDEN"]]
    ]
    for (const [body, expected] of cases) {
      assert.deepStrictEqual<unknown>(refusedAt(yield* upsert(body)), expected)
    }
    assert.strictEqual((yield* upsert("{}", { "content-type": "text/plain" })).status, 415)
    assert.strictEqual((yield* server.get(`${path}?business=globex&facility=main`)).status, 403)
    const foreign = yield* server.request("DELETE", `${path}?business=globex&facility=main&sku_id=a`)
    assert.strictEqual(foreign.status, 403)
    assert.deepStrictEqual<unknown>(skusOf(yield* get({ sku_id: id })), [])
  })

  test("D17.4 reads on no body that has more SKUs than a change may have", function*() {
    const { server, upsert } = yield* client
    const prefix = unique("MANY")
    const ids = Array.from({ length: 1001 }, (_, n) => `${prefix}-${n}-${"x".repeat(80)}`)
    const xmlOf = (ids: ReadonlyArray<string>) =>
      ids.map((id) => `<skus><sku_id>${id}</sku_id><sku_metadata><a>1</a><a>2</a></sku_metadata></skus>`)
        .join("")
    const most = xmlOf(ids.slice(0, 1000))
    const reply = yield* upsert(`<a><business>acme</business><facility>west</facility>${most}</a>`, asXml)
    assert.deepInclude(reply.body, { numRecordsAdded: 1000 })
    // The text after the SKUs would break the body for a reader that continues.
    const rest = " ".repeat(100_000)
    const json = (list: string, entries: ReadonlyArray<unknown>) =>
      `{"${list}":${JSON.stringify(entries)}${rest}]`
    const post = (path: string, body: string) =>
      server.request("POST", path, { body, headers: { "content-type": "application/json" } })
    const replies = [
      yield* upsert(`<a>${xmlOf(ids)}${rest}</b>`, asXml),
      yield* post(path, json("skus", ids.map((sku_id) => ({ sku_id, sku_metadata: { a: [1] } })))),
      yield* post("/v1/skus", json("skus", ids.map((id) => ({ id })))),
      yield* post("/v1/skus/delete", json("ids", ids))
    ]
    assert.deepStrictEqual(
      replies.map((reply) => [reply.status, ...Object.keys(faultsOf(reply))]),
      [[422, "skus"], [422, "skus"], [422, "skus"], [422, "ids"]]
    )
  })
})

serving("/v1/sku_master of much text", layerMemory(), (test) => {
  test("D5.1 without limit it refuses more text than an answer holds; pages show it", function*() {
    const { get, upsert } = yield* client
    const ids = Array.from({ length: 600 }, (_, n) => `S${String(n).padStart(3, "0")}`)
    const unit = "y".repeat(1000)
    const facts = {
      description: unit,
      unit_of_measure: unit,
      unit_of_weight: unit,
      sku_metadata: "x".repeat(4000)
    }
    for (const part of [ids.slice(0, 300), ids.slice(300)]) {
      const skus = part.map((sku_id) => ({ sku_id, ...facts }))
      assert.strictEqual((yield* upsert({ ...place, skus })).status, 200)
    }
    const reply = yield* get({})
    assert.strictEqual(reply.status, 422)
    assert.deepStrictEqual(faultsOf(reply), {
      limit:
        "is required: the 600 SKUs of the facility have more text than the 4194304 characters of one answer"
    })
    const last = yield* get({ limit: "100", offset: "550" })
    assert.lengthOf(skusOf(last), 50)
    assert.deepInclude(last.body, { next_offset: null })
  })
})
