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
import type { KeptAnswer } from "@dockline/core/IdempotencyStore"
import { IntakeStore } from "@dockline/core/IntakeStore"
import type { Transacted, TransactOptions } from "@dockline/core/IntakeStore"
import * as Timestamp from "@dockline/core/Timestamp"
import { Effect, Exit, Layer } from "effect"
import type { Context } from "effect"
import { SqlClient } from "effect/sql"
import type { Most } from "../connections/Batches.ts"
import { operations } from "../connections/Deadline.ts"
import * as Flights from "../connections/Flights.ts"
import { firstAnswer, isPart, LateTransaction } from "../connections/LateTransaction.ts"
import type { Passenger } from "../connections/LateTransaction.ts"
import { loans, turnOfNumber } from "../connections/Loan.ts"
import { noEnds, together } from "../connections/Pipeline.ts"
import type { Ends } from "../connections/Pipeline.ts"
import { repeatConflicts } from "../connections/StorageErrors.ts"
import { measured } from "../connections/StorageMetrics.ts"
import * as IntakeBatch from "./IntakeBatch.ts"
import * as KeptAnswers from "./KeptAnswers.ts"
import * as SqlDocuments from "./SqlDocuments.ts"

/** A document of more orders locks its whole facility. */
const manyOrders = 32

/** The keys are numbers, each of which has a lock. */
const most: Most = { jobs: 32, keys: 256, size: IntakeBatch.manyItems }

interface Job extends Flights.Job, IntakeBatch.Submitted {
  /** The request of the document, if its answer is kept. */
  readonly passenger: Passenger | undefined
}

/** What became of a document, or the kept answer of its request. */
type Result = Transacted | KeptAnswer

const keysOf = ({ business, facility, orders, shipmentNumber }: Document): ReadonlyArray<string> => {
  const numbers = new Set([shipmentNumber, ...orders.map(({ orderNumber }) => orderNumber)])
  return Array.from(numbers, (number) => `${business}\0${facility}\0${number}`)
}

const jobOf = (
  submitted: IntakeBatch.Submitted,
  trace: Context.Context<never>,
  passenger: Passenger | undefined
): Job => {
  const { document } = submitted
  const size = itemCount(document)
  return {
    ...submitted,
    holder: document.business,
    keys: keysOf(document),
    size,
    alone: size > IntakeBatch.manyItems || document.orders.length > manyOrders,
    passenger,
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
    const work = IntakeBatch.make(sql)

    const answers = KeptAnswers.make(sql)

    /** Documents, of which some have a key, between the ends of a transaction. */
    const answered = Effect.fnUntraced(function*(jobs: ReadonlyArray<Job>, wait: boolean, ends: Ends) {
      const passengers = jobs.flatMap(({ passenger }, at) =>
        passenger === undefined ? [] : [{ at, passenger }]
      )
      if (passengers.length === 0) return yield* work(jobs, wait, ends)
      const done: Array<Flights.Done<Result>> = []
      const [, claimed] = yield* together<void | ReadonlyArray<KeptAnswers.Found>>([
        ends.begin,
        answers.claim(passengers.map(({ passenger }) => passenger.request))
      ])
      for (const [index, found] of (claimed as ReadonlyArray<KeptAnswers.Found>).entries()) {
        if (Exit.isFailure(found)) done[passengers[index]!.at] = Exit.failCause(found.cause)
        else if (found.value !== undefined) done[passengers[index]!.at] = Exit.succeed(found.value)
      }
      const left = Array.from(jobs.keys()).filter((at) => done[at] === undefined)
      const decided = left.length === 0 ? [] : yield* work(left.map((at) => jobs[at]!), wait, noEnds)
      for (const [index, at] of left.entries()) done[at] = decided[index]!
      const firsts = yield* Effect.forEach(
        passengers,
        Effect.fnUntraced(function*({ at, passenger }) {
          const written = done[at]!
          if (written === "held" || !left.includes(at)) return []
          const first = yield* passenger.answer(written)
          if (first === undefined) return []
          done[at] = Exit.succeed(firstAnswer(first))
          return [{ request: passenger.request, first }]
        }),
        { concurrency: "unbounded" }
      )
      yield* together([answers.keep(firsts.flat()), ends.end(true)])
      return done
    })

    /** A document in a transaction of its own, or in that which it is a part of. */
    const alone = (job: Job): Effect.Effect<Result, unknown> =>
      sql.withTransaction(answered([job], true, noEnds)).pipe(
        repeatConflicts,
        loan({
          lane: "requests",
          turn: turnOfNumber(job.document),
          holder: job.document.business
        }),
        operation,
        // Afterwards, as the record of a refusal stays.
        Effect.flatMap(([decided]) => decided as Exit.Exit<Result, unknown>)
      )

    const submit = yield* Flights.make<Job, Result>({
      most,
      batch: (jobs, ends) => answered(jobs, false, ends),
      alone
    })

    const transact: IntakeStore["Service"]["transact"] = <E>(
      document: Document,
      decide: IntakeBatch.Submitted["decide"],
      { dryRun, sender }: TransactOptions
    ) =>
      Effect.gen(function*() {
        const submitted = { document, decide, dryRun, sender, now: yield* Timestamp.now }
        const doing = (way: (job: Job) => Effect.Effect<Result, unknown>, passenger?: Passenger) =>
          Effect.flatMap(
            Effect.context<never>(),
            (context) => way(jobOf(submitted, context, passenger))
          )
        const ride = (yield* LateTransaction)?.ride
        const done = ride === undefined
          ? doing((yield* isPart(sql)) ? alone : submit)
          : ride((passenger) => doing(submit, passenger) as Effect.Effect<KeptAnswer, unknown>)
        return yield* done as Effect.Effect<Transacted, E | StorageUnavailable>
      })

    const reads = yield* SqlDocuments.reads
    return IntakeStore.of({
      transact: (document, decide, options) => measured("document")(transact(document, decide, options)),
      ...reads
    })
  })
)
