/**
 * Eight writers at full speed, and readers of every kind beside them (D7.1, D7.2).
 */
import type { Message } from "@dockline/core/messages/Message"
import { assert } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import type { Context } from "effect"
import { palletEvent, record, scheduled } from "../http/facility/Facility.ts"
import { GraphqlServer } from "../support/GraphqlServer.ts"
import type { Answer } from "../support/GraphqlServer.ts"
import { TestServer } from "../support/TestServer.ts"
import { beginning, draft, follow, history } from "./Sample.ts"
import type { HistoryData, Shown } from "./Sample.ts"
import { following, socketClient } from "./Sockets.ts"
import type { Following } from "./Sockets.ts"

/** The amount of writes. */
interface Load {
  /** Messages that each writer appends past REST. */
  readonly appends: number
  /** Pallet events that each writer posts. */
  readonly posts: number
}

const writers = 8

/** Writes to acme, half of it in the west; a tenth of the appends are no pallet events. Returns the written ids. */
const writeAll = Effect.fnUntraced(function*({ appends, posts }: Load) {
  const { append } = yield* GraphqlServer
  const shipments = {
    east: yield* scheduled(),
    west: yield* scheduled({ facility: "west" })
  }
  const facilityOf = (writer: number) => writer % 2 === 0 ? "east" as const : "west" as const

  const appending = (writer: number) =>
    Effect.forEach(Array.from({ length: appends }), (_, index) =>
      Effect.tap(
        append(draft({
          facility: facilityOf(writer),
          type: index % 10 === 9 ? "SHIPMENT_COMPLETE" : "PALLET_EVENT",
          payload: { writer, index }
        })),
        Effect.yieldNow
      ))

  const posting = (writer: number) =>
    Effect.forEach(Array.from({ length: posts }), () =>
      Effect.map(
        record(palletEvent({ facility: facilityOf(writer), shipmentId: shipments[facilityOf(writer)].id })),
        (reply) => {
          assert.strictEqual(reply.status, 201, reply.text)
          return (reply.body as { readonly messageId: number }).messageId
        }
      ))

  const all = yield* Effect.forEach(
    Array.from({ length: writers }),
    (_, writer) => Effect.all([appending(writer), posting(writer)], { concurrency: 2 }),
    { concurrency: writers }
  )
  return all.flatMap(([appended, posted]) => [...appended.flat().map(({ id }) => id), ...posted])
})

const pageOf = ({ data, errors }: Answer<HistoryData>): ReadonlyArray<Shown> => {
  assert.strictEqual(errors, undefined, JSON.stringify(errors))
  return data!.pushMessages
}

/** Pages by `afterId` until it is told to stop, and one page further. */
const readByAfterId = Effect.fnUntraced(function*(state: ReadingState) {
  const { execute } = yield* GraphqlServer
  const seen: Array<number> = []
  for (;;) {
    const isLast = state.written
    const page = pageOf(yield* execute<HistoryData>(history({ afterId: seen.at(-1) ?? 0, limit: 90 })))
    seen.push(...page.map(({ id }) => id))
    if (seen.length > state.middle.at && state.middle.id === 0) state.middle.id = seen.at(-1)!
    if (isLast && page.length < 90) return seen
  }
})

/** Reads the messages since the last one seen, which comes again, and keeps the new ones. */
const readBySince = Effect.fnUntraced(function*(state: ReadingState) {
  const { execute } = yield* GraphqlServer
  const seen: Array<number> = []
  const known = new Set<number>()
  let since = beginning
  for (;;) {
    const isLast = state.written
    const page = pageOf(yield* execute<HistoryData>(history({ since })))
    for (const { id, sentAt } of page) {
      if (known.has(id)) continue
      known.add(id)
      seen.push(id)
      assert.isAtLeast(Date.parse(sentAt), Date.parse(since))
      since = sentAt
    }
    if (isLast) return seen
  }
})

interface ReadingState {
  written: boolean
  /** The id of the message at which the reader by `afterId` passed the middle; 0 before that. */
  readonly middle: { readonly at: number; id: number }
}

const idsOf = (messages: ReadonlyArray<{ readonly id: number }>) => messages.map(({ id }) => id)

/** A running server. */
export type Server = Context.Context<GraphqlServer | TestServer>

/** Writes on one server and reads on another, or the same, and compares every reader with the log. */
export const everyReaderSeesEverything = (load: Load, writing: Server, reading: Server) =>
  Effect.scoped(Effect.gen(function*() {
    const onWriting = Effect.provideContext(writing)
    const onReading = Effect.provideContext(reading)
    const expected = writers * (load.appends + load.posts)
    const state: ReadingState = { written: false, middle: { at: expected / 3, id: 0 } }
    const live = yield* onReading(Effect.map(
      socketClient(),
      (client): ReadonlyArray<Following> => [
        following(client, follow({ afterId: 0 })),
        following(client, follow({ afterId: 0, facilitySlug: "west" })),
        following(client, follow({ afterId: 0, messageTypes: ["PALLET_EVENT", "SHIPMENT_COMPLETE"] }))
      ]
    ))
    const byAfterId = yield* Effect.forkScoped(onReading(readByAfterId(state)))
    const bySince = yield* Effect.forkScoped(onReading(readBySince(state)))
    const inTheMiddle = yield* Effect.forkScoped(onReading(Effect.gen(function*() {
      while (state.middle.id === 0) yield* Effect.sleep("1 millis")
      const written = state.written
      const afterId = state.middle.id
      return { written, afterId, followed: following(yield* socketClient(), follow({ afterId })) }
    })))

    const written = yield* onWriting(writeAll(load))
    state.written = true
    const log = yield* onWriting(Effect.flatMap(TestServer, ({ messages }) => messages("acme")))
    assert.sameMembers(idsOf(log), written)
    const { afterId, followed, written: late } = yield* Fiber.join(inTheMiddle)
    assert.isFalse(late, "the subscription in the middle started after the last write")

    const isPallet = ({ type }: Message) => type === "PALLET_EVENT"
    const pallets = log.filter(isPallet)
    assert.deepStrictEqual(yield* Fiber.join(byAfterId), idsOf(pallets))
    assert.deepStrictEqual(yield* Fiber.join(bySince), idsOf(pallets))
    const [all, west, both] = [live[0]!, live[1]!, live[2]!]
    const subscriptions: ReadonlyArray<readonly [Following, ReadonlyArray<Message>]> = [
      [all, pallets],
      [west, pallets.filter(({ facility }) => facility === "west")],
      [both, log],
      [followed, pallets.filter(({ id }) => id > afterId)]
    ]
    for (const [following, messages] of subscriptions) {
      yield* following.reach(messages.at(-1)!.id)
      assert.deepStrictEqual(idsOf(following.received), idsOf(messages))
    }
    const times = log.map(({ sentAt }) => sentAt)
    assert.deepStrictEqual(times, times.toSorted())
    return { messages: log.length }
  }))
