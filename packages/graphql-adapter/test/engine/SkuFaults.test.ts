/** The faults of SKUs over GraphQL name the entries, as over REST (D8.4, D17.4). */
import { expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { GraphqlEngine } from "../../src/engine/Engine.ts"
import { defaultGraphqlConfig } from "../../src/GraphqlConfig.ts"
import { services, sessionOf } from "../EngineSetup.ts"

const query = "mutation ($input: SetSkusInput!) { setSkus(input: $input) { added } }"

const engine = GraphqlEngine.layer(defaultGraphqlConfig).pipe(Layer.provideMerge(services))

/** The code of the refusal of SKUs, and its faults. */
const faultsOf = Effect.fnUntraced(function*(skus: ReadonlyArray<Readonly<Record<string, unknown>>>) {
  const { execute, prepare } = yield* GraphqlEngine
  const variables = { input: { business: "acme", facility: "east", skus } }
  const prepared = prepare({ query, variables }, defaultGraphqlConfig.path)
  if (!("document" in prepared)) return yield* Effect.die("The operation is refused before it is run")
  const context = { session: sessionOf("acme-client"), correlationId: "test" }
  const { errors = [] } = yield* Effect.promise(() => execute(prepared, context))
  return errors.map(({ extensions, message }) => extensions["errors"] ?? message)
})

it.effect("D17.4 setSkus names the entry that is at fault, and its field", () =>
  Effect.gen(function*() {
    const good = { id: "A" }
    expect(yield* faultsOf([good, good])).toEqual([[{ path: "skus[1].id", detail: "is given twice" }]])
    expect(yield* faultsOf([good, { id: "" }])).toEqual([[{ path: "skus[1].id", detail: "is required" }]])
    expect(yield* faultsOf([good, { id: "B", alternateIds: ["1", ""] }])).toEqual([
      [{ path: "skus[1].alternateIds[1]", detail: "is required" }]
    ])
    expect(yield* faultsOf(Array.from({ length: 1001 }, (_, n) => ({ id: String(n) })))).toEqual([
      [{ path: "skus", detail: "must hold at most 1000 entries" }]
    ])
    // What the schema of GraphQL itself refuses says where, too.
    expect(yield* faultsOf([good, {}])).toEqual([expect.stringContaining(".skus[1]")])
  }).pipe(Effect.provide(engine)))
