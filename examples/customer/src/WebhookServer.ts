/**
 * The endpoints of a customer that takes messages by webhook: `POST /api/palletEvent`, `POST /api/shipmentComplete`,
 * and `POST /login` where the service fetches its token.
 *
 * Guarantee: a message is answered with 200 only when it is stored, or was before; with anything else the service
 * sends it again. No body is kept of whoever does not authenticate, and none beyond the limit.
 */
import { once } from "node:events"
import { createServer } from "node:http"
import type { IncomingMessage, Server } from "node:http"
import type { AddressInfo } from "node:net"
import type { Books } from "./Books.ts"
import { Refused, textOf } from "./Failure.ts"
import type { Log } from "./Service.ts"
import { Unacceptable } from "./Unacceptable.ts"
import { WebhookAuth } from "./WebhookAuth.ts"
import type { Account, Authentication } from "./WebhookAuth.ts"
import { isTest, jsonOf, readMessage, verifierOf } from "./WebhookMessage.ts"

/** What endpoints ask of whoever calls them, and where their messages go. */
export interface WebhookServerOptions extends Log {
  readonly host: string
  /** 0 for one that is free. */
  readonly port: number
  /** `whsec_…`; two while one takes the place of the other. */
  readonly secrets: ReadonlyArray<string>
  readonly account: Account
  readonly palletAuthentication: Authentication
  /** Basic as a rule: so the interface of the service has it. */
  readonly completionAuthentication: Authentication
  readonly books: Books
  /** Hears of each request that was refused, and why. */
  readonly onRefused?: (path: string, status: number, reason: string) => void
  /** Bytes of the largest body that is read; 16 MiB, more than the service ever sends. */
  readonly bodyLimit?: number
  /** Seconds that a token lives; 3,600. */
  readonly tokenSeconds?: number
  /** How long closing waits for requests that have begun, in milliseconds; 5,000. */
  readonly graceMillis?: number
}

export interface WebhookServer {
  readonly url: string
  /**
   * Takes no more connections, and resolves when those in use have their answers. Those without a whole request by
   * then are cut after the grace: the service sends again what has no answer.
   */
  readonly close: () => Promise<void>
}

interface Answer {
  readonly status: number
  readonly body: object
  readonly headers?: Readonly<Record<string, string>>
}

type Endpoint = (request: IncomingMessage) => Promise<Answer>

/** How long a whole request may take to arrive, in milliseconds. */
const patienceMillis = 30_000

/** Starts to listen. Throws `Refused` when the address is not to be had. */
export const listen = async (options: WebhookServerOptions): Promise<WebhookServer> => {
  const endpoints = endpointsOf(options)
  let isClosing = false
  const server = createServer({ requestTimeout: patienceMillis }, (request, response) => {
    const path = (request.url ?? "").replace(/\?.*$/s, "")
    void answer(endpoints, path, request).then(({ status, body, headers = {} }) => {
      if (status >= 400) options.onRefused?.(path, status, String("error" in body ? body.error : status))
      // No next request is taken on it, or the rest of a refused body would have to be read first.
      if (isClosing || !request.complete) response.setHeader("connection", "close")
      response.writeHead(status, { ...headers, "content-type": "application/json" })
      response.end(JSON.stringify(body))
    })
  })
  await opened(server, options)
  const { port } = server.address() as AddressInfo
  return {
    url: `http://${options.host}:${port}`,
    close: async () => {
      isClosing = true
      server.close()
      server.closeIdleConnections()
      const cut = setTimeout(() => server.closeAllConnections(), options.graceMillis ?? 5_000)
      await once(server, "close").finally(() => clearTimeout(cut))
    }
  }
}

const opened = async (server: Server, { host, port }: WebhookServerOptions): Promise<void> => {
  server.listen(port, host)
  await once(server, "listening").catch((error: unknown) => {
    throw new Refused(`WEBHOOK_PORT ${port} on ${host} cannot be listened on: ${textOf(error)}`)
  })
}

