/**
 * The database is taken back to an older state under customers that follow the log, as when an asynchronous standby takes
 * over (D7.5).
 */
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { GraphqlServer, layerSql } from "../support/GraphqlServer.ts"
import * as TestDatabase from "../support/TestDatabase.ts"
import { TestServer } from "../support/TestServer.ts"
import { draft, follow } from "./Sample.ts"
import { following, socketClient } from "./Sockets.ts"

const environment = layerSql().pipe(Layer.provideMerge(TestDatabase.layer))

layer(environment, { excludeTestServices: true })("D7.5 a log that is taken back", (it) => {
  it.effect(
    "ends subscriptions that run with CURSOR_AHEAD, over sockets and events; the socket stays",
    () =>
      Effect.scoped(Effect.gen(function*() {
        const { append, fetch } = yield* GraphqlServer
        const sql = yield* SqlClient.SqlClient
        const [kept, lost] = yield* append(draft(), draft())
        const client = yield* socketClient()
        const live = following(client, follow({ afterId: kept!.id }))
        yield* live.reach(lost!.id)
        const events = yield* Effect.forkChild(fetch({
          method: "POST",
          headers: { "content-type": "application/json", accept: "text/event-stream" },
          body: JSON.stringify(follow({ afterId: lost!.id }))
        }))
        yield* sql.withTransaction(Effect.andThen(
          sql`update dockline.message_log set last_id = ${kept!.id}::bigint where last_id = ${
            lost!.id
          }::bigint`,
          sql`delete from dockline.message where id = ${lost!.id}::bigint`
        ))

        const over = yield* live.over
        assert.isTrue(over !== "completed" && "errors" in over, JSON.stringify(over))
        const [error] = (over as { readonly errors: ReadonlyArray<{ readonly extensions: object }> }).errors
        assert.deepInclude(error!.extensions, { code: "CURSOR_AHEAD", newestId: kept!.id })
        const { text } = yield* Fiber.join(events)
        assert.include(text, "\"code\":\"CURSOR_AHEAD\"")
        assert.match(text, /event: complete/)

        const anew = following(client, follow({ afterId: kept!.id }))
        const [next] = yield* append(draft())
        yield* anew.reach(next!.id)
        assert.deepStrictEqual(anew.received.map(({ id }) => id), [next!.id])
        const logged = yield* (yield* TestServer).takeErrors
        assert.deepStrictEqual(logged.map(({ message }) => message.includes("dockline message advance")), [
          true
        ])
      })),
    60_000
  )
})
