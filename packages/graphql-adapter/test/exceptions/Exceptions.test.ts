/** Exceptions over GraphQL: the same operations as over REST, with the shipment that they belong to (D13.5). */
import type { ExceptionView } from "@dockline/core/exceptions/ShipmentException"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { scheduled } from "../../../../test/http/facility/Facility.ts"
import { GraphqlServer, layerMemory } from "../../../../test/support/GraphqlServer.ts"
import { TestServer } from "../../../../test/support/TestServer.ts"

const exception =
  `{ id palletId lpn kind priority description status reportedAt reportedBy resolvedAt resolvedBy note
  business { slug name } facility { slug name } shipmentId shipmentNumber }`

const report = `mutation ($input: ReportExceptionInput!) { reportException(input: $input) ${exception} }`

const resolve = `mutation ($input: ResolveExceptionInput!) { resolveException(input: $input) ${exception} }`

const list = `query ($priority: ExceptionPriority, $status: ExceptionStatus) {
  exceptions(business: "acme", facility: "east", priority: $priority, status: $status) { nodes ${exception} } }`

interface Answers {
  readonly reportException: ExceptionView
  readonly resolveException: ExceptionView
  readonly exceptions: { readonly nodes: ReadonlyArray<ExceptionView> }
}

layer(layerMemory(), { excludeTestServices: true })("exceptions over GraphQL", (it) => {
  it.effect("are reported, resolved and listed by priority, as REST shows them", () =>
    Effect.gen(function*() {
      const { execute } = yield* GraphqlServer
      const server = yield* TestServer
      const { id: shipmentId } = yield* scheduled()
      const askFor = (query: string, variables: Readonly<Record<string, unknown>>) =>
        Effect.map(execute<Answers>({ query, variables }), ({ data }) => data!)
      const exceptionOf = (priority: string) =>
        Effect.map(
          askFor(report, { input: { shipmentId, kind: "SHORT", priority, description: "One carton short" } }),
          ({ reportException }) => reportException
        )
      const [short, low, high] = yield* Effect.all([
        exceptionOf("LOW"),
        exceptionOf("LOW"),
        exceptionOf("HIGH")
      ])
      assert.deepStrictEqual([short.status, short.reportedBy], ["OPEN", "acme-client"])
      const input = { shipmentId, exceptionId: short.id, note: "Found" }
      const { resolveException: resolution } = yield* askFor(resolve, { input })
      assert.deepStrictEqual([resolution.id, resolution.status, resolution.note], [
        short.id,
        "RESOLVED",
        "Found"
      ])
      const nodesOf = (filter: Readonly<Record<string, unknown>>) =>
        Effect.map(
          askFor(list, filter),
          ({ exceptions }) => exceptions.nodes.filter((node) => node.shipmentId === shipmentId)
        )
      assert.sameDeepMembers(Array.from(yield* nodesOf({ status: "OPEN" })), [low, high])
      assert.deepStrictEqual(yield* nodesOf({ priority: "HIGH" }), [high])
      const { body } = yield* server.get(`/v1/shipments/${shipmentId}/exceptions`)
      assert.sameDeepMembers((body as { readonly items: Array<unknown> }).items, [resolution, low, high])
    }))
})
