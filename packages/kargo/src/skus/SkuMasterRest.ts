/**
 * The SKU master in the form of Kargo's service as a part of REST (D17.4): `HttpAdapter` serves `/v1/sku_master` if the service has the
 * capabilities `kargo` and `skus`.
 *
 * ```ts
 * HttpAdapter.layer(config, [kargoSkuMaster])
 * ```
 */
import { securedGroup } from "@dockline/http-adapter/RestPart"
import type { RestPart } from "@dockline/http-adapter/RestPart"
import { kargo } from "../KargoCapability.ts"
import recorded from "./answers.json" with { type: "json" }
import * as SkuMaster from "./SkuMaster.ts"

/**
 * The example requests of the SKU master in the form of Kargo's service.
 */
const facts = {
  sku_id: "SKU-100",
  description: "Oat drink, 12 x 1 l",
  unit_of_measure: "CASE",
  unit_of_weight: "KG",
  alternate_sku_ids: ["04012345678901"],
  cases_per_pallet: 60,
  cases_per_layer: 12,
  layers_per_pallet: 5,
  sku_metadata: { temperature: "ambient" }
}

/** A request that adds a SKU, and changes only the description of another. */
export const upsert = {
  business: "acme",
  facility: "east",
  skus: [facts, { sku_id: "SKU-200", description: "Rye bread, sliced" }]
}

/** The SKU master in the form of Kargo's service. */
export const kargoSkuMaster: RestPart = {
  name: kargo.name,
  needs: ["skus"],
  group: securedGroup(
    "skuMaster",
    "SKU master in Kargo's form",
    "The SKU master with the paths and names of Kargo's contract, for its clients",
    SkuMaster.upsertSkuMaster,
    SkuMaster.getSkuMaster,
    SkuMaster.deleteSkuMaster
  ),
  requests: {
    upsertSkuMaster: {
      schema: "SkuMasterUpsertRequest",
      description: "The SKUs, in JSON or XML, which may be sent as text/xml too.",
      name: "upsert",
      summary: "Two SKUs",
      value: upsert
    }
  },
  answers: {
    upsertSkuMaster: { schema: "SkuMasterUpsertResult", value: recorded.answers.upsertSkuMaster },
    getSkuMaster: { schema: "SkuMasterListResult", value: recorded.answers.getSkuMaster },
    deleteSkuMaster: { schema: "SkuMasterDeleteResult", value: recorded.answers.deleteSkuMaster }
  },
  handlers: SkuMaster.make
}
