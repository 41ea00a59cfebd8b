/** What operators read and change, over REST; the types are those of the views of core. */
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

/** Without what `send` adds. */
const read = async <A>(path: string): Promise<A> => await send(`/api/v1/operator/${path}`) as A

const change = (method: string, path: string, body?: object, patience?: number): Promise<unknown> =>
  send(
    `/api/v1/operator/${path}`,
    {
      method,
      ...(body === undefined
        ? {}
        : { headers: { "content-type": "application/json" }, body: JSON.stringify(body) })
    },
    patience
  )

const pageSize = 100

/** The most entries that a page shows. */
const shownAtMost = 1000

/** All entries of a list, up to {@link shownAtMost}. */
const readAll = async <A>(path: string): Promise<ReadonlyArray<A>> => {
  const found: Array<A> = []
  let after = ""
  do {
    const { items, next } = await read<Page<A>>(
      `${path}?limit=${pageSize}${after === "" ? "" : `&after=${encodeURIComponent(after)}`}`
    )
    found.push(...items)
    after = next ?? ""
  } while (after !== "" && found.length < shownAtMost)
  return found
}

/** The webhook endpoints of the businesses that the client operates. */
export const endpoints = (): Promise<ReadonlyArray<EndpointView>> => readAll("webhook-endpoints")

/** One of them. */
export const endpoint = (id: string): Promise<EndpointView> => read(`webhook-endpoints/${id}`)

/** The newest deliveries of an endpoint, or those of a status. */
export const deliveries = async (
  id: string,
  status: DeliveryView["status"] | ""
): Promise<ReadonlyArray<DeliveryView>> =>
  (await read<Page<DeliveryView>>(`webhook-endpoints/${id}/deliveries?limit=${pageSize}&status=${status}`))
    .items

/** One of them, with what its attempts send. */
export const delivery = (id: string, deliveryId: string): Promise<DeliveryDetailView> =>
  read(`webhook-endpoints/${id}/deliveries/${deliveryId}`)

/** Delivers a message again. */
export const replay = (id: string, deliveryId: string): Promise<unknown> =>
  change("POST", `webhook-endpoints/${id}/deliveries/${deliveryId}/replay`)

/** Stops deliveries to an endpoint, or goes on with them. */
export const enableEndpoint = (id: string, enabled: boolean): Promise<unknown> =>
  change("PATCH", `webhook-endpoints/${id}`, { enabled })

/** How long tests may take: a login and the messages, with the time that a customer has for each. */
const testMillis = 60_000

/** Sends a test message to an endpoint. */
export const testEndpoint = async (
  id: string,
  messageType: EndpointView["messageTypes"][number]
): Promise<TestView> =>
  await change("POST", `webhook-endpoints/${id}/test`, { messageType }, testMillis) as TestView

/** Checks the receiver behind an endpoint of a sandbox. */
export const certifyEndpoint = async (id: string): Promise<CertificationView> =>
  await change("POST", `webhook-endpoints/${id}/certify`, undefined, testMillis) as CertificationView

/** The clients that the client operates. */
export const clients = (): Promise<ReadonlyArray<ClientView>> => readAll("clients")

/** Disables a client at once, or lets it in again. */
export const enableClient = (id: string, enabled: boolean): Promise<unknown> =>
  change("PATCH", `clients/${encodeURIComponent(id)}`, { enabled })

/** The people whom the client operates. */
export const people = (): Promise<ReadonlyArray<PersonView>> => readAll("people")

/** Lets a person sign in, who is known by an e-mail address or by a subject. */
export const addPerson = (person: object): Promise<unknown> => change("POST", "people", person)

/** Changes the name and the grants of a person. */
export const changePerson = (id: string, changed: Pick<PersonView, "name" | "grants">): Promise<unknown> =>
  change("PATCH", `people/${encodeURIComponent(id)}`, changed)

/** Takes away the right to sign in. */
export const removePerson = (id: string): Promise<unknown> =>
  change("DELETE", `people/${encodeURIComponent(id)}`)
