/**
 * Which traces are recorded: what begins one, and how many of those (`OTEL_TRACES_SAMPLER`).
 *
 * Guarantee: only requests and deliveries begin a trace. What the service does by itself, again and again, makes none. A
 * caller can have its trace continued, or begin one; it cannot make a span that a collector would not take.
 */
import { Config, Option, Schema, Tracer } from "effect"

/** The samplers, by their standard names. */
const samplers = [
  "always_on",
  "always_off",
  "traceidratio",
  "parentbased_always_on",
  "parentbased_always_off",
  "parentbased_traceidratio"
] as const

/** How many traces are recorded. */
export interface Sampling {
  /** The part of the traces that begin here, from 0 to 1. */
  readonly ratio: number
  /** Whether a caller that says whether it records a trace decides for us. */
  readonly followsCaller: boolean
}

const Ratio = Schema.Finite.check(
  Schema.isBetween({ minimum: 0, maximum: 1 }, { message: "must be a number from 0 to 1" })
)

/** As the environment says; every trace, and as the caller decided, when it says nothing. */
export const config: Config.Config<Sampling> = Config.map(
  Config.all({
    sampler: Config.withDefault(
      Config.schema(Schema.Literals(samplers), "OTEL_TRACES_SAMPLER"),
      "parentbased_always_on"
    ),
    ratio: Config.withDefault(Config.schema(Ratio, "OTEL_TRACES_SAMPLER_ARG"), 1)
  }),
  ({ ratio, sampler }) => ({
    ratio: sampler.endsWith("always_on") ? 1 : sampler.endsWith("always_off") ? 0 : ratio,
    followsCaller: sampler.startsWith("parentbased_")
  })
)

/** The kinds of spans that may begin a trace. */
const beginning: ReadonlySet<Tracer.SpanKind> = new Set(["server", "consumer", "producer"])

/** Whether ids can be sent to a collector: some refuse a whole batch for one span whose ids they do not take. */
const isSendable = ({ spanId, traceId }: Tracer.AnySpan): boolean =>
  /^(?!0+$)(?:[0-9a-f]{16}){1,2}$/.test(traceId) && /^(?!0+$)[0-9a-f]{16}$/.test(spanId)

/** The caller's span; none where its ids could not be sent on, as some headers of tracing let through. */
const callerOf = (parent: Option.Option<Tracer.AnySpan>): Option.Option<Tracer.AnySpan> =>
  Option.filter(parent, (span) => span._tag === "Span" || isSendable(span))

/** A tracer that records what is sampled; `chance` gives numbers from 0 up to 1. */
export const sampled = (
  tracer: Tracer.Tracer,
  { followsCaller, ratio }: Sampling,
  chance: () => number = Math.random
): Tracer.Tracer =>
  Tracer.make({
    ...tracer,
    span: (given) => {
      const parent = callerOf(given.parent)
      const { kind } = given
      const options = { ...given, parent }
      const isFirst = Option.isNone(parent)
      const isCalled = !isFirst && kind === "server" && parent.value._tag === "ExternalSpan"
      if (!isFirst && (followsCaller || !isCalled)) return tracer.span(options)
      return tracer.span({ ...options, sampled: beginning.has(kind) && chance() < ratio })
    }
  })
