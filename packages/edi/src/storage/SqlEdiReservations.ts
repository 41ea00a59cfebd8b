/**
 * Reservations of control numbers on PostgreSQL: a row for each interchange under way, until its lease ends. Reservations that come at the
 * same time share a statement.
 */
import type { StorageUnavailable } from "@dockline/core/values/Errors"
import * as Timestamp from "@dockline/core/values/Timestamp"
import { businessId, Deadline, operations, within } from "@dockline/sql-storage/rows/BusinessRows"
import { Clock, Effect, Schema } from "effect"
import { ediLeaseMillis } from "../domain/EdiStore.ts"
import type { EdiReservation, EdiStore } from "../domain/EdiStore.ts"
import { Reservations } from "./EdiRows.ts"
import { loadWords } from "./EdiSteps.ts"
import * as EdiTurns from "./EdiTurns.ts"

/** An interchange whose control number is to be reserved. */
interface Arrival {
  /** The key of its partner. */
  readonly key: string
  readonly control: string
  readonly fingerprint: string
  /** The clock of its caller, if one was given: leases go by the clock of the database, which instances share. */
  readonly clock: Clock.Clock
}

/** Makes the methods of reservations. */
export const make = Effect.gen(function*() {
  const { call, read, run, write } = yield* operations
  const { millis } = yield* Deadline

  const reserveAll = Effect.fnUntraced(function*(business: string, arrivals: ReadonlyArray<Arrival>) {
    // The leases begin with the statement, however long an interchange has waited for it.
    const rows = arrivals.map(({ clock, ...arrival }) => ({ ...arrival, now: Timestamp.givenNowOf(clock) }))
    const reservations = yield* call(Reservations)`dockline.edi_reserve(${businessId(business)},
      ${JSON.stringify(rows)}, ${ediLeaseMillis})`
    return reservations.map((each): EdiReservation | null => {
      if (each === null) return null
      return each[0] === "Reserved" ? { _tag: each[0], id: each[1] } : { _tag: each[0] }
    })
  })

  const release: EdiStore["Service"]["release"] = ({ business }, reservation) =>
    write({ business: businessId(business) })(
      run`dockline.edi_release(${businessId(business)}, ${reservation})`
    )

  const reserveInTurn = yield* EdiTurns.make<Arrival, EdiReservation | null, StorageUnavailable>({
    run: (business, arrivals) => write({ business: businessId(business) })(reserveAll(business, arrivals)),
    inTime: (wait) => within(wait, millis),
    // Nobody waits for the answer any longer, so nobody will execute the interchange.
    onLate: (business, { key }, reservation) =>
      reservation?._tag === "Reserved"
        ? Effect.ignore(release({ business, key }, reservation.id))
        : Effect.void
  })

  return {
    words: (partner, orderNumbers) =>
      read({ business: businessId(partner.business) })(loadWords(call, partner, orderNumbers)),

    reserve: ({ business, key }, { control, fingerprint }) =>
      Effect.flatMap(Clock.Clock, (clock) => reserveInTurn(business, { key, control, fingerprint, clock })),

    renew: Effect.fnUntraced(function*({ business }, reservation) {
      return yield* call(Schema.Boolean)`dockline.edi_renew(${businessId(business)}, ${reservation},
        ${yield* Timestamp.givenNow}, ${ediLeaseMillis})`
    }, (effect, { business }) => write({ business: businessId(business) })(effect)),

    release
  } satisfies Pick<EdiStore["Service"], "release" | "renew" | "reserve" | "words">
})
