/**
 * Intake on PostgreSQL: documents that wait at the same time share a transaction of two statements (ADR 21).
 *
 * Guarantee: documents that share a number at a facility behave as if they came one after another, in this process in the
 * order in which they came. A document that is refused or fails concerns no other. A document that finds a lock taken, is
 * large, or was in a batch that failed has a transaction of its own.
 */
import { itemCount } from "@dockline/core/Document"
import type { Document } from "@dockline/core/Document"
import type { StorageUnavailable } from "@dockline/core/Errors"
import { IntakeStore } from "@dockline/core/IntakeStore"
import type { Transacted } from "@dockline/core/IntakeStore"
import * as Timestamp from "@dockline/core/Timestamp"
import { Cause, Context, Effect, Exit, Layer, Option } from "effect"
import { SqlClient, SqlError } from "effect/sql"
import * as Batches from "../connections/Batches.ts"
import { Deadline, operations, within } from "../connections/Deadline.ts"
import { LateTransaction } from "../connections/LateTransaction.ts"
import { Lending, loans, turnOfNumber } from "../connections/Loan.ts"
import * as Pipeline from "../connections/Pipeline.ts"
import { isConflict, noConnectionFree, refine, repeatConflicts } from "../connections/StorageErrors.ts"
import { countWaiting, measured } from "../connections/StorageMetrics.ts"
import * as IntakeBatch from "./IntakeBatch.ts"

/** How many batches are under way at once. Fewer and larger ones cost less: two at the load of one take half as much again. */
const flights = 4

/** How many documents have to wait before one more batch goes. */
const enough = 16

/** A document of more orders locks its whole facility. */
const manyOrders = 32

/** The keys are numbers, each of which has a lock. */
const most: Batches.Most = { jobs: 32, keys: 256, size: IntakeBatch.manyItems }

interface Job extends Batches.Job, IntakeBatch.Submitted {
  /** Where the spans of its statements belong. */
  readonly trace: Context.Context<never>
}

const keysOf = ({ business, facility, orders, shipmentNumber }: Document): ReadonlyArray<string> => {
  const numbers = new Set([shipmentNumber, ...orders.map(({ orderNumber }) => orderNumber)])
  return Array.from(numbers, (number) => `${business}\0${facility}\0${number}`)
}

const jobOf = (submitted: IntakeBatch.Submitted, trace: Context.Context<never>): Job => {
  const { document } = submitted
  const size = itemCount(document)
  return {
    ...submitted,
    holder: document.business,
    keys: keysOf(document),
    size,
    alone: size > IntakeBatch.manyItems || document.orders.length > manyOrders,
    trace
  }
}

/** Whether each document of a failed batch is worth a transaction of its own. */
const mayGoAlone = (cause: Cause.Cause<unknown>, count: number): boolean => {
  const errors = cause.reasons.flatMap((reason) => Cause.isFailReason(reason) ? [reason.error] : [])
  return errors.some(isConflict) ||
    (count > 1 &&
      errors.some((error) => SqlError.isSqlError(error) && error.reason._tag !== "ConnectionError"))
}

/** Intake on the PostgreSQL database of the `SqlClient`, whose schema must be migrated. */
export const layer: Layer.Layer<IntakeStore, never, SqlClient.SqlClient> = Layer.effect(
  IntakeStore,
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const operation = yield* operations
    const loan = yield* loans
    const lend = yield* Lending
    const deadline = yield* Deadline
    const work = IntakeBatch.make(sql)

    /** A document in a transaction of its own, or in that which it is a part of. */
    const alone = (submitted: IntakeBatch.Submitted): Effect.Effect<Transacted, unknown> =>
      sql.withTransaction(
        Effect.flatMap(
          work([submitted], true, Pipeline.noEnds),
          ([decided]) => decided as Exit.Exit<Transacted, unknown>
        )
      ).pipe(
        repeatConflicts,
        loan({
          lane: "requests",
          turn: turnOfNumber(submitted.document),
          holder: submitted.document.business
        }),
        operation
      )

    const fly = Effect.fnUntraced(function*(board: () => ReadonlyArray<Job>) {
      let batch: ReadonlyArray<Job> | undefined
      const ends = Pipeline.transaction(sql)
      const flight = Effect.flatMap(Effect.context<never>(), (context) => {
        batch = board()
        if (batch.length === 0) return Effect.succeed([])
        return Effect.provideContext(work(batch, false, ends), Context.merge(batch[0]!.trace, context))
      })
      const exit = yield* Effect.exit(within(lend({ lane: "requests", pipelined: true })(flight), deadline))
      if (Exit.isSuccess(exit)) {
        return exit.value.map((decided): Batches.Outcome<Transacted, unknown> =>
          decided === "held" ? "alone" : decided
        )
      }
      batch ??= board()
      const outcome = ends.isUndone() && mayGoAlone(exit.cause, batch.length)
        ? "alone"
        : refine(Effect.failCause(exit.cause))
      return batch.map(() => outcome)
    })

    const submit = yield* Batches.make<Job, Transacted, unknown>({
      flights,
      enough,
      most,
      waitMillis: deadline.waitMillis,
      onWaiting: yield* countWaiting,
      tooLate: refine(Effect.fail(noConnectionFree(deadline.waitMillis))),
      fly,
      alone: (job) =>
        Effect.updateContext(
          alone(job),
          (context: Context.Context<never>) => Context.merge(job.trace, context)
        )
    })

    const transact: IntakeStore["Service"]["transact"] = <E>(
      document: Document,
      decide: IntakeBatch.Submitted["decide"],
      { dryRun }: { readonly dryRun: boolean }
    ) =>
      Effect.gen(function*() {
        const submitted = { document, decide, dryRun, now: yield* Timestamp.now }
        const isPart = (yield* LateTransaction) !== undefined ||
          Option.isSome(yield* Effect.serviceOption(sql.transactionService))
        const done = isPart ? alone(submitted) : submit(jobOf(submitted, yield* Effect.context<never>()))
        return yield* done as Effect.Effect<Transacted, E | StorageUnavailable>
      })

    return IntakeStore.of({
      transact: (document, decide, options) => measured("document")(transact(document, decide, options))
    })
  })
)
