/** D10.3, D10.4, D11: API clients, what they may do and their secrets, over real sockets. */
import type { Grant } from "@dockline/core/Access"
import type { ClientView, NewClientView, NewSecretView } from "@dockline/core/operator/OperatorView"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { RequestOptions } from "../../support/TestServer.ts"
import { layerMemory, refusalOf, TestServer, unique } from "../../support/TestServer.ts"
import { order } from "../Sample.ts"
import { asClient, askForToken, bodyOf, faultsOf, get, makeClient, operate } from "./Operator.ts"

const writer: Grant = { business: "acme", facilities: ["east"], permissions: ["documents:write"] }

const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/

/** Grants are at most so old, in milliseconds (D10.3). */
const lifetime = 5000

/** A document that a client sends to acme east; how it is answered. */
const write = (as: RequestOptions) =>
  Effect.flatMap(TestServer, ({ post }) => Effect.map(post(order(), as), ({ status }) => status))

layer(layerMemory(), { excludeTestServices: true })("D11 API clients", (it) => {
  // @threat asking.7
  it.effect("a client is created with a secret of 256 random bits that is shown once, and may do what it is granted", () =>
    Effect.gen(function*() {
      const server = yield* TestServer
      const created = yield* operate("POST", "clients", { name: "Acme WMS", grants: [writer] })
      const { clientSecret, ...view } = bodyOf<NewClientView>(created, 201)
      assert.match(view.id, uuid)
      assert.match(clientSecret, /^[\w-]{43}$/)
      assert.strictEqual(created.headers["cache-control"], "no-store")
      assert.strictEqual(created.headers.location, `/v1/operator/clients/${view.id}`)
      assert.deepStrictEqual([view.name, view.enabled, view.grants], ["Acme WMS", true, [writer]])
      assert.lengthOf(view.secrets, 1)
      const read = yield* server.get(created.headers.location!, { client: "operator" })
      assert.deepStrictEqual(bodyOf(read, 200), view)
      const as = yield* asClient(view.id, clientSecret)
      assert.strictEqual(yield* write(as), 201)
      const elsewhere = yield* server.post(order({ facility: "west" }), as)
      assert.deepStrictEqual(refusalOf(elsewhere), [403, "FORBIDDEN"])
    }))

  it.effect("what a change leaves out stays, grants are replaced whole", () =>
    Effect.gen(function*() {
      const { id } = yield* makeClient(writer)
      const path = `clients/${id}`
      const before = bodyOf<ClientView>(yield* get(path), 200)
      const change = (body: object) => Effect.map(operate("PATCH", path, body), (reply) => bodyOf(reply, 200))
      assert.deepStrictEqual(yield* change({}), before)
      assert.deepStrictEqual(yield* change({ name: "B" }), { ...before, name: "B" })
      const grants: ReadonlyArray<Grant> = [{ business: "globex", facilities: "*", permissions: [] }]
      assert.deepStrictEqual(yield* change({ grants }), { ...before, name: "B", grants })
      assert.deepStrictEqual(yield* change({ enabled: false, grants: [] }), {
        ...before,
        name: "B",
        grants: [],
        enabled: false
      })
      assert.deepStrictEqual(bodyOf(yield* get(path), 200), {
        ...before,
        name: "B",
        grants: [],
        enabled: false
      })
    }))

  it.effect("changed grants hold within 5 seconds, for tokens at hand", () =>
    Effect.gen(function*() {
      const server = yield* TestServer
      const { id, as } = yield* makeClient(writer)
      assert.strictEqual(yield* write(as), 201)
      bodyOf(
        yield* operate("PATCH", `clients/${id}`, {
          grants: [{ ...writer, permissions: ["messages:read"] }]
        }),
        200
      )
      yield* server.advance(lifetime)
      assert.strictEqual(yield* write(as), 403)
      bodyOf(yield* operate("PATCH", `clients/${id}`, { grants: [writer] }), 200)
      yield* server.advance(lifetime)
      assert.strictEqual(yield* write(as), 201)
    }))

  it.effect("a disabled client gets no token at once, its tokens are 401 within 5 seconds, until it is enabled", () =>
    Effect.gen(function*() {
      const server = yield* TestServer
      const { id, secret, as } = yield* makeClient(writer)
      assert.strictEqual(yield* write(as), 201)
      bodyOf(yield* operate("PATCH", `clients/${id}`, { enabled: false }), 200)
      assert.strictEqual((yield* askForToken(id, secret)).status, 401)
      yield* server.advance(lifetime)
      assert.strictEqual(yield* write(as), 401)
      bodyOf(yield* operate("PATCH", `clients/${id}`, { enabled: true }), 200)
      yield* server.advance(lifetime)
      assert.strictEqual(yield* write(as), 201)
      assert.strictEqual((yield* askForToken(id, secret)).status, 200)
    }))

  it.effect("two secrets are valid at once, and one that is deleted no more", () =>
    Effect.gen(function*() {
      const server = yield* TestServer
      const { id, secret, as } = yield* makeClient(writer)
      const path = `clients/${id}/secrets`
      const added = yield* operate("POST", path)
      const second = bodyOf<NewSecretView>(added, 201)
      assert.match(second.clientSecret, /^[\w-]{43}$/)
      assert.strictEqual(added.headers["cache-control"], "no-store")
      assert.strictEqual(added.headers.location, `/v1/operator/${path}/${second.secretId}`)
      const works = Effect.all([askForToken(id, secret), askForToken(id, second.clientSecret)]).pipe(
        Effect.map((replies) => replies.map(({ status }) => status))
      )
      assert.deepStrictEqual(yield* works, [200, 200])
      assert.deepStrictEqual(refusalOf(yield* operate("POST", path, {})), [409, "TOO_MANY_SECRETS"])
      const { secrets } = bodyOf<ClientView>(yield* get(`clients/${id}`), 200)
      assert.lengthOf(secrets, 2)
      const first = secrets.find((each) => each.id !== second.secretId)!
      const deleted = yield* operate("DELETE", `${path}/${first.id}`)
      assert.deepStrictEqual([deleted.status, deleted.text], [204, ""])
      assert.deepStrictEqual(yield* works, [401, 200])
      // The token that was fetched with it stays until it expires.
      yield* server.advance(lifetime)
      assert.strictEqual(yield* write(as), 201)
      const again = yield* operate("DELETE", `${path}/${first.id}`)
      assert.deepStrictEqual(refusalOf(again), [404, "SECRET_NOT_FOUND"])
      assert.strictEqual((yield* operate("POST", path)).status, 201)
    }))

  it.effect("an unknown client is 404, whatever is asked of it", () =>
    Effect.gen(function*() {
      for (const id of [crypto.randomUUID(), "nobody", "%00", "%C3%BC", "x".repeat(100)]) {
        for (
          const reply of [
            get(`clients/${id}`),
            operate("PATCH", `clients/${id}`, {}),
            operate("POST", `clients/${id}/secrets`),
            operate("DELETE", `clients/${id}/secrets/1`)
          ]
        ) assert.deepStrictEqual(refusalOf(yield* reply), [404, "CLIENT_NOT_FOUND"], id)
      }
    }))

  /** One of each kind; `ClientInput.test.ts` has them all. */
  const bad: ReadonlyArray<readonly [what: string, body: unknown, status: number, faults: object]> = [
    ["nothing in it", {}, 422, { name: "is required", grants: "is required" }],
    ["a secret of one's own", { name: "A", grants: [], clientSecret: "canary" }, 400, {
      clientSecret: "is not a field of a client; check its spelling"
    }],
    ["a business that is none", { name: "A", grants: [writer, { ...writer, business: "nowhere" }] }, 422, {
      "grants[1].business": "Unknown business: nowhere"
    }]
  ]
  for (const [what, body, status, faults] of bad) {
    it.effect(`${status} for ${what}, naming it`, () =>
      Effect.gen(function*() {
        const reply = yield* operate("POST", "clients", body)
        const code = status === 400 ? "MALFORMED_REQUEST" : "INVALID_REQUEST"
        assert.deepStrictEqual([...refusalOf(reply), faultsOf(reply)], [status, code, faults])
        assert.notInclude(reply.text, "canary")
      }))
  }

  it.effect("making a secret takes no Idempotency-Key, no fields and no parameters", () =>
    Effect.gen(function*() {
      const { id } = yield* makeClient(writer)
      const path = `clients/${id}/secrets`
      const key = { headers: { "idempotency-key": unique("key") } }
      const keyed = yield* operate("POST", path, undefined, key)
      assert.deepStrictEqual([refusalOf(keyed), Object.keys(faultsOf(keyed))], [
        [400, "MALFORMED_REQUEST"],
        ["Idempotency-Key"]
      ])
      const fields = yield* operate("POST", path, { clientSecret: "mine" })
      assert.deepStrictEqual([refusalOf(fields), Object.keys(faultsOf(fields))], [
        [400, "MALFORMED_REQUEST"],
        ["clientSecret"]
      ])
      assert.deepStrictEqual(refusalOf(yield* operate("POST", `${path}?n=2`)), [400, "INVALID_PARAMETER"])
      assert.deepStrictEqual(refusalOf(yield* operate("DELETE", `${path}/x?force=1`)), [
        400,
        "INVALID_PARAMETER"
      ])
      assert.lengthOf(bodyOf<ClientView>(yield* get(`clients/${id}`), 200).secrets, 1)
    }))
})
