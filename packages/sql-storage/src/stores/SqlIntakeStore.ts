/**
 * Intake on PostgreSQL: documents that wait at the same time share a transaction of two statements (ADR 21).
 *
 * Guarantee: documents that share a number at a facility behave as if they came one after another, in this process in the
 * order in which they came. A document that is refused or fails concerns no other. A document that finds a lock taken, is
 * large, or was in a batch that failed has a transaction of its own. The answer of a request with a key is kept in the
 * transaction of its document.
 */
import { itemCount } from "@dockline/core/Document"
import type { Document } from "@dockline/core/Document"
import type { StorageUnavailable } from "@dockline/core/Errors"
import { IntakeStore } from "@dockline/core/IntakeStore"
import type { Transacted, TransactOptions } from "@dockline/core/IntakeStore"
import * as Timestamp from "@dockline/core/Timestamp"
import { Effect, Layer } from "effect"
import type { Context, Exit } from "effect"
import { SqlClient } from "effect/sql"
import type { Most } from "../connections/Batches.ts"
import * as BatchTransactions from "../connections/BatchTransactions.ts"
import { operations } from "../connections/Deadline.ts"
import { isPart, loans, turnOfNumber } from "../connections/Loan.ts"
import { noEnds } from "../connections/Pipeline.ts"
import { repeatConflicts } from "../connections/StorageErrors.ts"
import { measured } from "../connections/StorageMetrics.ts"
import { businessId } from "../rows/BusinessId.ts"
import * as IntakeBatch from "./IntakeBatch.ts"
import * as KeptAnswers from "./KeptAnswers.ts"
import * as SqlDocuments from "./SqlDocuments.ts"

/** A document of more orders locks its whole facility. */
const manyOrders = 32

/** The keys are numbers, each of which has a lock. */
const most: Most = { jobs: 32, keys: 256, size: IntakeBatch.manyItems }

/** A document, with what is kept of its answer. */
interface Submitted extends IntakeBatch.Submitted, KeptAnswers.Keyed<Transacted> {}

interface Job extends BatchTransactions.Job, Submitted {}

const keysOf = ({ business, facility, orders, shipmentNumber }: Document): ReadonlyArray<string> => {
  const numbers = new Set([shipmentNumber, ...orders.map(({ orderNumber }) => orderNumber)])
  return Array.from(numbers, (number) => `${business}\0${facility}\0${number}`)
}

const jobOf = (submitted: Submitted, trace: Context.Context<never>): Job => {
  const { document } = submitted
  const size = itemCount(document)
  return {
    ...submitted,
    holder: document.business,
    business: businessId(document.business),
    keys: keysOf(document),
    size,
    alone: size > IntakeBatch.manyItems || document.orders.length > manyOrders,
    trace
  }
}

/** Intake on the PostgreSQL database of the `SqlClient`, whose schema must be migrated. */
export const layer: Layer.Layer<IntakeStore, never, SqlClient.SqlClient> = Layer.effect(
  IntakeStore,
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const operation = yield* operations
    const loan = yield* loans
    const answered = KeptAnswers.make(sql).keeping(IntakeBatch.make(sql))

    /** A document in a transaction of its own, or in that which it is a part of. */
    const alone = (job: Job): Effect.Effect<Transacted, unknown> =>
      sql.withTransaction(answered([job], true, noEnds)).pipe(
        repeatConflicts,
        loan({
          lane: "requests",
          turn: turnOfNumber(job.document),
          holder: job.document.business,
          business: job.business
        }),
        operation,
        // Afterwards, as the record of a refusal stays, and so does what is kept of it.
        // What waits is never held, and fails as its work does.
        Effect.flatMap(([decided]) => decided as Exit.Exit<Transacted, unknown>)
      )

    const submit = yield* BatchTransactions.make<Job, Transacted>({
      most,
      batch: (jobs, ends) => answered(jobs, false, ends),
      alone
    })

    const transact = <E, F>(
      document: Document,
      decide: IntakeBatch.Submitted["decide"],
      { asksElsewhere = false, dryRun, keep, sender }: TransactOptions<F>
    ) =>
      Effect.gen(function*() {
        const now = yield* Timestamp.now
        const submitted = { document, decide, asksElsewhere, dryRun, sender, keep, now }
        const job = jobOf(submitted, yield* Effect.context<never>())
        const done = (yield* isPart(sql)) ? alone(job) : submit(job)
        // It fails as what decides it, or what keeps its answer.
        return yield* done as Effect.Effect<Transacted, E | F | StorageUnavailable>
      })

    const reads = yield* SqlDocuments.reads
    return IntakeStore.of({
      transact: (document, decide, options) => measured("document")(transact(document, decide, options)),
      ...reads
    })
  })
)
