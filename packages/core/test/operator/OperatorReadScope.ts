/**
 * What who may read every business is shown of shipments and orders, whatever they are stored in (D10.3).
 */
import * as assert from "@dockline/testing/Assert"
import { aDocument, aGrant, aPrincipal } from "@dockline/testing/generators/Given"
import { aBusiness, outcome, pagesOf } from "@dockline/testing/worlds/OperatorWorld"
import { Effect } from "effect"
import { Intake } from "../../src/document/Intake.ts"
import { Shipments } from "../../src/movement/Shipments.ts"
import { Directory } from "../../src/places/Directory.ts"
import type { Part } from "./OperatorServices.ts"

/** One shipment at each of two facilities of two businesses. */
const aWorld = Effect.gen(function*() {
  const intake = yield* Intake
  const [one, two] = [yield* aBusiness, yield* aBusiness]
  const ids: Array<number> = []
  for (const business of [one, two]) {
    for (const facility of ["east", "west"]) {
      const { shipment } = yield* intake.submit(
        aDocument({ business, facility }),
        aPrincipal(aGrant(business))
      )
      ids.push(shipment.id)
    }
  }
  return { one, two, ids }
})

const idsFor = Effect.fnUntraced(function*(
  ids: ReadonlyArray<number>,
  principal: ReturnType<typeof aPrincipal>,
  place: { readonly business?: string; readonly facility?: string } = {}
) {
  const { list, listOrders, get } = yield* Shipments
  const shipments = yield* pagesOf(
    ({ limit, after }) =>
      list({ ...place, limit, after: String(Number(after) || Math.min(...ids) - 1) }, principal),
    100
  )
  const orders = yield* pagesOf(
    ({ limit, after }) => listOrders({ ...place, limit, after: Number(after) }, principal),
    100
  )
  const listed = shipments.flat().map(({ id }) => id).filter((id) => ids.includes(id))
  const ordered = orders.flat().map(({ shipmentId }) => shipmentId).filter((id) => ids.includes(id))
  assert.deepStrictEqual(ordered.toSorted(), listed.toSorted(), "orders are seen where shipments are")
  for (const id of listed) assert.strictEqual((yield* get(String(id), principal)).id, id)
  // Ids of two businesses say nothing of which is older.
  return listed.map((id) => ids.indexOf(id)).toSorted()
})

/** The cases of reading every business. */
export const readScope: Part = (test, describe) => {
  describe("D10.3 a grant for every business", () => {
    test(
      "shows all of them, or one facility of each; narrowed, that one alone",
      Effect.gen(function*() {
        const { one, two, ids } = yield* aWorld
        const all = aPrincipal(aGrant("*"))
        const east = aPrincipal(aGrant("*", ["east"]))
        const mixed = aPrincipal(aGrant("*", ["east"]), aGrant(two))
        assert.deepStrictEqual(yield* idsFor(ids, all), [0, 1, 2, 3])
        assert.deepStrictEqual(yield* idsFor(ids, east), [0, 2])
        assert.deepStrictEqual(yield* idsFor(ids, mixed), [0, 2, 3])
        assert.deepStrictEqual(yield* idsFor(ids, all, { business: one }), [0, 1])
        assert.deepStrictEqual(yield* idsFor(ids, east, { business: two }), [2])
        assert.deepStrictEqual(yield* idsFor(ids, all, { business: two, facility: "west" }), [3])
        assert.deepStrictEqual(yield* idsFor(ids, aPrincipal(aGrant("*", "*", []))), [])
      })
    )

    test(
      "covers a business that is made later, and no name that is none",
      Effect.gen(function*() {
        const { list } = yield* Shipments
        const directory = yield* Directory
        const all = aPrincipal(aGrant("*"))
        const slug = `later-${yield* aBusiness}`
        assert.strictEqual(yield* outcome(list({ business: slug }, all)), "BUSINESS_NOT_FOUND")
        yield* directory.put([{ slug, name: slug, fieldMap: [], facilities: [] }])
        assert.deepStrictEqual((yield* list({ business: slug }, all)).items, [])
        assert.strictEqual(yield* outcome(list({ business: "*" }, all)), "BUSINESS_NOT_FOUND")
      })
    )
  })
}
