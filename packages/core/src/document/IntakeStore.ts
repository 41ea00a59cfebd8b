/**
 * Port: the storage of intake. It loads a snapshot under locks, lets core decide, and applies the plan, all in one
 * transaction.
 *
 * Guarantee: documents that name the same shipment or order numbers at one facility behave as if they came one after
 * another; what `transact` answered is durable; a failed decision or a dry run leaves nothing (D2.1, D3).
 */
import { Context, Effect, Result } from "effect"
import type { StorageUnavailable } from "../values/Errors.ts"
import type { Document } from "./Document.ts"
import type { NewIds, Plan, Snapshot } from "./Plan.ts"

/** A decided and, unless it was a dry run, applied document. */
export interface Transacted {
  readonly snapshot: Snapshot
  readonly plan: Plan
  readonly ids: NewIds
}

/** The storage of intake. */
export class IntakeStore extends Context.Service<IntakeStore, {
  /**
   * Runs one document's transaction. `decide` is pure and may be called again when the transaction had to be
   * repeated after a conflict with another one.
   */
  readonly transact: <E>(
    document: Document,
    decide: (snapshot: Snapshot) => Result.Result<Plan, E>,
    options: { readonly dryRun: boolean }
  ) => Effect.Effect<Transacted, E | StorageUnavailable>
}>()("@dockline/core/IntakeStore") {}
