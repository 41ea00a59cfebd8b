import { ediDeliverySuite } from "@dockline/testing/capabilities/edi/EdiDeliverySuite"
import * as Suite from "@dockline/testing/Suite"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { runner } from "../../../../test/support/Runner.ts"
import { edi } from "../../src/edi/EdiCapability.ts"
import type { EdiStore } from "../../src/edi/EdiStore.ts"
import * as Memory from "../../src/memory/Memory.ts"
import { MemoryDatabase } from "../../src/memory/MemoryDatabase.ts"
import { messageTypes, webhookTypes } from "../../src/values/Vocabulary.ts"

Suite.register(runner, ediDeliverySuite, Memory.layerWith([edi]))

/** Every store in memory, over a database that is made wrong. */
const over = (spoil: (database: MemoryDatabase["Service"]) => void): Layer.Layer<Memory.Stores | EdiStore> =>
  Layer.unwrap(Effect.map(MemoryDatabase, (database) => {
    spoil(database)
    return Layer.merge(Memory.layerOverDatabase, edi.memory)
  })).pipe(Layer.provide(MemoryDatabase.layer))

describe("the suite of interchanges", () => {
  const of = (name: string) => `D18.3 what is to be sent: ${name}`
  const unread = of("stays in the outbox, and no reader of messages gets it")
  const storages: ReadonlyArray<
    readonly [string, Layer.Layer<Memory.Stores | EdiStore>, ReadonlyArray<string>]
  > = [
    ["is right", over(() => {}), []],
    [
      "hands interchanges to the readers of all messages",
      over(({ messages }) => {
        const read = messages.read.bind(messages)
        messages.read = (query, ...rest) => {
          const isAll = messageTypes.every((type) => query.types.some((each) => each === type))
          // The types of the query say less than what is read.
          return read(isAll ? { ...query, types: webhookTypes as never } : query, ...rest)
        }
      }),
      [unread]
    ],
    [
      "keeps interchanges from endpoints",
      over(({ webhooks }) => {
        webhooks.tell = () => {}
      }),
      [
        of("is due to the endpoints that ask for it, at their places, and to no others"),
        unread,
        of("is sent though no shipment of it is known"),
        of("waits for a disabled endpoint that asks for it, and for none that asks later"),
        of("is sent in order within its shipment, is on record, and is sent again")
      ]
    ]
  ]

  for (const [name, stores, expected] of storages) {
    it.effect(`finds that a storage ${name}`, () =>
      Effect.map(Suite.run(ediDeliverySuite, stores), ({ failed, passed }) => {
        assert.deepStrictEqual(failed.map(({ name }) => name), [...expected])
        assert.strictEqual(failed.length + passed.length, ediDeliverySuite.cases.length)
      }))
  }
})
