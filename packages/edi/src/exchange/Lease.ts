/**
 * Keeps the control number of an interchange reserved while the interchange is executed, by renewing the reservation until the work ends.
 *
 * Guarantee: work whose reservation is lost notices it, and records nothing; work that fails releases the number.
 */
import { overloaded } from "@dockline/core/access/RequestLimits"
import type { Overloaded } from "@dockline/core/values/RequestErrors"
import { Effect } from "effect"
import { EdiStore } from "../domain/EdiStore.ts"
import type { PartnerKey } from "../domain/EdiStore.ts"

/** How often a reservation is renewed, in milliseconds. */
const renewMillis = 2000

/** A reservation, as seen by its work. */
export interface Lease {
  readonly reservation: number
  /** Fails if the reservation is lost. */
  readonly check: Effect.Effect<void, Overloaded>
}

/** Does the work of an interchange under its reservation, which the work ends by storing its record. */
export const underLease = <A, E>(
  store: EdiStore["Service"],
  partner: PartnerKey,
  reservation: number,
  work: (lease: Lease) => Effect.Effect<A, E>
): Effect.Effect<A, E> =>
  Effect.suspend(() => {
    let isLost = false
    const lease: Lease = {
      reservation,
      check: Effect.suspend(() => isLost ? Effect.fail(overloaded()) : Effect.void)
    }
    const renew = Effect.map(store.renew(partner, reservation), (isHeld) => {
      isLost = !isHeld
    })
    return Effect.sleep(renewMillis).pipe(
      // If the storage does not answer, try again: the lease outlasts several attempts.
      Effect.andThen(Effect.ignore(renew)),
      Effect.forever,
      Effect.withTracerEnabled(false),
      Effect.forkScoped,
      Effect.andThen(work(lease)),
      Effect.scoped,
      Effect.onError(() => Effect.ignore(store.release(partner, reservation)))
    )
  })
