/** That the storage of intake keeps the answer of a document with the document (D5.2). */
import { IntakeStore } from "@dockline/core/IntakeStore"
import type { Keep, NotRun } from "@dockline/core/Keep"
import type { Plan, Snapshot } from "@dockline/core/Plan"
import { Effect, Result } from "effect"
import { aWorld, deciding } from "../../worlds/IntakeWorld.ts"
import type { AddTest, IntakeStores } from "../../worlds/IntakeWorld.ts"
import { keepsAnswers } from "../../worlds/KeepWorld.ts"
import type { KeptCall } from "../../worlds/KeepWorld.ts"

const aDocument = Effect.gen(function*() {
  const { document, shipments } = yield* aWorld
  const store = yield* IntakeStore
  let number = 0
  const transact = (
    keep: Keep<unknown, NotRun>,
    decide?: (snapshot: Snapshot) => Result.Result<Plan, unknown>
  ) =>
    Effect.suspend(() => {
      const given = document({ shipmentNumber: `S${++number}` })
      return store.transact(given, decide ?? deciding(given), { dryRun: false, keep })
    })
  const call: KeptCall<IntakeStores> = {
    write: transact,
    refuse: (keep) => transact(keep, () => Result.fail("refused")),
    breaks: (keep) =>
      transact(keep, () => {
        throw new Error("broken")
      }),
    written: Effect.map(shipments, ({ length }) => length)
  }
  return call
})

/** Cases of kept answers of documents. */
export const keeping = (test: AddTest): void => keepsAnswers(test, "the answer of a document", aDocument)
