/**
 * What holds for changes that expect a version, whatever they are stored in (D11): a change of what somebody else has changed since it
 * was read is refused, and changes nothing.
 */
import * as assert from "@dockline/testing/Assert"
import { aGrant } from "@dockline/testing/generators/Given"
import { aBusiness, outcome } from "@dockline/testing/worlds/OperatorWorld"
import { Effect } from "effect"
import { ExpectedVersions, versionOf } from "../../src/input/Precondition.ts"
import { clientState, endpointState } from "../../src/operator/OperatorView.ts"
import { ask, createClient } from "./OperatorServices.ts"
import type { Part, Services } from "./OperatorServices.ts"
import { create, update } from "./WebhooksWorld.ts"

type Run<A, More> = Effect.Effect<A, { readonly code: string }, Services | More>

/** Something with a version: what a change of it sets, and changes of a list and of something else. */
interface Kind<More> {
  readonly state: Run<unknown, More>
  readonly list: Run<unknown, More>
  readonly other: Run<unknown, More>
}

/** Kinds by their names; `More` are the ports of the capability that has them. */
export type VersionedKinds<More = never> = Readonly<Record<string, Run<Kind<More>, More>>>

const kinds: VersionedKinds = {
  "an API client": Effect.gen(function*() {
    const acme = yield* aBusiness
    const { id: clientId } = yield* createClient(aGrant(acme, "*", ["messages:read"]))
    return {
      state: Effect.map(ask("getClient", { clientId }), clientState),
      list: ask("updateClient", { clientId, body: { grants: [aGrant(acme, "*", ["pallets:write"])] } }),
      other: ask("addClientGrants", { clientId, body: { grants: [aGrant(acme, "*", ["documents:write"])] } })
    }
  }),
  "a webhook endpoint": Effect.gen(function*() {
    const { id: endpointId } = yield* create(yield* aBusiness)
    return {
      state: Effect.map(ask("getWebhookEndpoint", { endpointId }), endpointState),
      list: update(endpointId, { messageTypes: ["SHIPMENT_ARRIVED"] }),
      other: update(endpointId, { ratePerSecond: 7 })
    }
  }),
  "a field map": Effect.gen(function*() {
    const slug = yield* aBusiness
    const field = (name: string) => ({ name, label: "lpn", list: false })
    return {
      state: ask("getFieldMap", { slug }),
      list: ask("setFieldMap", { slug, body: [field("LPN")] }),
      other: ask("setFieldMap", { slug, body: [field("LPN"), field("SSCC")] })
    }
  })
}

/** The cases of changes that expect a version, of things of these kinds. */
export const preconditionsOf = <More = never>(kinds: VersionedKinds<More>): Part<More> => (test) => {
  for (const [kind, make] of Object.entries(kinds)) {
    test(
      `D11 ${kind} changes only as long as it is what the change expects`,
      Effect.gen(function*() {
        const { list, other, state } = yield* make
        const expecting = (...versions: ReadonlyArray<string>) =>
          outcome(Effect.provideService(list, ExpectedVersions, versions))
        const present = Effect.flatMap(state, versionOf)
        const first = yield* present
        yield* other
        assert.notStrictEqual(yield* present, first)
        const after = yield* state
        assert.strictEqual(yield* expecting(first), "PRECONDITION_FAILED")
        assert.strictEqual(yield* expecting(), "PRECONDITION_FAILED")
        assert.deepStrictEqual(yield* state, after)
        assert.strictEqual(yield* expecting(first, yield* present), "ok")
        const last = yield* present
        assert.strictEqual(yield* expecting("*"), "ok")
        assert.strictEqual(yield* present, last)
      })
    )
  }
}

/** The cases of the contract. */
export const preconditions: Part = preconditionsOf(kinds)
