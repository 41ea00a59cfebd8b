/** The faults of SKUs over GraphQL name the entries, as over REST (D8.4, D17.4). */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { run, test } from "../Running.ts"

const query = "mutation ($input: SetSkusInput!) { setSkus(input: $input) { added } }"

/** The faults of SKUs. */
const faultsOf = (skus: ReadonlyArray<Readonly<Record<string, unknown>>>) =>
  Effect.map(
    run(query, { input: { business: "acme", facility: "east", skus } }),
    ({ errors }) => errors.map(({ errors, message }) => errors ?? message)
  )

test("D17.4 setSkus names the entry that is at fault, and its field", function*() {
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
})
