/**
 * What holds for API clients on behalf of operators, whatever they are stored in.
 */
import * as assert from "@dockline/testing/Assert"
import { aGrant } from "@dockline/testing/generators/Given"
import { at } from "@dockline/testing/worlds/MessageLogWorld"
import {
  aBusiness,
  faultsOf,
  nowhere,
  operatorOf,
  outcome,
  whole
} from "@dockline/testing/worlds/OperatorWorld"
import { pagesOf } from "@dockline/testing/worlds/ReadWorld"
import { Effect, Redacted, Result } from "effect"
import type { Grant, Principal } from "../../src/access/Access.ts"
import { ask, createClient as create } from "./OperatorServices.ts"
import type { Part } from "./OperatorServices.ts"

const noon = Date.parse("2026-11-20T12:00:00.000Z")

const idsOf = (principal: Principal) =>
  Effect.map(
    pagesOf((query) => ask("listClients", query, principal), 100),
    (pages) => pages.flat().map(({ id }) => id)
  )

/** The cases of API clients. */
export const clients: Part = (test, describe) => {
  describe("D11 a new client", () => {
    test(
      "has an id, one secret and its grants, and is enabled",
      Effect.gen(function*() {
        const acme = yield* aBusiness
        const grants = [aGrant(acme, ["east"], ["documents:write"]), aGrant(acme, "*", [])]
        const { clientSecret, ...client } = yield* at(noon)(create(...grants))
        assert.match(client.id, /^[\da-f]{8}-([\da-f]{4}-){3}[\da-f]{12}$/)
        assert.deepStrictEqual(client, {
          id: client.id,
          name: "A client",
          enabled: true,
          grants,
          secrets: [{ id: client.secrets[0]!.id, createdAt: "2026-11-20T12:00:00.000Z" }]
        })
        assert.deepStrictEqual(yield* ask("getClient", { clientId: client.id }), client)
        assert.isTrue(Redacted.isRedacted(clientSecret))
      })
    )

    test(
      "is disabled where that is asked for",
      Effect.gen(function*() {
        const { id, enabled } = yield* ask("createClient", {
          body: { name: "Off", grants: [], enabled: false }
        }, whole)
        assert.isFalse(enabled)
        assert.isFalse((yield* ask("getClient", { clientId: id })).enabled)
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
        for (const [what, grants, seenBy] of table) {
          const { id } = yield* create(...grants)
          for (const [who, principal] of principals) {
            const expected = seenBy.includes(who) ? "ok" : "CLIENT_NOT_FOUND"
            const text = `${what} by ${who}`
            assert.strictEqual(yield* outcome(ask("getClient", { clientId: id }, principal)), expected, text)
            assert.strictEqual(
              yield* outcome(ask("updateClient", { clientId: id, body: { name: "New" } }, principal)),
              expected,
              text
            )
            assert.strictEqual((yield* idsOf(principal)).includes(id), seenBy.includes(who), text)
            const result = yield* Effect.result(ask("createSecret", { clientId: id }, principal))
            assert.strictEqual(Result.isSuccess(result), seenBy.includes(who), text)
            const secretId = Result.isSuccess(result) ? result.success.secretId : "any"
            assert.strictEqual(
              yield* outcome(ask("deleteSecret", { clientId: id, secretId }, principal)),
              expected,
              text
            )
          }
        }
      })
    )

    test(
      "new grants lie within what one operates",
      Effect.gen(function*() {
        const [acme, globex] = [yield* aBusiness, yield* aBusiness]
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
              yield* outcome(ask("createClient", { body: input }, principal)),
              expected[index],
              text
            )
            assert.strictEqual(
              yield* outcome(ask("updateClient", { clientId: id, body: { grants } }, principal)),
              expected[index],
              text
            )
            const after = expected[index] === "ok" ? grants : [aGrant(acme)]
            assert.deepStrictEqual((yield* ask("getClient", { clientId: id })).grants, after, text)
            yield* ask("updateClient", { clientId: id, body: { grants: [aGrant(acme)] } })
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
          yield* faultsOf(ask("updateClient", { clientId: id, body: { name: "New", grants } })),
          faults
        )
        const client = yield* ask("getClient", { clientId: id })
        assert.deepStrictEqual([client.name, client.grants], ["A client", [aGrant(acme)]])
      })
    )
  })

  describe("D11 grants are added and taken away", () => {
    const all = ["documents:write", "messages:read"] as const
    const grantsAt = (acme: string) => [
      aGrant(acme, ["east"], ["messages:read"]),
      aGrant(acme, "*", ["messages:read"])
    ]
    /** What is asked for, with the grants after it, or where it is refused. */
    type Row = readonly [asked: ReadonlyArray<Grant>, after: ReadonlyArray<Grant> | string]
    const tables = {
      addClientGrants: (acme: string, globex: string): ReadonlyArray<Row> => [
        [[aGrant(acme, ["east"])], [
          aGrant(acme, ["east"], ["messages:read", "documents:write"]),
          aGrant(acme, "*", ["messages:read"])
        ]],
        [[aGrant(acme)], [
          aGrant(acme, ["east"], ["messages:read"]),
          aGrant(acme, "*", ["messages:read", "documents:write"])
        ]],
        [[aGrant(globex)], [...grantsAt(acme), aGrant(globex)]],
        [[aGrant(acme, ["west", "east"])], [...grantsAt(acme), aGrant(acme, ["west", "east"])]],
        [[], grantsAt(acme)]
      ],
      withdrawClientGrants: (acme: string, globex: string): ReadonlyArray<Row> => [
        [[aGrant(acme, "*", ["messages:read"])], []],
        [[aGrant(acme)], "grants[0]"],
        [[aGrant(globex)], "grants[0]"],
        [[aGrant(acme, ["east"], ["messages:read"])], [aGrant(acme, "*", ["messages:read"])]],
        [[aGrant(acme, ["west"], ["messages:read"])], "grants[0].facilities"],
        [[], grantsAt(acme)]
      ]
    }
    test(
      "each at its place, and what else is granted stays",
      Effect.gen(function*() {
        const [acme, globex] = [yield* aBusiness, yield* aBusiness]
        for (const name of ["addClientGrants", "withdrawClientGrants"] as const) {
          for (const [grants, after] of tables[name](acme, globex)) {
            const { id } = yield* create(...grantsAt(acme))
            const text = `${name} ${JSON.stringify(grants)}`
            const change = ask(name, { clientId: id, body: { grants } })
            if (typeof after === "string") {
              assert.deepStrictEqual((yield* faultsOf(change)).errors.map(({ path }) => path), [after], text)
            } else assert.deepStrictEqual((yield* change).grants, after, text)
            const grantsBefore = (yield* ask("getClient", { clientId: id })).grants
            assert.deepStrictEqual(grantsBefore, typeof after === "string" ? grantsAt(acme) : after, text)
          }
        }
      })
    )

    test(
      "of some facilities, the others keep theirs",
      Effect.gen(function*() {
        const acme = yield* aBusiness
        const { id } = yield* create(aGrant(acme, ["east", "west"], all))
        const withdraw = (...grants: ReadonlyArray<Grant>) =>
          Effect.map(
            ask("withdrawClientGrants", { clientId: id, body: { grants } }),
            ({ grants }) => grants
          )
        assert.deepStrictEqual(yield* withdraw(aGrant(acme, ["west"], ["messages:read"])), [
          aGrant(acme, ["east"], all),
          aGrant(acme, ["west"])
        ])
        assert.deepStrictEqual(yield* withdraw(aGrant(acme, "*", ["documents:write"])), [
          aGrant(acme, ["east"], ["messages:read"])
        ])
        assert.strictEqual(
          yield* outcome(
            ask("withdrawClientGrants", {
              clientId: id,
              body: { grants: [aGrant(acme, ["east"], ["messages:read"])] }
            }, operatorOf(acme))
          ),
          "FORBIDDEN"
        )
      })
    )

    test(
      "within what the operator may grant, and up to 100",
      Effect.gen(function*() {
        const [acme, globex] = [yield* aBusiness, yield* aBusiness]
        const { id } = yield* create(aGrant(acme))
        const add = (grants: ReadonlyArray<Grant>, who: Principal = whole) =>
          outcome(ask("addClientGrants", { clientId: id, body: { grants } }, who))
        assert.strictEqual(yield* add([aGrant(globex)], operatorOf(acme)), "FORBIDDEN")
        assert.strictEqual(yield* add([aGrant(acme)], operatorOf(globex)), "CLIENT_NOT_FOUND")
        assert.strictEqual(yield* add([aGrant(nowhere)]), "INVALID_REQUEST")
        const many = Array.from(
          { length: 100 },
          (_, n) => aGrant(acme, Array.from({ length: n + 1 }, () => "east"))
        )
        assert.strictEqual(yield* add(many.slice(0, 99)), "ok")
        assert.strictEqual(yield* add(many.slice(99)), "INVALID_REQUEST")
      })
    )
  })

  describe("D11 changes", () => {
    test(
      "of what is given, and of nothing else",
      Effect.gen(function*() {
        const acme = yield* aBusiness
        const { clientSecret: _, ...client } = yield* create(aGrant(acme))
        const grants = [aGrant(acme, ["east"], ["messages:read", "operator"])]
        const steps = [
          [{}, {}],
          [{ name: "New" }, { name: "New" }],
          [{ enabled: false }, { enabled: false }],
          [{ grants }, { grants }],
          [{ enabled: true, name: "Ä" }, { enabled: true, name: "Ä" }]
        ] as const
        for (const [change, after] of steps) {
          Object.assign(client, after)
          assert.deepStrictEqual(yield* ask("updateClient", { clientId: client.id, body: change }), client)
          assert.deepStrictEqual(yield* ask("getClient", { clientId: client.id }), client)
        }
      })
    )
  })
}
