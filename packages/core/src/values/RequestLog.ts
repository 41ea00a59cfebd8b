/**
 * What is known of a request, for every line that is logged and every span that is made within it: its correlation id,
 * its route, and who asks, once that is known.
 *
 * Guarantee: what becomes known later is in the lines of whoever began the request, too. Outside of a request nothing
 * happens.
 */
import { Context, Effect, References, Tracer } from "effect"

/** What is known of a request. */
export interface RequestFacts {
  readonly correlationId?: string | undefined
  /** The pattern of its path, never the path itself. */
  readonly route?: string | undefined
  readonly clientId?: string | undefined
}

/** The names of the facts as attributes of a span. */
const attributes: Readonly<Record<keyof RequestFacts, string>> = {
  correlationId: "correlation.id",
  route: "http.route",
  clientId: "dockline.client.id"
}

/** The annotations of the request's lines, to be added to. */
const Annotations = Context.Reference<Record<string, unknown> | undefined>(
  "@dockline/core/RequestLog",
  { defaultValue: () => undefined }
)

const write = (
  context: Context.Context<never>,
  annotations: Record<string, unknown>,
  facts: RequestFacts
): void => {
  const span = Context.getOrUndefined(context, Tracer.ParentSpan)
  for (const key of Object.keys(attributes) as Array<keyof RequestFacts>) {
    const value = facts[key]
    if (value === undefined) continue
    annotations[key] = value
    if (span?._tag === "Span") span.attribute(attributes[key], value)
  }
}

/** Runs a request of which this is known. */
export const within =
  (facts: RequestFacts) => <A, E, R>(request: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.withFiber((fiber) => {
      const annotations = { ...fiber.getRef(References.CurrentLogAnnotations) }
      write(fiber.context, annotations, facts)
      return request.pipe(
        Effect.provideService(References.CurrentLogAnnotations, annotations),
        Effect.provideService(Annotations, annotations)
      )
    })

/** Adds what has become known of the request this runs in. */
export const add = (facts: RequestFacts): Effect.Effect<void> =>
  Effect.withFiberSucceed((fiber) => {
    const annotations = fiber.getRef(Annotations)
    if (annotations !== undefined) write(fiber.context, annotations, facts)
  })
