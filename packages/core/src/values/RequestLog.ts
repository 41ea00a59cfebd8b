/**
 * Adds facts about a request to its log lines and spans. Facts that become known later also appear in the log lines of the
 * caller that began the request. Outside of a request, facts are ignored.
 */
import { Context, Effect, References, Struct, Tracer } from "effect"

interface RequestFacts {
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
class Annotations {
  [name: string]: unknown

  constructor(fields: Readonly<Record<string, unknown>>) {
    Object.assign(this, fields)
  }
}

const write = (context: Context.Context<never>, annotations: Annotations, facts: RequestFacts): void => {
  const span = Context.getOrUndefined(context, Tracer.ParentSpan)
  for (const key of Struct.keys(attributes)) {
    const value = facts[key]
    if (value === undefined) continue
    annotations[key] = value
    if (span?._tag === "Span") span.attribute(attributes[key], value)
  }
}

/** The correlation id of the current request; `""` outside of one. */
export const correlationId: Effect.Effect<string> = Effect.withFiberSucceed((fiber) => {
  const id = fiber.getRef(References.CurrentLogAnnotations)["correlationId"]
  return typeof id === "string" ? id : ""
})

/** Runs a request, whose log lines and spans have these facts and those that {@link add} adds meanwhile. */
export const within =
  (facts: RequestFacts) => <A, E, R>(request: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.withFiber((fiber) => {
      const annotations = new Annotations(fiber.getRef(References.CurrentLogAnnotations))
      write(fiber.context, annotations, facts)
      return Effect.provideService(request, References.CurrentLogAnnotations, annotations)
    })

/** Adds facts to the current request; `undefined` fields change nothing. */
export const add = (facts: RequestFacts): Effect.Effect<void> =>
  Effect.withFiberSucceed(({ context }) => addUnsafe(context, facts))

/** Like {@link add}, for code that has only the context of the request's fiber. */
export const addUnsafe = (context: Context.Context<never>, facts: RequestFacts): void => {
  const annotations = Context.get(context, References.CurrentLogAnnotations)
  if (annotations instanceof Annotations) write(context, annotations, facts)
}
