/** Writes a refusal as a complete answer, in the form of the requested interface. */
import type { CatalogueError } from "@dockline/core/values/CatalogueError"
import { noteRefusal } from "@dockline/core/values/Metrics"
import { Stopping } from "@dockline/core/values/RequestErrors"
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { correlationHeader, correlationIdOf, noStore, setCacheControl } from "./AnswerHeaders.ts"
import { graphqlResultType } from "./MediaType.ts"
import { statusOf } from "./Problem.ts"
import * as Problem from "./Problem.ts"

/** The form of a refusal: a problem (D4.2), a result of GraphQL (D8.6), or an error of the token endpoint (D10.1). */
export type Form = "problem" | "graphql" | "token"

/** An answer that is not written yet; header names are in lower case. */
export interface Refusal {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** The headers and the body of each form; `accept` chooses the media type of GraphQL. */
const forms: Readonly<
  Record<Form, (error: CatalogueError, accept: string | undefined) => Omit<Refusal, "status">>
> = {
  problem: (error) => ({
    headers: { "content-type": Problem.mediaType },
    body: JSON.stringify(Problem.problemOf(error))
  }),
  graphql: (error, accept) => ({
    headers: { "content-type": `${graphqlResultType(accept)}; charset=utf-8` },
    body: Problem.graphqlRefusalOf(error)
  }),
  token: ({ message }) => ({
    headers: { "content-type": "application/json", pragma: "no-cache" },
    body: JSON.stringify({ error: "temporarily_unavailable", error_description: message })
  })
}

/**
 * The answer to an error, with the correlation id if one is given. `accept`, the `Accept` header of the request, chooses the media type of
 * GraphQL. The form of the token endpoint is only for temporary errors.
 */
export const answerIn = (
  form: Form,
  error: CatalogueError,
  { accept, correlationId }: {
    readonly accept?: string | null | undefined
    readonly correlationId?: string
  } = {}
): Refusal => {
  const { body, headers } = forms[form](error, accept ?? undefined)
  const correlation = correlationId === undefined ? {} : { [correlationHeader]: correlationId }
  return {
    status: statusOf(error.category),
    headers: { ...noStore, ...Problem.headersOf(error), ...headers, ...correlation },
    body
  }
}

/** Answers the error of a request; the error is counted, and a 503 is logged. */
export const respond = (
  shownBy: "rest" | "graphql" | "mcp",
  error: CatalogueError,
  { body, ...init }: Refusal = answerIn("problem", error)
): Effect.Effect<HttpServerResponse.HttpServerResponse> =>
  Effect.as(noteRefusal(shownBy, error), HttpServerResponse.text(body, init))

/** A connection that no HTTP server manages any more. */
export interface RawSocket {
  /** Adds a listener for errors of the connection; without one a socket of Node throws them. */
  readonly on: (event: "error", listener: () => void) => unknown
  /** Adds a listener for the moment when all written data has been sent. */
  readonly once: (event: "finish", listener: () => void) => unknown
  /** Writes the text and closes this side of the connection. */
  readonly end: (text: string, encoding: "latin1") => unknown
  /** Closes the connection, even if the peer still sends. */
  readonly destroy: () => unknown
}

/** Writes a problem to a raw connection, and ends the connection. */
export const endWith = (
  socket: RawSocket,
  problem: Problem.Problem,
  correlationId: string | undefined,
  headers: Readonly<Record<string, string>> = {}
): void => {
  socket.on("error", () => undefined)
  // A peer that does not close its side would keep the connection open indefinitely.
  socket.once("finish", () => socket.destroy())
  socket.end(Problem.answerOf(problem, correlationId, headers), "latin1")
}

/** Completes an answer with the correlation id of its request, and with its rule for caches. The host manages its connection. */
export const complete = (answer: Response, correlationId: string): Response => {
  answer.headers.set(correlationHeader, correlationId)
  setCacheControl(answer)
  answer.headers.delete("connection")
  return answer
}

/**
 * Makes a fetch-style handler, and the function that closes it: a closed handler answers requests with 503, in the form of the interface.
 * `answer` gets the correlation id of each request.
 */
export const closable = <Rest extends ReadonlyArray<unknown>>(
  form: Form,
  answer: (correlationId: string, request: Request, ...rest: Rest) => Promise<Response>
) => {
  const inFlight = new Set<Promise<Response>>()
  let isClosed = false
  /** Answers a request, or refuses it with 503 after `drain` was called. */
  const handler = async (request: Request, ...rest: Rest): Promise<Response> => {
    const { headers } = request
    const correlationId = correlationIdOf(headers.get(correlationHeader))
    if (isClosed) {
      const { body, ...init } = answerIn(form, new Stopping(), {
        accept: headers.get("accept"),
        correlationId
      })
      return new Response(body, init)
    }
    const response = answer(correlationId, request, ...rest)
    inFlight.add(response)
    return await response.finally(() => inFlight.delete(response))
  }
  /** Closes the handler; resolves once the requests in flight are answered, and never rejects. */
  const drain = async (): Promise<void> => {
    isClosed = true
    await Promise.allSettled(inFlight)
  }
  return { handler, drain }
}
