/** What the server keeps of replays, of whole messages (D8.7). How slow consumers are closed is tested in the adapter. */
import { defaultLiveConfig } from "@dockline/graphql-adapter/GraphqlConfig"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { GraphqlServer, layerMemory } from "../support/GraphqlServer.ts"
import { draft } from "./Sample.ts"
import { connected } from "./Sockets.ts"

/** How many messages are appended at once: as many as the log hands out at once. */
const batch = 50

/** A peer that does not read answers no pings either; that is not what is tested here. */
const live = { ...defaultLiveConfig, keepAliveMillis: 60_000 }

setFlagsFromString("--expose-gc")
const collectGarbage = runInNewContext("gc") as () => void

/** What is held of objects and text. */
const heap = () => {
  collectGarbage()
  return process.memoryUsage().heapUsed
}

layer(layerMemory({ graphql: { live } }), { excludeTestServices: true })(
  "D8.7 slow consumers",
  (it) => {
    it.effect("what is left of a replay is bounded, however little of each message it showed", () =>
      Effect.scoped(Effect.gen(function*() {
        const { append } = yield* GraphqlServer
        const [first] = yield* append(draft())
        const [count, size] = [800, 30_000]
        for (let at = 0; at < count; at += batch) {
          yield* append(
            ...Array.from({ length: batch }, () => draft({ payload: { text: "x".repeat(size) } }))
          )
        }
        const replay = Effect.scoped(Effect.gen(function*() {
          const raw = yield* connected()
          const filter = `{ businessSlug: "acme", afterId: ${first!.id} }`
          const query = `subscription { pushMessage(filter: ${filter}) { id } }`
          raw.send({ id: "s", type: "subscribe", payload: { query } })
          yield* raw.nexts(count)
          raw.socket.close(1000)
          yield* raw.closed
        }))
        // After the first, what is kept for others to be shown is at its limit.
        yield* replay
        const before = heap()
        yield* replay
        yield* replay
        assert.isBelow(heap() - before, count * size)
      })))
  }
)
