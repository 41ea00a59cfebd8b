/** The parameters of the path of a list are arguments, but for the id of the shipment of which it is a field. */
import * as Operation from "@dockline/core/access/Operation"
import { OperationRegistry } from "@dockline/core/capability/OperationRegistry"
import { ShipmentNotFound } from "@dockline/core/values/Errors"
import { shownText } from "@dockline/core/values/Field"
import { afterAll, assert, it } from "@effect/vitest"
import { Effect, ManagedRuntime, Schema } from "effect"
import { graphql } from "graphql"
import { gatherServices } from "../../src/resolvers/Run.ts"
import { makeSchema } from "../../src/schema/Schema.ts"
import { services, sessionOf } from "../EngineSetup.ts"

const runtime = ManagedRuntime.make(services)
afterAll(() => runtime.dispose())

const marks = Operation.list("listMarks", {
  rest: "GET /v1/shipments/:id/pallets/:palletId/marks",
  params: { id: Operation.id("The shipment's id"), palletId: Operation.id("The pallet's id") },
  filters: {},
  cursor: "id",
  row: Schema.Struct({ id: shownText("Its id"), text: shownText("What it says") })
    .annotate({ identifier: "Mark", description: "A mark on a pallet." }),
  page: "MarkPage",
  holds: ["marks"],
  columns: Operation.columns("id", "text"),
  errors: [ShipmentNotFound],
  summary: "List marks",
  description: "The marks of a pallet."
})

/** The services of the contract, with a list of marks that tells what it was asked for. */
const withMarks = Effect.gen(function*() {
  const registry = yield* OperationRegistry
  const handlers = {
    ...registry.handlers,
    marks: (input: object) =>
      Effect.succeed({ items: [{ id: "1", text: JSON.stringify(input) }], next: null })
  }
  return {
    ...yield* gatherServices(),
    registry: { ...registry, operations: { ...registry.operations, marks }, handlers }
  }
})

it("of a shipment takes the id of a pallet as an argument", async () => {
  const schema = makeSchema(await runtime.runPromise(withMarks))
  const source = `mutation {
    submitDocument(input: { business: "acme", facility: "east", direction: "OUTBOUND", orderNumber: "MARKS-1" }) {
      shipment { id marks(palletId: "7") { nodes { text } } }
    }
  }`
  const contextValue = { session: sessionOf("acme-client"), correlationId: crypto.randomUUID() }
  const { data, errors } = await graphql({ schema, source, contextValue })
  assert.isUndefined(errors)
  const { shipment } = (data as {
    readonly submitDocument: {
      readonly shipment: {
        readonly id: number
        readonly marks: { readonly nodes: ReadonlyArray<{ readonly text: string }> }
      }
    }
  }).submitDocument
  assert.deepInclude(JSON.parse(shipment.marks.nodes[0]!.text), { id: String(shipment.id), palletId: "7" })
})
