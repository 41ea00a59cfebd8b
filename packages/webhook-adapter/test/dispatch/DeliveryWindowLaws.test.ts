/**
 * The promises of `DeliveryWindow` over random interleavings of takes, settlements, outcomes, crashes and replays, against a model of
 * the store (D9.4).
 */
import * as Timestamp from "@dockline/core/values/Timestamp"
import type { DeliveryStatus } from "@dockline/core/webhooks/Delivery"
import type { TakenMessages } from "@dockline/core/webhooks/DeliveryStore"
import { DeliveryWindow } from "@dockline/webhook-adapter/dispatch/DeliveryWindow"
import type { HeldDelivery, WindowSettlement } from "@dockline/webhook-adapter/dispatch/DeliveryWindow"
import { assert, it } from "@effect/vitest"
import { Struct } from "effect"
import { blockedOf, DeliveryWindowModel } from "./DeliveryWindowModel.ts"

/** A dispatcher of one endpoint, each of whose steps may come in any order. */
const makeDispatcher = (pick: (below: number) => number) => {
  const model = new DeliveryWindowModel()
  let window = new DeliveryWindow(0)
  let now = 0
  let underWay: Array<HeldDelivery> = []
  /** A take between its beginning and its end, with what the store has answered. */
  let take: { readonly takenIds: ReadonlyArray<number>; answer: TakenMessages | undefined } | undefined
  /** A settlement, which may have been written. */
  let writing: { readonly settlement: WindowSettlement; isWritten: boolean } | undefined

  const end = (status: DeliveryStatus): void => {
    const sending = underWay.filter(({ state }) => state === "sending")
    const delivery = sending[pick(sending.length)]
    if (delivery === undefined) return
    const { message: { id, shipmentId }, progress } = delivery
    const nextAttemptAt = status === "PENDING" ? Timestamp.of("2026-11-20T12:00:05.000Z") : null
    window.ended(delivery, {
      ...blockedOf({ id, shipmentId }),
      ...progress,
      status,
      attempts: [],
      nextAttemptAt
    })
  }

  const steps = {
    append: () => model.append(1 + pick(3)),
    passTime: () => model.passTime(),
    replay: () => model.replay(1 + pick(model.log.length)),
    beginTake: () => {
      take ??= { takenIds: window.beginTake(), answer: undefined }
    },
    readTake: () => {
      if (take !== undefined) take.answer ??= model.take(window.readTo, take.takenIds, 1 + pick(4))
    },
    endTake: () => {
      if (take?.answer === undefined) return
      window.accept(take.answer, 0)
      take = undefined
    },
    loseTake: () => {
      if (take === undefined) return
      window.endTake()
      take = undefined
    },
    begin: () => {
      const delivery = window.next(++now)
      if (delivery === undefined) return
      model.begin(delivery, underWay)
      underWay.push(delivery)
    },
    deliver: () => end("DELIVERED"),
    fail: () => end("PENDING"),
    beginSettlement: () => {
      writing ??= { settlement: window.settlement(), isWritten: false }
    },
    write: () => {
      if (writing === undefined || writing.isWritten) return
      model.settle(writing.settlement)
      writing.isWritten = true
    },
    commit: () => {
      if (writing?.isWritten !== true) return
      const settledIds = new Set(writing.settlement.results.map(({ messageId }) => messageId))
      window.commit(writing.settlement)
      underWay = underWay.filter(({ message, state }) => state === "sending" || !settledIds.has(message.id))
      writing = undefined
    },
    relieve: () => window.relieve(now - pick(3), pick(4) === 0),
    crash: () => {
      window = new DeliveryWindow(model.cursorId)
      underWay = []
      take = undefined
      writing = undefined
    }
  }

  return { model, steps }
}

/** Numbers from a seed (mulberry32). */
const numbersOf = (seed: number) => {
  let state = seed
  return (below: number): number => {
    state = (state + 0x6d2b79f5) | 0
    let mix = Math.imul(state ^ (state >>> 15), 1 | state)
    mix = (mix + Math.imul(mix ^ (mix >>> 7), 61 | mix)) ^ mix
    return Math.floor((((mix ^ (mix >>> 14)) >>> 0) / 2 ** 32) * below)
  }
}

/** What a dispatcher does in its turn until nothing is left to do. */
const ending = [
  "passTime",
  "beginTake",
  "readTake",
  "endTake",
  "begin",
  "deliver",
  "beginSettlement",
  "write",
  "commit"
] as const

/** What takes long: much happens while a take is under way. */
const slow: ReadonlySet<string> = new Set(["append", "endTake"])

/** What interrupts the others. */
const rare: ReadonlySet<string> = new Set(["crash", "replay", "relieve", "loseTake"])

const seeds = Array.from({ length: 1000 }, (_, index) => index + 1)

it("D9.4 keeps the order of each shipment and loses no message, however its steps interleave", () => {
  for (const seed of seeds) {
    const pick = numbersOf(seed)
    const { model, steps } = makeDispatcher(pick)
    const story: Array<string> = []
    const run = (name: keyof typeof steps): void => {
      story.push(name)
      steps[name]()
    }
    // Each story has steps that it takes often, and others that it rarely takes.
    const names = Struct.keys(steps).flatMap((name) =>
      Array.from(
        { length: slow.has(name) ? 1 + pick(2) : rare.has(name) ? pick(3) : 1 + pick(8) },
        () => name
      )
    )
    try {
      for (let count = 0; count < 300; count++) run(names[pick(names.length)]!)
      for (let round = 0; round < 40 * model.log.length && !model.isDone; round++) {
        for (const name of ending) run(name)
      }
      assert.isTrue(model.isDone, "a message is never delivered")
    } catch (cause) {
      throw new Error(`Seed ${seed}, after ${story.length} steps: ${story.slice(-12).join(", ")}`, { cause })
    }
  }
})
