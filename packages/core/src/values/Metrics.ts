/**
 * How the measurements of the service are declared: each once, next to what it measures, as metrics of Effect.
 *
 * Guarantee: the number of series of a metric is bounded by its declaration. A label takes the values that are declared
 * for it, or a limited number of those that the program itself chooses; whatever else comes is counted as `other`.
 * Counting is a look-up and an addition, whether or not anybody reads it.
 *
 * Metrics live in the `Metric.MetricRegistry` of the context: one for the whole process, unless a program provides one
 * of its own to the layers of a service.
 *
 * ```ts
 * const documents = Metrics.counter("dockline_documents_total", "Documents by outcome", [["outcome", ["created"]]])
 * yield* Metric.update(documents.of("created"), 1)
 * ```
 */
import { Cause, Effect, Exit, Metric } from "effect"
import type { Context, Scope } from "effect"
import type { ErrorCategory } from "./Errors.ts"

/** A label: the values that are declared for it, or `chosen` by the program, the first ones of which are kept. */
export type Label = readonly [name: string, values: ReadonlyArray<string> | "chosen"]

/** One value for each label, in their order. */
export type Values<L extends ReadonlyArray<Label>> = {
  readonly [At in keyof L]: L[At][1] extends ReadonlyArray<infer Value> ? Value & string : string
}

/** The most values of a label that are chosen by the program. */
export const chosenLimit = 200

/** What stands for a value that was not declared, or came too late. */
export const other = "other"

/** What is known of a metric before anything is measured. */
export interface Declaration {
  readonly name: string
  readonly type: "counter" | "gauge" | "histogram"
  readonly description: string
  readonly labels: ReadonlyArray<string>
}

/** A metric with all its series. */
export interface Family<M, Args extends ReadonlyArray<string>> extends Declaration {
  /** The series of these values of the labels. */
  readonly of: (...values: Args) => M
}

interface Known extends Declaration {
  /** Makes the series whose values are declared. */
  readonly begin: (context: Context.Context<never>) => void
}

const families: Array<Known> = []

/** The metrics of all modules that are loaded. */
export const declared = (): ReadonlyArray<Declaration> => families

/**
 * Makes the series of all that is counted and whose values are declared or known, at 0: what is there before it happens
 * for the first time is seen to grow by that.
 */
export const begin = (context: Context.Context<never>): void =>
  families.forEach((known) => known.begin(context))

/** All combinations of the declared values; none where some are not declared. */
const combinations = (labels: ReadonlyArray<Label>): ReadonlyArray<ReadonlyArray<string>> =>
  labels.reduce<ReadonlyArray<ReadonlyArray<string>>>(
    (rows, [, values]) =>
      values === "chosen" ? [] : rows.flatMap((row) => values.map((value) => [...row, value])),
    [[]]
  )

/** What a label lets through: its declared values, or the first ones that come. */
const admission = ([, values]: Label): (value: string) => string => {
  const admitted = new Set<string>(values === "chosen" ? [] : values)
  return (value) => {
    if (admitted.has(value)) return value
    if (values !== "chosen" || admitted.size >= chosenLimit) return other
    admitted.add(value)
    return value
  }
}

const seriesOf = <M>(
  labels: ReadonlyArray<Label>,
  make: (attributes: Readonly<Record<string, string>>) => M
): (...given: ReadonlyArray<string>) => M => {
  const admissions = labels.map(admission)
  const series = new Map<string, M>()
  return (...given) => {
    const found = series.get(given.length === 1 ? given[0]! : given.join("\n"))
    if (found !== undefined) return found
    // What is not admitted is not remembered either.
    const values = admissions.map((admit, at) => admit(given[at]!))
    const key = values.join("\n")
    const metric = series.get(key) ??
      make(Object.fromEntries(labels.map(([name], at) => [name, values[at]!])))
    series.set(key, metric)
    return metric
  }
}

const declare = <M, const L extends ReadonlyArray<Label>>(
  given: Omit<Declaration, "labels">,
  labels: L,
  make: (attributes: Readonly<Record<string, string>>) => M,
  begin: (metric: M, context: Context.Context<never>) => void = () => {},
  known: ReadonlyArray<ReadonlyArray<string>> = []
): Family<M, Values<L>> => {
  const of = seriesOf(labels, make)
  const declaration = { ...given, labels: labels.map(([name]) => name) }
  families.push({
    ...declaration,
    begin: (context) => [...combinations(labels), ...known].forEach((values) => begin(of(...values), context))
  })
  return { ...declaration, of }
}

/** Declares a number that grows. `known` are series that are to be there from the start though a value is chosen. */
export const counter = <const L extends ReadonlyArray<Label>>(
  name: string,
  description: string,
  labels: L,
  known: ReadonlyArray<Values<L>> = []
) =>
  declare(
    { name, type: "counter", description },
    labels,
    (attributes) => Metric.counter(name, { description, attributes, incremental: true }),
    (metric, context) => metric.valueUnsafe(context),
    known
  )

