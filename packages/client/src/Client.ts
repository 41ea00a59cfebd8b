/**
 * A client of a Dockline service, for Node and for browsers: it submits documents, reads, records events at docks, and follows the messages
 * of a business.
 *
 * Guarantee: a call that writes is done at most once, however often the client repeats it within 24 hours. A call resolves to the answer of
 * the service, or rejects as {@link DocklineError} describes.
 *
 * ```ts
 * import * as Client from "@dockline/client"
 *
 * const dockline = Client.make({ url: "http://localhost:8080", clientId: "acme-client", clientSecret: "acme-client-secret" })
 * const { created } = await dockline.submit({
 *   business: "acme",
 *   facility: "east",
 *   direction: "OUTBOUND",
 *   orderNumber: "SO-1001",
 *   items: [{ lpn: "LPN-1", sku: "SKU-1", quantity: 12, quantityUnit: "CASE" }]
 * })
 * ```
 */
import type { IntakeResult } from "@dockline/core/document/Outcome"
import type { DocumentJson } from "@dockline/core/embed/Dockline"
import type { MessageView } from "@dockline/core/messages/MessageView"
import type { ShipmentView } from "@dockline/core/shipment/View"
import * as Calls from "./Calls.ts"
import { calling, sleep } from "./Calls.ts"
import type { Call, RetryOptions, WriteOptions } from "./Calls.ts"
import type * as ClientCapability from "./ClientCapability.ts"
import type { Methods, PathId, Payload, Query } from "./ClientCapability.ts"
import { routes } from "./Declared.ts"
import type { Name } from "./Declared.ts"
import { DocklineError } from "./DocklineError.ts"
import type { Fetch } from "./DocklineError.ts"

export type { DocumentJson, OwnDocumentJson } from "@dockline/core/embed/Dockline"
export type { CallOptions, WriteOptions } from "./Calls.ts"
export type { Method, Methods, PathId } from "./ClientCapability.ts"
export { DocklineError } from "./DocklineError.ts"
export type { ErrorCode, FieldError } from "./DocklineError.ts"

/** The address of the service, the credentials of the client, and its time limits. */
export interface ClientOptions {
  /** The address of the service, such as `https://dockline.example.com`. */
  readonly url: string
  /** The id of the API client, for tokens of the client-credentials grant; with `clientSecret`. */
  readonly clientId?: string | undefined
  /** A secret of the API client. Do not give it to a browser: hand in `token` there. */
  readonly clientSecret?: string | undefined
  /** In place of id and secret: a token, or a function that returns a token and is called before each request. */
  readonly token?: string | (() => string | Promise<string>) | undefined
  /** The address of the server that issues tokens at `/oauth/token`; `url` when absent. */
  readonly authUrl?: string | undefined
  /** The audience of tokens; `url` with `/public_graphql` when absent. */
  readonly audience?: string | undefined
  /** How long one attempt may take, in milliseconds; 30,000 when absent. */
  readonly timeoutMillis?: number | undefined
  /**
   * No attempt of a call begins later than this number of milliseconds after the first; 60,000 when absent, and 0 for one attempt. A call
   * is repeated when there is no answer, and after 408, 429, 502, 503, 504, and 409 `IDEMPOTENCY_KEY_IN_USE`.
   */
  readonly retryMillis?: number | undefined
  /** Called after each failed attempt, with the milliseconds until the next one. */
  readonly onRetry?: ((error: DocklineError, waitMillis: number) => void) | undefined
  /** Sends requests in place of the `fetch` of the runtime, such as through a proxy. */
  readonly fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined
}

/** Options of a submission. */
export interface SubmitOptions extends WriteOptions {
  /** Returns the result that the document would have, and writes nothing. */
  readonly dryRun?: boolean | undefined
  /** Accepts the document only if none of its orders exists at the facility; otherwise `PRECONDITION_FAILED` (D20.4). */
  readonly ifNew?: boolean | undefined
  /** Accepts the document only if the shipment still has this `version`; otherwise `PRECONDITION_FAILED` (D20.4). */
  readonly ifVersion?: number | undefined
}

