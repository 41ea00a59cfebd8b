/** Clients of Kargo that create the same order at once, on memory and on PostgreSQL: one of them has created it (D17.2). */
import { kargoPath } from "@dockline/wire/internal/Path"
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { layerMemory, layerPostgres } from "../support/GraphqlServer.ts"
import { TestServer } from "../support/TestServer.ts"

const mutation = `mutation ($number: String!) {
  createOrder(input: {
    businessSlug: "acme", facilitySlug: "east", orderNumber: $number, direction: INBOUND
    items: [{ sku: "S-1", quantity: 1, quantityUnit: CASE }]
  }) { success id }
}`

/** What a request for an order came to: the id of the order, or the code of its refusal. */
const create = Effect.fnUntraced(function*(number: string) {
  const { port, token } = yield* TestServer
  const authorization = `Bearer ${yield* token("acme-client")}`
  const body: unknown = yield* Effect.promise(async () => {
    const response = await fetch(`http://127.0.0.1:${port}${kargoPath}`, {
      method: "POST",
      headers: { authorization, "content-type": "application/json", accept: "application/json" },
      body: JSON.stringify({ query: mutation, variables: { number } })
    })
    return response.json()
  })
  const { data, errors = [] } = body as {
    readonly data: { readonly createOrder: { readonly id: string } } | null
    readonly errors?: ReadonlyArray<{ readonly extensions: { readonly reason: string } }>
  }
  return errors[0]?.extensions.reason ?? data?.createOrder.id
})

for (const [storage, server] of [["memory", layerMemory()], ["PostgreSQL", layerPostgres()]] as const) {
  describe(`D17.2 createOrder on ${storage}`, () => {
    layer(server, { excludeTestServices: true })((it) => {
      it.effect("creates an order once, however many ask for it at once", () =>
        Effect.gen(function*() {
          for (const number of ["O-1", "O-2", "O-3"]) {
            const asked = Array.from({ length: 12 }, () => create(number))
            const outcomes = yield* Effect.all(asked, { concurrency: "unbounded" })
            const refusals = outcomes.filter((outcome) => outcome === "INVALID_REQUEST")
            const ids = outcomes.filter((outcome) => /^\d+$/.test(outcome ?? ""))
            assert.deepStrictEqual([ids.length, refusals.length], [1, 11], outcomes.join())
          }
        }))
    })
  })
}
