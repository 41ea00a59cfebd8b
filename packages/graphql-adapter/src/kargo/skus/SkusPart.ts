/** The SKU master as a part of Kargo's schema (D17.4). */
import { deleteSkus, setSkus } from "@dockline/core/skus/SkuOperations"
import type { DeleteSkusAnswer, SetSkusAnswer } from "@dockline/core/skus/SkuOperations"
import { Skus } from "@dockline/core/skus/Skus"
import { Context, Effect, Result } from "effect"
import type { KargoPart } from "../KargoPart.ts"
import type { PlaceSource } from "../OrderShown.ts"
import * as KargoSkus from "./KargoSkus.ts"
import type { SkusGiven, SkusGone } from "./KargoSkus.ts"
import { skusSdl } from "./SkusSdl.ts"

/** The SKU master. */
export const skus: KargoPart = {
  name: "skus",
  sdl: skusSdl,
  resolvers: ({ entity, list, lists, registry }, declared) => {
    // The part is of the capability, whose services the registry has.
    const master = () => Context.getUnsafe(registry.services, Skus)
    return {
      Facility: {
        SKUs: list(({ business, slug: facility }: PlaceSource, _args: unknown, context) => {
          const page = (after: string) =>
            master().list({ business, facility, after }, context.session.principal)
          return Effect.map(lists.all(page, context), (found) => found.map(KargoSkus.skuOf))
        }),
        SKU: entity(({ business, slug: facility }: PlaceSource, { id }: { readonly id: string }, context) =>
          Effect.map(
            master().slice({ business, facility }, { id, offset: 0, limit: 1 }, context.session.principal),
            ({ skus: [found] }) => found === undefined ? null : KargoSkus.skuOf(found)
          )
        )
      },
      Mutation: {
        upsertSKUs: declared(
          "setSkus",
          (given: SkusGiven) => Result.mapError(setSkus.read(KargoSkus.setOf(given)), KargoSkus.ofSkus),
          ({ added, updated }: SetSkusAnswer) => ({ numRecordsAdded: added, numRecordsUpdated: updated })
        ),
        deleteSKUs: declared(
          "deleteSkus",
          (given: SkusGone) =>
            Result.mapError(deleteSkus.read(KargoSkus.deletionOf(given)), KargoSkus.ofSkus),
          ({ deleted }: DeleteSkusAnswer) => ({ numRecordsDeleted: deleted })
        )
      }
    }
  }
}
