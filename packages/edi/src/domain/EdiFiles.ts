/**
 * Reads the exchanged files, and the interchanges to be sent, for clients (D18.3).
 *
 * Guarantee: a client sees only files of facilities that it may see, and texts of interchanges to be sent only if it may read messages.
 */
import { allows, readScopes } from "@dockline/core/access/Access"
import type { AuthorizedCall } from "@dockline/core/access/Access"
import type * as Operation from "@dockline/core/access/Operation"
import * as Authorize from "@dockline/core/places/Authorize"
import { checkPlace, filledOrUndefined, pageRequest, placeOf, visible } from "@dockline/core/places/ListQuery"
import { Directory } from "@dockline/core/places/Place"
import type { ReadFailure } from "@dockline/core/shipment/ShipmentStore"
import { InvalidParameter } from "@dockline/core/values/Errors"
import { idOf, mapPage, newestPage } from "@dockline/core/values/Page"
import { Context, Effect, Layer } from "effect"
import { EdiFileNotFound } from "./EdiErrors.ts"
import { ediFileEntryView, ediFileView, ediOutgoingView } from "./EdiFile.ts"
import type { EdiFileView } from "./EdiFile.ts"
import type { listEdiFiles, readEdiOutbox } from "./EdiOperations.ts"
import { EdiStore } from "./EdiStore.ts"

/** The faults of filters that cannot be combined with a shipment, because no index supports them. */
const filtersBesideShipment = (query: Operation.Query<typeof listEdiFiles>) =>
  (["partner", "direction", "outcome"] as const)
    .filter((path) => filledOrUndefined(query[path]) !== undefined)
    .map((path) => ({ path, detail: "must be left out with shipmentId" }))

/** An id that no shipment has. */
const noShipment = 0

/** Reads the record for clients. */
export class EdiFiles extends Context.Service<EdiFiles, {
  /** The files exchanged at places that the client may see, newest first. */
  readonly list: Operation.Handler<typeof listEdiFiles>
  /** The file with an id; a file that the client may not see counts as missing. */
  readonly get: AuthorizedCall<[id: string], EdiFileView, EdiFileNotFound | ReadFailure>
  /** The interchanges to be sent, in the order of their ids. */
  readonly outbox: Operation.Handler<typeof readEdiOutbox>
}>()("@dockline/edi/domain/EdiFiles") {
  /** Reads the record of the store. */
  static readonly layer: Layer.Layer<EdiFiles, never, EdiStore | Directory> = Layer.effect(
    EdiFiles,
    Effect.gen(function*() {
      const store = yield* EdiStore
      const directory = yield* Directory
      return EdiFiles.of({
        list: Effect.fn("EdiFiles.list")(function*(query, principal) {
          const place = placeOf(query)
          yield* checkPlace(directory, principal, place)
          const shipmentId = filledOrUndefined(query.shipmentId)
          const errors = shipmentId === undefined ? [] : filtersBesideShipment(query)
          if (errors.length > 0) return yield* new InvalidParameter({ errors })
          const filter = {
            ...place,
            partner: filledOrUndefined(query.partner),
            direction: filledOrUndefined(query.direction),
            outcome: filledOrUndefined(query.outcome),
            shipmentId: shipmentId === undefined ? undefined : idOf(shipmentId) ?? noShipment
          }
          const page = yield* store.files(
            readScopes(principal),
            filter,
            yield* Effect.fromResult(newestPage(query))
          )
          return mapPage(page, ediFileEntryView)
        }),
        get: Effect.fn("EdiFiles.get")(function*(id, principal) {
          const missing = (id: string) => new EdiFileNotFound({ id })
          const file = yield* visible(id, principal, store.file, missing)
          const { business, facility } = file.location
          const isShown = file.direction === "IN" ||
            allows(principal, "messages:read", business.slug, facility.slug)
          return ediFileView(isShown ? file : { ...file, text: "" })
        }),
        outbox: Effect.fn("EdiFiles.outbox")(function*(query, principal) {
          const filter = {
            business: query.business,
            facility: filledOrUndefined(query.facility),
            partner: filledOrUndefined(query.partner)
          }
          yield* Authorize.place(directory, principal, "messages:read", filter)
          return mapPage(yield* store.outbox(filter, pageRequest(query)), ediOutgoingView)
        })
      })
    })
  )
}
