/**
 * Dockline as the programs of this folder mount it: REST, GraphQL and the dashboard over one state, in memory, or on PostgreSQL where
 * `DATABASE_URL` is set. Take it into a service of yours, and put your own places and clients in.
 */
import * as Dockline from "@dockline/core/embed/Dockline"
import * as Memory from "@dockline/core/memory/Memory"
import * as DashboardHandler from "@dockline/dashboard/DashboardHandler"
import * as GraphqlHandler from "@dockline/graphql-adapter/GraphqlHandler"
import * as RestHandler from "@dockline/http-adapter/RestHandler"
import type { Peer } from "@dockline/http-adapter/RestHandler"
import * as Postgres from "@dockline/sql-storage/Postgres"
import type { Server } from "node:http"

/** Where the programs listen; 0 is any free port. */
export const port = Number(process.env["PORT"] ?? 8080)

/** The address that clients use. */
const baseUrl = process.env["BASE_URL"] ?? `http://localhost:${port}`

const databaseUrl = process.env["DATABASE_URL"]

const places = [{
  slug: "acme",
  name: "Acme",
  fieldMap: [{ name: "LPN", label: "lpn" }],
  facilities: [{ slug: "east", name: "Acme East", docks: ["D1", "D2"] }]
}]

/** Who may do what. Everybody can read these secrets: take others from where you keep yours. */
const clients: ReadonlyArray<RestHandler.RestClient> = [
  {
    id: "acme-client",
    secret: "acme-client-secret",
    grants: [{ business: "acme", facilities: "*", permissions: ["documents:write", "messages:read"] }]
  },
  {
    id: "tower",
    secret: "tower-secret",
    grants: [{ business: "acme", facilities: "*", permissions: ["pallets:write", "shipments:write"] }]
  }
]

export interface Service {
  /** Dockline itself, for routes of the host's own. */
  readonly dockline: Dockline.Dockline
  /** Whether a request is for Dockline, by its path. */
  readonly serves: (request: { readonly url?: string | undefined }) => boolean
  readonly handler: (request: Request, peer?: Peer) => Promise<Response>
  /** Takes the web sockets of GraphQL and of pages, for an `upgrade` listener; an upgrade of another path is answered 404. */
  readonly handleUpgrade: GraphqlHandler.GraphqlHandler["handleUpgrade"]
  /** Waits for the requests in flight, ends streams and sockets, and closes Dockline. */
  readonly close: () => Promise<void>
}

export const open = async (): Promise<Service> => {
  const storage = databaseUrl === undefined ? Memory.layer : Postgres.layer({ url: databaseUrl })
  const dockline = await Dockline.open({ storage })
  const known = await dockline.places(places)
  if (!known.ok) throw known.error
  const rest = await RestHandler.make(dockline.layer, { baseUrl, clients })
  const graphql = await GraphqlHandler.make(rest.layer)
  const dashboard = await DashboardHandler.make(rest.layer, { baseUrl, interfaces: { rest, graphql } })
  const interfaces = [dashboard, graphql, rest]
  return {
    dockline,
    serves: (request) => interfaces.some(({ serves }) => serves(request)),
    handler: (request, peer) =>
      (interfaces.find(({ serves }) => serves(request)) ?? rest).handler(request, peer),
    handleUpgrade: dashboard.handleUpgrade,
    close: async () => {
      await dashboard.close()
      await graphql.close()
      await rest.close()
      await dockline.close()
    }
  }
}

export const announce = (server: Server): void => {
  server.once("listening", () => {
    const address = server.address()
    if (address !== null && typeof address === "object") console.log(`Listening on port ${address.port}`)
  })
}

/** How long requests in flight may take once the program is told to stop, in milliseconds. */
const grace = 8_000

/**
 * Stops once, on SIGTERM and Ctrl-C, and lets the process end by itself: the server takes no more connections, requests
 * in flight are finished, streams and sockets are ended, and what still hangs after a while is cut.
 */
export const onStop = (
  service: Pick<Service, "close">,
  server: Server,
  closeServer: () => Promise<void> = () => closed(server)
): void => {
  const stop = async (): Promise<void> => {
    process.off("SIGTERM", stop).off("SIGINT", stop)
    console.log("Stopping")
    const cut = setTimeout(() => server.closeAllConnections(), grace)
    const closing = closeServer()
    await service.close()
    // Connections whose streams have ended just now.
    server.closeIdleConnections()
    await closing
    clearTimeout(cut)
    console.log("Stopped")
  }
  process.on("SIGTERM", stop).on("SIGINT", stop)
}

const closed = (server: Server): Promise<void> =>
  new Promise((resolve, reject) => server.close((error) => error === undefined ? resolve() : reject(error)))
