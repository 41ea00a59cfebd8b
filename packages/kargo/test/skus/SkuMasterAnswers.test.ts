/** The answers in the examples of the SKU master in Kargo's form are those of the service. */
import { skus } from "@dockline/core/skus/SkuCapability"
import { it } from "vitest"
import * as Recording from "../../../../test/contracts/Recording.ts"
import { kargo } from "../../src/KargoCapability.ts"
import { kargoSkuMaster, upsert } from "../../src/skus/SkuMasterRest.ts"

it("the SKU master in Kargo's form", async () => {
  const { ask } = await Recording.open([skus, kargo], { parts: [kargoSkuMaster] })
  const at = "16:42:00"
  const place = { business: "acme", facility: "east" }
  const upsertSkuMaster = await ask({ name: "upsertSkuMaster", rest: "POST /v1/sku_master" }, {
    at,
    body: upsert
  })
  const getSkuMaster = await ask({ name: "getSkuMaster", rest: "GET /v1/sku_master" }, {
    at,
    input: { ...place, limit: 1 }
  })
  const deleteSkuMaster = await ask({ name: "deleteSkuMaster", rest: "DELETE /v1/sku_master" }, {
    at,
    input: { ...place, sku_id: "SKU-100" }
  })
  Recording.compare(new URL("../../src/skus/answers.json", import.meta.url), {
    answers: { upsertSkuMaster, getSkuMaster, deleteSkuMaster }
  })
})
