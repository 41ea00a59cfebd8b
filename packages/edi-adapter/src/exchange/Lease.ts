/**
 * Holds the control number of an interchange while it is done.
 *
 * Guarantee: as long as the work runs and the storage answers, nobody else does an interchange of the number. Work whose reservation is
 * lost is told so before it does more. However the work ends, the shipments of the sets that were taken are the partner's own, and those
 * of the sets that were not are no more its own than before.
 */
import type { EdiStore, PartnerName } from "@dockline/core/EdiStore"
import { overloaded } from "@dockline/core/internal/access/RequestLimits"
import type { Overloaded } from "@dockline/core/internal/values/RequestErrors"
import { Effect } from "effect"

/** How often a reservation is renewed, in milliseconds: it notes what was taken so far, for a load may depart while its file is done. */
const renewMillis = 2000

/** A reservation, as its work sees it. */
export interface Lease {
  readonly reservation: number
  /** Fails if the reservation is lost. */
  readonly check: Effect.Effect<void, Overloaded>
  /** Notes that a set which names a shipment was taken. */
  readonly took: (shipmentNumber: string) => void
  /** The shipments of the sets that were taken so far. */
  readonly owns: () => ReadonlyArray<string>
}

/** Does the work of an interchange under its reservation, which the work ends by its record. */
export const underLease = <A, E>(
  store: EdiStore["Service"],
  name: PartnerName,
  reservation: number,
  work: (lease: Lease) => Effect.Effect<A, E>
): Effect.Effect<A, E> =>
  Effect.suspend(() => {
    const taken = new Set<string>()
    let noted = 0
    let isLost = false
    const lease: Lease = {
      reservation,
      check: Effect.suspend(() => isLost ? Effect.fail(overloaded()) : Effect.void),
      took: (shipmentNumber) => {
        taken.add(shipmentNumber)
      },
      owns: () => Array.from(taken)
    }
    const renew = Effect.gen(function*() {
      const owns = lease.owns()
      isLost = !(yield* store.renew(name, reservation, owns.slice(noted)))
      noted = owns.length
    })
    return Effect.sleep(renewMillis).pipe(
      // A storage that does not answer is asked again: the lease is longer.
      Effect.andThen(Effect.ignore(renew)),
      Effect.forever,
      Effect.withTracerEnabled(false),
      Effect.forkScoped,
      Effect.andThen(work(lease)),
      Effect.scoped,
      Effect.onError(() => Effect.ignore(store.release(name, reservation, lease.owns())))
    )
  })
