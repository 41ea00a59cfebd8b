/** Writes a refusal as a whole answer, in the form of the interface that was asked. */
import type { CatalogueError } from "@dockline/core/internal/values/CatalogueError"
import { Stopping } from "@dockline/core/internal/values/RequestErrors"
import { graphqlResultType } from "./Accept.ts"
import { statusOf } from "./Categories.ts"
import { correlationHeader, correlationIdOf } from "./CorrelationId.ts"
import * as Problem from "./Problem.ts"

export type Form = "problem" | "graphql" | "token"

/** An answer that no platform has written yet; header names are in lower case. */
export interface Refusal {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

const json = (form: Form, error: CatalogueError): string => {
  switch (form) {
    case "problem":
      return JSON.stringify(Problem.problemOf(error))
    case "graphql":
      return Problem.graphqlRefusalOf(error)
    case "token":
      return JSON.stringify({ error: "temporarily_unavailable", error_description: error.message })
  }
}

/**
 * The answer to an error, with the correlation id if one is given. `accept`, the `Accept` header of the request, chooses
 * the media type of GraphQL. The form of the token endpoint is for errors that pass with time.
 */
export const answerIn = (
  form: Form,
  error: CatalogueError,
  { accept, correlationId }: {
    readonly accept?: string | null | undefined
    readonly correlationId?: string
  } = {}
): Refusal => ({
  status: statusOf(error.category),
  headers: {
    ...Problem.headersOf(error),
    ...(form === "problem"
      ? { "content-type": Problem.mediaType }
      : form === "graphql"
      ? { "content-type": `${graphqlResultType(accept ?? undefined)}; charset=utf-8` }
      : { "content-type": "application/json", "cache-control": "no-store", pragma: "no-cache" }),
    ...(correlationId === undefined ? {} : { [correlationHeader]: correlationId })
  },
  body: json(form, error)
})

/** The end of a connection that no HTTP server watches over any more. */
export interface RawSocket {
  readonly on: (event: "error", listener: () => void) => unknown
  readonly once: (event: "finish", listener: () => void) => unknown
  readonly end: (text: string, encoding: "latin1") => unknown
  readonly destroy: () => unknown
}

/** Writes a problem to such a connection, and ends it. */
export const endWith = (
  socket: RawSocket,
  problem: Problem.Problem,
  correlationId: string | undefined,
  headers: Readonly<Record<string, string>> = {}
): void => {
  socket.on("error", () => undefined)
  // A peer that does not close on its side would keep the connection open for as long as it likes.
  socket.once("finish", () => socket.destroy())
  socket.end(Problem.answerOf(problem, correlationId, headers), "latin1")
}

/** A request as of fetch, as far as it is looked at: core names no platform. */
interface Fetched {
  readonly headers: { readonly get: (name: string) => string | null }
}

/** An answer as of fetch, the same. */
interface FetchAnswer {
  readonly headers: {
    readonly set: (name: string, value: string) => void
    readonly delete: (name: string) => void
  }
}

/** Completes an answer with the correlation id of its request. The host decides about its connection. */
export const completed = <Answer extends FetchAnswer>(answer: Answer, correlationId: string): Answer => {
  answer.headers.set(correlationHeader, correlationId)
  answer.headers.delete("connection")
  return answer
}

/** The class of answers as of fetch. */
declare const Response: new(body: string, init: Omit<Refusal, "body">) => never

/**
 * Makes a fetch-style handler that can be closed: what comes later is answered 503, in the form of the interface. `answer`
 * gets the correlation id of each request. `drain` resolves once the requests in flight are answered.
 */
export const closable = <Request extends Fetched, Rest extends ReadonlyArray<unknown>, Answer>(
  form: Form,
  answer: (correlationId: string, request: Request, ...rest: Rest) => Promise<Answer>
) => {
  const inFlight = new Set<Promise<Answer>>()
  let isClosed = false
  const handler = async (request: Request, ...rest: Rest): Promise<Answer> => {
    const { headers } = request
    const correlationId = correlationIdOf(headers.get(correlationHeader))
    if (isClosed) {
      const { body, ...init } = answerIn(form, new Stopping(), {
        accept: headers.get("accept"),
        correlationId
      })
      return new Response(body, init)
    }
    const answered = answer(correlationId, request, ...rest)
    inFlight.add(answered)
    try {
      return await answered
    } finally {
      inFlight.delete(answered)
    }
  }
  const drain = async (): Promise<void> => {
    isClosed = true
    await Promise.allSettled(inFlight)
  }
  return { handler, drain }
}
