/**
 * Tokens and permissions of connections that outlive their request (D8.7, D10.3).
 */
import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { eventually, settled } from "../../../test/support/Eventually.ts"
import * as EngineSetup from "./EngineSetup.ts"
import * as LiveSetup from "./LiveSetup.ts"
import {
  append,
  closeOf,
  connect,
  draft,
  following,
  LiveServer,
  messageOf,
  next,
  onServer,
  take
} from "./LiveSetup.ts"

const again = Effect.gen(function*() {
  const { control } = yield* LiveServer
  for (const [client, grants] of Object.entries(EngineSetup.grants)) control.grants.set(client, grants)
  control.expiresAt.clear()
  control.isAway = false
  return control
})

/** Completes once every connected client has been looked up again, twice to be sure that one began after this call. */
const recheck = Effect.flatMap(LiveServer, ({ control }) =>
  Effect.promise(() => {
    const start = control.lookups
    return eventually("two rounds of looking clients up", () => control.lookups >= start + 4)
  }))

describe("D8.7 a socket is closed with 4403", () => {
  onServer({}, (test) => {
    test("when its token expires, and not before", function*() {
      const control = yield* again
      const expiresAt = Date.now() + 300
      control.expiresAt.set("acme-client", expiresAt)
      const socket = yield* following({ businessSlug: "acme" })
      yield* append(draft())
      yield* take(socket, 1)
      assert.strictEqual(yield* closeOf(socket), 4403)
      assert.isAtLeast(Date.now(), expiresAt)
      yield* append(draft())
      assert.isEmpty(socket.frames)
    })

    test("when its client is disabled, whether or not it follows anything", function*() {
      const control = yield* again
      const idle = yield* connect()
      const socket = yield* following({ businessSlug: "acme" })
      const other = yield* connect("globex-client")
      control.grants.delete("acme-client")
      assert.strictEqual(yield* closeOf(socket), 4403)
      assert.strictEqual(yield* closeOf(idle), 4403)
      yield* Effect.promise(() => other.ping())
    })

    // @threat asking.5
    test("when the permission for what it follows is withdrawn, and only then", function*() {
      const control = yield* again
      const whole = yield* following({ businessSlug: "acme" })
      const east = yield* following({ businessSlug: "acme", facilitySlug: "east" })
      yield* append(draft())
      yield* take(whole, 1)
      yield* take(east, 1)
      // From the whole business to one facility: who follows the whole loses it.
      control.grants.set("acme-client", EngineSetup.grants["acme-east-client"]!)
      assert.strictEqual(yield* closeOf(whole), 4403)
      const [message] = yield* append(draft())
      assert.strictEqual(messageOf(yield* next(east)).id, message!.id)
      control.grants.set("acme-client", [{
        business: "acme",
        facilities: "*",
        permissions: ["documents:write"]
      }])
      assert.strictEqual(yield* closeOf(east), 4403)
    })

    test("not when it follows nothing any more, and what it may do is what it may do now", function*() {
      const control = yield* again
      const socket = yield* following({ businessSlug: "acme" })
      yield* append(draft())
      yield* take(socket, 1)
      socket.send({ type: "complete", id: "a" })
      yield* Effect.promise(() => socket.ping())
      control.grants.set("acme-client", [])
      yield* recheck
      socket.subscribe("b", { businessSlug: "acme" })
      assert.deepStrictEqual(LiveSetup.refusalOf(yield* next(socket)), ["b", "FORBIDDEN", "FORBIDDEN"])
    })

    test("not while nobody can be looked up", function*() {
      const control = yield* again
      const socket = yield* following({ businessSlug: "acme" })
      control.isAway = true
      control.grants.delete("acme-client")
      yield* recheck
      const [message] = yield* append(draft())
      assert.strictEqual(messageOf(yield* next(socket)).id, message!.id)
      control.isAway = false
      assert.strictEqual(yield* closeOf(socket), 4403)
    })

    test("a client is looked up once a round, however many sockets it has; nobody when nobody is there", function*() {
      const control = yield* again
      const sockets = yield* Effect.forEach(Array.from({ length: 20 }), () => connect())
      const start = control.lookups
      const began = Date.now()
      yield* recheck
      const rounds = (Date.now() - began) / 20 + 1
      assert.isAtMost(control.lookups - start, rounds)
      for (const socket of sockets) socket.socket.close()
      yield* Effect.forEach(sockets, closeOf)
      const end = control.lookups
      yield* Effect.promise(() => settled("how often clients are looked up", () => control.lookups))
      assert.isAtMost(control.lookups - end, 1)
    })
  })
})
