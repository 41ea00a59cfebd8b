/**
 * Storages whose messages are wrong in one way each, over the right ones in memory: pages of the log, and how pallets and
 * departures append.
 */
import { Effect, Layer, Result, Struct } from "effect"
import * as Memory from "../src/memory/Memory.ts"
import { MemoryDatabase } from "../src/memory/MemoryDatabase.ts"
import type { MessagePage } from "../src/messages/MessageQuery.ts"
import type { PalletDecision, PalletPlan } from "../src/movement/Movement.ts"
import type { WebhookType } from "../src/values/Vocabulary.ts"
import { storageOver } from "./WrongStorages.ts"

/** The message log in memory, whose pages are made wrong: whoever reads or follows it gets these. */
export const log = (wrong: <Type extends WebhookType>(page: MessagePage<Type>) => MessagePage<Type>) =>
  Layer.mergeAll(
    Layer.unwrap(Effect.map(MemoryDatabase, ({ messages }) => {
      const read = messages.read.bind(messages)
      messages.read = (...asked) => Result.map(read(...asked), (page) => wrong(page))
      return Memory.layers.MessageLog
    })),
    Memory.layers.Directory
  ).pipe(Layer.provide(MemoryDatabase.layer))

/** Misses a message now and then. */
export const missesMessages = log((page) => ({
  ...page,
  messages: page.messages.filter(({ id }) => id % 3 !== 2)
}))

/** Pages with the newest message first. */
export const newestFirst = log((page) => ({ ...page, messages: page.messages.toReversed() }))

/** Says of a page that was cut that there is no more. */
export const endsEarly = log((page) => ({ ...page, more: false }))

/** Forgets the traces that messages were appended in. */
export const forgetsTraces = log((page) => ({
  ...page,
  messages: page.messages.map((message) => Struct.omit(message, ["trace"]))
}))

/** Appends the messages of pallets and departures, and wakes nobody. */
export const wakesNobody = Layer.unwrap(Effect.map(MemoryDatabase, ({ messages }) => {
  messages.wakeups.wake = () => {}
  return storageOver({})
})).pipe(Layer.provide(MemoryDatabase.layer))

/** Commits a pallet, and then its message, in a transaction of its own. */
export const appendsApart = Layer.unwrap(Effect.map(MemoryDatabase, ({ messages }) => {
  const append = messages.append.bind(messages)
  return storageOver({
    movement: (right) => ({
      ...right,
      recordPallet: (event, text, decide, keep) =>
        Effect.suspend(() => {
          let appendLater = (): void => {}
          /** The plan with another message, in whose place those of the plan are appended later. */
          const withoutMessage = (decision: PalletDecision): PalletDecision => {
            if (decision._tag === "Repeat") return decision
            const { plan } = decision
            const { business, facility } = event
            const message = { business, facility, type: "PALLET_EVENT", payload: {}, shipmentId: 0 } as const
            messages.append = (_, appending) => {
              messages.append = append
              appendLater = () => void append(plan.messages, appending)
              const { now: sentAt } = appending
              return Result.succeed([{
                ...message,
                id: messages.newestId + (plan.arrivedAt === null ? 1 : 2),
                sentAt,
                json: "{}"
              }])
            }
            // The messages of the plan are not read yet: that may break.
            const apart: PalletPlan = Object.create(plan, { messages: { value: [message] } })
            return { ...decision, plan: apart }
          }
          return Effect.tap(
            right.recordPallet(event, text, (snapshot) => Result.map(decide(snapshot), withoutMessage), keep),
            () => Effect.sync(() => appendLater())
          )
        })
    })
  })
})).pipe(Layer.provide(MemoryDatabase.layer))
