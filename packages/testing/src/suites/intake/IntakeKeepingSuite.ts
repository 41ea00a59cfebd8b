/**
 * The rule that every storage of intake stores the answer of a document together with the document (D5.2).
 */
import { IntakeStore } from "@dockline/core/document/IntakeStore"
import type { Snapshot } from "@dockline/core/document/Plan"
import { Effect } from "effect"
import { aWorld, deciding as decisionOf } from "../../worlds/IntakeWorld.ts"
import type { AddTest, IntakeStores } from "../../worlds/IntakeWorld.ts"
import { keepsAnswers } from "../../worlds/KeepWorld.ts"
import type { KeptCall } from "../../worlds/KeepWorld.ts"

const aDocument = Effect.gen(function*() {
  const { document, shipments } = yield* aWorld
  const store = yield* IntakeStore
  let number = 0
  const keptCall: KeptCall<IntakeStores> = {
    call: (keep, deciding) =>
      Effect.suspend(() => {
        const draft = document({ shipmentNumber: `S${++number}` })
        const decide = (snapshot: Snapshot) => deciding(() => decisionOf(draft)(snapshot))
        return store.transact(draft, decide, { dryRun: false, keep })
      }),
    writeCount: Effect.map(shipments, ({ length }) => length)
  }
  return keptCall
})

/** Cases of stored answers of documents. */
export const keeping = (test: AddTest): void => keepsAnswers(test, "the answer of a document", aDocument)
