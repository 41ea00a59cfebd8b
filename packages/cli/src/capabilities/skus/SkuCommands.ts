/**
 * `dockline sku`: the SKU master of facilities.
 */
import { skuSchema } from "@dockline/core/skus/Sku"
import { deleteSkus, listSkus, setSkus } from "@dockline/core/skus/SkuOperations"
import { Effect } from "effect"
import { noun } from "../../Arguments.ts"
import type { CapabilityPart } from "../../CapabilityPart.ts"
import * as DerivedCommand from "../../commands/DerivedCommand.ts"
import { commandOf, listCommand } from "../../commands/DerivedCommand.ts"

const command = noun("sku", "The SKU master: data about goods", [
  listCommand("list", listSkus, {
    columns: ["id", "description", "unitOfMeasure", "casesPerPallet", "alternateIds", "updatedAt"],
    examples: [
      "dockline sku list --business acme --facility east",
      "dockline sku list --business acme --facility east --csv"
    ]
  }),
  commandOf("set", setSkus, {
    description: "Add a SKU, or change the given fields of an existing one.",
    fields: ["business", "facility"],
    more: DerivedCommand.flagsOf(skuSchema.fields, {}),
    body: (body, more) => Effect.succeed({ ...body, skus: [DerivedCommand.presentValues(more)] }),
    examples: [
      "dockline sku set --business acme --facility east --id SKU-100 --description \"Oat drink, 12 x 1 l\" --cases-per-pallet 60"
    ]
  }),
  commandOf("delete", deleteSkus, {
    flags: { ids: "id" },
    examples: ["dockline sku delete --business acme --facility east --id SKU-100 --id SKU-200"]
  })
])

/** The capability's part for the command line. */
export const skus = { title: "an SKU master", commands: [command] } as const satisfies CapabilityPart
