/** That a storage keeps the answers of pallet events, steps and links with what they write (D5.2). */
import type { Keep, NotRun } from "@dockline/core/Keep"
import { decidePallet } from "@dockline/core/Movement"
import { MovementStore } from "@dockline/core/MovementStore"
import { Shipments } from "@dockline/core/Shipments"
import { decideArrive, decideLink } from "@dockline/core/Steps"
import { Effect, Result } from "effect"
import { aPalletEvent, dashboardUrl } from "../../generators/Motion.ts"
import { keepsAnswers } from "../../worlds/KeepWorld.ts"
import type { KeptCall } from "../../worlds/KeepWorld.ts"
import { aWorld, linksOf } from "../../worlds/MovementWorld.ts"
import type { AddTest, MovementServices } from "../../worlds/MovementWorld.ts"

/** Decides, or does what a test says instead. */
type Deciding = <A, E>(decided: () => Result.Result<A, E>) => Result.Result<A, E | string>

const ways = (
  call: (keep: Keep<unknown, NotRun>, deciding: Deciding) => Effect.Effect<unknown, unknown, MovementServices>
): Omit<KeptCall<MovementServices>, "written"> => ({
  write: (keep) => call(keep, (decided) => decided()),
  refuse: (keep) => call(keep, () => Result.fail("refused")),
  breaks: (keep) =>
    call(keep, () => {
      throw new Error("broken")
    })
})

const anEvent = Effect.gen(function*() {
  const { business, moves, submit } = yield* aWorld()
  const store = yield* MovementStore
  const shipmentId = yield* submit("S1")
  let events = 0
  return {
    ...ways((keep, deciding) =>
      Effect.suspend(() => {
        const event = aPalletEvent({ business, shipmentId, eventId: `E${++events}` })
        const context = { dashboardUrl, text: event.eventId }
        return store.recordPallet(
          event,
          event.eventId,
          (snapshot) => deciding(() => decidePallet(event, snapshot, context)),
          keep
        )
      })
    ),
    written: Effect.map(moves, ({ length }) => length)
  }
})

/** As many shipments as the cases need: the step of each changes it. */
const several = Effect.gen(function*() {
  const world = yield* aWorld()
  const ids = yield* Effect.forEach(
    Array.from({ length: 16 }, (_, at) => `S${at}`),
    (number) => world.submit(number)
  )
  let next = 0
  return { ...world, ids, nextId: () => ids[next++]! }
})

const aStep = Effect.gen(function*() {
  const { client, ids, nextId } = yield* several
  const store = yield* MovementStore
  const shipments = yield* Shipments
  return {
    ...ways((keep, deciding) =>
      Effect.suspend(() =>
        store.step(
          { shipmentId: nextId(), dockSlug: "", withPallets: false },
          (snapshot) => deciding(() => decideArrive({}, snapshot, { principal: client, dashboardUrl: "" })),
          keep
        )
      )
    ),
    written: Effect.map(
      Effect.forEach(ids, (id) => shipments.get(String(id), client)),
      (all) => all.filter(({ status }) => status === "ARRIVED").length
    )
  }
})

const aLink = Effect.gen(function*() {
  const { business, client, nextId, submit } = yield* several
  const store = yield* MovementStore
  const hub = yield* submit("HUB")
  return {
    ...ways((keep, deciding) =>
      Effect.suspend(() => {
        const id = nextId()
        const named = { id: String(id), linkedShipmentId: String(hub) }
        return store.link(
          id,
          hub,
          (snapshot) => deciding(() => decideLink(named, snapshot, client)),
          keep
        )
      })
    ),
    written: Effect.map(linksOf(business), (links) => links.at(-1)!.length)
  }
})

/** Cases of kept answers of pallet events, steps and links. */
export const keeping = (test: AddTest): void => {
  keepsAnswers(test, "the answer of a pallet event", anEvent)
  keepsAnswers(test, "the answer of a step", aStep)
  keepsAnswers(test, "the answer of a link", aLink)
}
