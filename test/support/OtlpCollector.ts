/**
 * A collector of OpenTelemetry traces and logs, over OTLP/HTTP in JSON, which can be slow or refuse.
 */
import { once } from "node:events"
import { createServer } from "node:http"
import type { IncomingMessage, Server, ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

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
export class OtlpCollector {
  readonly posted: Array<Posted> = []
  readonly spans: Array<CollectedSpan> = []
  /** What it answers; `"silence"` answers nothing at all. */
  answer: number | "silence" = 200
  readonly #server: Server
  readonly #waiting = new Set<() => void>()

  private constructor() {
    this.#server = createServer((request, response) => void this.#take(request, response))
  }

  /** Opens one on a free port. */
  static async open(): Promise<OtlpCollector> {
    const collector = new OtlpCollector()
    collector.#server.listen(0, "127.0.0.1")
    await once(collector.#server, "listening")
    return collector
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  close(): void {
    this.#server.close()
    this.#server.closeAllConnections()
  }

  /** The spans of the trace that a span belongs to, by name. */
  traceOf(traceId: string): ReadonlyArray<CollectedSpan> {
    return this.spans.filter((span) => span.traceId === traceId)
  }

  /** Waits until what came is as said. */
  until<A>(find: () => A | undefined): Promise<A> {
    return new Promise((resolve) => {
      const look = () => {
        const found = find()
        if (found === undefined) return
        this.#waiting.delete(look)
        resolve(found)
      }
      this.#waiting.add(look)
      look()
    })
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Array<Buffer> = []
    try {
      for await (const chunk of request) chunks.push(chunk as Buffer)
    } catch {
      return
    }
    const text = Buffer.concat(chunks).toString()
    this.posted.push({ path: request.url ?? "", headers: request.headers, text })
    if (this.answer !== "silence") {
      if (this.answer === 200 && request.headers["content-type"] === "application/json") {
        this.spans.push(...spansOf(JSON.parse(text) as Sent))
      }
      response.writeHead(this.answer, { "content-type": "application/json" }).end("{}")
    }
    for (const look of this.#waiting) look()
  }
}
