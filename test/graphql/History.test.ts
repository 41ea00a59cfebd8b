/**
 * `pushMessages` and its limits over the wire, and history that has been dropped (D7.4, D8.1, D8.2).
 */
import { MessageLog } from "@dockline/core/MessageLog"
import { assert, layer } from "@effect/vitest"
import { Context, Effect } from "effect"
import { GraphqlServer, layerPostgres } from "../support/GraphqlServer.ts"
import type { Answer, Result } from "../support/GraphqlServer.ts"
import { TestServer } from "../support/TestServer.ts"
import { beginning, draft, follow, history } from "./Sample.ts"
import type { HistoryData } from "./Sample.ts"
import { following, socketClient } from "./Sockets.ts"

const most = 10_000

const shown = ({ data, errors }: Answer<HistoryData>) => {
  assert.strictEqual(errors, undefined, JSON.stringify(errors))
  return data!.pushMessages
}

const refusal = ({ data, errors }: Result<HistoryData>) => {
  assert.isUndefined(data ?? undefined)
  return errors!.map(({ extensions }) => [extensions.code, extensions.reason] as const)
}

const drafts = (count: number) => Array.from({ length: count }, () => draft())

const dropAll = Effect.gen(function*() {
  const { stores } = yield* GraphqlServer
  const server = yield* TestServer
  const log = Context.get(stores, MessageLog)
  const quarter = 91 * 86_400_000
  yield* server.advance(quarter)
  const dropped = yield* Effect.orDie(Effect.provideContext(log.dropExpired, stores))
  // What is appended from now on is not to be dropped by the service itself, which does so now and then.
  yield* server.advance(-quarter)
  return dropped
})

