/** The commands about the SKU master. */
import { assert } from "@effect/vitest"
import { layerMemory } from "../../../../../test/support/GraphqlServer.ts"
import { unique } from "../../../../../test/support/TestServer.ts"
import { asking, commands, customer } from "../../Operating.ts"

const { json } = asking(customer)

commands(layerMemory(), (command) => {
  command("sku set, list, delete", function*() {
    const place = ["--business", "acme", "--facility", "east"]
    const id = unique("SKU")
    const set = (...more: ReadonlyArray<string>) => json("sku", "set", ...place, "--id", id, ...more)
    const facts = ["--description", "Oat drink", "--cases-per-pallet", "60"]
    const sku = yield* set(
      ...facts,
      "--alternate-ids",
      "A",
      "--alternate-ids",
      "B",
      "--metadata",
      "{\"a\":1}"
    )
    assert.deepInclude(sku, { added: 1, updated: 0 })
    const change = yield* set("--description", "Oats")
    assert.deepInclude(change.skus[0], {
      id,
      description: "Oats",
      casesPerPallet: 60,
      alternateIds: ["A", "B"],
      metadata: "{\"a\":1}"
    })
    const { items } = yield* json("sku", "list", ...place)
    assert.include(items.map((sku: { readonly id: string }) => sku.id), id)
    assert.deepStrictEqual(yield* json("sku", "delete", ...place, "--id", id), { deleted: 1 })
  })
})
