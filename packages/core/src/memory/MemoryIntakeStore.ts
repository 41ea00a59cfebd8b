/**
 * Intake in memory: documents are decided and applied one after another.
 */
import { Effect, Layer, Result } from "effect"
import { IntakeStore } from "../document/IntakeStore.ts"
import { noIds } from "../document/Outcome.ts"
import * as Timestamp from "../values/Timestamp.ts"
import { MemoryDatabase } from "./MemoryDatabase.ts"

/** Intake in memory: each transaction runs in one step of the event loop, so none meets another. */
export const layer: Layer.Layer<IntakeStore, never, MemoryDatabase> = Layer.effect(
  IntakeStore,
  Effect.map(MemoryDatabase, (database) =>
    IntakeStore.of({
      transact: (document, decide, { dryRun }) =>
        Effect.flatMap(Timestamp.now, (now) =>
          Effect.suspend(() => {
            const snapshot = database.snapshot(document, now)
            return Effect.fromResult(
              Result.map(decide(snapshot), (plan) => ({
                snapshot,
                plan,
                ids: dryRun ? noIds(plan) : database.apply(document, plan, now)
              }))
            )
          }))
    }))
)
