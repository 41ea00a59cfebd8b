/** The answers of the examples of the SKU master are those of the service, and so is what it says of items. */
import { it } from "vitest"
import * as Recording from "../../../../test/contracts/Recording.ts"
import { operations } from "../../src/operations/Operations.ts"
import { skus } from "../../src/skus/SkuCapability.ts"
import { requests } from "../../src/skus/SkuOperations.ts"

it("operations of the SKU master, and items", async () => {
  const recorder = await Recording.open([skus])
  const { ask, entriesOf } = recorder
  const freight = Recording.freight(recorder)
  await freight.expect()
  const { deleteSkus, setSkus, skus: listSkus } = skus.operations
  const at = "10:05:00"
  const set = await ask(setSkus, { at: "09:12:00", body: requests.setSkus.set.value })
  const items = await entriesOf(operations.items, { at, input: { id: freight.id } })
  Recording.compare(new URL("../../src/skus/answers.json", import.meta.url), {
    answers: {
      setSkus: set,
      skus: await entriesOf(listSkus, { at, input: { business: "acme", facility: "east" } }),
      deleteSkus: await ask(deleteSkus, { at, body: requests.deleteSkus.delete.value })
    },
    views: { items: Recording.pick(items, Object.keys(skus.extensions!.items.fields)) }
  })
})
