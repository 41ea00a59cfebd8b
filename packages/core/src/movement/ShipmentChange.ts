/**
 * The common parts of changes of shipments, including changes by capabilities: permission, metrics, and the refusal for a missing shipment.
 */
import { Effect, Result } from "effect"
import type { Metric } from "effect"
import { holds } from "../access/Access.ts"
import type { Permission, Principal } from "../access/Access.ts"
import { countAppended } from "../messages/Message.ts"
import type { MessageDraft } from "../messages/Message.ts"
import type { Location } from "../places/Place.ts"
import { clip } from "../values/Clip.ts"
import { ShipmentNotFound } from "../values/Errors.ts"
import type { ShipmentId } from "../values/Id.ts"
import * as Metrics from "../values/Metrics.ts"
import { idOf } from "../values/Page.ts"
import { authorize } from "./Steps.ts"

/** The id of the shipment to change. A client that holds none of the permissions anywhere is refused before any lock is taken. */
export const admit = Effect.fnUntraced(function*<E>(
  id: string,
  principal: Principal,
  permissions: ReadonlyArray<Permission>,
  find: (shipmentId: ShipmentId) => Effect.Effect<{ readonly location: Location } | null, E>
) {
  const shipmentId = idOf(id)
  if (shipmentId === undefined) return yield* notFound(id)
  if (!permissions.some((permission) => holds(principal, permission))) {
    yield* Effect.fromResult(authorize(id, yield* find(shipmentId), principal, permissions))
  }
  return shipmentId
})

/** The refusal for an id that names no shipment that the client may see. */
export const notFound = (id: string): ShipmentNotFound => new ShipmentNotFound({ id: clip(id) })

/** Shows the result of a change; `null` means that the shipment does not exist. */
export const shownAs =
  <A, B>(id: string, view: (entity: A) => B) => (entity: A | null): Result.Result<B, ShipmentNotFound> =>
    entity === null ? Result.fail(notFound(id)) : Result.succeed(view(entity))

/** Records the messages that a decision appends; `undefined` when the decision changes nothing. */
export type Note = (messages: ReadonlyArray<MessageDraft> | undefined) => void

/** The outcome of a change. */
export type Outcome = "done" | "unchanged" | (typeof Metrics.refusals)[number]

/** Counts a change and the messages that it appends. `make` records each decision; the last one counts. */
export const countOutcome = <A, E>(
  metric: (outcome: Outcome) => Metric.Counter<number>,
  make: (note: Note) => Effect.Effect<A, E>
): Effect.Effect<A, E> =>
  Effect.suspend(() => {
    let last: ReadonlyArray<MessageDraft> | undefined
    const change = make((messages) => {
      last = messages
    })
    return Metrics.outcomes(change, metric, () =>
      last === undefined
        ? Metrics.update(metric("unchanged"), 1)
        : Effect.andThen(Metrics.update(metric("done"), 1), countAppended(last)))
  })
