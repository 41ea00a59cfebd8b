/**
 * Runs steps of the exchange of a business in one transaction: a statement locks the exchange and loads the state of several steps, each
 * step decides, and a statement writes their plans. The last statement adds interchanges to the outbox, because this may lock the log of
 * the business.
 *
 * Guarantee: each step sees the changes of the steps before it, as if it had a transaction of its own. Jobs that arrive while a transaction
 * runs share the next one. Jobs with the same key run one after another, in the order of their arrival. If a job breaks a shared
 * transaction, each of its jobs runs again by itself, so that no job fails because of another. If the database is unreachable, all jobs of
 * the transaction fail at once. A job whose deadline has passed or whose client has disconnected is not begun; if it has begun, it is
 * completed, and `onLate` may undo it.
 */
import * as Timestamp from "@dockline/core/values/Timestamp"
import { businessId, indexKey } from "@dockline/sql-storage/rows/BusinessRows"
import type { Operations } from "@dockline/sql-storage/rows/BusinessRows"
import { whole } from "@dockline/sql-storage/rows/RowFields"
import { Cause, Deferred, Effect, Exit, FiberSet, Option, Schema } from "effect"
import type { Clock, Result } from "effect"
import type { SqlError } from "effect/sql"
import { countsOf, groupsOf } from "../domain/EdiFile.ts"
import type { EdiFile, EdiFileDraft } from "../domain/EdiFile.ts"
import type { EdiAbout, EdiPlan, EdiState, EdiStep, EdiWords, PartnerKey } from "../domain/EdiStore.ts"
import { BeginBody, SentFiles, WordRows } from "./EdiRows.ts"
import * as SetParts from "./SetParts.ts"

/** Loads the stored words of orders of a partner (D23.5). */
export const loadWords = Effect.fnUntraced(
  function*(
    call: Operations["call"],
    { business, key: partner }: PartnerKey,
    orderNumbers: ReadonlyArray<string>
  ) {
    const numbers = new Map(orderNumbers.map((number) => [indexKey(number), number]))
    const rows = yield* call(WordRows)`
      dockline.edi_words(${businessId(business)}, ${partner}, ${Array.from(numbers.keys())})`
    // `edi_words` returns only keys of `numbers`.
    return rows.map(({ key, words }): EdiWords => ({ orderNumber: numbers.get(key)!, words }))
  }
)

/** A step. Only the caller knows the types of the answer and of the refusal. */
export interface Step {
  /** The key of the partner. */
  readonly key: string
  readonly about: EdiAbout
  readonly decide: (state: EdiState) => Result.Result<EdiStep<unknown>, unknown>
  /** The clock of the caller. */
  readonly clock: Clock.Clock
}

type SentRows = typeof SentFiles.Type

interface StepPlan {
  readonly step: Step
  /** The index of the step in its part. */
  readonly at: number
  readonly plan: EdiPlan
  readonly sentFiles: SentRows
  readonly now: Timestamp.Timestamp
  readonly location: EdiFile["location"]
  /** The slug of the partner. */
  readonly slug: string
  readonly answer: EdiStep<unknown>["answer"]
}

/** The most characters that a statement writes; the first file is written whatever its size. */
const mostText = 1_000_000

/** Each set counts as this many characters, so that a statement writes no more sets than `SetParts.mostSets`. */
const setText = mostText / SetParts.mostSets

/** The most groups, and the most interchanges, that one statement looks up among the sent files. */
const mostNames = 1000

/**
 * Whether a step only records a received interchange: it acknowledges nothing and uses no words of orders, so a step with another control
 * number does not depend on it.
 */
const isRecord = ({ about: { groups = [], interchanges = [], orders = [], reservation } }: Step): boolean =>
  reservation !== undefined && groups.length + interchanges.length + orders.length === 0

