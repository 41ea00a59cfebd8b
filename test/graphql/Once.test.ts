/**
 * What is reported many times at once happens once, and what a completion tells is what its subscriber has worked out
 * for itself (D6.1, D6.5, D6.6).
 */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { depart, label, palletEvent, record, scheduled } from "../http/facility/Facility.ts"
import { GraphqlServer, layerPostgres } from "../support/GraphqlServer.ts"
import { TestServer, unique } from "../support/TestServer.ts"
import { departShipment, follow, recordPallet } from "./Sample.ts"
import type { Shown } from "./Sample.ts"
import { following, socketClient } from "./Sockets.ts"

interface PalletAnswer {
  readonly messageId: number
  readonly servicePalletId: string
}

interface Pallet {
  readonly servicePalletId: string
  readonly direction: "LOADING" | "UNLOADING"
  readonly occurredAt: string
}

const palletOf = ({ message }: Shown) => message as Shown["message"] & Pallet

/** Random numbers that a seed gives again. */
const randomOf = (seed: number) => {
  let state = seed
  return (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor(state / 2 ** 32 * below)
  }
}

/** An event of a history: few pallets, few times, so that they meet. */
const randomEvent = (random: (below: number) => number, shipmentId: number, lpns: ReadonlyArray<string>) => {
  const lpn = lpns[random(lpns.length)]!
  return palletEvent({
    shipmentId,
    direction: random(2) === 0 ? "LOADING" : "UNLOADING",
    dockSlug: random(2) === 0 ? "D1" : "D2",
    occurredAt: `2026-11-20T17:0${random(6)}:00Z`,
    // Now and then a label that could not be read: a pallet of its own.
    labels: random(8) === 0 ? [] : [label("lpn", lpn), label("lot", `lot-${random(100)}`)]
  })
}

/**
 * What a customer does with what it received, after interface.md: a pallet's messages in the order of what happened,
 * repeats of one direction taken as one, then a loading and an unloading beside each other cancelled, until none is.
 */
const cancelPairs = (messages: ReadonlyArray<Shown>): ReadonlyArray<Shown> => {
  const byPallet = Map.groupBy(messages, (message) => palletOf(message).servicePalletId)
  const left = Array.from(byPallet.values(), (group) => {
    const inOrder = group.toSorted((a, b) =>
      Date.parse(palletOf(a).occurredAt) - Date.parse(palletOf(b).occurredAt) || a.id - b.id
    )
    const turns = inOrder.filter((message, at) =>
      palletOf(message).direction !== (inOrder[at + 1] && palletOf(inOrder[at + 1]!).direction)
    )
    for (;;) {
      const at = turns.findIndex((message, at) =>
        turns[at + 1] !== undefined && palletOf(turns[at + 1]!).direction !== palletOf(message).direction
      )
      if (at < 0) return turns
      turns.splice(at, 2)
    }
  })
  return left.flat()
}

