/** The SKU master for clients of Kargo (D17.4). */
import { describe, expect } from "@effect/vitest"
import { dataOf, refusalOf, test } from "../KargoSetup.ts"

const place = { business_slug: "acme", facility_slug: "east" }

const upsert = `mutation ($input: UpsertSKUInput!) {
  upsertSKUs(input: $input) { numRecordsAdded numRecordsUpdated }
}`
const remove = "mutation ($input: DeleteSKUInput!) { deleteSKUs(input: $input) { numRecordsDeleted } }"
const all = `{
  businesses {
    facilities {
      SKUs { business_slug facility_slug sku_id description unit_of_measure alternate_sku_ids sku_metadata updated_at }
      SKU(id: "S-2") { sku_id }
      none: SKU(id: "S-9") { sku_id }
    }
  }
}`

describe("D17.4 SKUs of Kargo's clients", () => {
  test("are added, changed in what is given, shown, and deleted", function*() {
    const whole = {
      sku_id: "S-1",
      description: "Widget",
      unit_of_measure: "CASE",
      alternate_sku_ids: ["A-1"],
      sku_metadata: `{"color":"blue"}`
    }
    expect(yield* dataOf(upsert, { input: { ...place, SKUs: [whole, { sku_id: "S-2" }] } })).toEqual({
      upsertSKUs: { numRecordsAdded: 2, numRecordsUpdated: 0 }
    })
    expect(yield* dataOf(upsert, { input: { ...place, SKUs: [{ sku_id: "S-1", description: "Gadget" }] } }))
      .toEqual({
        upsertSKUs: { numRecordsAdded: 0, numRecordsUpdated: 1 }
      })
    expect(yield* dataOf(all, {}, "acme-east-client")).toEqual({
      businesses: [{
        facilities: [{
          SKUs: [
            { ...place, ...whole, description: "Gadget", updated_at: expect.any(String) },
            {
              ...place,
              sku_id: "S-2",
              description: null,
              unit_of_measure: null,
              alternate_sku_ids: [],
              sku_metadata: null,
              updated_at: null
            }
          ],
          SKU: { sku_id: "S-2" },
          none: null
        }]
      }]
    })
    expect(yield* dataOf(remove, { input: { ...place, SKUIDs: ["S-1", "S-9"] } })).toEqual({
      deleteSKUs: { numRecordsDeleted: 1 }
    })
  })

  test("are refused by the field of the input, and of another business", function*() {
    const twice = { ...place, SKUs: [{ sku_id: "S-1" }, { sku_id: "S-1" }] }
    expect(yield* refusalOf(upsert, { input: twice })).toEqual(["INVALID_REQUEST input.SKUs[1].sku_id"])
    const bad = { ...place, SKUs: [{ sku_id: "", sku_metadata: "{" }] }
    expect(yield* refusalOf(upsert, { input: bad })).toEqual([
      "INVALID_REQUEST input.SKUs[0].sku_id input.SKUs[0].sku_metadata"
    ])
    expect(yield* refusalOf(remove, { input: { ...place, SKUIDs: [""] } })).toEqual([
      "INVALID_REQUEST input.SKUIDs[0]"
    ])
    for (
      const [query, more] of [[upsert, { SKUs: [{ sku_id: "S-1" }] }], [remove, {
        SKUIDs: ["S-1"]
      }]] as const
    ) {
      expect(yield* refusalOf(query, { input: { ...place, ...more } }, "globex-client")).toEqual([
        expect.stringContaining("FORBIDDEN")
      ])
    }
  })
})
