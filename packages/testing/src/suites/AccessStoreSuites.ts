/**
 * The rules for the stores of access, for every storage: API clients, the sessions of browsers (D14.4), and the keys that sign tokens
 * (D10.2).
 *
 * The suite of signing keys replaces the existing keys of the whole service, so run it only on a storage whose tokens are no longer needed.
 */
import type { AuditLog } from "@dockline/core/access/AuditLog"
import { SigningKeyStore } from "@dockline/core/access/Authenticator"
import type { SigningKey } from "@dockline/core/access/Authenticator"
import { answeredMillis, sessionsPerPrincipal, SessionStore } from "@dockline/core/access/BrowserSessions"
import type { SessionDraft } from "@dockline/core/access/BrowserSessions"
import { ClientStore } from "@dockline/core/access/Principals"
import type { Client } from "@dockline/core/access/Principals"
import { ApiClients } from "@dockline/core/operator/ApiClients"
import type { Directory } from "@dockline/core/places/Place"
import * as Timestamp from "@dockline/core/values/Timestamp"
import { Effect, Redacted, Result } from "effect"
import * as assert from "../Assert.ts"
import { aGrant, unique } from "../generators/Given.ts"
import * as Suite from "../Suite.ts"
import { aBusiness, aSlug, nowhere, operatorOf, suiteOver, whole } from "../worlds/OperatorWorld.ts"
import { pagesOf } from "../worlds/ReadWorld.ts"