/** Which messages to follow, and after which id. */
export interface FollowOptions extends Pick<Query<"messages">, "business" | "facility" | "messageType"> {
  /** The id of the last message that you have handled; 0 for all that the service keeps. */
  readonly afterId: number
  /** Called and awaited with the id of each message when you request the next one, which means that you have handled it. */
  readonly save?: ((id: number) => void | Promise<void>) | undefined
  /** How long to wait before looking for more, in milliseconds; 1,000 when absent. */
  readonly intervalMillis?: number | undefined
  /** Ends the iteration. */
  readonly signal?: AbortSignal | undefined
}

/** A pallet that has crossed a dock, as a tower reports it (D6.1). */
export type PalletEvent = Payload<"recordPallet">

/**
 * A client. Lists are pages, `{ items, next }`: request the next page with `after: next`, until `next` is `null`. Comments on
 * methods cite sections of docs/WIRE.md.
 */
export type Client<Document = DocumentJson, Capabilities extends ClientCapability.List = []> =
  // The first overload wins, so extended methods come first: their answers have more fields than the contract's.
  & ClientCapability.ExtendedMethodsOf<Capabilities>
  & ContractClient<Document>
  & ClientCapability.MethodsOf<Capabilities>

/** The operations of the contract, and the other methods of a client. */
interface ContractClient<Document> extends Methods {
  /** Submits a document: an object, or a text in XML (document intake; D2, D3). */
  readonly submit: (document: Document | string, options?: SubmitOptions) => Promise<IntakeResult>
  /**
   * Follows the messages of a business, in the order of their ids. Each comes once, and none is left out, even across restarts, as long as
   * `afterId` is the last id that you have handled: store it together with your results, or in `save`. If `break` or an
   * error ends the loop at a message, that message counts as not handled.
   *
   * The first read is repeated like any call; later reads are repeated until there is an answer, and `onRetry` is called. Throws
   * `HISTORY_EXPIRED` when messages after `afterId` were dropped by age, and `CURSOR_AHEAD` when the service has no message of that id, as
   * after a restore (D7.4, D7.5). Ends when the signal is aborted, and when the client is closed.
   */
  readonly follow: (options: FollowOptions) => AsyncGenerator<MessageView, void, void>
  /** Links two shipments (D6.5). */
  readonly link: (id: PathId, linkedId: PathId, options?: WriteOptions) => Promise<ShipmentView>
  /** An access token, for other interfaces of the service such as GraphQL. */
  readonly token: () => Promise<string>
  /** Ends all calls, which reject with `CLOSED`, and all loops that follow messages. */
  readonly close: () => void
}

/**
 * Makes a client. Nothing is sent before the first call. Throws a `TypeError` when the options name no address, or neither id and secret
 * nor a token. For a service with its own strategies or words, use `make<OwnDocumentJson>`.
 */
export const make = <
  Document = DocumentJson,
  const Capabilities extends ClientCapability.List = []
>(
  { capabilities, ...options }: ClientOptions & {
    /** The capabilities of the service, such as `trace` of `@dockline/client/TraceRoutes`; none when absent. */
    readonly capabilities?: Capabilities
  }
): Client<Document, Capabilities> => {
  const all: Readonly<Record<string, string>> = Object.assign(
    {},
    routes,
    ...(capabilities ?? []).map(({ routes }) => routes)
  )
  const url = addressOf(options.url, "url")
  const sending = {
    fetch: options.fetch ?? ((address, init) => fetch(address, init)) satisfies Fetch,
    timeoutMillis: options.timeoutMillis ?? 30_000,
    retryMillis: options.retryMillis ?? 60_000,
    onRetry: options.onRetry ?? (() => {})
  }
  const closing = new AbortController()
  const { signal } = closing
  const tokens = tokensOf(options, url, sending, signal)
  const call = calling(all, url, tokens, sending, signal)
  const client: ContractClient<Document> = {
    ...methods(call, all),
    follow: (followOptions) => follow(call, followOptions, signal),
    token: tokens.get,
    close: () => closing.abort(new DocklineError({ code: "CLOSED", message: "The client is closed" }))
  }
  // The methods of capabilities derive from their routes, which a loop does not see.
  return client as Client<Document, Capabilities>
}

