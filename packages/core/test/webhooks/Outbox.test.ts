/** What capabilities have endpoints receive and readers of the log do not, in memory; and what the suite of outboxes finds. */
import * as Suite from "@dockline/testing/Suite"
import { outboxSuite, OutboxWriter } from "@dockline/testing/suites/delivery/OutboxSuite"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Result } from "effect"
import { runner } from "../../../../test/support/Runner.ts"
import * as Memory from "../../src/memory/Memory.ts"
import { MemoryDatabase } from "../../src/memory/MemoryDatabase.ts"
import type { Message } from "../../src/messages/Message.ts"
import { HistoryExpired } from "../../src/values/Errors.ts"

/** Every store in memory, over a database that is made wrong. */
const over = (
  spoil: (database: MemoryDatabase["Service"]) => void = () => {}
): Layer.Layer<Memory.Stores | OutboxWriter> =>
  Layer.unwrap(Effect.map(MemoryDatabase, (database) => {
    spoil(database)
    return Layer.merge(Memory.layerOverDatabase, OutboxWriter.layerMemory)
  })).pipe(Layer.provide(MemoryDatabase.layer))

Suite.register(runner, outboxSuite, over())

describe("the suite of outboxes", () => {
  const appendLaw = (name: string) => `D18.3 what is appended: ${name}`
  const unread = appendLaw("is seen by no reader of the log, and moves the newest id of the log")
  const dropLaw = "D7.4 retention: drops entries with messages, and tells those alone who would have got them"
  const due = [
    appendLaw("is due to the endpoints that ask for it, at their places, and to no others"),
    unread,
    appendLaw("waits for a disabled endpoint that asks for it, and for none that asks later"),
    appendLaw("is cut by the limits of a take, as messages are"),
    appendLaw("is in order with the messages of its shipment, is on record, and is sent again"),
    appendLaw("is replayed by the time at which it was sent, and to an endpoint that was made later"),
    appendLaw("is delivered once it was due, though the endpoint asks for it no longer"),
    dropLaw,
    "D7.4 retention: gives the time of the newest that was dropped, of the log or an outbox, as that of the oldest that waits"
  ]
  const storages: ReadonlyArray<
    readonly [string, (database: MemoryDatabase["Service"]) => void, ReadonlyArray<string>]
  > = [
    ["is right", () => {}, []],
    [
      "hands entries to readers of the log",
      ({ messages }) => {
        const read = messages.read.bind(messages)
        messages.read = (query, ...rest) =>
          Result.map(read(query, ...rest), (page) => {
            const { entries } = messages.logOf(query.business)
            const entryMessages = entries.map(({ text, ...entry }): Message => ({
              ...entry,
              json: JSON.stringify(text)
            }))
            return { ...page, messages: [...page.messages, ...entryMessages] }
          })
      },
      [unread]
    ],
    [
      "refuses readers of the log because an entry was dropped",
      ({ messages }) => {
        const read = messages.read.bind(messages)
        messages.read = (query, position, ...rest) => {
          const { business } = query
          const { entryDrops } = messages.logOf(business)
          const droppedId = Math.max(0, ...Array.from(entryDrops.values(), (drop) => drop.droppedId))
          return position.afterId < droppedId
            ? Result.fail(new HistoryExpired({ business, droppedId }))
            : read(query, position, ...rest)
        }
      },
      [dropLaw]
    ],
    ["keeps entries from endpoints", ({ webhooks }) => (webhooks.appendEntry = () => {}), due]
  ]

  for (const [name, spoil, expected] of storages) {
    it.effect(`finds that a storage ${name}`, () =>
      Effect.map(Suite.run(outboxSuite, over(spoil)), ({ failures, passes }) => {
        assert.deepStrictEqual(failures.map(({ name }) => name), [...expected])
        assert.strictEqual(failures.length + passes.length, outboxSuite.cases.length)
      }))
  }
})
