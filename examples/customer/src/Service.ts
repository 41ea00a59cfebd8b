/**
 * The GraphQL interface of the service as a customer uses it: a page of history by `fetch`, live messages by the
 * client of `graphql-ws`.
 */
import { createClient } from "graphql-ws"
import type { Client } from "graphql-ws"
import { WebSocket } from "ws"
import { AccessTokens } from "./AccessTokens.ts"
import type { Credentials } from "./AccessTokens.ts"
import { Interrupted, ofGraphql, Refused, textOf } from "./Failure.ts"
import type { GraphqlFault } from "./Failure.ts"
import { isObject } from "./Json.ts"
import { read, selection } from "./PushMessage.ts"
import type { PushMessage } from "./PushMessage.ts"

/** Which log is followed. */
export interface Log {
  readonly business: string
  /** One facility; all of the business when absent. */
  readonly facility: string | undefined
}

const messageTypes = ["PALLET_EVENT", "SHIPMENT_COMPLETE"]

const history = `query History($input: PushMessageFilter!) { pushMessages(input: $input) ${selection} }`

const live =
  `subscription Live($filter: PushMessageSubscriptionFilter!) { pushMessage(filter: $filter) ${selection} }`

const timeoutMillis = 30_000

/** Live messages that wait to be handled: with more, the customer leaves and catches up at its own pace. */
export const maxWaiting = 1000

export class Service {
  readonly tokens: AccessTokens
  readonly #url: string
  readonly #log: Log

  constructor(credentials: Credentials, log: Log) {
    this.tokens = new AccessTokens(credentials)
    this.#url = `${credentials.baseUrl}/public_graphql`
    this.#log = log
  }

  /** The messages after an id, at most `limit`, ascending by id. */
  async history(afterId: number, limit: number, signal: AbortSignal): Promise<ReadonlyArray<PushMessage>> {
    const input = { ...this.#filter(), since: "1970-01-01T00:00:00Z", afterId, limit }
    const data = await this.#query(history, { input }, signal)
    const messages = data["pushMessages"]
    if (!Array.isArray(messages)) throw new Interrupted("The answer of the service holds no messages")
    return messages.map(message)
  }

  /**
   * The messages after an id and then those to come, as many at a time as wait. Ends when the token should be
   * renewed, when the customer falls behind, or when the signal says so; fails when the connection ends otherwise.
   */
  async *live(
    afterId: number,
    signal: AbortSignal,
    onConnected: () => void
  ): AsyncGenerator<ReadonlyArray<PushMessage>, void, void> {
    // Asked for before the connection is made: whether it fails, and until when it is good, is then known.
    await this.tokens.get(signal)
    const inbox = new Inbox()
    const client = this.#client(signal, onConnected)
    const unsubscribe = client.subscribe(
      { query: live, variables: { filter: { ...this.#filter(), afterId } } },
      {
        next: (result) => inbox.receive(result),
        error: (error) => inbox.end(this.#reasonOf(error)),
        complete: () => inbox.end(new Interrupted("The service ended the subscription"))
      }
    )
    const leave = () => inbox.end()
    // Not at once, however short-lived tokens are, and not later than a timer can be.
    const renewal = setTimeout(leave, Math.min(Math.max(this.tokens.millisToRenewal, 1000), 2 ** 31 - 1))
    signal.addEventListener("abort", leave)
    try {
      if (signal.aborted) leave()
      yield* inbox.batches()
    } finally {
      clearTimeout(renewal)
      signal.removeEventListener("abort", leave)
      unsubscribe()
      client.terminate()
    }
  }

  #filter() {
    const { business, facility } = this.#log
    return { businessSlug: business, facilitySlug: facility ?? null, messageTypes }
  }

  /** One connection, without retries of its own: the follower knows better from where to go on. */
  #client(signal: AbortSignal, onConnected: () => void): Client {
    let silence: NodeJS.Timeout | undefined
    const client: Client = createClient({
      url: this.#url.replace(/^http/, "ws"),
      webSocketImpl: Socket,
      connectionParams: async () => ({ Authorization: `Bearer ${await this.tokens.get(signal)}` }),
      retryAttempts: 0,
      connectionAckWaitTimeout: timeoutMillis,
      keepAlive: 10_000,
      on: {
        connected: onConnected,
        // A connection that does not answer a ping is dead, even where no packet says so.
        ping: (received) => {
          if (!received) silence = setTimeout(() => client.terminate(), 10_000)
        },
        pong: (received) => {
          if (received) clearTimeout(silence)
        },
        closed: () => clearTimeout(silence)
      }
    })
    return client
  }

  async #query(query: string, variables: object, signal: AbortSignal) {
    const response = await fetch(this.#url, {
      method: "POST",
      headers: {
        authorization: `Bearer ${await this.tokens.get(signal)}`,
        "content-type": "application/json",
        accept: "application/graphql-response+json"
      },
      body: JSON.stringify({ query, variables }),
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMillis)])
    }).catch((error: unknown) => {
      throw error instanceof Refused || error instanceof Interrupted
        ? error
        : new Interrupted(`${this.#url} does not answer: ${textOf(error)}`)
    })
    if (response.status === 401) {
      this.tokens.forget()
      throw new Interrupted("The service refused the token; the next try is made with a new one")
    }
    const body: unknown = await response.json().catch(() => undefined)
    const faults = isObject(body) ? faultsOf(body["errors"]) : undefined
    if (faults !== undefined) throw ofGraphql(faults)
    if (!isObject(body) || !isObject(body["data"])) {
      throw new Interrupted(
        `${this.#url} answered ${response.status}, and not as GraphQL does; is BASE_URL right?`
      )
    }
    return body["data"]
  }

  /** Why a subscription ended: the errors of an `error` frame, a closed connection, or none at all. */
  #reasonOf(error: unknown): Error {
    const faults = faultsOf(error)
    if (faults !== undefined) return ofGraphql(faults)
    if (error instanceof Refused || error instanceof Interrupted) return error
    if (isObject(error) && typeof error["code"] === "number") {
      const { code, reason } = error
      // 4403: the token has expired, or its permission is withdrawn. A new one shows which.
      if (code === 4403) this.tokens.forget()
      return new Interrupted(`The connection was closed: ${code}${reason === "" ? "" : ` ${String(reason)}`}`)
    }
    // What `ws` hands over when there is no connection: an event that holds the error.
    const cause = isObject(error) && error["error"] instanceof Error ? error["error"] : error
    return new Interrupted(`${this.#url} cannot be reached: ${textOf(cause)}`)
  }
}