/** Divides steps into parts. One statement loads the states of a part, whose steps depend on each other only by the partner's numbers. */
const partsOf = (steps: ReadonlyArray<Step>): ReadonlyArray<ReadonlyArray<Step>> => {
  const parts: Array<Array<Step>> = []
  for (const step of steps) {
    const isApart = (other: Step) =>
      isRecord(other) && (other.key !== step.key || other.about.control !== step.about.control)
    const last = parts.at(-1)
    if (isRecord(step) && last?.every(isApart) === true) last.push(step)
    else parts.push([step])
  }
  return parts
}

/** Divides plans into groups; one statement writes a group. */
const writingsOf = (plans: ReadonlyArray<StepPlan>) =>
  SetParts.pagesBy(plans, mostText, ({ plan: { file } }) =>
    file === null
      ? 0
      : file.text.length + file.answer.length + setText * SetParts.firstPart(file.sets).length)

const stepRow = (
  { about: { control, reservation, shipmentIds = [] }, key }: Step
) => ({
  key,
  control,
  reservation,
  shipments: shipmentIds
})

const fileRow = (file: EdiFileDraft, { now, plan: { fingerprint = "" }, step: { key } }: StepPlan) => {
  const groups = file.direction === "OUT" ? groupsOf(file.sets) : []
  const numbers = groups.map(({ groupControl }) => Number(groupControl)).filter((number) => number > 0)
  const { answer: _answer, text: _text, ...rest } = file
  return {
    ...rest,
    ...countsOf(file.sets),
    sets: SetParts.firstPart(file.sets),
    groups,
    fingerprint,
    key,
    at: now,
    firstGroup: numbers.length === 0 ? null : Math.min(...numbers),
    lastGroup: numbers.length === 0 ? null : Math.max(...numbers)
  }
}

/** The words of orders to write, and the orders whose words are deleted; if an order occurs twice, its last words count. */
const wordsOf = (plans: ReadonlyArray<StepPlan>) => {
  const rows = Array.from(
    new Map(
      plans.flatMap(({ now, plan: { words = [] }, step: { key } }) =>
        words.map(({ orderNumber, words }) => {
          const order = indexKey(orderNumber)
          return [JSON.stringify([key, order]), { key, order, words, at: now }] as const
        })
      )
    ).values()
  )
  return { words: rows.filter(({ words }) => words !== ""), usual: rows.filter(({ words }) => words === "") }
}

type PartnerRow = Pick<EdiPlan, "cursorId" | "due" | "nextGroup" | "nextInterchange"> & {
  readonly key: string
}

/** The rows to write for plans, without the texts of their files, further parts of their sets, and the marks of sent files. */
const rowsOf = (plans: ReadonlyArray<StepPlan>): string => {
  const numbers = new Map<string, PartnerRow>()
  for (const { plan: { cursorId, due, nextGroup, nextInterchange }, step: { key } } of plans) {
    const row = { key, cursorId, due: due ?? numbers.get(key)?.due, nextGroup, nextInterchange }
    numbers.set(key, row)
  }
  return JSON.stringify({
    partners: Array.from(numbers.values()),
    released: plans.flatMap(({ step: { about: { reservation } } }) => reservation ?? []),
    ...wordsOf(plans),
    files: plans.flatMap((each) => each.plan.file === null ? [] : [fileRow(each.plan.file, each)])
  })
}

interface Means extends Pick<Operations, "call" | "run"> {
  readonly fileByControl: (
    partner: PartnerKey,
    control: string
  ) => Effect.Effect<EdiFile | null, SqlError.SqlError>
  /** Announces new entries in the log of a business. */
  readonly announce: (business: string) => Effect.Effect<void>
}