layer(layerPostgres(), { excludeTestServices: true })("D8.1 pushMessages", (it) => {
  it.effect("a record: ids as JSON numbers, slugs, type, the payload as it is, sentAt with an offset", () =>
    Effect.gen(function*() {
      const { append, execute } = yield* GraphqlServer
      const payload = { text: "é\u2028\"\\", list: [], number: 1.5, nested: { none: null } }
      const [message] = yield* append(draft({ payload, facility: "west" }))
      const answer = yield* execute<HistoryData>(history({ afterId: message!.id - 1 }))
      const [record] = shown(answer)
      const { sentAt, ...fields } = record!
      assert.deepStrictEqual(fields, {
        id: message!.id,
        businessSlug: "acme",
        facilitySlug: "west",
        messageType: "PALLET_EVENT",
        message: payload
      })
      assert.match(sentAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00$/)
      assert.strictEqual(Date.parse(sentAt), Date.parse(message!.sentAt))
      assert.match(answer.text, new RegExp(`"id":${message!.id},`))
    }))

  it.effect("since is inclusive, takes any offset, and is UTC without one", () =>
    Effect.gen(function*() {
      const { append, execute } = yield* GraphqlServer
      const [message] = yield* append(draft())
      const { id, sentAt } = message!
      const millis = Date.parse(sentAt)
      const inOslo = new Date(millis + 3_600_000).toISOString().replace("Z", "+01:00")
      for (const since of [sentAt, sentAt.replace("Z", ""), inOslo]) {
        assert.include(shown(yield* execute<HistoryData>(history({ since }))).map(({ id }) => id), id)
      }
      const later = new Date(millis + 1).toISOString()
      assert.notInclude(
        shown(yield* execute<HistoryData>(history({ since: later }))).map(({ id }) => id),
        id
      )
      for (const since of ["yesterday", "", "2026-13-01T00:00:00Z", 5, null, {}]) {
        assert.deepStrictEqual(refusal(yield* execute<HistoryData>(history({ since }))), [
          ["BAD_USER_INPUT", undefined]
        ])
      }
    }))

  it.effect("messageTypes are pallet events unless said otherwise; afterId 0 is the beginning", () =>
    Effect.gen(function*() {
      const { append, execute } = yield* GraphqlServer
      const [pallet, complete] = yield* append(draft(), draft({ type: "SHIPMENT_COMPLETE" }))
      const afterId = pallet!.id - 1
      const idsWith = (filter: object) =>
        Effect.map(
          execute<HistoryData>(history({ afterId, ...filter })),
          (answer) => shown(answer).map(({ id }) => id)
        )
      assert.deepStrictEqual(yield* idsWith({}), [pallet!.id])
      assert.deepStrictEqual(yield* idsWith({ messageTypes: null }), [pallet!.id])
      assert.deepStrictEqual(yield* idsWith({ messageTypes: ["SHIPMENT_COMPLETE"] }), [complete!.id])
      assert.deepStrictEqual(yield* idsWith({ messageTypes: ["SHIPMENT_COMPLETE", "PALLET_EVENT"] }), [
        pallet!.id,
        complete!.id
      ])
      assert.deepStrictEqual(refusal(yield* execute<HistoryData>(history({ messageTypes: [] }))), [
        ["BAD_USER_INPUT", "INVALID_REQUEST"]
      ])
      assert.deepStrictEqual(yield* idsWith({ afterId: 0 }), yield* idsWith({ afterId: null }))
      assert.deepStrictEqual(yield* idsWith({ afterId: complete!.id }), [])
      for (const value of [-1, 1.5, 2 ** 53, "1", true]) {
        assert.deepStrictEqual(
          refusal(yield* execute<HistoryData>(history({ afterId: value }))),
          [["BAD_USER_INPUT", undefined]],
          String(value)
        )
      }
    }))

  it.effect("limit is 1 to the maximum; without it more than the maximum is TOO_MANY_MESSAGES, never a cut", () =>
    Effect.gen(function*() {
      const { append, execute } = yield* GraphqlServer
      for (const limit of [0, -1, most + 1, 2 ** 31 - 1]) {
        const answer = yield* execute<HistoryData>(history({ limit }))
        assert.deepStrictEqual(refusal(answer), [["BAD_USER_INPUT", "INVALID_REQUEST"]], String(limit))
        assert.deepStrictEqual(answer.errors![0]!.extensions.errors!.map(({ path }) => path), [
          "input.limit"
        ])
      }
      for (const limit of [1.5, 2 ** 31, "1"]) {
        assert.deepStrictEqual(refusal(yield* execute<HistoryData>(history({ limit }))), [
          ["BAD_USER_INPUT", undefined]
        ])
      }
      const [first] = yield* append(draft())
      const afterId = first!.id
      const all: Array<number> = []
      for (let batch = 0; batch < 10; batch++) {
        all.push(...(yield* append(...drafts(most / 10))).map(({ id }) => id))
      }
      const exactly = shown(yield* execute<HistoryData>(history({ afterId })))
      assert.deepStrictEqual(exactly.map(({ id }) => id), all)
      const [more] = yield* append(draft())
      assert.deepStrictEqual(refusal(yield* execute<HistoryData>(history({ afterId }))), [
        ["TOO_MANY_MESSAGES", "TOO_MANY_MESSAGES"]
      ])
      const page = shown(yield* execute<HistoryData>(history({ afterId, limit: most })))
      assert.deepStrictEqual(page.map(({ id }) => id), all)
      const rest = shown(yield* execute<HistoryData>(history({ afterId: page.at(-1)!.id, limit: 1 })))
      assert.deepStrictEqual(rest.map(({ id }) => id), [more!.id])
    }))
})

