/**
 * Tenant isolation over MCP: who may do everything at one business learns and changes nothing of another, by any tool, and is
 * answered what REST answers, to the letter. The tools are the declared operations: one that has no probe here fails.
 */
import type * as Operation from "@dockline/core/Operation"
import { operations } from "@dockline/core/Operations"
import * as McpAdapter from "@dockline/mcp-adapter/McpAdapter"
import { defaultMcpConfig } from "@dockline/mcp-adapter/McpConfig"
import { assert, describe, it as plainIt, layer } from "@effect/vitest"
import { Effect } from "effect"
import { palletEvent } from "../../http/facility/Facility.ts"
import { makeClient, vault } from "../../http/operator/Operator.ts"
import { order } from "../../http/Sample.ts"
import { baseUrl, once, storages, TestServer } from "../../support/TestServer.ts"
import type { RequestOptions } from "../../support/TestServer.ts"
import { everythingAtGlobex, makeVictim, mark, stateOf } from "./Intruder.ts"
import type { Victim } from "./Intruder.ts"

type Given = Readonly<Record<string, unknown>>

type Probes = (known: Victim) => ReadonlyArray<Given>

const id: Probes = ({ shipmentId }) => [{ id: String(shipmentId) }]

const atPlaces = (others: (known: Victim) => Given): Probes => (known) => [
  others(known),
  { ...others(known), business: "acme" },
  { ...others(known), business: "acme", facility: "west" },
  { ...others(known), business: "globex", facility: "west" },
  { ...others(known), facility: "west" }
]

const event = (fields: Given): Given =>
  palletEvent({ business: "globex", facility: "main", ...fields }) as Given

const exception = { kind: "OTHER", priority: "LOW", description: "Wet" }

/** The calls of the intruder, by tool. */
const probes: Readonly<Record<string, Probes>> = {
  submitDocument: ({ orderNumber }) => [
    order({ business: "acme", facility: "west", orderNumber }) as Given,
    order({ business: "globex", facility: "west", orderNumber }) as Given
  ],
  recordPalletEvent: ({ eventId, shipmentId }) => [
    event({ business: "acme", facility: "west", shipmentId }),
    event({ business: "acme", facility: "west", eventId }),
    event({ shipmentId })
  ],
  reportException: ({ palletId, shipmentId }) => [
    { id: String(shipmentId), ...exception },
    { id: String(shipmentId), ...exception, palletId }
  ],
  resolveException: ({ exceptionId, shipmentId }) => [
    { id: String(shipmentId), exceptionId, note: "Done" }
  ],
  listMessages: () => [
    { business: "acme" },
    { business: "acme", facility: "west" },
    { business: "globex", facility: "west" },
    { business: "globex" }
  ],
  getShipment: id,
  listShipments: atPlaces(({ orderNumber }) => ({ shipmentNumber: orderNumber })),
  listOrders: atPlaces(({ orderNumber }) => ({ orderNumber })),
  listItems: id,
  listDiscrepancies: id,
  arriveShipment: id,
  departShipment: id,
  linkShipments: ({ otherShipmentId, shipmentId }) => [
    { id: String(shipmentId), linkedShipmentId: String(otherShipmentId) }
  ],
  cancelShipment: id,
  getPallet: ({ palletId, shipmentId }) => [{ id: String(shipmentId), palletId }],
  listShipmentPallets: id,
  listPallets: atPlaces(({ lpn }) => ({ lpn })),
  listShipmentExceptions: id,
  listExceptions: atPlaces(() => ({})),
  getDocument: ({ documentId }) => [{ id: String(documentId) }],
  listDocuments: atPlaces(({ orderNumber }) => ({ orderNumber })),
  search: atPlaces(({ lpn }) => ({ text: lpn }))
}

const declared: ReadonlyArray<Operation.Any> = Object.values(operations)

describe("the tools", () => {
  plainIt("have probes each", () => {
    assert.deepStrictEqual(declared.map(({ name }) => name).sort(), Object.keys(probes).sort())
  })
})

/** Calls a tool; what the answer shows to programs. */
const call = Effect.fnUntraced(function*(name: string, given: Given, as: RequestOptions) {
  const { port } = yield* TestServer
  return yield* Effect.promise(async () => {
    const response = await fetch(`http://127.0.0.1:${port}/mcp`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        ...as.headers
      },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: { name, arguments: given }
      })
    })
    const text = await response.text()
    assert.strictEqual(response.status, 200, text)
    const { result } = JSON.parse(text) as { readonly result: { readonly structuredContent: unknown } }
    return { text, told: result.structuredContent }
  })
})

/** The same over REST. */
const ask = Effect.fnUntraced(
  function*({ kind, params, rest }: Operation.Any, given: Given, as: RequestOptions) {
    const { request } = yield* TestServer
    const [method = "", pattern = ""] = rest.split(" ")
    const path = pattern.replaceAll(/:(\w+)/g, (_, name: string) => String(given[name]))
    const others = Object.entries(given).filter(([name]) => !(name in params))
    const query = new URLSearchParams(others.map(([name, value]) => [name, String(value)]))
    return yield* kind === "write" || kind === "upload"
      ? request(method, path, {
        ...as,
        headers: { "content-type": "application/json", ...as.headers },
        body: JSON.stringify(Object.fromEntries(others))
      })
      : request(method, others.length === 0 ? path : `${path}?${query}`, as)
  }
)

const routes = McpAdapter.routes({ ...defaultMcpConfig, baseUrl })

for (const storage of storages) {
  layer(storage.layer({ vault, routes }), { excludeTestServices: true })(
    `tenant isolation over MCP on ${storage.name}`,
    (it) => {
      const scene = once(Effect.gen(function*() {
        const victim = yield* makeVictim
        const { as } = yield* makeClient(everythingAtGlobex)
        const owner = yield* makeClient({ ...everythingAtGlobex, business: "acme" })
        return { as, owner: owner.as, victim, before: yield* stateOf(victim) }
      }))

      for (const operation of declared) {
        it.effect(`${operation.name} shows and changes nothing of another business`, () =>
          Effect.gen(function*() {
            const { as, before, victim } = yield* scene
            assert.include(before.join(), mark)
            for (const given of probes[operation.name]!(victim)) {
              const { text, told } = yield* call(operation.name, given, as)
              const reply = yield* ask(operation, given, as)
              assert.deepStrictEqual(told, reply.body, `${operation.name} ${JSON.stringify(given)}`)
              assert.notInclude(text.replaceAll(victim.lpn, "").replaceAll(victim.palletId, ""), mark)
            }
            assert.deepStrictEqual(yield* stateOf(victim), before)
          }))
      }

      it.effect("who may see a place is shown the same as over REST by every tool that reads", () =>
        Effect.gen(function*() {
          const { owner, victim } = yield* scene
          for (const operation of declared) {
            if (operation.kind === "write" || operation.kind === "upload") continue
            for (const given of probes[operation.name]!(victim)) {
              const { told } = yield* call(operation.name, given, owner)
              const reply = yield* ask(operation, given, owner)
              assert.deepStrictEqual(told, reply.body, `${operation.name} ${JSON.stringify(given)}`)
            }
          }
        }))
    }
  )
}