/** Declares a number that goes up and down with what happens, from 0 on. */
export const gauge = <const L extends ReadonlyArray<Label>>(name: string, description: string, labels: L) =>
  declare(
    { name, type: "gauge", description },
    labels,
    (attributes) => Metric.gauge(name, { description, attributes }),
    (metric, context) => metric.valueUnsafe(context)
  )

/**
 * Declares a number that is found out rather than counted, and is not there before. Whoever finds it out bounds the
 * number of its series: they are not remembered here.
 */
export const sampled = (
  name: string,
  description: string,
  labels: ReadonlyArray<string>
): Family<Metric.Gauge<number>, ReadonlyArray<string>> => {
  const declaration = { name, type: "gauge" as const, description, labels }
  families.push({ ...declaration, begin: () => {} })
  return {
    ...declaration,
    of: (...values) =>
      Metric.gauge(name, {
        description,
        attributes: Object.fromEntries(labels.map((label, at) => [label, values[at] ?? ""]))
      })
  }
}

/** Declares how values are distributed, by upper bounds. */
export const histogram = <const L extends ReadonlyArray<Label>>(
  name: string,
  description: string,
  labels: L,
  boundaries: ReadonlyArray<number> = seconds
) =>
  declare(
    { name, type: "histogram", description },
    labels,
    (attributes) => Metric.histogram(name, { description, attributes, boundaries })
  )

/** Bounds for durations, in seconds: from 1 ms to a minute. */
export const seconds: ReadonlyArray<number> = [
  0.001,
  0.0025,
  0.005,
  0.01,
  0.025,
  0.05,
  0.1,
  0.25,
  0.5,
  1,
  2.5,
  5,
  10,
  30,
  60
]

/** Lets a gauge be read where its value is, as long as the scope lasts, instead of being told of every change. */
export const observe = (
  metric: Metric.Gauge<number>,
  read: () => number
): Effect.Effect<void, never, Scope.Scope> =>
  Effect.flatMap(Effect.context<never>(), (context) =>
    Effect.asVoid(Effect.acquireRelease(
      Effect.sync(() => observeUnsafe(metric, context, read)),
      ({ remove }) => Effect.sync(remove)
    )))

/** Lets a counter be read where its value is, as long as the scope lasts: it must never fall. */
export const observeCounter = (
  metric: Metric.Counter<number>,
  read: () => number
): Effect.Effect<void, never, Scope.Scope> =>
  Effect.flatMap(Effect.context<never>(), (context) =>
    Effect.asVoid(Effect.acquireRelease(
      Effect.sync(() =>
        Metric.registerUnsafe(metric, context, {
          get: () => ({ count: read(), incremental: true }),
          update: () => {},
          modify: () => {}
        })
      ),
      (registration) => Effect.sync(() => registration.remove())
    )))

/** {@link observe} until it is removed. */
export const observeUnsafe = (
  metric: Metric.Gauge<number>,
  context: Context.Context<never>,
  read: () => number
): Metric.Registration =>
  Metric.registerUnsafe(metric, context, {
    get: () => ({ value: read() }),
    update: () => {},
    modify: () => {}
  })

/** Measures how long an effect takes, in seconds, however it ends. */
export const timed = <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  metric: Metric.Histogram<number>
): Effect.Effect<A, E, R> =>
  Effect.clockWith((clock) => {
    const begun = clock.monotonicTimeNanosUnsafe()
    return Effect.onExit(
      effect,
      () => Metric.update(metric, Number(clock.monotonicTimeNanosUnsafe() - begun) / 1e9)
    )
  })

/** What becomes of a write that is refused, by the error that it is refused with. */
export const refusals = ["conflict", "refused", "unavailable", "failed"] as const

const refusalOf = (error: unknown): (typeof refusals)[number] => {
  switch ((error as { readonly category?: ErrorCategory } | null | undefined)?.category) {
    case undefined:
      return "failed"
    case "conflict":
      return "conflict"
    case "unavailable":
      return "unavailable"
    default:
      return "refused"
  }
}

/** Counts what becomes of a write: what it answers says so, or the error that it fails with. Not one that is interrupted. */
export const outcomes = <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  count: (outcome: (typeof refusals)[number]) => Metric.Counter<number>,
  succeeded: (answer: A) => Effect.Effect<void>
): Effect.Effect<A, E, R> =>
  Effect.onExit(effect, (exit) => {
    if (Exit.isSuccess(exit)) return succeeded(exit.value)
    if (Cause.hasInterruptsOnly(exit.cause)) return Effect.void
    return Metric.update(count(refusalOf(Cause.squash(exit.cause))), 1)
  })
