/**
 * What clients read of shipments, one way or another, at whichever instance; and what they ask for though it is none of
 * their business.
 */
import { facilityOf } from "../history/History.ts"
import type { Answered } from "../history/History.ts"
import { asList, asRecord } from "../Json.ts"
import { orderOf, shipmentOf } from "./Shown.ts"
import { get, graphql } from "./WorkloadClient.ts"
import type { Client, Request } from "./WorkloadClient.ts"
import type { Known, State } from "./WorkloadState.ts"

const graphqlSelection =
  "{ id shipmentNumber status orders { orderNumber status items { id lpn lot quantity purchaseOrder description upc } } }"

const listOf = (body: unknown): Answered => ({ shipments: asList(asRecord(body)["items"]).map(shipmentOf) })

type Way = "list" | "id" | "graphql" | "order"

/** Reads a shipment, or one of its orders, one way or another. */
export const readRequest = (
  client: Client,
  shipment: Known,
  ways: ReadonlyArray<Way> = ["list", "id", "graphql", "order"]
): Request => {
  const { account: { business, facility }, random } = client
  const place = `business=${business}&facility=${facility}`
  const { id, shipmentNumber } = shipment
  const way = random.pick(ways)
  const asked = { operation: "read", shipment: shipmentNumber, way } as const
  switch (way) {
    case "list": {
      const path = `/v1/shipments?${place}&shipmentNumber=${encodeURIComponent(shipmentNumber)}`
      return { asked, message: get(path), read: listOf }
    }
    case "id":
      return {
        asked,
        message: get(`/v1/shipments/${id}`),
        read: (body) => ({ shipments: [shipmentOf(body)] })
      }
    case "graphql":
      return {
        asked,
        message: graphql(`query($id: Long!) { shipment(id: $id) ${graphqlSelection} }`, { id }),
        read: (body) => ({ shipments: [shipmentOf(asRecord(asRecord(body)["data"])["shipment"])] })
      }
    case "order": {
      const order = random.pick(shipment.orders)
      return {
        asked: { ...asked, order },
        message: get(`/v1/orders?${place}&orderNumber=${encodeURIComponent(order)}`),
        read: (body) => ({
          shipments: asList(asRecord(body)["items"]).map((each) => ({
            id: Number(asRecord(each)["shipmentId"]),
            shipmentNumber: String(asRecord(each)["shipmentNumber"]),
            status: "",
            orders: [orderOf(each)]
          }))
        })
      }
    }
  }
}

/** Reads shipments of its own place, and now and then asks for what is none of its business. */
export const readAtRandom = async (client: Client, state: State): Promise<void> => {
  const { account: { business, clientId }, random } = client
  const only = facilityOf[clientId]
  while (!state.isStopping) {
    const own = state.shipmentsOf(client.account)
    const foreign = state.shipments.filter((each) =>
      each.business !== business || (only !== undefined && each.facility !== only)
    )
    if (foreign.length > 0 && random.chance(0.2)) {
      await client.attempt(snoopRequest(client, random.pick(foreign)))
    } // The latest are the ones that are written.
    else if (own.length > 0) await client.attempt(readRequest(client, random.pick(own.slice(-8))))
    await client.pause(120)
  }
}

/** Asks for something of another tenant. */
const snoopRequest = (client: Client, { business, facility, id, shipmentNumber }: Known): Request => {
  const list = `business=${business}&facility=${facility}&shipmentNumber=${
    encodeURIComponent(shipmentNumber)
  }`
  const input = `{ businessSlug: "${business}", since: "1970-01-01T00:00:00Z", limit: 5 }`
  const message = client.random.pick([
    get(`/v1/shipments/${id}`),
    get(`/v1/shipments?${list}`),
    graphql(`{ shipment(id: ${id}) ${graphqlSelection} }`),
    graphql(`{ pushMessages(input: ${input}) { id message } }`)
  ])
  return { asked: { operation: "snoop", target: shipmentNumber }, message }
}
