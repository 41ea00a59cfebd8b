/**
 * The SKU master in the form of Kargo's service as a part of REST (D17.4): `HttpAdapter` serves `/v1/sku_master` where the service has the
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
import * as SkuMasterApi from "./SkuMasterApi.ts"
import * as SkuMasterExamples from "./SkuMasterExamples.ts"

/** The SKU master in the form of Kargo's service. */
export const kargoSkuMaster: RestPart = {
  name: kargo.name,
  needs: ["skus"],
  group: securedGroup(
    "skuMaster",
    "SKU master in Kargo's form",
    "The SKU master with the paths and names of Kargo's contract, for its clients",
    SkuMasterApi.upsertSkuMaster,
    SkuMasterApi.getSkuMaster,
    SkuMasterApi.deleteSkuMaster
  ),
  requests: {
    upsertSkuMaster: {
      schema: "SkuMasterUpsertRequest",
      description: "The SKUs, in JSON or XML, which may be sent as text/xml too.",
      name: "upsert",
      summary: "Two SKUs",
      value: SkuMasterExamples.upsert
    }
  },
  answers: {
    upsertSkuMaster: { schema: "SkuMasterUpsertResult", value: recorded.answers.upsertSkuMaster },
    getSkuMaster: { schema: "SkuMasterListResult", value: recorded.answers.getSkuMaster },
    deleteSkuMaster: { schema: "SkuMasterDeleteResult", value: recorded.answers.deleteSkuMaster }
  },
  handlers: SkuMaster.make
}
