/** The SKU master as a part of Kargo's schema (D17.4). */
import { deleteSkus, setSkus } from "@dockline/core/skus/SkuOperations"
import type { DeleteSkusAnswer, SetSkusAnswer } from "@dockline/core/skus/SkuOperations"
import { Skus } from "@dockline/core/skus/Skus"
import { Context, Effect, Result } from "effect"
import type { PlaceSource } from "../schema/OrderAnswers.ts"
import type { SchemaPart } from "../schema/SchemaPart.ts"
import { skusSdl } from "./SkusSdl.ts"
import * as SkuWords from "./SkuWords.ts"
import type { SkusGiven, SkusGone } from "./SkuWords.ts"

/** The SKU master. */
export const skus: SchemaPart = {
  name: "skus",
  sdl: skusSdl,
  resolvers: ({ entity, list, lists, registry }, mutationOf) => {
    // The part is of the capability, whose services the registry has.
    const master = () => Context.getUnsafe(registry.services, Skus)
    return {
      Facility: {
        SKUs: list(({ business, slug: facility }: PlaceSource, _args: unknown, context) => {
          const page = (after: string) =>
            master().list({ business, facility, after }, context.session.principal)
          return Effect.map(lists.all(page, context), (rows) => rows.map(SkuWords.skuOf))
        }),
        SKU: entity(({ business, slug: facility }: PlaceSource, { id }: { readonly id: string }, context) =>
          Effect.map(
            master().slice({ business, facility }, { id, offset: 0, limit: 1 }, context.session.principal),
            ({ skus: [sku] }) => sku === undefined ? null : SkuWords.skuOf(sku)
          )
        )
      },
      Mutation: {
        upsertSKUs: mutationOf(
          "setSkus",
          (input: SkusGiven) => Result.mapError(setSkus.read(SkuWords.setOf(input)), SkuWords.ofSkus),
          ({ added, updated }: SetSkusAnswer) => ({ numRecordsAdded: added, numRecordsUpdated: updated })
        ),
        deleteSKUs: mutationOf(
          "deleteSkus",
          (input: SkusGone) => Result.mapError(deleteSkus.read(SkuWords.deletionOf(input)), SkuWords.ofSkus),
          ({ deleted }: DeleteSkusAnswer) => ({ numRecordsDeleted: deleted })
        )
      }
    }
  }
}
