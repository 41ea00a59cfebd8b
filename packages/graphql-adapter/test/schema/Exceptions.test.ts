/** Exceptions over GraphQL: the same operations as over REST, with the shipment that they belong to (D13.5). */
import type { ExceptionView } from "@dockline/core/ExceptionView"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import {
  listExceptions,
  reportException,
  resolveException,
  shipmentExceptions
} from "../../../../test/graphql/Sample.ts"
import { scheduled } from "../../../../test/http/facility/Facility.ts"
import { GraphqlServer, layerMemory } from "../../../../test/support/GraphqlServer.ts"
import { TestServer } from "../../../../test/support/TestServer.ts"

layer(layerMemory(), { excludeTestServices: true })(
  "exceptions over GraphQL",
  (it) => {
    it.effect("are reported, shown with their shipment and resolved, as REST shows them", () =>
      Effect.gen(function*() {
        const { execute } = yield* GraphqlServer
        const server = yield* TestServer
        const { id } = yield* scheduled()
        const input = { shipmentId: id, kind: "SHORT", priority: "LOW", description: "One carton short" }
        const reported = yield* execute(reportException(input), "acme-client")
        const { reportException: exception } = reported.data as { readonly reportException: ExceptionView }
        assert.deepStrictEqual([exception.status, exception.reportedBy], ["OPEN", "acme-client"])
        const resolution = { shipmentId: id, exceptionId: exception.id, note: "Found" }
        const resolved = yield* execute(resolveException(resolution), "acme-client")
        const { resolveException: after } = resolved.data as { readonly resolveException: ExceptionView }
        assert.deepStrictEqual([after.status, after.note], ["RESOLVED", "Found"])
        const read = yield* execute(shipmentExceptions({ id }), "acme-client")
        const { shipment } = read.data as {
          readonly shipment: { readonly exceptions: { readonly nodes: ReadonlyArray<ExceptionView> } }
        }
        assert.deepStrictEqual(shipment.exceptions.nodes, [after])
        const { body } = yield* server.get(`/v1/shipments/${id}/exceptions`)
        assert.deepStrictEqual(body, { items: [after], next: null })
        const open = { ...input, kind: "DAMAGED", priority: "HIGH", description: "Wet" }
        const again = yield* execute(reportException(open), "acme-client")
        const { reportException: wet } = again.data as { readonly reportException: ExceptionView }
        const filter = { business: "acme", facility: "east", priority: "HIGH" }
        const all = yield* execute(listExceptions({ ...filter, status: "OPEN" }), "acme-client")
        const { exceptions } = all.data as {
          readonly exceptions: { readonly nodes: ReadonlyArray<ExceptionView> }
        }
        assert.deepStrictEqual(exceptions.nodes.filter(({ shipmentId }) => shipmentId === id), [wet])
      }))
  }
)