/** A socket that is gone soon after it is closed, also while it connects and when the other side is silent. */
class Socket extends WebSocket {
  constructor(url: string, protocols?: string | Array<string>) {
    super(url, protocols, { maxPayload: 16 * 1024 * 1024, handshakeTimeout: timeoutMillis })
    // Closing it while it connects is an error, which by then nobody else listens for.
    this.on("error", () => {})
  }

  override close(code?: number, reason?: string): void {
    super.close(code, reason)
    setTimeout(() => this.terminate(), 1000).unref()
  }
}

/** Messages that have arrived and wait to be handled. */
class Inbox {
  #waiting: Array<PushMessage> = []
  #ended = false
  #failure: Error | undefined
  #wake = () => {}

  receive(result: { readonly data?: unknown; readonly errors?: unknown }): void {
    if (this.#ended) return
    const faults = faultsOf(result.errors)
    if (faults !== undefined) return this.end(ofGraphql(faults))
    try {
      this.#waiting.push(message(isObject(result.data) ? result.data["pushMessage"] : undefined))
    } catch (error) {
      return this.end(error instanceof Error ? error : new Interrupted(String(error)))
    }
    if (this.#waiting.length >= maxWaiting) this.end()
    this.#wake()
  }

  /** Nothing more is received; what waits is still handed out, then the failure. */
  end(failure?: Error): void {
    if (this.#ended) return
    this.#ended = true
    this.#failure = failure
    this.#wake()
  }

  async *batches(): AsyncGenerator<ReadonlyArray<PushMessage>, void, void> {
    for (;;) {
      const batch = this.#waiting
      this.#waiting = []
      if (batch.length > 0) yield batch
      else if (this.#failure !== undefined) throw this.#failure
      else if (this.#ended) return
      else await new Promise<void>((resolve) => this.#wake = resolve)
    }
  }
}

const message = (value: unknown): PushMessage => {
  const found = read(value)
  if (found === undefined) throw new Interrupted("The service sent something that is no message")
  return found
}

/** A list of GraphQL errors; `undefined` for anything else. */
const faultsOf = (value: unknown): ReadonlyArray<GraphqlFault> | undefined =>
  Array.isArray(value) && value.length > 0
    ? value.filter(isObject).map(({ message, extensions }) => ({
      message: String(message),
      extensions: isObject(extensions) ? extensions : undefined
    }))
    : undefined
