/**
 * Declares the metrics of the service, each next to the code that it measures, as metrics of Effect. They live in the
 * `Metric.MetricRegistry` of the context. {@link Readiness} says whether requests can be served: a storage, or the program that composes
 * the service, provides it.
 *
 * Guarantee: the declaration of a metric bounds the number of its series, except for a {@link sampledGauge}; any other label value counts
 * as `other`. Counting is a look-up and an addition, whether or not anybody reads the metric.
 *
 * ```ts
 * const documents = Metrics.counter("dockline_documents_total", "Documents by outcome", [["outcome", ["created"]]])
 * yield* Metrics.update(documents.of("created"), 1)
 * ```
 */
import { Array as Arr, Cause, Context, Effect, Exit, Metric, Predicate } from "effect"
import type { CatalogueError, ErrorCategory } from "./CatalogueError.ts"
import type { StorageUnavailable } from "./Errors.ts"

/** A label: its declared values, or `chosen` for the first {@link chosenLimit} values that the program chooses. */
export type Label = readonly [name: string, values: ReadonlyArray<string> | "chosen"]

type Values<L extends ReadonlyArray<Label>> = {
  readonly [At in keyof L]: L[At][1] extends ReadonlyArray<infer Value> ? Value & string : string
}

/** The most values of a label that a program chooses; each further one counts as {@link other}. */
export const chosenLimit = 200

/** The value that replaces undeclared values and those beyond the limit. */
export const other = "other"

/** The declaration of a metric. */
export interface Declaration {
  readonly name: string
  readonly type: "counter" | "gauge" | "histogram"
  readonly description: string
  readonly labels: ReadonlyArray<string>
}

/** The series of a counter that exist before anything is counted. */
export interface Beginning<Values> {
  /** Series with a `chosen` value. */
  readonly series?: ReadonlyArray<Values>
  /** The capability that counts; the series exist only if the service has it. */
  readonly capability?: string
}

/** A metric with its series, one for each combination of the values of its labels. */
export interface Family<M, Args extends ReadonlyArray<string>> extends Declaration {
  /** The series of these values, in the order of the labels. */
  readonly of: (...values: Args) => M
}

interface Registration extends Declaration {
  readonly capability: string | undefined
  /** Creates the series that are known in advance. */
  readonly begin: (context: Context.Context<never>) => void
}

const families: Array<Registration> = []

/** All metrics that the modules loaded so far declare, in the order of their declarations. */
export const declarations = (): ReadonlyArray<Declaration> => families

/**
 * Creates the series that are known in advance, with the value 0, so that the first event is visible as growth: the series of the contract
 * and of these capabilities.
 */
export const begin = (context: Context.Context<never>, capabilities: ReadonlyArray<string> = []): void =>
  families.forEach((family) => {
    if (family.capability === undefined || capabilities.includes(family.capability)) family.begin(context)
  })

/** All combinations of the declared values; none when a label is `chosen`. */
const combinations = (labels: ReadonlyArray<Label>): ReadonlyArray<ReadonlyArray<string>> =>
  labels.reduce<ReadonlyArray<ReadonlyArray<string>>>(
    (rows, [, values]) =>
      values === "chosen" ? [] : rows.flatMap((row) => values.map((value) => [...row, value])),
    [[]]
  )

/** Admits the declared values of a label, or the first values that occur. */
const admission = ([, values]: Label): (value: string) => string => {
  const admittedValues = new Set<string>(values === "chosen" ? [] : values)
  return (value) => {
    if (admittedValues.has(value)) return value
    if (values !== "chosen" || admittedValues.size >= chosenLimit) return other
    admittedValues.add(value)
    return value
  }
}

const seriesOf = <M>(
  labels: ReadonlyArray<Label>,
  make: (attributes: Readonly<Record<string, string>>) => M
): (...labels: ReadonlyArray<string>) => M => {
  const admissions = labels.map(admission)
  const series = new Map<string, M>()
  return (...labelSet) => {
    const member = series.get(labelSet.join("\n"))
    if (member !== undefined) return member
    // Values that are not admitted get no entry of their own.
    const values = Arr.zipWith(admissions, labelSet, (admit, value) => admit(value))
    const key = values.join("\n")
    const metric = series.get(key) ??
      make(Object.fromEntries(Arr.zipWith(labels, values, ([name], value) => [name, value] as const)))
    series.set(key, metric)
    return metric
  }
}

const declare = <M, const L extends ReadonlyArray<Label>>(
  head: Omit<Declaration, "labels">,
  labels: L,
  make: (attributes: Readonly<Record<string, string>>) => M,
  begin: (metric: M, context: Context.Context<never>) => void = () => {},
  { capability, series = [] }: Beginning<ReadonlyArray<string>> = {}
): Family<M, Values<L>> => {
  const of = seriesOf(labels, make)
  const declaration = { ...head, labels: labels.map(([name]) => name) }
  families.push({
    ...declaration,
    capability,
    begin: (context) =>
      [...combinations(labels), ...series].forEach((values) => begin(of(...values), context))
  })
  return { ...declaration, of }
}

/** Declares a number that grows. */
export const counter = <const L extends ReadonlyArray<Label>>(
  name: string,
  description: string,
  labels: L,
  beginning?: Beginning<Values<L>>
) =>
  declare(
    { name, type: "counter", description },
    labels,
    (attributes) => Metric.counter(name, { description, attributes, incremental: true }),
    (metric, context) => metric.valueUnsafe(context),
    beginning
  )

/** Declares a number that starts at 0 and goes up and down. */
export const gauge = <const L extends ReadonlyArray<Label>>(name: string, description: string, labels: L) =>
  declare(
    { name, type: "gauge", description },
    labels,
    (attributes) => Metric.gauge(name, { description, attributes }),
    (metric, context) => metric.valueUnsafe(context)
  )

