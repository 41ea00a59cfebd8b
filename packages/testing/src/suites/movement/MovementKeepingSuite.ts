/**
 * The rule that every storage stores the answers of pallet events, steps and links together with their writes (D5.2).
 */
import { decidePallet } from "@dockline/core/movement/Movement"
import { MovementStore } from "@dockline/core/movement/MovementStore"
import { Shipments } from "@dockline/core/movement/Shipments"
import { decideArrive, decideLink } from "@dockline/core/movement/Steps"
import { Effect } from "effect"
import * as assert from "../../Assert.ts"
import { aPalletEvent, dashboardUrl } from "../../generators/Motion.ts"
import { keepsAnswers } from "../../worlds/KeepWorld.ts"
import type { KeptCall } from "../../worlds/KeepWorld.ts"
import { aWorld, linksOf } from "../../worlds/MovementWorld.ts"
import type { AddTest, MovementServices } from "../../worlds/MovementWorld.ts"

const anEvent = Effect.gen(function*() {
  const { business, moves, submit } = yield* aWorld()
  const store = yield* MovementStore
  const shipmentId = yield* submit("S1")
  let events = 0
  const keptCall: KeptCall<MovementServices> = {
    call: (keep, deciding) =>
      Effect.suspend(() => {
        const event = aPalletEvent({ business, shipmentId, eventId: `E${++events}` })
        const context = { clientId: "tower", dashboardUrl, text: event.eventId }
        return store.recordPallet(
          event,
          event.eventId,
          (snapshot) => deciding(() => decidePallet(event, snapshot, context)),
          keep
        )
      }),
    writeCount: Effect.map(moves, ({ length }) => length)
  }
  return keptCall
})

/** As many shipments as the cases need, because each step changes its shipment. */
const several = Effect.gen(function*() {
  const world = yield* aWorld()
  const ids = yield* Effect.forEach(
    Array.from({ length: 16 }, (_, at) => `S${at}`),
    (number) => world.submit(number)
  )
  let next = 0
  return { ...world, ids, nextId: () => assert.present(ids[next++]) }
})

const aStep = Effect.gen(function*() {
  const { client, ids, nextId } = yield* several
  const store = yield* MovementStore
  const shipments = yield* Shipments
  const keptCall: KeptCall<MovementServices> = {
    call: (keep, deciding) =>
      Effect.suspend(() =>
        store.step(
          { shipmentId: nextId(), dockSlug: "", withPallets: false },
          (snapshot) => deciding(() => decideArrive({}, snapshot, { principal: client, dashboardUrl: "" })),
          keep
        )
      ),
    writeCount: Effect.map(
      Effect.forEach(ids, (id) => shipments.get(String(id), client)),
      (all) => all.filter(({ status }) => status === "ARRIVED").length
    )
  }
  return keptCall
})

const aLink = Effect.gen(function*() {
  const { business, client, nextId, submit } = yield* several
  const store = yield* MovementStore
  const hub = yield* submit("HUB")
  const keptCall: KeptCall<MovementServices> = {
    call: (keep, deciding) =>
      Effect.suspend(() => {
        const id = nextId()
        const parameters = { id: String(id), linkedShipmentId: String(hub) }
        return store.link(
          id,
          hub,
          (snapshot) => deciding(() => decideLink(parameters, snapshot, client)),
          keep
        )
      }),
    writeCount: Effect.map(linksOf(business), (links) => assert.at(links, -1).length)
  }
  return keptCall
})

/** Cases of stored answers of pallet events, steps and links. */
export const keeping = (test: AddTest): void => {
  keepsAnswers(test, "the answer of a pallet event", anEvent)
  keepsAnswers(test, "the answer of a step", aStep)
  keepsAnswers(test, "the answer of a link", aLink)
}