layer(layerPostgres(), { excludeTestServices: true })("D6 once", (it) => {
  it.effect("a pallet event 50 times at once, by REST and GraphQL mixed: one message, and one answer to all", () =>
    Effect.scoped(Effect.gen(function*() {
      const { execute } = yield* GraphqlServer
      const server = yield* TestServer
      const shipment = yield* scheduled()
      const event = palletEvent({ shipmentId: shipment.id, labels: [label("lpn", unique("L"))] })
      const before = (yield* server.messages("acme")).at(-1)?.id ?? 0
      const followed = following(yield* socketClient(), follow({ afterId: before }))
      const overRest = Effect.map(
        record(event),
        ({ status, body }) => ({ status, answer: body as PalletAnswer })
      )
      const overGraphql = Effect.map(
        execute<{ readonly recordPalletEvent: PalletAnswer }>(recordPallet(event), "tower"),
        ({ status, data }) => ({ status, answer: data!.recordPalletEvent })
      )
      const replies = yield* Effect.all(
        Array.from({ length: 50 }, (_, at) => at % 2 === 0 ? overRest : overGraphql),
        { concurrency: "unbounded" }
      )
      assert.isAtMost(replies.filter(({ status }) => status === 201).length, 1)
      for (const { answer } of replies) assert.deepStrictEqual(answer, replies[0]!.answer)
      const [marker] = [yield* record(palletEvent({ shipmentId: shipment.id }))]
      const { messageId } = marker!.body as PalletAnswer
      yield* followed.reach(messageId)
      assert.deepStrictEqual(followed.received.map(({ id }) => id), [
        replies[0]!.answer.messageId,
        messageId
      ])
    })))

  it.effect("an event of the id with other content is refused over both, with the same reason", () =>
    Effect.gen(function*() {
      const { execute } = yield* GraphqlServer
      const shipment = yield* scheduled()
      const event = palletEvent({ shipmentId: shipment.id })
      yield* execute(recordPallet(event), "tower")
      const other = { ...event, direction: "UNLOADING" }
      const rest = yield* record(other)
      const { errors } = yield* execute(recordPallet(other), "tower")
      assert.strictEqual(rest.status, 409)
      assert.deepInclude(errors![0]!.extensions, { code: "CONFLICT", reason: "EVENT_ID_REUSED" })
      assert.strictEqual(errors![0]!.message, (rest.body as { readonly detail: string }).detail)
    }))

  it.effect("a departure 20 times at once, by REST and GraphQL mixed: one completion, and one answer to all", () =>
    Effect.gen(function*() {
      const { execute } = yield* GraphqlServer
      const server = yield* TestServer
      const shipment = yield* scheduled()
      yield* record(palletEvent({ shipmentId: shipment.id }))
      const before = (yield* server.messages("acme")).at(-1)!.id
      const overGraphql = Effect.map(
        execute<{ readonly departShipment: unknown }>(departShipment({ shipmentId: shipment.id }), "tower"),
        ({ data }) => data!.departShipment
      )
      const overRest = Effect.map(depart(shipment.id), ({ body }) => body)
      const replies = yield* Effect.all(
        Array.from({ length: 20 }, (_, at) => at % 2 === 0 ? overRest : overGraphql),
        { concurrency: "unbounded" }
      )
      for (const reply of replies) assert.deepStrictEqual(reply, replies[0])
      assert.deepInclude(replies[0], { id: shipment.id, status: "DEPARTED" })
      const made = yield* server.messages("acme", before)
      assert.deepStrictEqual(made.map(({ type, shipmentId }) => [type, shipmentId]), [
        ["SHIPMENT_COMPLETE", shipment.id]
      ])
    }))

  it.effect("the pallets of a completion are those that the subscriber's own cancelling of pairs leaves", () =>
    Effect.scoped(Effect.gen(function*() {
      const client = yield* socketClient()
      const server = yield* TestServer
      const seed = Number(process.env["SEED"] ?? Date.now() % 1_000_000)
      const random = randomOf(seed)
      let cancelled = 0
      for (let round = 0; round < 12; round++) {
        const shipment = yield* scheduled()
        const lpns = [unique("L"), unique("L"), unique("L")]
        const before = (yield* server.messages("acme")).at(-1)!.id
        const messageTypes = ["PALLET_EVENT", "SHIPMENT_COMPLETE"]
        const followed = following(client, follow({ afterId: before, messageTypes }))
        const events = Array.from({ length: 2 + random(10) }, () => randomEvent(random, shipment.id, lpns))
        for (const event of events) assert.strictEqual((yield* record(event)).status, 201)
        assert.strictEqual((yield* depart(shipment.id)).status, 200)
        const last = (yield* server.messages("acme", before)).at(-1)!
        yield* followed.reach(last.id)
        followed.stop()

        const completion = followed.received.at(-1)!
        assert.strictEqual(completion.messageType, "SHIPMENT_COMPLETE")
        assert.strictEqual(followed.received.length, events.length + 1)
        const expected = cancelPairs(followed.received.slice(0, -1)).map(({ message }) => {
          const { occurredAt: _, ...timeless } = message
          return timeless
        })
        cancelled += events.length - expected.length
        assert.sameDeepMembers(
          [...completion.message["pallets"] as ReadonlyArray<unknown>],
          expected,
          `SEED=${seed}, round ${round}`
        )
      }
      assert.isAbove(cancelled, 0)
    })))
})
