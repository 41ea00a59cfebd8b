/**
 * Adds facts about a request to its log lines and spans. Facts that become known later also appear in the log lines of the
 * caller that began the request. Outside of a request nothing happens.
 */
import { Context, Effect, References, Tracer } from "effect"

export interface RequestFacts {
  readonly correlationId?: string | undefined
  /** The pattern of the path, never the path itself. */
  readonly route?: string | undefined
  readonly clientId?: string | undefined
}

const attributes: Readonly<Record<keyof RequestFacts, string>> = {
  correlationId: "correlation.id",
  route: "http.route",
  clientId: "dockline.client.id"
}

/** The log annotations of the current request, which `add` extends. */
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

export const add = (facts: RequestFacts): Effect.Effect<void> =>
  Effect.withFiberSucceed((fiber) => {
    const annotations = fiber.getRef(Annotations)
    if (annotations !== undefined) write(fiber.context, annotations, facts)
  })