/** Makes the function that runs steps within a transaction, and returns their exits in the order of the steps. */
export const make = ({ announce, call, fileByControl, run }: Means) => {
  const begin = (id: string, steps: ReadonlyArray<Step>) =>
    call(BeginBody)`dockline.edi_begin(${id}, ${JSON.stringify(steps.map(stepRow))})`

  /** The sent files that a step acknowledges. */
  const sentOf = Effect.fnUntraced(function*(
    business: string,
    { about: { groups = [], interchanges = [] }, key }: Step,
    usage: string
  ) {
    const byId = new Map<number, SentRows[number]>()
    for (let from = 0; from < Math.max(groups.length, interchanges.length); from += mostNames) {
      const rows = yield* call(SentFiles)`dockline.edi_sent(${businessId(business)}, ${key}, ${usage},
        ${groups.slice(from, from + mostNames)}, ${interchanges.slice(from, from + mostNames)})`
      for (const file of rows) byId.set(file.id, file)
    }
    return Array.from(byId.values())
  })

  const write = Effect.fnUntraced(function*(business: string, plans: ReadonlyArray<StepPlan>) {
    const files = plans.flatMap(({ plan: { file } }) => file ?? [])
    for (const { plan: { mark }, sentFiles } of plans) {
      if (mark !== undefined) yield* SetParts.markAll({ call, run }, businessId(business), sentFiles, mark)
    }
    const ids = yield* call(Schema.Array(whole))`dockline.edi_write(${businessId(business)},
      ${rowsOf(plans)}, ${files.map(({ text }) => text)}, ${files.map(({ answer }) => answer)})`
    const newFiles = files.map(({ sets }, index) => ({ id: ids[index]!, sets }))
    yield* SetParts.addFurther(run, businessId(business), newFiles)
    const outgoingIds = ids.filter((_, index) =>
      files[index]!.direction === "OUT" && files[index]!.text !== ""
    )
    if (outgoingIds.length > 0) yield* run`dockline.edi_post(${businessId(business)}, ${outgoingIds})`
    const isDue = plans.some(({ plan: { due } }) => due !== undefined)
    if (isDue || outgoingIds.length > 0) {
      yield* announce(business)
    }
    let next = 0
    return plans.map(({ location, now, plan: { file }, slug }): EdiFile | null =>
      // The statement returns one id for each file.
      file && { ...file, id: ids[next++]!, location, partner: slug, at: now }
    )
  })

  const runPart = Effect.fnUntraced(function*(business: string, steps: ReadonlyArray<Step>) {
    const { now: lockedAt, partners: rows, states } = yield* begin(businessId(business), steps)
    const partners = new Map(rows.map((each) => [each.partner.key, each]))
    const exits: Array<Exit.Exit<unknown, unknown>> = []
    const plans: Array<StepPlan> = []
    for (const [at, step] of steps.entries()) {
      const { about: { control, orders = [] }, clock, decide, key } = step
      const [state, place] = [states[at], partners.get(key)]
      if (state === undefined || state === null || place === undefined) {
        exits.push(Exit.succeed(null))
        continue
      }
      const { isKnown, ...rest } = state
      const file = isKnown && control !== undefined
        ? yield* fileByControl({ business, key }, control)
        : null
      // The time is read under the lock, so that later ids have later times.
      const now = Timestamp.givenNowOf(clock) ?? lockedAt
      const sentFiles = yield* sentOf(business, step, place.partner.usage)
      const words = orders.length === 0 ? [] : yield* loadWords(call, { business, key }, orders)
      const decision = yield* Effect.exit(
        Effect.suspend(() =>
          Effect.fromResult(
            decide({ ...rest, now, partner: place.partner, earlierFile: file, sentFiles, words })
          )
        )
      )
      exits.push(Exit.map(decision, ({ answer, plan }) => plan === null ? answer(null) : null))
      if (Exit.isFailure(decision) || decision.value.plan === null) continue
      const { answer, plan } = decision.value
      const { cursorId, due = place.partner.due, nextGroup, nextInterchange } = plan
      const partner = { ...place.partner, cursorId, due, nextGroup, nextInterchange }
      partners.set(key, { ...place, partner })
      plans.push({ step, at, plan, sentFiles, now, location: place.location, slug: partner.slug, answer })
    }
    for (const writing of writingsOf(plans)) {
      for (const [index, file] of (yield* write(business, writing)).entries()) {
        const { answer, at } = writing[index]!
        exits[at] = Exit.succeed(answer(file))
      }
    }
    return exits
  })

  return (business: string, steps: ReadonlyArray<Step>) =>
    Effect.map(Effect.forEach(partsOf(steps), (each) => runPart(business, each)), (exits) => exits.flat())
}

