/** The rules for a storage while its database is unreachable, and after that (D12.3). */
import { IntakeStore } from "@dockline/core/document/DocumentRecord"
import { MessageLog } from "@dockline/core/messages/MessageLog"
import { MovementStore } from "@dockline/core/movement/Movement"
import { Directory } from "@dockline/core/places/Place"
import { ShipmentStore } from "@dockline/core/shipment/ShipmentStore"
import { StorageUnavailable } from "@dockline/core/values/Errors"
import { Cause, Context, Effect, Exit, Result, Schedule } from "effect"
import * as assert from "../Assert.ts"
import { aPalletEvent } from "../generators/Given.ts"
import * as Suite from "../Suite.ts"
import { aWorld, shipmentsOf, write } from "../worlds/IntakeWorld.ts"
import { aDraft, everythingOf } from "../worlds/MessageLogWorld.ts"

/** Makes the database of a storage unreachable. The suite needs it in addition to the storage. */
export class Outage extends Context.Service<Outage, {
  /** Runs an effect while the database is unreachable, and restores the database when the effect has ended. */
  readonly during: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}>()("@dockline/testing/Outage") {}

/** The ports under test. */
export type OutageStores = IntakeStore | ShipmentStore | MovementStore | MessageLog | Directory

/** Whether a call fails with `StorageUnavailable`, and not with a defect or another error. */
const isUnavailable = (exit: Exit.Exit<unknown, unknown>): boolean =>
  Exit.isFailure(exit) &&
  exit.cause.reasons.some((reason) =>
    Cause.isFailReason(reason) && reason.error instanceof StorageUnavailable
  )

/** A decision that is never called, because no snapshot can be loaded. */
const refuse = () => Result.fail("asked" as const)

/** The suite of a storage whose database goes away. */
export const outageSuite: Suite.Suite<OutageStores | Outage> = Suite.make(
  "a storage whose database goes away",
  ({ test }) => {
    test("D12.3 calls fail with StorageUnavailable, leave nothing, and work again afterwards", function*() {
      const { business, document, submit } = yield* aWorld
      const outage = yield* Outage
      const [directory, intake, log] = [yield* Directory, yield* IntakeStore, yield* MessageLog]
      const [movement, reads] = [yield* MovementStore, yield* ShipmentStore]
      yield* submit()
      const before = yield* shipmentsOf(business)
      const { id } = assert.at(before, 0)
      const calls: ReadonlyArray<
        readonly [name: string, call: Effect.Effect<unknown, unknown, OutageStores>]
      > = [
        ["IntakeStore.transact", write(document({ shipmentNumber: "S2" }))],
        ["IntakeStore.transact of a dry run", write(document({ shipmentNumber: "S2" }), true)],
        ["IntakeStore.findRecord", intake.findRecord(1, [])],
        ["ShipmentStore.find", reads.find(id, [])],
        ["ShipmentStore.listShipments", shipmentsOf(business)],
        [
          "MovementStore.recordPallet",
          movement.recordPallet(aPalletEvent({ business }), "text", refuse)
        ],
        [
          "MovementStore.step",
          movement.step({ shipmentId: id, dockSlug: "", withPallets: false }, refuse)
        ],
        ["MessageLog.append", log.append([aDraft(business, 1)])],
        ["MessageLog.read", log.read(everythingOf(business), { afterId: 0 }, 10)],
        ["MessageLog.lastId", log.lastId(business)],
        ["Directory.createDock", directory.createDock(business, "east", "D9")]
      ]
      const exits = yield* outage.during(
        Effect.forEach(
          calls,
          ([name, call]) => Effect.map(Effect.exit(call), (exit) => [name, exit] as const)
        )
      )
      assert.deepStrictEqual(
        exits.filter(([, exit]) => !isUnavailable(exit)).map(([name, exit]) => `${name}: ${String(exit)}`),
        []
      )
      // The first call may still get a broken connection.
      yield* Effect.retry(submit({ shipmentNumber: "S3" }), {
        schedule: Schedule.spaced("100 millis"),
        times: 100
      })
      const numbers = (yield* shipmentsOf(business)).map(({ number }) => number)
      assert.deepStrictEqual(numbers, [assert.at(before, 0).number, "S3"])
      const { messages } = yield* log.read(everythingOf(business), { afterId: 0 }, 10)
      assert.deepStrictEqual(messages, [])
    })
  }
)
