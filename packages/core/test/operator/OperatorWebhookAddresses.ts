/**
 * Where the secrets of webhook endpoints may go, and who learns which addresses may be called, whatever endpoints are
 * stored in.
 */
import * as assert from "@dockline/testing/Assert"
import { aGrant, aPrincipal } from "@dockline/testing/generators/Given"
import { aBusiness, faultsOf, operatorOf, outcome } from "@dockline/testing/worlds/OperatorWorld"
import { Effect } from "effect"
import { ordinary } from "./OperatorServices.ts"
import type { Part } from "./OperatorServices.ts"
import { basic, create, openedSecrets, storedEndpoint, token, update } from "./WebhooksWorld.ts"

/** The cases of the addresses of webhook endpoints. */
export const webhookAddresses: Part = (test, describe) => {
  describe("a stored secret goes to no other address than it was given for", () => {
    const { password: _, ...basicOnly } = basic
    const { password: __, ...tokenOnly } = token
    const elsewhere = { baseUrl: "https://elsewhere.example" }
    const login = { loginUrl: "https://customer.example/other" }
    const changes: ReadonlyArray<
      readonly [name: string, before: Record<string, unknown>, change: Record<string, unknown>]
    > = [
      ["the base URL alone, Basic", basic, elsewhere],
      ["the base URL alone, token", token, elsewhere],
      ["the base URL, and the same authentication", basic, { ...elsewhere, authentication: basicOnly }],
      ["the base URL by its port alone", basic, { baseUrl: "https://customer.example:8444" }],
      ["the login URL", token, { authentication: { ...tokenOnly, ...login } }]
    ]
    for (const [name, before, fields] of changes) {
      test(
        name,
        Effect.gen(function*() {
          const business = yield* aBusiness
          const { id } = yield* create(business, { authentication: before })
          const was = yield* storedEndpoint(id)
          assert.deepStrictEqual(yield* faultsOf(update(id, fields)), {
            code: "INVALID_REQUEST",
            errors: [{
              path: "authentication.password",
              detail: "must be sent again, with the whole authentication: an address changes, and a stored " +
                "secret is never sent to another address"
            }]
          })
          assert.deepStrictEqual(yield* storedEndpoint(id), was)
          const change = {
            ...before,
            ...fields["authentication"] as object | undefined,
            password: "canary-new"
          }
          yield* update(id, { ...fields, authentication: change })
          assert.deepStrictEqual((yield* openedSecrets(id)).authentication, { password: "canary-new" })
        })
      )
    }

    test(
      "where there is none, any address may change",
      Effect.gen(function*() {
        const business = yield* aBusiness
        const { id } = yield* create(business)
        assert.strictEqual((yield* update(id, elsewhere)).baseUrl, elsewhere.baseUrl)
      })
    )
  })

  test(
    "which addresses may be called is told to operators alone",
    Effect.gen(function*() {
      const acme = yield* aBusiness
      const { id } = yield* create(acme)
      const inside = { baseUrl: "https://192.0.2.1" }
      const other = aPrincipal(aGrant(acme, "*", ordinary))
      assert.strictEqual(yield* outcome(create(acme, inside, other)), "FORBIDDEN")
      assert.strictEqual(
        yield* outcome(update(id, inside, other)),
        "FORBIDDEN"
      )
      assert.strictEqual(yield* outcome(create(acme, inside, operatorOf(acme))), "INVALID_REQUEST")
      assert.strictEqual(
        yield* outcome(update(id, inside, operatorOf(acme))),
        "INVALID_REQUEST"
      )
    })
  )
}
