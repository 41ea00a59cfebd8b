/**
 * Tenant isolation over MCP: a client with all permissions at one business learns and changes nothing of another, by any tool, and gets
 * exactly the answers of REST.
 */
import * as McpAdapter from "@dockline/mcp-adapter/McpAdapter"
import { defaultMcpConfig } from "@dockline/mcp-adapter/McpAdapter"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { makeClient, vault } from "../../http/operator/Operator.ts"
import { baseUrl, layerPostgres, once } from "../../support/TestServer.ts"
import type { RequestOptions } from "../../support/TestServer.ts"
import { isReading, methods, operations, probesOf } from "./Asked.ts"
import type { Given, Method } from "./Asked.ts"
import { mcp, rest } from "./Doors.ts"
import { everythingAtGlobex, makeVictim, mark, stateOf } from "./Intruder.ts"
import type { Victim } from "./Intruder.ts"

const routes = McpAdapter.routes({ ...defaultMcpConfig, baseUrl })

/** Models send ids and cursors as texts. */
const sent = (given: Given, method: Method): Given =>
  Object.fromEntries(
    Object.entries(given).map(([name, value]) => [
      name,
      name in operations[method].params || name === "after" ? String(value) : value
    ])
  )

const probes = (method: Method, victim: Victim) =>
  probesOf(method, victim, { id: victim.otherId })
    .filter(([, refusal]) => !(refusal instanceof RegExp))
    .map(([given]) => sent(given, method))

layer(layerPostgres({ vault, routes }), { excludeTestServices: true })(
  "tenant isolation over MCP",
  (it) => {
    const scene = once(Effect.gen(function*() {
      const victim = yield* makeVictim
      const { as } = yield* makeClient(everythingAtGlobex)
      const owner = yield* makeClient({ ...everythingAtGlobex, business: "acme" })
      return { as, owner: owner.as, victim, before: yield* stateOf(victim) }
    }))

    const same = Effect.fnUntraced(function*(method: Method, given: Given, as: RequestOptions) {
      const { text, told } = yield* mcp(method, given, as)
      const { body } = yield* rest(method, given, as)
      assert.deepStrictEqual(told, body, `${method} ${JSON.stringify(given)}`)
      return text
    })

    for (const method of methods) {
      const { kind, name } = operations[method]
      // @threat tenants.4
      it.effect(`${name} shows and changes nothing of another business`, () =>
        Effect.gen(function*() {
          const { as, before, victim } = yield* scene
          assert.include(before.join(), mark)
          for (const given of probes(method, victim)) {
            // A change is refused, and must not be repeated over REST.
            if (kind === "upload" && given["business"] === "globex" && given["facility"] === "main") {
              continue
            }
            const text = yield* same(method, given, as)
            assert.notInclude(text.replaceAll(victim.lpn, "").replaceAll(victim.palletId, ""), mark)
          }
          assert.deepStrictEqual(yield* stateOf(victim), before)
        }))
    }

    it.effect("who may see a place is shown the same as over REST by every tool that reads", () =>
      Effect.gen(function*() {
        const { owner, victim } = yield* scene
        for (const method of methods) {
          if (!isReading(operations[method])) continue
          for (const given of probes(method, victim)) yield* same(method, given, owner)
        }
      }))
  }
)