const addressOf = (text: string, option: string): string => {
  if (!URL.canParse(text)) {
    throw new TypeError(`${option} must be an address such as https://dockline.example.com`)
  }
  return text.endsWith("/") ? text.slice(0, -1) : text
}

const tokensOf = (
  { audience, authUrl, clientId, clientSecret, token }: ClientOptions,
  url: string,
  sending: RetryOptions & { readonly fetch: Fetch; readonly timeoutMillis: number },
  signal: AbortSignal
): Calls.Tokens => {
  if (token !== undefined) return Calls.userTokens(token)
  if (clientId === undefined || clientSecret === undefined) {
    throw new TypeError("clientId and clientSecret are needed, or token")
  }
  return Calls.clientTokens(sending, {
    clientId,
    clientSecret,
    authUrl: addressOf(authUrl ?? url, "authUrl"),
    audience: audience ?? `${url}/public_graphql`
  }, signal)
}

const methods = (
  call: Call,
  routes: Readonly<Record<string, string>>
): Omit<ContractClient<unknown>, "follow" | "token" | "close"> => ({
  ...methodsOf(call, routes),
  submit: (payload, { dryRun, ifNew, ifVersion, ...options } = {}) =>
    call("submit", {
      payload,
      query: { dryRun },
      headers: {
        ...(ifNew === true ? { "if-none-match": "*" } : {}),
        ...(ifVersion === undefined ? {} : { "if-match": `"${ifVersion}"` })
      }
    }, options),
  link: (id, linkedId, options) =>
    call("link", { params: { id: String(id) }, payload: { linkedShipmentId: Number(linkedId) } }, options),
  cancel: (id, options) => call("cancel", { params: { id: String(id) }, payload: {} }, options)
})

/** Makes the methods of declared operations. The arguments of a method are the ids of its path, then its query or its body. */
const methodsOf = (call: Call, routes: Readonly<Record<string, string>>): Methods =>
  Object.fromEntries(
    Object.entries(routes).map(([method, route]) => {
      const name = method as Name
      const ids = Array.from(route.matchAll(/:(\w+)/g), ([, id = ""]) => id)
      const argument = route.startsWith("read") ? undefined : route.startsWith("list") ? "query" : "payload"
      return [name, (...values: ReadonlyArray<PathId | object | undefined>) => {
        const params = Object.fromEntries(ids.map((id, index) => [id, String(values[index])]))
        const [first, second] = values.slice(ids.length).map((each) =>
          typeof each === "object" ? each : undefined
        )
        return argument === undefined
          ? call(name, { params }, first)
          : call(name, { params, [argument]: first ?? {} }, second)
      }]
    })
    // The types of the methods derive from the declarations, which `Object.fromEntries` does not see.
  ) as Methods

async function* follow(
  call: Call,
  { afterId, intervalMillis = 1000, save, signal: ending, ...query }: FollowOptions,
  closing: AbortSignal
): AsyncGenerator<MessageView, void, void> {
  const signal = ending === undefined ? closing : AbortSignal.any([closing, ending])
  let retryMillis: number | undefined
  try {
    for (;;) {
      const { items, next } = await call(
        "messages",
        { query: { ...query, afterId } },
        { signal },
        retryMillis
      )
      retryMillis = Infinity
      for (const message of items) {
        yield message
        await save?.(message.id)
        afterId = message.id
        if (signal.aborted) return
      }
      if (next === null) await sleep(intervalMillis, signal)
    }
  } catch (error) {
    if (!signal.aborted || error !== signal.reason) throw error
  }
}
