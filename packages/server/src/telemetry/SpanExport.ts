/**
 * Cleans the spans that leave the service, and names them by their routes and statements.
 *
 * Guarantee: no query string, text of an error, stack or parameter of a statement is sent; attributes are bounded.
 */
import { Effect, Layer } from "effect"
import { OtlpSerialization } from "effect/observability"
import type { OtlpTracer } from "effect/observability"

type TraceData = OtlpTracer.TraceData
type Span = TraceData["resourceSpans"][number]["scopeSpans"][number]["spans"][number]
type Attribute = Span["attributes"][number]

const textLimit = 1024

/** The attributes that may hold secrets. */
const unsent: ReadonlySet<string> = new Set([
  "url.full",
  "url.query",
  "exception.message",
  "exception.stacktrace"
])

const textOf = (attributes: ReadonlyArray<Attribute>, key: string): string | undefined =>
  attributes.find((attribute) => attribute.key === key)?.value.stringValue ?? undefined

const clip = (attribute: Attribute): Attribute => {
  const text = attribute.value.stringValue
  return typeof text === "string" && text.length > textLimit
    ? { ...attribute, value: { stringValue: text.slice(0, textLimit).toWellFormed() } }
    : attribute
}

const limit = (attributes: ReadonlyArray<Attribute>): Array<Attribute> =>
  attributes.filter(({ key }) => !unsent.has(key)).map(clip)

/** A request is named by its route, a statement by the function that it calls. */
const nameOf = ({ attributes, name }: Span): string => {
  const method = textOf(attributes, "http.request.method")
  const route = textOf(attributes, "http.route")
  if (method !== undefined) return route === undefined ? method : `${method} ${route}`
  const statement = textOf(attributes, "db.query.text")
  if (statement === undefined) return name
  return /\bdockline\.(\w+)\(/.exec(statement)?.[0].slice(0, -1) ?? statement.trim().replace(/\s.*$/s, "")
}

const spanOf = (span: Span): Span => {
  const events = span.events.map((event) => ({ ...event, attributes: limit(event.attributes) }))
  const failure = events.find(({ name }) => name === "exception")
  const type = failure === undefined ? undefined : textOf(failure.attributes, "exception.type")
  const { code } = span.status
  return {
    ...span,
    name: nameOf(span),
    attributes: limit(span.attributes),
    events,
    status: type === undefined ? { code } : { code, message: type }
  }
}

const clean = (data: TraceData): TraceData => ({
  resourceSpans: data.resourceSpans.map((resource) => ({
    ...resource,
    scopeSpans: resource.scopeSpans.map((scope) => ({ ...scope, spans: scope.spans.map(spanOf) }))
  }))
})

/** The serialization by a protocol of OTLP. */
export const layer = (
  protocol: "http/protobuf" | "http/json"
): Layer.Layer<OtlpSerialization.OtlpSerialization> =>
  Layer.effect(
    OtlpSerialization.OtlpSerialization,
    OtlpSerialization.OtlpSerialization.use((inner) =>
      Effect.succeed({ ...inner, traces: (data: TraceData) => inner.traces(clean(data)) })
    )
  ).pipe(
    Layer.provide(protocol === "http/json" ? OtlpSerialization.layerJson : OtlpSerialization.layerProtobuf)
  )
