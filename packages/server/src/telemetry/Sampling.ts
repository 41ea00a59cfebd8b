/**
 * Decides which traces are recorded (`OTEL_TRACES_SAMPLER`).
 *
 * Guarantee: only requests and deliveries begin a trace; recurring work of the service begins none. A caller's trace is
 * continued unless a collector would refuse its ids.
 */
import { Config, Option, Schema, Tracer } from "effect"

const samplers = [
  "always_on",
  "always_off",
  "traceidratio",
  "parentbased_always_on",
  "parentbased_always_off",
  "parentbased_traceidratio"
] as const

export interface Sampling {
  /** The part of the traces that begin here, from 0 to 1. */
  readonly ratio: number
  /** Whether the decision of a caller about its trace holds here. */
  readonly followsCaller: boolean
}

const Ratio = Schema.Finite.check(
  Schema.isBetween({ minimum: 0, maximum: 1 }, { message: "must be a number from 0 to 1" })
)

/** The sampling of the environment; by default all traces, except where the caller decided otherwise. */
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

const beginning: ReadonlySet<Tracer.SpanKind> = new Set(["server", "consumer", "producer"])

/** Whether a collector takes the ids: some refuse a whole batch for one bad span. */
const isSendable = ({ spanId, traceId }: Tracer.AnySpan): boolean =>
  /^(?!0+$)(?:[0-9a-f]{16}){1,2}$/.test(traceId) && /^(?!0+$)[0-9a-f]{16}$/.test(spanId)

/** The parent, unless it is a caller's span with ids that a collector would refuse. */
const callerOf = (parent: Option.Option<Tracer.AnySpan>): Option.Option<Tracer.AnySpan> =>
  Option.filter(parent, (span) => span._tag === "Span" || isSendable(span))

/** A tracer that records what is sampled; `chance` gives numbers from 0 up to 1. */
export const sampling = (
  tracer: Tracer.Tracer,
  { followsCaller, ratio }: Sampling,
  chance: () => number = Math.random
): Tracer.Tracer =>
  Tracer.make({
    ...tracer,
    span: (spanOptions) => {
      const parent = callerOf(spanOptions.parent)
      const { kind } = spanOptions
      const options = { ...spanOptions, parent }
      const isFirst = Option.isNone(parent)
      const isCalled = !isFirst && kind === "server" && parent.value._tag === "ExternalSpan"
      if (!isFirst && (followsCaller || !isCalled)) return tracer.span(options)
      return tracer.span({ ...options, sampled: beginning.has(kind) && chance() < ratio })
    }
  })
