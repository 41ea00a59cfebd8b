/** A business with its record of documents, and ways to send documents there and to list them. */
import { Effect, Layer } from "effect"
import type { Principal } from "../../access/Access.ts"
import type { Document, DocumentOrder } from "../../document/Document.ts"
import { Intake } from "../../document/Intake.ts"
import type { RecordQuery } from "../../document/Intake.ts"
import { Pallets } from "../../movement/Pallets.ts"
import { Shipments } from "../../movement/Shipments.ts"
import * as RequestLog from "../../values/RequestLog.ts"
import { aDocument } from "../generators/Given.ts"
import { aWorld } from "./MovementWorld.ts"
import type { MovementServices } from "./MovementWorld.ts"

/** Adds a test of the record. */
export type AddTest = <A, E>(title: string, program: Effect.Effect<A, E, MovementServices>) => void

/** The services that the suite tests. */
export const services = Layer.mergeAll(Intake.layer(), Pallets.layer(), Shipments.layer())

/** A business of its own, its record, and a way to send documents there under a correlation id. */
export const aRecord = Effect.gen(function*() {
  const { business, client } = yield* aWorld()
  const intake = yield* Intake
  const send = (
    fields: Partial<Document>,
    orders: ReadonlyArray<DocumentOrder>,
    correlationId = "",
    principal: Principal = client
  ) =>
    intake.submit(aDocument({ business, ...fields }, ...orders), principal).pipe(
      RequestLog.within({ correlationId })
    )
  const list = (query: RecordQuery = {}, principal: Principal = client) =>
    Effect.map(intake.records(query, principal), ({ items }) => items)
  return { business, client, intake, send, list }
})
