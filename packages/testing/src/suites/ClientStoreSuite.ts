/**
 * What holds for lists of API clients, and for their store, whatever they are stored in.
 */
import type { AuditLog } from "@dockline/core/access/AuditLog"
import type { Client } from "@dockline/core/access/ClientStore"
import { ClientStore } from "@dockline/core/access/ClientStore"
import { ApiClients } from "@dockline/core/operator/ApiClients"
import type { Directory } from "@dockline/core/places/Directory"
import * as Timestamp from "@dockline/core/values/Timestamp"
import { Effect, Result } from "effect"
import * as assert from "../Assert.ts"
import { aGrant } from "../generators/Given.ts"
import type { Suite } from "../Suite.ts"
import { aBusiness, aSlug, nowhere, operatorOf, suiteOver, whole } from "../worlds/OperatorWorld.ts"
import { pagesOf } from "../worlds/PageWorld.ts"

/** A client as it is stored. */
const aClient = (fields: Partial<Client> = {}): Client => ({
  id: aSlug(),
  name: "Stored",
  enabled: true,
  secrets: [],
  grants: [],
  ...fields
})

const suiteOf = suiteOver(ApiClients.layer)

/** The suite of the store of API clients. */
export const clientStoreSuite: Suite<ClientStore | Directory | AuditLog> = suiteOf(
  "the store of API clients",
  (test, describe) => {
    describe("D11 lists of clients", () => {
      test("come in pages, in id order", function*() {
        const { listClients } = yield* ApiClients
        const acme = yield* aBusiness
        const { createClient } = yield* ApiClients
        const clients = yield* Effect.forEach(
          [1, 2, 3, 4, 5],
          () => createClient({ body: { name: "A client", grants: [aGrant(acme)] } }, whole)
        )
        const ids = clients.map(({ id }) => id).toSorted()
        const pages = yield* pagesOf((query) => listClients(query, operatorOf(acme)), 2)
        assert.deepStrictEqual(
          pages.map((page) => page.map(({ id }) => id)),
          [ids.slice(0, 2), ids.slice(2, 4), ids.slice(4)]
        )
      })

      test("come in pages of at most 10,000 rows, but of one client at least", function*() {
        const { listClients } = yield* ApiClients
        const store = yield* ClientStore
        const acme = yield* aBusiness
        const facilities = (count: number) => Array.from({ length: count }, (_, number) => `f${number}`)
        const counts = [[6000, 3997], "*", [1], [10_000], []] as const
        const prefix = aSlug()
        yield* store.put(counts.map((count, index) =>
          aClient({
            id: `${prefix}-${index}`,
            grants: count === "*"
              ? [aGrant(acme)]
              : [aGrant(acme, []), ...count.map((number) => aGrant(acme, facilities(number)))]
          })
        ))
        const pages = yield* pagesOf((query) => listClients(query, operatorOf(acme)), 100)
        assert.deepStrictEqual(pages.map((page) => page.map(({ id }) => Number(id.at(-1)))), [[0, 1], [2], [
          3
        ], [4]])
      })
    })

    describe("the store of clients", () => {
      test("lists to some businesses who has grants, and all of them there", function*() {
        const store = yield* ClientStore
        const [acme, globex] = [aSlug(), aSlug()]
        const [one, both] = [
          aClient({ grants: [aGrant(acme), aGrant(acme, ["east"])] }),
          aClient({ grants: [aGrant(acme), aGrant(globex)] })
        ]
        yield* store.put([one, both, aClient(), aClient({ grants: [aGrant("*")] })])
        const idsOf = (...scope: ReadonlyArray<string>) =>
          Effect.map(store.list(scope, { limit: 9, after: "" }), ({ items }) => items.map(({ id }) => id))
        assert.deepStrictEqual(yield* idsOf(acme), [one.id])
        assert.deepStrictEqual(yield* idsOf(globex), [])
        assert.deepStrictEqual(yield* idsOf(globex, acme), [one.id, both.id].toSorted())
        assert.deepStrictEqual(yield* idsOf(), [])
        assert.isNull(yield* store.find(nowhere))
      })

      test("D10.4 finds clients by id, and replaces them whole", function*() {
        const store = yield* ClientStore
        const secrets = [{ id: "1", hash: "00" }, { id: "2", hash: "01" }]
        const [client, other] = [aClient({ secrets, grants: [aGrant("acme")] }), aClient({ secrets })]
        assert.isNull(yield* store.find(client.id))
        yield* store.put([client, other])
        assert.deepStrictEqual(yield* store.find(client.id), client)
        const change: Client = { ...client, name: "Changed", enabled: false, secrets: [], grants: [] }
        yield* store.put([change])
        assert.deepStrictEqual(yield* store.find(client.id), change)
        assert.deepStrictEqual(yield* store.find(other.id), other)
        for (const id of ["__proto__", client.id.toUpperCase(), ""]) {
          assert.isNull(yield* store.find(id))
        }
      })

      test("adds a client once, and leaves what is there", function*() {
        const store = yield* ClientStore
        const client = aClient({
          secrets: [{ id: "1", hash: "00", createdAt: Timestamp.of("2026-11-20T12:00:00.000Z") }]
        })
        assert.isTrue(yield* store.create(client))
        assert.isFalse(yield* store.create({ ...client, name: "Other" }))
        assert.deepStrictEqual(yield* store.find(client.id), client)
      })

      test("changes a client as it is, or not at all", function*() {
        const store = yield* ClientStore
        const [client, other] = [aClient(), aClient()]
        yield* store.put([client, other])
        const result = yield* store.update(client.id, (before) => {
          assert.deepStrictEqual(before, client)
          return Result.succeed({ ...before, id: other.id, name: "New", grants: [aGrant("acme")] })
        })
        const expected = { ...client, name: "New", grants: [aGrant("acme")] }
        assert.deepStrictEqual(result, expected)
        assert.deepStrictEqual(yield* store.find(client.id), expected)
        assert.deepStrictEqual(yield* store.find(other.id), other)
        const failure = yield* Effect.flip(store.update(client.id, () => Result.fail("no" as const)))
        assert.strictEqual(failure, "no")
        assert.deepStrictEqual(yield* store.find(client.id), expected)
        assert.isNull(yield* store.update(nowhere, () => Result.fail("not asked" as const)))
      })
    })
  }
)
