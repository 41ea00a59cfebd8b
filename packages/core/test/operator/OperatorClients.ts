/**
 * What holds for API clients on behalf of operators, whatever they are stored in.
 */
import * as assert from "@dockline/testing/Assert"
import { aGrant, aPrincipal } from "@dockline/testing/generators/Given"
import { at } from "@dockline/testing/worlds/MessageLogWorld"
import {
  aBusiness,
  faultsOf,
  nowhere,
  operatorOf,
  outcome,
  whole
} from "@dockline/testing/worlds/OperatorWorld"
import { pagesOf } from "@dockline/testing/worlds/PageWorld"
import { Effect, Redacted, Result } from "effect"
import type { Grant, Principal } from "../../src/access/Access.ts"
import { ApiClients } from "../../src/operator/ApiClients.ts"
import { createClient as create, ordinary } from "./OperatorServices.ts"
import type { Part } from "./OperatorServices.ts"

const noon = Date.parse("2026-11-20T12:00:00.000Z")

const idsOf = (principal: Principal) =>
  Effect.flatMap(ApiClients, ({ listClients }) =>
    Effect.map(
      pagesOf((query) => listClients(query, principal), 100),
      (pages) => pages.flat().map(({ id }) => id)
    ))

/** The cases of API clients. */
export const clients: Part = (test, describe) => {
  describe("D11 a new client", () => {
    test(
      "has an id, one secret and its grants, and is enabled",
      Effect.gen(function*() {
        const { getClient } = yield* ApiClients
        const acme = yield* aBusiness
        const grants = [aGrant(acme, ["east"], ["documents:write"]), aGrant(acme, "*", [])]
        const { clientSecret, ...made } = yield* at(noon)(create(...grants))
        assert.match(made.id, /^[\da-f]{8}-([\da-f]{4}-){3}[\da-f]{12}$/)
        assert.deepStrictEqual(made, {
          id: made.id,
          name: "A client",
          enabled: true,
          grants,
          secrets: [{ id: made.secrets[0]!.id, createdAt: "2026-11-20T12:00:00.000Z" }]
        })
        assert.deepStrictEqual(yield* getClient({ clientId: made.id }, whole), made)
        assert.isTrue(Redacted.isRedacted(clientSecret))
      })
    )

    test(
      "is disabled where that is asked for",
      Effect.gen(function*() {
        const { createClient, getClient } = yield* ApiClients
        const { id, enabled } = yield* createClient(
          { body: { name: "Off", grants: [], enabled: false } },
          whole
        )
        assert.isFalse(enabled)
        assert.isFalse((yield* getClient({ clientId: id }, whole)).enabled)
      })
    )
  })

  describe("D11 who may operate a client", () => {
    test(
      "who operates every business of its grants; of one without grants, or with all businesses, the whole service",
      Effect.gen(function*() {
        const [acme, globex] = [yield* aBusiness, yield* aBusiness]
        const principals: ReadonlyArray<readonly [who: string, principal: Principal]> = [
          ["whole service", whole],
          ["acme", operatorOf(acme)],
          ["both", operatorOf(acme, globex)],
          ["globex", operatorOf(globex)]
        ]
        const table: ReadonlyArray<
          readonly [what: string, grants: ReadonlyArray<Grant>, seenBy: ReadonlyArray<string>]
        > = [
          ["acme", [aGrant(acme)], ["whole service", "acme", "both"]],
          ["acme east", [aGrant(acme, ["east"])], ["whole service", "acme", "both"]],
          ["acme twice", [aGrant(acme, ["east"]), aGrant(acme, ["west"])], ["whole service", "acme", "both"]],
          ["both", [aGrant(acme), aGrant(globex)], ["whole service", "both"]],
          ["globex, even to do nothing there", [aGrant(acme), aGrant(globex, "*", [])], [
            "whole service",
            "both"
          ]],
          ["nothing", [], ["whole service"]],
          ["every business", [aGrant("*")], ["whole service"]],
          ["acme and every business", [aGrant(acme), aGrant("*")], ["whole service"]]
        ]
        const { getClient, updateClient, createSecret, deleteSecret } = yield* ApiClients
        for (const [what, grants, seenBy] of table) {
          const { id } = yield* create(...grants)
          for (const [who, principal] of principals) {
            const expected = seenBy.includes(who) ? "ok" : "CLIENT_NOT_FOUND"
            const text = `${what} by ${who}`
            assert.strictEqual(yield* outcome(getClient({ clientId: id }, principal)), expected, text)
            assert.strictEqual(
              yield* outcome(updateClient({ clientId: id, body: { name: "New" } }, principal)),
              expected,
              text
            )
            assert.strictEqual((yield* idsOf(principal)).includes(id), seenBy.includes(who), text)
            const added = yield* Effect.result(createSecret({ clientId: id }, principal))
            assert.strictEqual(Result.isSuccess(added), seenBy.includes(who), text)
            const secretId = Result.isSuccess(added) ? added.success.secretId : "any"
            assert.strictEqual(
              yield* outcome(deleteSecret({ clientId: id, secretId }, principal)),
              expected,
              text
            )
          }
        }
      })
    )

    test(
      "nobody without the permission, or with it at some facilities only",
      Effect.gen(function*() {
        const acme = yield* aBusiness
        const { getClient, updateClient, createSecret, deleteSecret, listClients, createClient } =
          yield* ApiClients
        const { id } = yield* create(aGrant(acme))
        const somewhere = aPrincipal(aGrant(acme, ["east"], ["operator"]))
        for (const principal of [aPrincipal(), aPrincipal(aGrant(acme, "*", ordinary)), somewhere]) {
          const elsewhere = principal === somewhere ? "CLIENT_NOT_FOUND" : "FORBIDDEN"
          assert.deepStrictEqual([
            yield* outcome(getClient({ clientId: id }, principal)),
            yield* outcome(getClient({ clientId: nowhere }, principal)),
            yield* outcome(updateClient({ clientId: id, body: {} }, principal)),
            yield* outcome(createSecret({ clientId: id }, principal)),
            yield* outcome(deleteSecret({ clientId: id, secretId: "any" }, principal)),
            yield* outcome(listClients({}, principal)),
            yield* outcome(createClient({ body: { name: "New", grants: [aGrant(acme)] } }, principal))
          ], [elsewhere, elsewhere, elsewhere, elsewhere, elsewhere, "FORBIDDEN", "FORBIDDEN"])
        }
      })
    )

    test(
      "new grants lie within what one operates",
      Effect.gen(function*() {
        const [acme, globex] = [yield* aBusiness, yield* aBusiness]
        const { createClient, updateClient, getClient } = yield* ApiClients
        const table: ReadonlyArray<
          readonly [grants: ReadonlyArray<Grant>, ofAcme: string, ofBoth: string, ofAll: string]
        > = [
          [[aGrant(acme)], "ok", "ok", "ok"],
          [[aGrant(acme, "*", ["operator"])], "ok", "ok", "ok"],
          [[aGrant(acme), aGrant(globex)], "FORBIDDEN", "ok", "ok"],
          [[aGrant(globex)], "FORBIDDEN", "ok", "ok"],
          [[aGrant("*")], "FORBIDDEN", "FORBIDDEN", "ok"],
          [[], "FORBIDDEN", "FORBIDDEN", "ok"],
          [[aGrant(nowhere)], "FORBIDDEN", "FORBIDDEN", "INVALID_REQUEST"]
        ]
        const principals = [operatorOf(acme), operatorOf(acme, globex), whole]
        for (const [grants, ...expected] of table) {
          const { id } = yield* create(aGrant(acme))
          for (const [index, principal] of principals.entries()) {
            const text = `${JSON.stringify(grants)} by ${index}`
            const input = { name: "New", grants }
            assert.strictEqual(
              yield* outcome(createClient({ body: input }, principal)),
              expected[index],
              text
            )
            assert.strictEqual(
              yield* outcome(updateClient({ clientId: id, body: { grants } }, principal)),
              expected[index],
              text
            )
            const after = expected[index] === "ok" ? grants : [aGrant(acme)]
            assert.deepStrictEqual((yield* getClient({ clientId: id }, whole)).grants, after, text)
            yield* updateClient({ clientId: id, body: { grants: [aGrant(acme)] } }, whole)
          }
        }
      })
    )
  })

  describe("D11 grants name what exists", () => {
    test(
      "an unknown business or facility is refused with its place, and nothing is written",
      Effect.gen(function*() {
        const [acme, globex] = [yield* aBusiness, yield* aBusiness]
        const { updateClient, getClient } = yield* ApiClients
        const { id } = yield* create(aGrant(acme))
        const grants = [
          aGrant(acme, ["east", "north", "west"]),
          aGrant(nowhere),
          aGrant(globex, "*"),
          aGrant("a\0b", ["east"]),
          aGrant("*"),
          aGrant(globex, ["East"])
        ]
        const faults = {
          code: "INVALID_REQUEST",
          errors: [
            { path: "grants[0].facilities[1]", detail: `Unknown facility: north of business ${acme}` },
            { path: "grants[1].business", detail: `Unknown business: ${nowhere}` },
            { path: "grants[3].business", detail: "Unknown business: a\\u0000b" },
            { path: "grants[5].facilities[0]", detail: `Unknown facility: East of business ${globex}` }
          ]
        }
        assert.deepStrictEqual(yield* faultsOf(create(...grants)), faults)
        assert.deepStrictEqual(
          yield* faultsOf(updateClient({ clientId: id, body: { name: "New", grants } }, whole)),
          faults
        )
        const client = yield* getClient({ clientId: id }, whole)
        assert.deepStrictEqual([client.name, client.grants], ["A client", [aGrant(acme)]])
      })
    )
  })

  describe("D11 changes", () => {
    test(
      "of what is given, and of nothing else",
      Effect.gen(function*() {
        const acme = yield* aBusiness
        const { updateClient, getClient } = yield* ApiClients
        const { clientSecret: _, ...made } = yield* create(aGrant(acme))
        const grants = [aGrant(acme, ["east"], ["messages:read", "operator"])]
        const steps = [
          [{}, {}],
          [{ name: "New" }, { name: "New" }],
          [{ enabled: false }, { enabled: false }],
          [{ grants }, { grants }],
          [{ enabled: true, name: "Ä" }, { enabled: true, name: "Ä" }]
        ] as const
        for (const [change, after] of steps) {
          Object.assign(made, after)
          assert.deepStrictEqual(yield* updateClient({ clientId: made.id, body: change }, whole), made)
          assert.deepStrictEqual(yield* getClient({ clientId: made.id }, whole), made)
        }
      })
    )

    test(
      "a text that is no id names no client",
      Effect.gen(function*() {
        const { getClient, updateClient, createSecret, deleteSecret } = yield* ApiClients
        for (const id of [nowhere, "", "a\0b", "\ud800", "ä", "x".repeat(10_000)]) {
          assert.deepStrictEqual([
            yield* outcome(getClient({ clientId: id }, whole)),
            yield* outcome(updateClient({ clientId: id, body: {} }, whole)),
            yield* outcome(createSecret({ clientId: id }, whole)),
            yield* outcome(deleteSecret({ clientId: id, secretId: "any" }, whole))
          ], ["CLIENT_NOT_FOUND", "CLIENT_NOT_FOUND", "CLIENT_NOT_FOUND", "CLIENT_NOT_FOUND"])
        }
      })
    )
  })
}
