/**
 * Interchanges that are being done, on PostgreSQL: a row for each until its lease ends.
 */
import { ediLeaseMillis } from "@dockline/core/EdiStore"
import type { EdiReservation, EdiStore } from "@dockline/core/EdiStore"
import * as Timestamp from "@dockline/core/Timestamp"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { operations } from "../../connections/Deadline.ts"
import { loans } from "../../connections/Loan.ts"
import { oneRow } from "../../connections/OneRow.ts"
import { repeatConflicts } from "../../connections/StorageErrors.ts"
import { businessId } from "../../rows/BusinessId.ts"
import { indexKey } from "../../rows/IndexKey.ts"
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

/** The methods of the store on interchanges that come. */
export const arrivals = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const operation = yield* operations
  const loan = yield* loans
  const onItsNode = (business: string) => loan({ lane: "requests", business: businessId(business) })

  const service: Pick<EdiStore["Service"], "refuse" | "release" | "renew" | "reserve"> = {
    refuse: Effect.fnUntraced(function*({ business, partner }, { control, fault, fingerprint, text }) {
      yield* sql`select dockline.edi_refuse(${
        businessId(business)
      }::bigint, ${partner}, ${control}, ${fingerprint},
        ${fault}, ${text}, ${yield* Timestamp.now}::timestamptz)`
    }, (effect, { business }) => operation(onItsNode(business)(repeatConflicts(effect)))),

    reserve: Effect.fnUntraced(function*({ business, partner }, { control, fingerprint, shipmentNumbers }) {
      const now = yield* Timestamp.now
      const { found } = yield* oneRow(sql<{ readonly found: Reserving | null }>`select dockline.edi_reserve(
        ${businessId(business)}::bigint, ${partner}, ${control}, ${fingerprint}, ${
        shipmentNumbers.map(indexKey)
      }::text[], ${now}::timestamptz, ${leaseFrom(now)}::timestamptz) as found`)
      return found && reservationOf(found)
    }, (effect, { business }) => operation(onItsNode(business)(repeatConflicts(effect)))),

    renew: Effect.fnUntraced(function*({ business, partner }, reservation, taken) {
      const now = yield* Timestamp.now
      const { renewed } = yield* oneRow(sql<{ readonly renewed: boolean }>`select dockline.edi_renew(
        ${businessId(business)}::bigint, ${partner}, ${reservation}::bigint, ${taken.map(indexKey)}::text[],
        ${now}::timestamptz, ${leaseFrom(now)}::timestamptz) as renewed`)
      return renewed
    }, (effect, { business }) => operation(onItsNode(business)(repeatConflicts(effect)))),

    release: Effect.fnUntraced(function*({ business, partner }, reservation, taken) {
      const now = yield* Timestamp.now
      yield* sql`select dockline.edi_release(${businessId(business)}::bigint, ${partner},
        ${reservation}::bigint, ${taken.map(indexKey)}::text[], ${now}::timestamptz)`
    }, (effect, { business }) => operation(onItsNode(business)(repeatConflicts(effect))))
  }
  return service
})
