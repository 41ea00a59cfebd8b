/**
 * The trace context as text (D12.8): the W3C `traceparent`, stored with messages and sent to customers, so that later work belongs
 * to the trace of the original request. Only sampled spans that reach a backend have one; malformed text counts as absent.
 */
import { Context, Effect, Option, References, Tracer } from "effect"

const pattern = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/

/** Whether new spans in this context reach a backend; Effect's own tracer has none. */
export const isTraced = (context: Context.Context<never>): boolean =>
  Context.get(context, References.TracerEnabled) &&
  Context.get(context, Tracer.Tracer) !== Tracer.nativeTracer

/** Runs each call within a span of this name. If spans reach no backend, no span is made, because it would cost more than the call. */
export const withSpan = <Args extends ReadonlyArray<unknown>, A, E, R>(
  name: string,
  call: (...args: Args) => Effect.Effect<A, E, R>
) =>
(...args: Args): Effect.Effect<A, E, R> =>
  Effect.withFiber(({ context }) => isTraced(context) ? Effect.withSpan(call(...args), name) : call(...args))

/** The current span; when no backend records spans here, the nearest external parent. */
const spanOf = (context: Context.Context<never>): Tracer.AnySpan | undefined => {
  let span = Context.getOrUndefined(context, Tracer.ParentSpan)
  if (isTraced(context)) return span
  while (span?._tag === "Span") span = Option.getOrUndefined(span.parent)
  return span
}

/** The `traceparent` of the span in a context; `undefined` when nothing is traced or the trace is not sampled. */
export const of = (context: Context.Context<never>): string | undefined => {
  const span = spanOf(context)
  if (span === undefined || !span.sampled) return undefined
  const text = `00-${span.traceId.padStart(32, "0")}-${span.spanId}-01`
  return pattern.test(text) ? text : undefined
}

/** The `traceparent` of the current span; `undefined` as for {@link of}. */
export const current: Effect.Effect<string | undefined> = Effect.withFiberSucceed((fiber) =>
  of(fiber.context)
)

/** The span that a `traceparent` names, for use as a parent; `undefined` when the text is malformed. */
export const toSpan = (traceparent: string | undefined): Tracer.ExternalSpan | undefined => {
  if (traceparent === undefined || !pattern.test(traceparent)) return undefined
  const [, traceId, spanId, flags] = traceparent.split("-")
  return Tracer.externalSpan({
    traceId: traceId!,
    spanId: spanId!,
    sampled: (Number.parseInt(flags!, 16) & 1) === 1
  })
}
