/** What operators read and change, over REST; requests and answers have the types of the declarations of core. */
import type { Asked, Sent, Shown } from "@dockline/core/internal/operator/Change"
import type { OperatorOperations } from "@dockline/core/internal/operator/OperatorOperations"
import type {
  CertificationView,
  ClientView,
  DeliveryDetailView,
  DeliveryView,
  EndpointView,
  PersonView,
  TestView
} from "@dockline/core/internal/operator/OperatorView"
import type { Page } from "@dockline/core/Page"
import { send } from "./request.ts"

export type {
  CertificationView,
  ClientView,
  DeliveryDetailView,
  DeliveryView,
  EndpointView,
  PersonView,
  TestView
}

/** Any declared operation of operators, and the one of a route. */
type Declared = OperatorOperations[keyof OperatorOperations]
type At<Route extends Declared["rest"]> = Extract<Declared, { readonly rest: Route }>

/** Asks for the operation of a route; only its declaration knows the type of its answer. */
const call = async <const Route extends Declared["rest"]>(
  route: Route,
  asked: Asked<At<Route>>,
  patience?: number
): Promise<Shown<At<Route>>> => {
  const [method = "", pattern = ""] = route.split(" ")
  const { body, ...given }: { readonly body?: unknown } & Readonly<Record<string, unknown>> = asked
  const query = new Map(Object.entries(given).map(([name, value]) => [name, String(value)]))
  const path = pattern.replaceAll(/:(\w+)/g, (_, name: string) => {
    const value = encodeURIComponent(query.get(name) ?? "")
    query.delete(name)
    return value
  })
  const parameters = new URLSearchParams(Array.from(query)).toString()
  const init = body === undefined
    ? {}
    : { headers: { "content-type": "application/json" }, body: JSON.stringify(body) }
  const target = `/api${path}${parameters === "" ? "" : `?${parameters}`}`
  return await send(target, { method, ...init }, patience) as Shown<At<Route>>
}

const pageSize = 100

/** The most entries that a page shows. */
const shownAtMost = 1000

/** All entries of a list, up to {@link shownAtMost}. */
const readAll = async <Row>(
  readPage: (page: { readonly limit: number; readonly after: string }) => Promise<Page<Row>>
): Promise<ReadonlyArray<Row>> => {
  const found: Array<Row> = []
  let after = ""
  do {
    const { items, next } = await readPage({ limit: pageSize, after })
    found.push(...items)
    after = next ?? ""
  } while (after !== "" && found.length < shownAtMost)
  return found
}

/** The webhook endpoints of the businesses that the client operates. */
export const endpoints = () => readAll((page) => call("GET /v1/operator/webhook-endpoints", page))

/** One of them. */
export const endpoint = (endpointId: string) =>
  call("GET /v1/operator/webhook-endpoints/:endpointId", { endpointId })

/** The newest deliveries of an endpoint, or those of a status. */
export const deliveries = async (endpointId: string, status: DeliveryView["status"] | "") => {
  const asked = { endpointId, status, limit: pageSize }
  return (await call("GET /v1/operator/webhook-endpoints/:endpointId/deliveries", asked)).items
}

/** One of them, with what its attempts send. */
export const delivery = (endpointId: string, deliveryId: string) =>
  call("GET /v1/operator/webhook-endpoints/:endpointId/deliveries/:deliveryId", { endpointId, deliveryId })

/** Delivers a message again. */
export const replay = (endpointId: string, deliveryId: string) =>
  call("POST /v1/operator/webhook-endpoints/:endpointId/deliveries/:deliveryId/replay", {
    endpointId,
    deliveryId
  })

/** Stops deliveries to an endpoint, or goes on with them. */
export const enableEndpoint = (endpointId: string, enabled: boolean) =>
  call("PATCH /v1/operator/webhook-endpoints/:endpointId", { endpointId, body: { enabled } })

/** How long tests may take: a login and the messages, with the time that a customer has for each. */
const testMillis = 60_000

/** Sends a test message to an endpoint. */
export const testEndpoint = (endpointId: string, messageType: EndpointView["messageTypes"][number]) =>
  call(
    "POST /v1/operator/webhook-endpoints/:endpointId/test",
    { endpointId, body: { messageType } },
    testMillis
  )

/** Checks the receiver behind an endpoint of a sandbox. */
export const certifyEndpoint = (endpointId: string) =>
  call("POST /v1/operator/webhook-endpoints/:endpointId/certify", { endpointId }, testMillis)

/** The clients that the client operates. */
export const clients = () => readAll((page) => call("GET /v1/operator/clients", page))

/** Disables a client at once, or lets it in again. */
export const enableClient = (clientId: string, enabled: boolean) =>
  call("PATCH /v1/operator/clients/:clientId", { clientId, body: { enabled } })

/** The people whom the client operates. */
export const people = () => readAll((page) => call("GET /v1/operator/people", page))

/** Lets a person sign in, who is known by an e-mail address or by a subject. */
export const addPerson = (body: Sent<OperatorOperations["addPerson"]>) =>
  call("POST /v1/operator/people", { body })

/** Changes the name and the grants of a person. */
export const changePerson = (personId: string, body: Sent<OperatorOperations["updatePerson"]>) =>
  call("PATCH /v1/operator/people/:personId", { personId, body })

/** Takes away the right to sign in. */
export const removePerson = (personId: string) => call("DELETE /v1/operator/people/:personId", { personId })
