/**
 * The port of the exchange with EDI partners on PostgreSQL, from its four parts.
 */
import type { Announcer } from "@dockline/sql-storage/rows/BusinessRows"
import { Effect, Layer } from "effect"
import type { SqlClient } from "effect/sql"
import { EdiStore } from "../domain/EdiStore.ts"
import * as SqlEdiExchange from "./SqlEdiExchange.ts"
import * as SqlEdiPartners from "./SqlEdiPartners.ts"
import * as SqlEdiRecord from "./SqlEdiRecord.ts"
import * as SqlEdiReservations from "./SqlEdiReservations.ts"

/** The exchange in the PostgreSQL database of the `SqlClient`, whose schema must be migrated; drops old files by itself. */
export const layer: Layer.Layer<EdiStore, never, SqlClient.SqlClient | Announcer> = Layer.effect(
  EdiStore,
  Effect.gen(function*() {
    return EdiStore.of({
      ...(yield* SqlEdiPartners.make),
      ...(yield* SqlEdiReservations.make),
      ...(yield* SqlEdiExchange.make),
      ...(yield* SqlEdiRecord.make)
    })
  })
)
