import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { layerPostgres, problemOf, refusalOf, shipmentsOf, unique } from "../../support/TestServer.ts"
import { order } from "../Sample.ts"
import { serving } from "../Serving.ts"

serving("D5.1", layerPostgres(), (test) => {
  test(
    "D13.10: a list goes by time where that is asked for, narrowed by carrier and time, page by page",
    function*(server) {
      const carrier = unique("Carrier")
      for (const day of [3, 1, 2]) {
        yield* server.submit(
          order({ orderNumber: unique("TIME"), carrier, expectedArrivalAt: `2026-11-0${day}T12:00:00Z` })
        )
      }
      const days = Effect.fnUntraced(function*(query: string) {
        const { items, next } = shipmentsOf(
          yield* server.get(`/v1/shipments?carrier=${carrier}&${query}`)
        )
        return [
          items.map(({ expectedArrivalAt }) => expectedArrivalAt.slice(9, 10)).join(""),
          next
        ] as const
      })
      assert.deepStrictEqual(yield* days(""), ["321", null])
      assert.deepStrictEqual(yield* days("order=EARLIEST"), ["123", null])
      assert.deepStrictEqual(yield* days("from=2026-11-02T00:00:00Z&to=2026-11-03T00:00:00Z"), ["2", null])
      const [first, next] = yield* days("limit=2")
      assert.match(next!, /^2026-11-02T12:00:00\.000Z_\d+$/)
      assert.deepStrictEqual([first, yield* days(`limit=2&after=${next}`)], ["32", ["1", null]])
      const csv = yield* server.get(`/v1/shipments?carrier=${carrier}&order=EARLIEST`, {
        headers: { accept: "text/csv" }
      })
      assert.deepStrictEqual(csv.text.match(/2026-11-0\d(?=T12)/g), [
        "2026-11-01",
        "2026-11-02",
        "2026-11-03"
      ])
      for (const query of ["order=ID", "after=1", "from=noon", "order=NEWEST"]) {
        const refused = yield* server.get(`/v1/shipments?carrier=${carrier}&${query}`)
        assert.deepStrictEqual(refusalOf(refused), [400, "INVALID_PARAMETER"], query)
      }
    }
  )

  for (const path of ["/v1/shipments", "/v1/orders"]) {
    for (
      const [query, field, remedy] of [
        ["limit=0", "limit", "must be a whole number from 1 to 100"],
        ["limit=101", "limit", "must be a whole number from 1 to 100"],
        ["limit=1.5", "limit", "must be a whole number from 1 to 100"],
        ["limit=abc", "limit", "must be a whole number from 1 to 100"],
        ["limit=1&limit=2", "limit", "was sent more than once; send it once"],
        ["after=-1", "after", "must be the next of a page"],
        ["after=x", "after", "must be the next of a page"],
        ["after=9007199254740993", "after", "must be the next of a page"],
        ["bussiness=acme", "bussiness", "is not a parameter of this request; did you mean business?"],
        ["__proto__=1", "__proto__", "is not a parameter of this request; check its spelling"],
        ["%0a=", "\\u000a", "is not a parameter of this request; check its spelling"],
        ["business=%00", "business", "must not contain the character NUL"],
        ["business=acme&facility=%00", "facility", "must not contain the character NUL"],
        [`business=${"x".repeat(1025)}`, "business", "must be at most 1024 characters long"]
      ] as const
    ) {
      test(`${path}?${query.slice(0, 40)} is 400 and says what it takes`, function*(server) {
        const problem = problemOf(yield* server.get(`${path}?${query}`))
        assert.strictEqual(problem.code, "INVALID_PARAMETER")
        assert.deepStrictEqual(problem.errors, [{ path: field, detail: remedy }])
      })
    }
  }

  test("an unknown id is echoed with what is invisible in it made visible", function*(server) {
    const problem = problemOf(yield* server.get("/v1/shipments/%0a4711%e2%80%8b"))
    assert.strictEqual(problem.detail, "Unknown shipment: \\u000a4711\\u200b")
  })

  test("every bad parameter is named", function*(server) {
    const problem = problemOf(
      yield* server.get("/v1/shipments?limit=x&status=y&after=z&shipmentNumber=%00")
    )
    assert.sameMembers(problem.errors?.map(({ path }) => path) ?? [], [
      "limit",
      "status",
      "after",
      "shipmentNumber"
    ])
  })
})
