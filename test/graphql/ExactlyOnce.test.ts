/**
 * Every consumer sees every message exactly once and in order, however many write at once (D7.1, D7.2, D8.3).
 */
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { GraphqlServer, layerPostgres } from "../support/GraphqlServer.ts"
import { TestServer } from "../support/TestServer.ts"
import { draft, follow } from "./Sample.ts"
import { connected, following, messagesOf, socketClient } from "./Sockets.ts"
import { everyReaderSeesEverything } from "./Writers.ts"

layer(layerPostgres(), { excludeTestServices: true })("D7", (it) => {
  it.effect("8 writers at full speed: by afterId, by since, and subscriptions from the start and the middle", () =>
    Effect.gen(function*() {
      const here = yield* Effect.context<GraphqlServer | TestServer>()
      const { messages } = yield* everyReaderSeesEverything({ appends: 50, posts: 10 }, here, here)
      assert.strictEqual(messages, 8 * 60)
    }))

  it.effect("subscriptions that start while messages are written miss and repeat none", () =>
    Effect.scoped(Effect.gen(function*() {
      const { append } = yield* GraphqlServer
      const raw = yield* connected()
      const all = (yield* append(draft())).map(({ id }) => id)
      const starts: Array<number> = []
      for (let round = 0; round < 40; round++) {
        const afterId = all.at(-1)!
        starts.push(afterId)
        const writing = yield* Effect.forkChild(Effect.replicateEffect(append(draft()), 3))
        raw.send({ id: String(round), type: "subscribe", payload: follow({ afterId }) })
        all.push(...(yield* Fiber.join(writing)).flat().map(({ id }) => id))
      }
      const expected = starts.map((afterId) => all.filter((id) => id > afterId))
      yield* raw.nexts(expected.flat().length)
      raw.send({ type: "ping" })
      yield* raw.frame("a pong", ({ type }) => type === "pong")
      const sent = starts.map((_, round) => messagesOf(raw.frames, String(round)).map(({ id }) => id))
      assert.deepStrictEqual(sent, expected)
    })))

  it.effect("without afterId a subscription starts with what is appended after it was granted", () =>
    Effect.scoped(Effect.gen(function*() {
      const { append } = yield* GraphqlServer
      const [before] = yield* append(draft())
      const client = yield* socketClient()
      const [marked, live] = [
        following(client, follow({ afterId: before!.id })),
        following(client, follow())
      ]
      const appended: Array<number> = []
      const appendOne = Effect.map(append(draft()), ([message]) => void appended.push(message!.id))
      // It is granted by the time it gets a message; what came before that one may or may not be seen.
      while (live.received.length === 0) {
        yield* appendOne
        yield* marked.reach(appended.at(-1)!)
      }
      for (let more = 0; more < 3; more++) yield* appendOne
      const ids = (yield* live.reach(appended.at(-1)!)).map(({ id }) => id)
      assert.isAtLeast(ids.length, 4)
      assert.deepStrictEqual(ids, appended.slice(-ids.length))
    })))
})