/** A stored client. */
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
export const clientStoreSuite: Suite.Suite<ClientStore | Directory | AuditLog> = suiteOf(
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

const hourMillis = 3_600_000

/** Runs an effect some hours after a time in the past, before any other session, so that the suite drops no sessions of other users. */
const at = (hour: number) => Timestamp.asOf(Date.parse("2001-01-01T00:00:00.000Z") + hour * hourMillis)

const session = (principalId: string): SessionDraft => ({
  id: unique("session"),
  principalId,
  millis: 12 * hourMillis
})

/** The suite of `SessionStore`. */
export const sessionStoreSuite: Suite.Suite<SessionStore> = Suite.make(
  "the sessions of browsers",
  ({ test }) => {
    test("D14.4 a session lasts as long as it is to, until it is removed", function*() {
      const store = yield* SessionStore
      const [one, other] = [session(unique("client")), session(unique("client"))]
      const find = ({ id }: SessionDraft, hour: number) => at(hour)(store.find(id))
      assert.strictEqual(yield* find(one, 0), null)
      yield* at(0)(store.add(one))
      yield* at(1)(store.add(other))
      assert.deepStrictEqual(yield* find(one, 2), {
        principalId: one.principalId,
        leftMillis: 10 * hourMillis
      })
      assert.deepStrictEqual(yield* find(one, 11.5), {
        principalId: one.principalId,
        leftMillis: hourMillis / 2
      })
      assert.strictEqual(yield* find(one, 12), null)
      yield* store.remove(one.id)
      yield* store.remove(one.id)
      assert.strictEqual(yield* find(one, 2), null)
      assert.deepStrictEqual(yield* find(other, 2), {
        principalId: other.principalId,
        leftMillis: 11 * hourMillis
      })
    })

    test("D14.4 a new session drops those that expired before it, of whichever client", function*() {
      const store = yield* SessionStore
      const [old, recent] = [session(unique("client")), session(unique("client"))]
      yield* at(0)(store.add(old))
      yield* at(2)(store.add(recent))
      yield* at(13)(store.add(session(unique("client"))))
      assert.strictEqual(yield* at(3)(store.find(old.id)), null)
      assert.isTrue((yield* at(3)(store.find(recent.id))) !== null)
    })

    test("D14.4 a sign-in is answered once", function*() {
      const { markAnswered } = yield* SessionStore
      const [one, other] = [unique("sign-in"), unique("sign-in")]
      const lastUse = answeredMillis / hourMillis
      assert.strictEqual(yield* at(0)(markAnswered(one)), true)
      assert.strictEqual(yield* at(0)(markAnswered(one)), false)
      assert.strictEqual(yield* at(1)(markAnswered(other)), true)
      assert.strictEqual(yield* at(lastUse - 1)(markAnswered(one)), false)
      // The next sign-in drops answers of this age, because their cookies have expired.
      yield* at(lastUse + 0.5)(markAnswered(unique("sign-in")))
      assert.strictEqual(yield* at(lastUse + 0.5)(markAnswered(one)), true)
      assert.strictEqual(yield* at(lastUse + 0.5)(markAnswered(other)), false)
    })

    test("D14.4 of many who answer one sign-in at once, one is the first", function*() {
      const { markAnswered } = yield* SessionStore
      const id = unique("sign-in")
      const answers = Array.from({ length: 10 }, () => at(0)(markAnswered(id)))
      const first = yield* Effect.all(answers, { concurrency: "unbounded" })
      assert.strictEqual(first.filter((isFirst) => isFirst).length, 1)
    })

    test(`D14.4 a client has at most ${sessionsPerPrincipal} sessions: the oldest go first`, function*() {
      const store = yield* SessionStore
      const principalId = unique("client")
      const stranger = session(unique("client"))
      const sessions = Array.from({ length: sessionsPerPrincipal }, () => session(principalId))
      const isThere = ({ id }: SessionDraft) =>
        Effect.map(at(2)(store.find(id)), (session) => session !== null)
      for (const [n, each] of [stranger, ...sessions].entries()) yield* at(n / 1000)(store.add(each))
      assert.isTrue(yield* isThere(assert.at(sessions, 0)))
      yield* at(2)(store.add(session(principalId)))
      assert.isFalse(yield* isThere(assert.at(sessions, 0)))
      assert.isTrue(yield* isThere(assert.at(sessions, 1)))
      assert.isTrue(yield* isThere(stranger))
    })
  }
)

const key = (id: string, createdAt: Timestamp.Timestamp): SigningKey => ({
  id,
  privateJwk: Redacted.make(`{"kid":"${id}","text":"\\"\\\\ \u{1F69A}"}`),
  createdAt
})

/** The parts of a key that can be compared, including its secret. */
const partsOf = ({ id, privateJwk, createdAt }: SigningKey) => [id, Redacted.value(privateJwk), createdAt]

/** Days after all existing keys, and new ids of keys. */
const aTime = Effect.gen(function*() {
  const store = yield* SigningKeyStore
  const newest = (yield* store.list)[0]?.createdAt ?? (yield* Timestamp.now)
  const day = (n: number) => Timestamp.fromMillis(Date.parse(newest) + n * 86_400_000 + n)
  const own = unique("key")
  const idOf = (name: string) => `${own}-${name}`
  const keyOf = (name: string, createdAt: Timestamp.Timestamp) => key(idOf(name), createdAt)
  /** Rotates the keys, and checks that the list has exactly the remaining keys. Returns their names. */
  const rotate = Effect.fnUntraced(function*(
    key: SigningKey,
    unlessSince: Timestamp.Timestamp,
    dropBefore: Timestamp.Timestamp
  ) {
    const keys = yield* store.rotate(key, unlessSince, dropBefore)
    assert.deepStrictEqual((yield* store.list).map(partsOf), keys.map(partsOf))
    return keys.map(({ id }) => id.slice(own.length + 1))
  })
  return { days: [day(1), day(2), day(3), day(4)] as const, keyOf, rotate }
})

/** The suite of `SigningKeyStore`. */
export const signingKeyStoreSuite: Suite.Suite<SigningKeyStore> = Suite.make(
  "the keys that tokens are signed with",
  ({ describe, test }) => {
    describe("D10.2 rotation", () => {
      test("a key is kept as it is, and older ones are dropped when they are to be", function*() {
        const { days: [day1], keyOf, rotate } = yield* aTime
        const store = yield* SigningKeyStore
        const first = keyOf("a", day1)
        assert.deepStrictEqual(yield* rotate(first, day1, day1), ["a"])
        assert.deepStrictEqual((yield* store.list).map(partsOf), [partsOf(first)])
      })

      test("instances that start at once end with one key, the same for all", function*() {
        const { days: [day1, day2], keyOf, rotate } = yield* aTime
        const store = yield* SigningKeyStore
        const names = Array.from({ length: 10 }, (_, n) => `instance ${n}`)
        const results = yield* Effect.all(
          names.map((name) => store.rotate(keyOf(name, day2), day1, day1)),
          { concurrency: "unbounded" }
        )
        for (const keys of results) {
          assert.deepStrictEqual(keys.map(partsOf), assert.at(results, 0).map(partsOf))
        }
        assert.strictEqual(assert.at(results, 0).length, 1)
        const [name] = yield* rotate(keyOf("late", day2), day1, day1)
        assert.include(names, name)
      })

      test("a key is added when none was created after the given time, newest first", function*() {
        const { days: [day1, day2, day3], keyOf, rotate } = yield* aTime
        yield* rotate(keyOf("a", day1), day1, day1)
        assert.deepStrictEqual(yield* rotate(keyOf("b", day2), day1, day1), ["b", "a"])
        assert.deepStrictEqual(yield* rotate(keyOf("c", day3), day1, day1), ["b", "a"])
        assert.deepStrictEqual(yield* rotate(keyOf("c", day3), day2, day1), ["c", "b", "a"])
      })

      test("keys created before the given time are dropped, never the newest", function*() {
        const { days: [day1, day2, day3, day4], keyOf, rotate } = yield* aTime
        yield* rotate(keyOf("a", day1), day1, day1)
        yield* rotate(keyOf("b", day2), day1, day1)
        yield* rotate(keyOf("c", day3), day2, day1)
        assert.deepStrictEqual(yield* rotate(keyOf("d", day4), day2, day2), ["c", "b"])
        assert.deepStrictEqual(yield* rotate(keyOf("d", day4), day2, day4), ["c"])
      })
    })
  }
)
