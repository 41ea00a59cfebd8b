/**
 * The trace that something belongs to, as text: the W3C `traceparent`, which can be stored with a message and sent to a
 * customer, so that what comes of a request much later, and elsewhere, is found with it.
 *
 * Guarantee: only what is sampled, and reaches a backend, has a trace context; everything else has none and costs
 * nothing. What does not read as a trace context is none.
 */
import { Context, Effect, Option, References, Tracer } from "effect"

const pattern = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/

/** Whether spans that begin with these references reach a backend: Effect's own tracer has none. */
export const isTraced = (context: Context.Context<never>): boolean =>
  Context.get(context, References.TracerEnabled) &&
  Context.get(context, Tracer.Tracer) !== Tracer.nativeTracer

/** The span that what is done now belongs to; of spans that reach no backend, the one that they came of. */
const spanOf = (context: Context.Context<never>): Tracer.AnySpan | undefined => {
  let span = Context.getOrUndefined(context, Tracer.ParentSpan)
  if (isTraced(context)) return span
  while (span?._tag === "Span") span = Option.getOrUndefined(span.parent)
  return span
}

/** The `traceparent` of the span in a context; `undefined` where nothing is traced, or the trace is not sampled. */
export const of = (context: Context.Context<never>): string | undefined => {
  const span = spanOf(context)
  if (span === undefined || !span.sampled) return undefined
  const text = `00-${span.traceId.padStart(32, "0")}-${span.spanId}-01`
  return pattern.test(text) ? text : undefined
}

/** The `traceparent` of the span this runs in; `undefined` as for {@link of}. */
export const current: Effect.Effect<string | undefined> = Effect.withFiberSucceed((fiber) =>
  of(fiber.context)
)

/** The span that a `traceparent` names, to be the parent of another one; `undefined` if it names none. */
export const toSpan = (traceparent: string | undefined): Tracer.ExternalSpan | undefined => {
  if (traceparent === undefined || !pattern.test(traceparent)) return undefined
  const [, traceId, spanId, flags] = traceparent.split("-")
  return Tracer.externalSpan({
    traceId: traceId!,
    spanId: spanId!,
    sampled: (Number.parseInt(flags!, 16) & 1) === 1
  })
}

/** The id of the trace that a `traceparent` belongs to. */
export const traceIdOf = (traceparent: string): string => traceparent.slice(3, 35)
