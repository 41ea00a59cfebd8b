/**
 * Interchanges that are being done, on PostgreSQL: a row for each until its lease ends. Those that come at the same time share a
 * statement.
 */
import { ediLeaseMillis } from "@dockline/core/EdiStore"
import type { EdiReservation, EdiStore, PartnerName } from "@dockline/core/EdiStore"
import type { StorageUnavailable } from "@dockline/core/Errors"
import * as Timestamp from "@dockline/core/Timestamp"
import { Effect } from "effect"
import type { Context } from "effect"
import { SqlClient } from "effect/sql"
import { Deadline, operations, within } from "../../connections/Deadline.ts"
import { loans } from "../../connections/Loan.ts"
import { oneRow } from "../../connections/OneRow.ts"
import { repeatConflicts } from "../../connections/StorageErrors.ts"
import { businessId } from "../../rows/BusinessId.ts"
import { indexKey } from "../../rows/IndexKey.ts"
import * as EdiTurns from "./EdiTurns.ts"
import { toFile } from "./ShownFile.ts"
import type { ShownFile } from "./ShownFile.ts"

const leaseFrom = (now: Timestamp.Timestamp): Timestamp.Timestamp =>
  Timestamp.fromMillis(Date.parse(now) + ediLeaseMillis)

/** What `edi_reserve` returns. */
type Reserving =
  | readonly ["Reserved", id: number]
  | readonly ["Known", file: ShownFile]
  | readonly ["Running"]
  | readonly ["Reused"]

const reservationOf = (found: Reserving): EdiReservation => {
  switch (found[0]) {
    case "Reserved":
      return { _tag: "Reserved", id: found[1] }
    case "Known":
      return { _tag: "Known", file: toFile(found[1]) }
    default:
      return { _tag: found[0] }
  }
}

/** An interchange whose control number is to be reserved. */
interface Arrival {
  readonly partner: string
  readonly control: string
  readonly fingerprint: string
  readonly keys: ReadonlyArray<string>
  /** The clock of its request. */
  readonly clock: Effect.Effect<Timestamp.Timestamp>
}

/** The methods of the store on interchanges that come. */
export const arrivals = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const operation = yield* operations
  const loan = yield* loans
  const { millis } = yield* Deadline
  const onItsNode = (business: string) => loan({ lane: "requests", business: businessId(business) })

  const reserveAll = Effect.fnUntraced(function*(business: string, arrivals: ReadonlyArray<Arrival>) {
    // The leases begin with the statement, however long an interchange has waited for it.
    const rows = yield* Effect.forEach(
      arrivals,
      ({ clock, ...arrival }) => Effect.map(clock, (now) => ({ ...arrival, now, until: leaseFrom(now) }))
    )
    const { found } = yield* oneRow(sql<{ readonly found: ReadonlyArray<Reserving | null> }>`select
      dockline.edi_reserve(${businessId(business)}::bigint, ${JSON.stringify(rows)}::text::json) as found`)
    return found.map((each) => each && reservationOf(each))
  })

  const release = Effect.fnUntraced(
    function*({ business, partner }: PartnerName, reservation: number, taken: ReadonlyArray<string>) {
      const now = yield* Timestamp.now
      yield* sql`select dockline.edi_release(${businessId(business)}::bigint, ${partner},
        ${reservation}::bigint, ${taken.map(indexKey)}::text[], ${now}::timestamptz)`
    },
    (effect, { business }) => operation(onItsNode(business)(repeatConflicts(effect)))
  )

  const inTurn = yield* EdiTurns.make<Arrival, EdiReservation | null, StorageUnavailable>({
    run: (business, arrivals) =>
      operation(onItsNode(business)(repeatConflicts(reserveAll(business, arrivals)))),
    inTime: (wait) => within(wait, millis),
    // Nobody does what it was for, so that it would make the shipments of the file the partner's own.
    onLate: (business, { partner }, reservation) =>
      reservation?._tag === "Reserved"
        ? Effect.ignore(release({ business, partner }, reservation.id, []))
        : Effect.void
  })

  const service: Pick<EdiStore["Service"], "refuse" | "release" | "renew" | "reserve"> = {
    refuse: Effect.fnUntraced(function*({ business, partner }, { control, fault, fingerprint, text }) {
      yield* sql`select dockline.edi_refuse(${
        businessId(business)
      }::bigint, ${partner}, ${control}, ${fingerprint},
        ${fault}, ${text}, ${yield* Timestamp.now}::timestamptz)`
    }, (effect, { business }) => operation(onItsNode(business)(repeatConflicts(effect)))),

    reserve: ({ business, partner }, { control, fingerprint, shipmentNumbers }) =>
      Effect.contextWith((context: Context.Context<never>) =>
        inTurn(business, {
          partner,
          control,
          fingerprint,
          keys: shipmentNumbers.map(indexKey),
          clock: Effect.provideContext(Timestamp.now, context)
        })
      ),

    renew: Effect.fnUntraced(function*({ business, partner }, reservation, taken) {
      const now = yield* Timestamp.now
      const { renewed } = yield* oneRow(sql<{ readonly renewed: boolean }>`select dockline.edi_renew(
        ${businessId(business)}::bigint, ${partner}, ${reservation}::bigint, ${taken.map(indexKey)}::text[],
        ${now}::timestamptz, ${leaseFrom(now)}::timestamptz) as renewed`)
      return renewed
    }, (effect, { business }) => operation(onItsNode(business)(repeatConflicts(effect)))),

    release
  }
  return service
})
