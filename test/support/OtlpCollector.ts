/**
 * A collector of OpenTelemetry traces and logs, over OTLP/HTTP in JSON, which can be slow or refuse.
 */
import type { IncomingMessage, ServerResponse } from "node:http"
import { ListeningServer } from "./ListeningServer.ts"

/** A span as it came. */
export interface CollectedSpan {
  readonly service: string
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string | undefined
  readonly name: string
  /** 1 internal, 2 server, 3 client, 4 producer, 5 consumer. */
  readonly kind: number
  readonly isFailed: boolean
  readonly attributes: Readonly<Record<string, unknown>>
}

interface Attribute {
  readonly key: string
  readonly value: Readonly<Record<string, unknown>>
}

interface SentSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly kind: number
  readonly status: { readonly code: number }
  readonly attributes: ReadonlyArray<Attribute>
}

interface Sent {
  readonly resourceSpans?: ReadonlyArray<{
    readonly resource: { readonly attributes: ReadonlyArray<Attribute> }
    readonly scopeSpans: ReadonlyArray<{ readonly spans: ReadonlyArray<SentSpan> }>
  }>
}

/** A request as it came. */
export interface Posted {
  readonly path: string
  readonly headers: IncomingMessage["headers"]
  readonly text: string
}

const valuesOf = (attributes: ReadonlyArray<Attribute>) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))

const spansOf = ({ resourceSpans = [] }: Sent): ReadonlyArray<CollectedSpan> =>
  resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map((span) => ({
        service: String(valuesOf(resource.attributes)["service.name"]),
        traceId: span.traceId,
        spanId: span.spanId,
        parentSpanId: span.parentSpanId,
        name: span.name,
        kind: span.kind,
        isFailed: span.status.code === 2,
        attributes: valuesOf(span.attributes)
      }))
    )
  )

/** A collector. */
export class OtlpCollector extends ListeningServer {
  readonly posted: Array<Posted> = []
  readonly spans: Array<CollectedSpan> = []
  /** Its status; `"silence"` answers nothing at all. */
  answer: number | "silence" = 200

  /** Opens one on a free port. */
  static open(): Promise<OtlpCollector> {
    return new OtlpCollector().listen()
  }

  /** The spans of the trace that a span belongs to, by name. */
  traceOf(traceId: string): ReadonlyArray<CollectedSpan> {
    return this.spans.filter((span) => span.traceId === traceId)
  }

  protected take(request: IncomingMessage, text: string, response: ServerResponse): void {
    this.posted.push({ path: request.url ?? "", headers: request.headers, text })
    if (this.answer !== "silence") {
      if (this.answer === 200 && request.headers["content-type"] === "application/json") {
        this.spans.push(...spansOf(JSON.parse(text) as Sent))
      }
      response.writeHead(this.answer, { "content-type": "application/json" }).end("{}")
    }
  }
}
