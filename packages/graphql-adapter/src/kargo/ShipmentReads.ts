/**
 * What is read of docks and shipments when it is shown: what is at a dock, and the pallets of a shipment (D17.1).
 */
import type { PalletView } from "@dockline/core/PalletView"
import type { ShipmentView } from "@dockline/core/View"
import { Effect } from "effect"
import type { Lists } from "./KargoLists.ts"
import type { ReadFields } from "./ReadFields.ts"
import { cargoOf, loadingOf, shipmentOf } from "./ShipmentShown.ts"
import type { DockSource, ShipmentSource } from "./ShipmentShown.ts"

export const makeShipmentReads = (lists: Lists, { entity, list }: ReadFields) => {
  /** A field of a shipment that its pallets tell. */
  const ofPallets = <Args, A>(
    show: (shipment: ShipmentView, pallets: ReadonlyArray<PalletView>, args: Args) => A
  ) =>
    entity(({ view }: ShipmentSource, args: Args, context) =>
      Effect.map(lists.pallets(view, context), (pallets) => show(view, pallets, args))
    )

  return {
    Dock: {
      currentShipment: entity(({ business, facility, slug }: DockSource, _args: unknown, context) =>
        Effect.map(lists.arrived(business, facility, context), (found) => {
          const there = found.findLast(({ dockSlug }) => dockSlug === slug)
          return there === undefined ? null : shipmentOf(there)
        })
      )
    },
    Shipment: {
      cargo: list(({ view }: ShipmentSource, _args: unknown, context) =>
        Effect.map(lists.pallets(view, context), (pallets) => [cargoOf(view, pallets)])
      ),
      item: ofPallets((shipment, pallets, { partID }: { readonly partID: string }) =>
        cargoOf(shipment, pallets).items.find((item) => item.partID === partID) ?? null
      ),
      loadingStartAt: ofPallets((_shipment, pallets) => loadingOf(pallets).start),
      loadingEndAt: ofPallets((_shipment, pallets) => loadingOf(pallets).end)
    }
  }
}
