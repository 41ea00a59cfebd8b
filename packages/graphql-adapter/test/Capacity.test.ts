/** What runs on sockets and in event streams waits for its turn like a request, and is refused like one. */
import { Capacity } from "@dockline/core/access/RequestLimits"
import type { AdmitWork } from "@dockline/core/access/RequestLimits"
import { Overloaded } from "@dockline/core/values/RequestErrors"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as LiveSetup from "./LiveSetup.ts"
import { append, connect, draft, lastId, messageOf, next, post } from "./LiveSetup.ts"

const state = { isFull: false, clients: Array<string>() }

const admitWork: AdmitWork = ({ clientId }, work) =>
  Effect.suspend(() => {
    state.clients.push(clientId)
    return state.isFull ? Effect.fail(new Overloaded({ retryAfterSeconds: 2 })) : Effect.void
  }).pipe(Effect.andThen(work))

const server = LiveSetup.layer().pipe(Layer.provide(Layer.succeed(Capacity, admitWork)))

const refusal = {
  errors: [{
    message: "The service has too much to do at the moment; repeat the request after 2 seconds",
    extensions: { code: "INTERNAL", reason: "OVERLOADED", retryable: true, retryAfterSeconds: 2 }
  }]
}

const begin = (isFull: boolean) => {
  state.isFull = isFull
  state.clients = []
}

layer(server, { excludeTestServices: true })("a service that has too much to do", (it) => {
  it.effect("refuses the operation of a socket; the socket stays, and is served later", () =>
    Effect.gen(function*() {
      begin(true)
      const socket = yield* connect()
      socket.send({ type: "subscribe", id: "one", payload: { query: "{ __typename }" } })
      assert.deepStrictEqual(yield* next(socket), { id: "one", type: "next", payload: refusal })
      assert.strictEqual((yield* next(socket)).type, "complete")
      begin(false)
      socket.send({ type: "subscribe", id: "two", payload: { query: "{ __typename }" } })
      assert.deepStrictEqual((yield* next(socket)).payload, { data: { __typename: "Query" } })
      assert.deepStrictEqual(state.clients, ["acme-client"])
    }))

  it.effect("goes on to follow: a subscription is no work until a message comes", () =>
    Effect.gen(function*() {
      begin(true)
      const socket = yield* connect()
      socket.subscribe("follow", { businessSlug: "acme", afterId: yield* lastId("acme") })
      yield* append(draft())
      messageOf(yield* next(socket))
      assert.deepStrictEqual(state.clients, [])
    }))

  it.effect("refuses the operation of an event stream, which has begun by then", () =>
    Effect.gen(function*() {
      const ask = Effect.map(
        post({ query: "{ __typename }" }, { accept: "text/event-stream" }),
        ({ status, text }) => [status, text]
      )
      begin(true)
      assert.deepStrictEqual(yield* ask, [
        200,
        `:\n\nevent: next\ndata: ${JSON.stringify(refusal)}\n\nevent: complete\ndata:\n\n`
      ])
      begin(false)
      assert.include(String((yield* ask)[1]), "\"data\":{\"__typename\":\"Query\"}")
      assert.deepStrictEqual(state.clients, ["acme-client"])
    }))
})
