/** A business with its record of documents, and functions to send documents there and to list them. */
import type { Principal } from "@dockline/core/access/Access"
import type { Document, DocumentOrder } from "@dockline/core/document/Document"
import { Intake } from "@dockline/core/document/Intake"
import type { RecordQuery } from "@dockline/core/document/Intake"
import { Pallets } from "@dockline/core/movement/Pallets"
import { Shipments } from "@dockline/core/movement/Shipments"
import * as RequestLog from "@dockline/core/values/RequestLog"
import { Effect, Layer } from "effect"
import { aDocument } from "../generators/Given.ts"
import type * as Suite from "../Suite.ts"
import { aWorld } from "./MovementWorld.ts"
import type { MovementServices } from "./MovementWorld.ts"

/** Adds a test of the record. */
export type AddTest = Suite.AddTest<MovementServices>

/** The services that the suite tests. */
export const services = Layer.mergeAll(Intake.layer(), Pallets.layer(), Shipments.layer())

/** A new business, its record, and a function to send documents there under a correlation id. */
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
  return {
    business,
    client,
    intake,
    /** Submits a document. */
    send,
    /** Lists the recorded documents. */
    list
  }
})
