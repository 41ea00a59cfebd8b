/**
 * A customer's server that repeats every request, including its headers, as a careless one does when it fails; and records the requests.
 */
import { Effect } from "effect"
import type { Scope } from "effect"
import type { IncomingMessage, ServerResponse } from "node:http"
import { ListeningServer } from "../support/ListeningServer.ts"

export interface Got {
  readonly path: string
  readonly headers: IncomingMessage["headers"]
  readonly body: string
}

/** The answer for a path: its status, further headers, and a body in place of the echo. */
export interface Answering {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

export class EchoCustomer extends ListeningServer {
  readonly got: Array<Got> = []
  readonly #answering: (got: Got) => Answering

  private constructor(answering: (got: Got) => Answering) {
    super()
    this.#answering = answering
  }

  /** Listens on a free port of an address, as long as the scope lasts. */
  static open(
    answering: (got: Got) => Answering,
    host?: string
  ): Effect.Effect<EchoCustomer, never, Scope.Scope> {
    return Effect.acquireRelease(
      Effect.promise(() => new EchoCustomer(answering).listen(host)),
      (customer) => Effect.sync(() => customer.close())
    )
  }

  protected take(request: IncomingMessage, sent: string, response: ServerResponse): void {
    const got = { path: request.url ?? "", headers: request.headers, body: sent }
    this.got.push(got)
    const { body = JSON.stringify(got), headers, status } = this.#answering(got)
    response.writeHead(status, headers).end(body)
  }
}