/** Declares a number that has no value before it is sampled. The sampling code must bound the number of its series. */
export const sampledGauge = (
  name: string,
  description: string,
  labels: ReadonlyArray<string>
): Family<Metric.Gauge<number>, ReadonlyArray<string>> => {
  const declaration = { name, type: "gauge" as const, description, labels }
  families.push({ ...declaration, capability: undefined, begin: () => {} })
  return {
    ...declaration,
    of: (...values) =>
      Metric.gauge(name, {
        description,
        attributes: Object.fromEntries(labels.map((label, at) => [label, values[at] ?? ""]))
      })
  }
}

/** Declares a distribution. `boundaries` are the upper bounds of its buckets, in ascending order; {@link seconds} by default. */
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

/** Bounds for durations: 1 ms to a minute, in seconds. */
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

/** Updates a metric, as `Metric.update` does, in one step. */
export const update = <Input, State>(
  metric: Metric.Metric<Input, State>,
  input: Input
): Effect.Effect<void> => Effect.withFiberSucceed(({ context }) => metric.updateUnsafe(input, context))

const registerGauge = <Input, State>(metric: Metric.Metric<Input, State>, get: () => State) =>
  Effect.flatMap(Effect.context<never>(), (context) =>
    Effect.asVoid(Effect.acquireRelease(
      Effect.sync(() => register(metric, context, get)),
      (registration) => Effect.sync(() => registration.remove())
    )))

const register = <Input, State>(
  metric: Metric.Metric<Input, State>,
  context: Context.Context<never>,
  get: () => State
): Metric.Registration => Metric.registerUnsafe(metric, context, { get, update: () => {}, modify: () => {} })

/** Reads the value of a gauge from `read`, as long as the scope lasts. */
export const observe = (metric: Metric.Gauge<number>, read: () => number) =>
  registerGauge(metric, () => ({ value: read() }))

/** Reads the value of a counter from `read`, as long as the scope lasts. The value must never fall. */
export const observeCounter = (metric: Metric.Counter<number>, read: () => number) =>
  registerGauge(metric, () => ({ count: read(), incremental: true }))

/** Like {@link observe}, until the registration is removed. */
export const observeUnsafe = (
  metric: Metric.Gauge<number>,
  context: Context.Context<never>,
  read: () => number
) => register(metric, context, () => ({ value: read() }))

/** Runs an effect and records its duration in seconds, however it ends. The clock is monotonic. */
export const time = <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  metric: Metric.Histogram<number>
): Effect.Effect<A, E, R> =>
  Effect.clockWith((clock) => {
    const startedAt = clock.monotonicTimeNanosUnsafe()
    return Effect.onExit(effect, () =>
      update(metric, Number(clock.monotonicTimeNanosUnsafe() - startedAt) / 1e9))
  })

/** The outcomes of a refused write. */
export const refusals = ["conflict", "refused", "unavailable", "failed"] as const

const refusalOf = (error: unknown): (typeof refusals)[number] => {
  const category = (error as { readonly category?: ErrorCategory } | null | undefined)?.category
  if (category === "conflict" || category === "unavailable") return category
  return category === undefined ? "failed" : "refused"
}

/** Counts the outcome of a write, unless it is interrupted, or does not run because its key is not free. */
export const outcomes = <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  count: (outcome: (typeof refusals)[number]) => Metric.Counter<number>,
  onSuccess: (answer: A) => Effect.Effect<void>
): Effect.Effect<A, E, R> =>
  Effect.onExit(effect, (exit) => {
    if (Exit.isSuccess(exit)) return onSuccess(exit.value)
    if (Cause.hasInterruptsOnly(exit.cause)) return Effect.void
    const error = Cause.squash(exit.cause)
    return Predicate.isTagged(error, "NotRun") ? Effect.void : update(count(refusalOf(error)), 1)
  })

const refusalCount = counter(
  "dockline_refusals_total",
  "Refusals that clients got, by interface and code",
  [["interface", ["rest", "graphql", "mcp"]], ["code", "chosen"]],
  // Alerts watch the growth of these series from 0, so they exist from the start.
  { series: [["rest", "INTERNAL_ERROR"], ["graphql", "INTERNAL_ERROR"], ["mcp", "INTERNAL_ERROR"]] }
)

/** Counts a refusal in an answer. `code` must be a code of the catalogue, never text from a client. */
export const countRefusal = (shownBy: "rest" | "graphql" | "mcp", code: string): Effect.Effect<void> =>
  Metric.update(refusalCount.of(shownBy, code), 1)

/**
 * Counts the refusal of a whole request. If the service is unavailable, it logs the reason, which the answer does not show and an operator
 * has to know.
 */
export const noteRefusal = (
  shownBy: "rest" | "graphql" | "mcp",
  error: CatalogueError
): Effect.Effect<void> => Effect.andThen(countRefusal(shownBy, error.code), logUnavailable(error))

/** Logs an error if the service is unavailable. */
export const logUnavailable = (error: CatalogueError): Effect.Effect<void> =>
  error.category === "unavailable"
    ? Effect.logWarning(`Answered 503 ${error.code}`, Cause.fail(error))
    : Effect.void

/** Succeeds, with warnings for operators, while requests can be served. By default it always succeeds. */
export const Readiness: Context.Reference<Effect.Effect<ReadonlyArray<string>, StorageUnavailable>> = Context
  .Reference(
    "@dockline/core/values/Readiness",
    { defaultValue: (): Effect.Effect<ReadonlyArray<string>, StorageUnavailable> => Effect.succeed([]) }
  )
