/**
 * How stores of capabilities read and change rows that belong to shipments (ADR 31).
 *
 * Guarantee: a change is one transaction, repeated after a conflict. Its answer is kept under the key of its request, and followers are
 * notified of its messages after the commit. A read claims its connection from the share of its client.
 *
 * ```ts
 * const stores = Layer.effect(
 *   PhotoStore,
 *   Effect.map(shipmentRows, ({ call, change, drafts, run }) =>
 *     PhotoStore.of({
 *       add: (shipmentId, decide, keep) =>
 *         change(shipmentId, keep, (business) =>
 *           Effect.gen(function*() {
 *             const loaded = yield* call(LoadBody)`dockline.photo_load(${business}, ${shipmentId})`
 *             const { message, photo } = yield* Effect.fromResult(decide(loaded))
 *             const messages = yield* drafts([message], loaded.facilityId)
 *             yield* run`dockline.photo_add(${business}, ${shipmentId}, ${JSON.stringify(photo)}, ${messages})`
 *             return photo
 *           }))
 *     }))
 * )
 * ```
 */
import type { ReadScope } from "@dockline/core/access/Access"
import type { Keep } from "@dockline/core/access/Idempotency"
import type { MessageDraft } from "@dockline/core/messages/Message"
import type { StorageUnavailable } from "@dockline/core/values/Errors"
import type { ShipmentId } from "@dockline/core/values/Id"
import * as TraceContext from "@dockline/core/values/TraceContext"
import { Effect } from "effect"
import type { SqlClient, SqlError, Statement } from "effect/sql"
import { announcing } from "../connections/Announcer.ts"
import type { Announcer } from "../connections/Announcer.ts"
import type { Calls } from "../connections/Statements.ts"
import { measured } from "../connections/StorageMetrics.ts"
import { operations } from "../connections/StoreOperations.ts"
import { ownersOfShipments, readsOf, turnOfShipment } from "../rows/BusinessRows.ts"
import { draftRows } from "../rows/MessageRows.ts"
import * as KeptAnswers from "./KeptAnswers.ts"

/** Reads and changes rows of shipments. */
export interface ShipmentRows extends Pick<Calls, "call" | "run"> {
  /** Reads rows of a shipment for a reader with these scopes. `business` is null if the shipment does not exist. */
  readonly read: <A>(
    shipmentId: ShipmentId,
    reader: ReadonlyArray<ReadScope>,
    work: (business: Statement.Fragment) => Effect.Effect<A, SqlError.SqlError>
  ) => Effect.Effect<A, StorageUnavailable>
  /** Changes rows of a shipment in a transaction. `work` may run again after a conflict. `business` is as in `read`. */
  readonly change: <A, E = never, F = never>(
    shipmentId: ShipmentId,
    keep: Keep<A, F> | undefined,
    work: (business: Statement.Fragment) => Effect.Effect<A, E | SqlError.SqlError>
  ) => Effect.Effect<A, Exclude<E | F, SqlError.SqlError> | StorageUnavailable>
  /** The messages of a facility in a change, in the form that `dockline.message_append(p_business, p_drafts, p_now)` accepts. */
  readonly drafts: (
    messages: ReadonlyArray<MessageDraft>,
    facilityId: number
  ) => Effect.Effect<string>
}

/** Rows of shipments in the database of the `SqlClient`. */
export const shipmentRows: Effect.Effect<ShipmentRows, never, SqlClient.SqlClient | Announcer> = Effect.map(
  Effect.all([operations, announcing, ownersOfShipments]),
  ([means, announce, ownerOf]): ShipmentRows => {
    const { call, loan, operation, run } = means
    const answers = KeptAnswers.make(means)
    return {
      call,
      run,
      read: (shipmentId, reader, work) =>
        measured("read_shipments")(operation(Effect.flatMap(
          ownerOf(shipmentId),
          ({ business, id }) => loan({ ...readsOf(reader), business })(work(id))
        ))),
      change: (shipmentId, keep, work) =>
        operation(Effect.flatMap(
          ownerOf(shipmentId),
          ({ business, id }) => answers.alone({ turn: turnOfShipment(shipmentId), business }, keep, work(id))
        )),
      drafts: Effect.fnUntraced(function*(messages, facilityId) {
        for (const business of new Set(messages.map(({ business }) => business))) yield* announce(business)
        return draftRows(messages, facilityId, yield* TraceContext.current)
      })
    }
  }
)