/** The most jobs that share a transaction. */
const mostTogether = 32

/** How the jobs that share a transaction run, and how long their callers wait. */
export interface Turns<in out S, in out A, in out E> {
  /**
   * Runs jobs with the same key, and returns their answers in the order of the jobs. It fails if the database is unreachable, and dies if a
   * job breaks the transaction.
   */
  readonly run: (key: string, jobs: ReadonlyArray<S>) => Effect.Effect<ReadonlyArray<A>, E>
  /** Fails the wait for an answer at its deadline. */
  readonly inTime: <B>(wait: Effect.Effect<B, E>) => Effect.Effect<B, E>
  /** Undoes a job whose answer came after its caller had stopped waiting. */
  readonly onLate?: (key: string, job: S, answer: A) => Effect.Effect<void>
}

interface Waiting<out S, in out A, in out E> {
  readonly job: S
  isLate: boolean
  readonly done: Deferred.Deferred<A, E>
}

/** Makes the function that runs a job in its turn, as long as the scope lasts. */
export const makeTurns = <S, A, E>({ inTime, onLate, run }: Turns<S, A, E>) =>
  Effect.map(FiberSet.makeRuntime<never, void, never>(), (fork) => {
    const waiting = new Map<string, Array<Waiting<S, A, E>>>()

    const together = (key: string, all: ReadonlyArray<Waiting<S, A, E>>): Effect.Effect<void> =>
      Effect.matchCauseEffect(run(key, all.map(({ job }) => job)), {
        onFailure: (cause) =>
          Effect.forEach(
            all,
            (each) =>
              all.length === 1 || Cause.hasFails(cause)
                ? Effect.asVoid(Deferred.failCause(each.done, cause))
                : each.isLate
                ? Effect.void
                : together(key, [each]),
            { discard: true }
          ),
        onSuccess: (answers) =>
          Effect.forEach(
            answers,
            (answer, index) => {
              const each = all[index]
              if (each === undefined) return Effect.void
              return each.isLate && onLate !== undefined
                ? onLate(key, each.job, answer)
                : Deferred.succeed(each.done, answer)
            },
            { discard: true }
          )
      })

    /** Runs the waiting jobs of a key until no job waits. */
    const work = (key: string): Effect.Effect<void> =>
      Effect.suspend(() => {
        const next = waiting.get(key)?.splice(0, mostTogether) ?? []
        if (next.length === 0) {
          waiting.delete(key)
          return Effect.void
        }
        const inTimeJobs = next.filter(({ isLate }) => !isLate)
        return Effect.andThen(inTimeJobs.length === 0 ? Effect.void : together(key, inTimeJobs), work(key))
      })

    return (key: string, job: S): Effect.Effect<A, E> =>
      Effect.gen(function*() {
        const done = yield* Deferred.make<A, E>()
        const own: Waiting<S, A, E> = { job, done, isLate: false }
        const queue = waiting.get(key)
        if (queue !== undefined) queue.push(own)
        else {
          waiting.set(key, [own])
          fork(work(key))
        }
        return yield* Effect.onExit(inTime(Deferred.await(done)), (exit) => {
          if (Exit.isSuccess(exit)) return Effect.void
          own.isLate = true
          return onLate === undefined ? Effect.void : Effect.flatMap(
            Deferred.poll(done),
            // The answer may have come after the wait had ended.
            Option.match({
              onNone: () => Effect.void,
              onSome: (answer) => Effect.ignore(Effect.flatMap(answer, (answer) => onLate(key, job, answer)))
            })
          )
        })
      })
  })
