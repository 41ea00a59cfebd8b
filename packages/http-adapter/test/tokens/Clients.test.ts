/** D10.3 and D10.4: clients, their secrets and what they may do. */
import { ClientStore } from "@dockline/core/access/Principals"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as crypto from "node:crypto"
import { vi } from "vitest"
import { Clients, hashSecret } from "../../src/tokens/Clients.ts"
import * as Setup from "../AuthSetup.ts"
import { refusalOf, storeUnavailable } from "../AuthSetup.ts"

// The real functions, watched: what is compared is the rule under test.
vi.mock("node:crypto", { spy: true })

const layer = Clients.layer.pipe(Layer.provideMerge(Setup.stores))

const invalidClient = <R>(effect: Effect.Effect<unknown, { readonly _tag: string }, R>) =>
  Effect.map(Effect.flip(effect), ({ _tag }) => assert.strictEqual(_tag, "InvalidClient"))

describe("D10.4 secrets", () => {
  it("are stored as SHA-256 in lower-case hexadecimal", () => {
    assert.strictEqual(hashSecret("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
  })

  it.effect("two may be valid at once, and no other", () =>
    Effect.gen(function*() {
      const clients = yield* Clients
      yield* (yield* ClientStore).put([Setup.client("wms", "old", "new"), Setup.client("erp", "own")])
      assert.strictEqual((yield* clients.authenticate("wms", "old")).id, "wms")
      assert.strictEqual((yield* clients.authenticate("wms", "new")).id, "wms")
      for (const secret of ["own", "", "old ", "OLD", "oldnew", hashSecret("old")]) {
        yield* invalidClient(clients.authenticate("wms", secret))
      }
    }).pipe(Effect.provide(layer)))

  it.effect("work and end at once, as they are not cached", () =>
    Effect.gen(function*() {
      const clients = yield* Clients
      const store = yield* ClientStore
      yield* store.put([Setup.client("wms", "old")])
      yield* clients.authenticate("wms", "old")
      yield* store.put([Setup.client("wms", "new")])
      yield* invalidClient(clients.authenticate("wms", "old"))
      yield* clients.authenticate("wms", "new")
    }).pipe(Effect.provide(layer)))

  it.effect("a disabled client is refused with the right secret, and one without secrets with any", () =>
    Effect.gen(function*() {
      const clients = yield* Clients
      const disabled = { ...Setup.client("wms", "s"), enabled: false }
      yield* (yield* ClientStore).put([disabled, Setup.client("none")])
      yield* invalidClient(clients.authenticate("wms", "s"))
      yield* invalidClient(clients.authenticate("none", ""))
    }).pipe(Effect.provide(layer)))

  it.effect.each(["", "abc", "zz".repeat(32), "00".repeat(33)])(
    "a stored hash %j matches nothing",
    (hash) =>
      Effect.gen(function*() {
        const clients = yield* Clients
        yield* (yield* ClientStore).put([{ ...Setup.client("wms"), secrets: [{ id: "1", hash }] }])
        yield* invalidClient(clients.authenticate("wms", ""))
        yield* invalidClient(clients.authenticate("wms", "s"))
      }).pipe(Effect.provide(layer))
  )

  // @threat asking.6
  it.effect("unknown, disabled, wrong and right cost the same comparisons, all of them in constant time", () =>
    Effect.gen(function*() {
      const clients = yield* Clients
      yield* (yield* ClientStore).put([
        Setup.client("none"),
        Setup.client("one", "a"),
        Setup.client("two", "a", "b"),
        { ...Setup.client("disabled", "a"), enabled: false }
      ])
      const comparison = vi.mocked(crypto.timingSafeEqual)
      const hashing = vi.mocked(crypto.createHash)
      const work = (id: string, secret: string) =>
        Effect.gen(function*() {
          comparison.mockClear()
          hashing.mockClear()
          yield* Effect.exit(clients.authenticate(id, secret))
          return [comparison.mock.calls.length, hashing.mock.calls.length]
        })
      for (const id of ["unknown", "\u0000", "none", "one", "two", "disabled"]) {
        for (const secret of ["a", "b", "x"]) {
          assert.deepStrictEqual(yield* work(id, secret), [2, 1], id + secret)
        }
      }
    }).pipe(Effect.provide(layer)))

  it.effect("an id that no client can have does not reach the store", () =>
    Effect.gen(function*() {
      const clients = yield* Clients
      const state = yield* Setup.ClientStoreState
      for (const id of ["", "a\u0000", "\ud800", "ä", "a".repeat(257)]) {
        yield* invalidClient(clients.authenticate(id, "s"))
        yield* refusalOf(clients.principal(id))
      }
      assert.strictEqual(state.reads, 0)
    }).pipe(Effect.provide(layer)))

  it.effect("a store that is down is no wrong secret", () =>
    Effect.gen(function*() {
      ;(yield* Setup.ClientStoreState).isDown = true
      yield* storeUnavailable((yield* Clients).authenticate("wms", "s"))
    }).pipe(Effect.provide(layer)))
})

describe("D10.3 permissions by client id", () => {
  it.effect("a change of grants is seen within 5 s", () =>
    Effect.gen(function*() {
      const clients = yield* Clients
      const store = yield* ClientStore
      yield* store.put([Setup.client("wms")])
      assert.deepStrictEqual(yield* clients.principal("wms"), {
        clientId: "wms",
        name: "wms",
        grants: [Setup.grant]
      })
      yield* store.put([{ ...Setup.client("wms"), grants: [] }])
      yield* TestClock.adjust(4999)
      assert.deepStrictEqual((yield* clients.principal("wms")).grants, [Setup.grant])
      yield* TestClock.adjust(1)
      assert.deepStrictEqual((yield* clients.principal("wms")).grants, [])
    }).pipe(Effect.provide(layer)))

  it.effect("a change of grants is seen within 5 s where the clock is set back", () =>
    Effect.gen(function*() {
      const clients = yield* Clients
      const store = yield* ClientStore
      yield* TestClock.setTime(Date.parse("2026-11-20T17:00:00Z"))
      yield* store.put([Setup.client("wms")])
      yield* clients.principal("wms")
      yield* store.put([{ ...Setup.client("wms"), grants: [] }])
      yield* TestClock.setTime(Date.parse("2026-11-20T16:00:00Z"))
      assert.deepStrictEqual((yield* clients.principal("wms")).grants, [Setup.grant])
      yield* TestClock.adjust("5 seconds")
      assert.deepStrictEqual((yield* clients.principal("wms")).grants, [])
    }).pipe(Effect.provide(layer)))

  it.effect("5 s count from the question to the store, not from its answer", () =>
    Effect.gen(function*() {
      const state = { reads: 0 }
      const slow = Layer.effect(
        ClientStore,
        Effect.map(ClientStore, (store) =>
          ClientStore.of({
            ...store,
            find: (id) =>
              Effect.as(
                Effect.andThen(Effect.sync(() => state.reads++), Effect.sleep(2000)),
                Setup.client(id)
              )
          }))
      ).pipe(Layer.provide(Setup.stores))
      yield* Effect.gen(function*() {
        const clients = yield* Clients
        const ask = Effect.gen(function*() {
          const fiber = yield* Effect.forkChild(clients.principal("wms"))
          yield* TestClock.adjust(0)
          return fiber
        })
        yield* ask
        yield* TestClock.adjust(2000)
        yield* TestClock.adjust(2999)
        yield* ask
        assert.strictEqual(state.reads, 1)
        yield* TestClock.adjust(1)
        yield* ask
        assert.strictEqual(state.reads, 2)
      }).pipe(Effect.provide(Clients.layer.pipe(Layer.provide(slow))))
    }))

  it.effect("D10.4: disabled means invalid within 5 s, and enabled again as well", () =>
    Effect.gen(function*() {
      const clients = yield* Clients
      const store = yield* ClientStore
      yield* store.put([Setup.client("wms")])
      yield* clients.principal("wms")
      yield* store.put([{ ...Setup.client("wms"), enabled: false }])
      yield* TestClock.adjust("5 seconds")
      yield* refusalOf(clients.principal("wms"))
      yield* store.put([Setup.client("wms")])
      yield* refusalOf(clients.principal("wms"))
      yield* TestClock.adjust("5 seconds")
      yield* clients.principal("wms")
    }).pipe(Effect.provide(layer)))

  it.effect("one lookup for concurrent requests and for the time it counts, of unknown clients too", () =>
    Effect.gen(function*() {
      const clients = yield* Clients
      const state = yield* Setup.ClientStoreState
      yield* (yield* ClientStore).put([Setup.client("wms")])
      yield* Effect.all(Array.from({ length: 50 }, () => clients.principal("wms")), { concurrency: 50 })
      yield* Effect.all(Array.from({ length: 50 }, () => refusalOf(clients.principal("no"))), {
        concurrency: 50
      })
      yield* clients.principal("wms")
      assert.strictEqual(state.reads, 2)
    }).pipe(Effect.provide(layer)))

  it.effect("a store that is down is not remembered", () =>
    Effect.gen(function*() {
      const clients = yield* Clients
      const state = yield* Setup.ClientStoreState
      yield* (yield* ClientStore).put([Setup.client("wms")])
      state.isDown = true
      yield* storeUnavailable(clients.principal("wms"))
      state.isDown = false
      yield* clients.principal("wms")
    }).pipe(Effect.provide(layer)))
})