layer(layerPostgres(), { excludeTestServices: true })("D7.5 cursors", (it) => {
  it.effect("reading or following from beyond the newest id is CURSOR_AHEAD, over HTTP, sockets and events", () =>
    Effect.scoped(Effect.gen(function*() {
      const { append, execute, fetch } = yield* GraphqlServer
      const [message] = yield* append(draft())
      const newest = message!.id
      const ahead = [["CURSOR_AHEAD", "CURSOR_AHEAD"] as const]
      for (const afterId of [newest + 1, Number.MAX_SAFE_INTEGER]) {
        const answer = yield* execute<HistoryData>(history({ afterId }))
        assert.deepStrictEqual(refusal(answer), ahead)
        assert.strictEqual(answer.errors![0]!.extensions.newestId, newest)
      }
      assert.deepStrictEqual(shown(yield* execute<HistoryData>(history({ afterId: newest }))), [])

      const client = yield* socketClient()
      const refused = yield* following(client, follow({ afterId: newest + 1 })).over
      assert.isTrue(refused !== "completed" && "errors" in refused)
      const { errors } = refused as { readonly errors: Answer["errors"] }
      assert.deepStrictEqual(refusal({ errors: errors! }), ahead)
      assert.strictEqual(errors![0]!.extensions.newestId, newest)

      const events = yield* fetch({
        method: "POST",
        headers: { "content-type": "application/json", accept: "text/event-stream" },
        body: JSON.stringify(follow({ afterId: newest + 1 }))
      })
      assert.include(events.text, "\"code\":\"CURSOR_AHEAD\"")
      assert.include(events.text, `"newestId":${newest}`)
      assert.match(events.text, /event: complete/)

      // The socket stays, and who begins at the newest id is not ahead of it.
      const followed = following(client, follow({ afterId: newest }))
      const [next] = yield* append(draft())
      yield* followed.reach(next!.id)
    })))
})

layer(layerPostgres(), { excludeTestServices: true })("D7.4 dropped history", (it) => {
  it.effect("reading or following from before what was dropped is HISTORY_EXPIRED, over HTTP, sockets and events", () =>
    Effect.scoped(Effect.gen(function*() {
      const { append, execute, fetch } = yield* GraphqlServer
      const dropped = yield* append(...drafts(5))
      assert.isAtLeast(yield* dropAll, 5)
      // A later millisecond: a message of the very one that was dropped last would be expired by since.
      yield* Effect.sleep(2)
      const kept = yield* append(...drafts(3))
      const last = dropped.at(-1)!.id
      const expired = [["HISTORY_EXPIRED", "HISTORY_EXPIRED"] as const]

      const early = [{ since: beginning }, { since: beginning, afterId: last - 1 }, {
        since: beginning,
        afterId: 0
      }]
      for (const filter of early) {
        const answer = yield* execute<HistoryData>(history(filter))
        assert.deepStrictEqual(refusal(answer), expired, JSON.stringify(filter))
        assert.include(answer.errors![0]!.message, `afterId ${last}`)
      }
      const ids = kept.map(({ id }) => id)
      for (const filter of [{ afterId: last }, { since: kept[0]!.sentAt }]) {
        const records = shown(yield* execute<HistoryData>(history(filter)))
        assert.deepStrictEqual(records.map(({ id }) => id), ids, JSON.stringify(filter))
      }

      const client = yield* socketClient()
      const refused = yield* following(client, follow({ afterId: last - 1 })).over
      assert.isTrue(refused !== "completed" && "errors" in refused)
      const { errors } = refused as { readonly errors: Answer["errors"] }
      assert.deepStrictEqual(refusal({ errors: errors! }), expired)
      // The socket stays, and what is there is sent.
      const followed = following(client, follow({ afterId: last }))
      yield* followed.reach(ids.at(-1)!)
      assert.deepStrictEqual(followed.received.map(({ id }) => id), ids)

      const events = yield* fetch({
        method: "POST",
        headers: { "content-type": "application/json", accept: "text/event-stream" },
        body: JSON.stringify(follow({ afterId: 0 }))
      })
      assert.include(events.text, "\"code\":\"HISTORY_EXPIRED\"")
      assert.match(events.text, /event: complete/)
    })))
})
