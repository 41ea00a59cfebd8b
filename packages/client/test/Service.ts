/**
 * A real service in memory, on real sockets: the business `acme`, a customer and a tower. A test can stand between it and
 * its clients: lose answers, give others, and restart it.
 */
import type { Permission } from "@dockline/core/access/Access"
import * as Dockline from "@dockline/core/embed/Dockline"
import * as Memory from "@dockline/core/memory/Memory"
import * as RestHandler from "@dockline/http-adapter/RestHandler"
import type { RestOptions } from "@dockline/http-adapter/RestHandler"
import { once } from "node:events"
import { createServer } from "node:http"
import type { IncomingMessage, Server, ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import * as Client from "../src/Client.ts"

/** A request that has come. */
export interface Call {
  readonly method: string
  /** The path with the query. */
  readonly path: string
  readonly headers: IncomingMessage["headers"]
}

/**
 * What happens to a request: the answer to it instead of that of the service, another token in it, or `lost`, when the
 * service answers and the connection breaks before the answer is sent.
 */
export type Fault = Response | { readonly authorization: string } | "lost" | undefined

/** A running service. */
export interface Service {
  readonly url: string
  readonly dockline: Dockline.Dockline
  /** The requests that have come since this was emptied. */
  readonly calls: Array<Call>
  /** Asked about each request. */
  fault: (call: Call) => Fault | Promise<Fault>
  /** Answers paths that are not the service's, on the same origin. */
  page: (path: string) => Response | undefined
  /** Breaks all connections, and takes no more of them. */
  readonly away: () => Promise<void>
  /** Takes connections again. */
  readonly back: () => Promise<void>
  readonly client: (options?: Partial<Client.ClientOptions>) => Client.Client
  readonly tower: () => Client.Client
  readonly stop: () => Promise<void>
}

const clientOf = (id: string, permissions: ReadonlyArray<Permission>) => ({
  id,
  secret: `${id}-secret`,
  grants: [{ business: "acme", facilities: "*", permissions } as const]
})

const clients = [
  clientOf("acme-client", ["documents:write", "messages:read"]),
  clientOf("tower", ["pallets:write", "shipments:write"])
]

const listen = async (server: Server, port: number): Promise<number> => {
  server.listen(port, "127.0.0.1")
  await once(server, "listening")
  return (server.address() as AddressInfo).port
}

const requestOf = async (request: IncomingMessage, url: string, headers: Headers): Promise<Request> => {
  const chunks: Array<Uint8Array> = []
  for await (const chunk of request) chunks.push(chunk as Uint8Array)
  const { method = "GET" } = request
  return new Request(url, { method, headers, ...(method === "GET" ? {} : { body: Buffer.concat(chunks) }) })
}

const write = async (response: Response, to: ServerResponse): Promise<void> => {
  to.writeHead(response.status, Object.fromEntries(response.headers))
  to.end(Buffer.from(await response.arrayBuffer()))
}

/** Starts a service on a free port. */
export const start = async (options: Partial<RestOptions> = {}): Promise<Service> => {
  const dockline = await Dockline.open({ storage: Memory.layer })
  await dockline.places([
    { slug: "acme", name: "Acme", facilities: [{ slug: "east", name: "East", docks: ["D1", "D2"] }] }
  ])
  const answer = async (request: IncomingMessage, to: ServerResponse): Promise<void> => {
    const { headers, method = "", url: path = "" } = request
    const call = { method, path, headers }
    const page = service.page(path)
    if (page !== undefined) return await write(page, to)
    service.calls.push(call)
    const fault = await service.fault(call)
    if (fault instanceof Response) return await write(fault, to)
    const answerHeaders = new Headers(headers as Record<string, string>)
    if (typeof fault === "object") answerHeaders.set("authorization", fault.authorization)
    const response = await rest.handler(await requestOf(request, `${service.url}${path}`, answerHeaders))
    if (fault === "lost") return void request.socket.destroy()
    await write(response, to)
  }
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => response.destroy(error as Error))
  })
  const port = await listen(server, 0)
  const url = `http://127.0.0.1:${port}`
  const rest = await RestHandler.make(dockline.layer, { baseUrl: url, clients, ...options })
  const away = async (): Promise<void> => {
    server.close()
    server.closeAllConnections()
    await once(server, "close")
  }
  const openClients = new Set<Client.Client>()
  const client = (changes: Partial<Client.ClientOptions> = {}): Client.Client => {
    const client = Client.make({
      url,
      clientId: "acme-client",
      clientSecret: "acme-client-secret",
      ...changes
    })
    openClients.add(client)
    return client
  }
  const service: Service = {
    url,
    dockline,
    calls: [],
    fault: () => undefined,
    page: () => undefined,
    away,
    back: async () => void await listen(server, port),
    client,
    tower: () => client({ clientId: "tower", clientSecret: "tower-secret" }),
    stop: async () => {
      openClients.forEach((each) => each.close())
      if (server.listening) await away()
      await rest.close()
      await dockline.close()
    }
  }
  return service
}

/** A document for a new order. */
export const order = (orderNumber: string, ...lpns: ReadonlyArray<string>): Client.DocumentJson => ({
  business: "acme",
  facility: "east",
  direction: "OUTBOUND",
  orderNumber,
  items: lpns.map((lpn) => ({ lpn, sku: "SKU-1", quantity: 1, quantityUnit: "CASE" }))
})

/** A pallet that is loaded at dock D1. */
export const loading = (eventId: string, lpn: string): Client.PalletEvent => ({
  eventId,
  business: "acme",
  facility: "east",
  dockSlug: "D1",
  direction: "LOADING",
  // The beginning of the day by the clock of the test.
  occurredAt: `${new Date().toISOString().slice(0, 10)}T00:00:00Z`,
  labels: [{ name: "lpn", value: lpn }]
})

/** The error that a call rejects with. */
export const refusal = async (call: Promise<unknown>): Promise<Client.DocklineError> => {
  const error: unknown = await call.then(() => "resolved", (reason: unknown) => reason)
  if (error instanceof Client.DocklineError) return error
  throw new Error(`No DocklineError: ${String(error)}`)
}

/** Answers as a service does, or as a proxy before it. */
export const answer = (status: number, body: unknown, headers: Record<string, string> = {}): Response =>
  new Response(typeof body === "string" ? body : JSON.stringify(body), { status, headers })

/** A problem of a service that is busy. */
export const overloaded = (status: 429 | 503, retryAfter: string): Response =>
  answer(status, {
    type: "about:blank",
    title: "",
    status,
    detail: "The service has too much to do at the moment",
    code: status === 429 ? "RATE_LIMITED" : "OVERLOADED"
  }, { "retry-after": retryAfter })