const answer = async (
  endpoints: ReadonlyMap<string, Endpoint>,
  path: string,
  request: IncomingMessage
): Promise<Answer> => {
  try {
    const endpoint = endpoints.get(path)
    if (endpoint === undefined) throw new Unacceptable(404, `There is nothing at ${path}`)
    if (request.method !== "POST") throw new Unacceptable(405, `${path} takes POST alone`, { allow: "POST" })
    return await endpoint(request)
  } catch (error) {
    if (error instanceof Unacceptable) {
      return { status: error.status, body: { error: error.message }, headers: error.headers }
    }
    return { status: 500, body: { error: `The message is not stored; send it again: ${textOf(error)}` } }
  }
}

const endpointsOf = (options: WebhookServerOptions): ReadonlyMap<string, Endpoint> => {
  const { account, books, bodyLimit = 16 * 1024 * 1024, tokenSeconds = 3600 } = options
  const auth = new WebhookAuth(account, tokenSeconds)
  const verify = verifierOf(options.secrets)

  const receive = (messageType: string, asked: Authentication): Endpoint => async (request) => {
    if (!auth.accepts(asked, request.headers.authorization)) {
      const scheme = asked === "basic" ? "Basic realm=\"webhooks\", charset=\"UTF-8\"" : "Bearer"
      throw new Unacceptable(401, `Authorization must be ${saidOf(asked)}`, { "www-authenticate": scheme })
    }
    mediaTypeOf(request, ["application/json"])
    const body = await read(request, bodyLimit)
    verify(body, request.headers)
    if (isTest(request.headers)) return { status: 200, body: { test: true } }
    const message = readMessage(messageType, body, request.headers, options)
    const isNew = await books.receive(message)
    return { status: 200, body: { message: message.id, repeat: !isNew } }
  }

  const login: Endpoint = async (request) => {
    const mediaType = mediaTypeOf(request, ["application/json", "application/x-www-form-urlencoded"])
    const body = await read(request, loginLimit)
    const given = mediaType === "application/json"
      ? jsonOf(body)
      : Object.fromEntries(new URLSearchParams(body.toString()))
    const token = auth.login(given)
    if (token === undefined) throw new Unacceptable(401, "User name or password is wrong")
    return { status: 200, body: token, headers: { "cache-control": "no-store" } }
  }

  return new Map([
    ["/api/palletEvent", receive("PALLET_EVENT", options.palletAuthentication)],
    ["/api/shipmentComplete", receive("SHIPMENT_COMPLETE", options.completionAuthentication)],
    ["/login", login]
  ])
}

/** The largest login, in bytes. */
const loginLimit = 16 * 1024

const saidOf = (asked: Authentication): string =>
  asked === "basic" ? "Basic with the agreed user name and password" : "Bearer with a token from /login"

/** The media type of a body, one of those that are taken. */
const mediaTypeOf = ({ headers }: IncomingMessage, taken: ReadonlyArray<string>): string => {
  const mediaType = (headers["content-type"] ?? "").replace(/;.*$/s, "").trim().toLowerCase()
  if (!taken.includes(mediaType)) {
    throw new Unacceptable(415, `Content-Type must be ${taken.join(" or ")}`)
  }
  if (headers["content-encoding"] !== undefined) {
    throw new Unacceptable(415, "Content-Encoding is not understood", { "accept-encoding": "identity" })
  }
  return mediaType
}

/** The whole body, once it is there. */
const read = async (request: IncomingMessage, limit: number): Promise<Buffer> => {
  const tooLarge = () => new Unacceptable(413, `The body must not exceed ${limit} bytes`)
  if (Number(request.headers["content-length"] ?? 0) > limit) throw tooLarge()
  const chunks: Array<Buffer> = []
  let size = 0
  return new Promise((resolve, reject) => {
    request.on("data", (chunk: Buffer) => {
      size += chunk.length
      if (size <= limit) return void chunks.push(chunk)
      chunks.length = 0
      reject(tooLarge())
    })
    request.once("end", () => resolve(Buffer.concat(chunks)))
    request.once("error", (error) => reject(new Unacceptable(400, `The body ended early: ${textOf(error)}`)))
  })
}
