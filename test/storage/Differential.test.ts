/** One random history on memory and on PostgreSQL: every answer and every state the same, but for ids. */
import type { Document } from "@dockline/core/Document"
import { Intake } from "@dockline/core/Intake"
import * as Memory from "@dockline/core/Memory"
import { Pallets } from "@dockline/core/Pallets"
import { Shipments } from "@dockline/core/Shipments"
import { histories, rawDocuments, runs } from "@dockline/core/testing/Generators"
import { read } from "@dockline/core/testing/Reading"
import * as Sql from "@dockline/sql-storage/Sql"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, ManagedRuntime } from "effect"
import { SqlClient } from "effect/sql"
import * as fc from "fast-check"
import { afterAll } from "vitest"
import * as TestDatabase from "../support/TestDatabase.ts"
import { observe } from "./History.ts"
import type { Happening } from "./History.ts"

const services = Layer.mergeAll(Intake.layer(), Pallets.layer(), Shipments.layer())

const memory = services.pipe(Layer.provideMerge(Memory.layer))

const postgres = ManagedRuntime.make(
  services.pipe(
    Layer.provideMerge(Sql.layer),
    Layer.provideMerge(TestDatabase.layer)
  )
)
afterAll(() => postgres.dispose())

const emptyTables = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql`truncate dockline.shipment, dockline.message, dockline.message_log cascade`
)

const submitted = (document: Document): Happening => ({ _tag: "Submit", document })

const submissions = histories.map((steps) => steps.map(({ document }) => submitted(document)))

const longSubmissions = fc.array(rawDocuments.map((raw) => submitted(read(raw))), {
  minLength: 20,
  maxLength: 50
})

const occurredAt = fc.constantFrom(
  "1970-01-01T00:00:00.000Z",
  "1970-01-01T00:05:00.000Z",
  "2026-11-20T12:00:00.000Z"
)
const shipment = fc.nat(4)
const sometimes = <A>(arbitrary: fc.Arbitrary<A>, without: A) => fc.oneof(fc.constant(without), arbitrary)

const labels = fc.array(
  fc.record({
    name: fc.constantFrom("lpn", "lpn", "sku", "other"),
    value: fc.constantFrom("", "L1", "L2", "l1", "L01", "000123")
  }),
  { maxLength: 3 }
)

const palletEvents: fc.Arbitrary<Happening> = fc
  .record({
    shipment: sometimes<number | null>(shipment, null),
    eventId: fc.nat(30).map((n) => `E${n}`),
    facility: fc.constantFrom("east", "east", "west"),
    dockSlug: fc.constantFrom("D1", "D1", "D2", "nowhere"),
    direction: fc.constantFrom("LOADING" as const, "UNLOADING" as const),
    occurredAt,
    shipmentNumber: sometimes(fc.constantFrom("S1", "S2", "O1"), ""),
    labels
  })
  .map(({ shipment, shipmentNumber, ...rest }) => ({
    _tag: "Pallet",
    shipment,
    event: {
      ...rest,
      business: "acme",
      shipmentId: null,
      shipmentNumber: shipment === null ? shipmentNumber : ""
    }
  }))

const steps: fc.Arbitrary<Happening> = fc.oneof(
  fc.record({
    _tag: fc.constant("Arrive" as const),
    shipment,
    occurredAt,
    dockSlug: fc.constantFrom("D1", "D2", "")
  }),
  fc.record({ _tag: fc.constant("Arrive" as const), shipment }),
  fc.record({ _tag: fc.constant("Depart" as const), shipment, occurredAt }),
  fc.record({ _tag: fc.constant("Depart" as const), shipment }),
  fc.record({ _tag: fc.constant("Link" as const), shipment, linked: shipment })
)

/** An event that is repeated to the letter, sooner or later. */
const repeated = (history: ReadonlyArray<Happening>): ReadonlyArray<Happening> =>
  history.flatMap((each, index) => each._tag === "Pallet" && index % 3 === 0 ? [each, each] : [each])

const movements = fc
  .tuple(
    fc.array(rawDocuments.map((raw) => submitted(read(raw))), { minLength: 2, maxLength: 4 }),
    fc.array(
      fc.oneof(
        { weight: 2, arbitrary: rawDocuments.map((raw) => submitted(read(raw))) },
        { weight: 8, arbitrary: palletEvents },
        { weight: 3, arbitrary: steps }
      ),
      { minLength: 5, maxLength: 40 }
    )
  )
  .map(([documents, history]) => [...documents, ...repeated(history)])

describe("memory and PostgreSQL", () => {
  it.each([
    ["histories of a facility", submissions, 60],
    ["long histories", longSubmissions, 12],
    ["histories of shipments in motion", movements, 60]
  ])("%s give the same answers and end in the same state", (_, arbitrary, count) =>
    fc.assert(
      fc.asyncProperty(arbitrary, async (history) => {
        const inMemory = await Effect.runPromise(observe(history).pipe(Effect.provide(memory)))
        const onPostgres = await postgres.runPromise(Effect.andThen(emptyTables, observe(history)))
        assert.deepStrictEqual(onPostgres, inMemory)
      }),
      runs(count)
    ), 120_000)
})
