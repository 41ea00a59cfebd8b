/**
 * Reads of shipments, over different interfaces, at any instance; and requests for shipments of other tenants.
 */
import { facilityOf } from "../history/History.ts"
import type { AskedOf } from "../history/History.ts"
import { asList, asRecord } from "../Json.ts"
import type { Actor, Known } from "./Actor.ts"
import { graphql } from "./Client.ts"
import type { Client, Request } from "./Client.ts"
import { orderOf, shipmentOf } from "./Documents.ts"

const selection =
  "{ id shipmentNumber status orders { orderNumber status items { id lpn lot quantity purchaseOrder description upc } } }"

const listPath = (list: string, { business, facility }: Known, name: string, value: string) =>
  `/v1/${list}?business=${business}&facility=${facility}&${name}=${encodeURIComponent(value)}`

type Way = AskedOf<"read">["way"]

/** The request of each way of reading, and the shipments in its answer. */
const ways: Readonly<
  Record<Way, (known: Known, order: string) => readonly [Request["message"], (body: unknown) => unknown]>
> = {
  list: (known) => [
    { path: listPath("shipments", known, "shipmentNumber", known.shipmentNumber) },
    (body) => asRecord(body)["items"]
  ],
  id: ({ id }) => [{ path: `/v1/shipments/${id}` }, (body) => [body]],
  graphql: ({ id }) => [
    graphql(`query($id: Long!) { shipment(id: $id) ${selection} }`, { id }),
    (body) => [asRecord(asRecord(body)["data"])["shipment"]]
  ],
  order: (known, order) => [
    { path: listPath("orders", known, "orderNumber", order) },
    (body) =>
      asList(asRecord(body)["items"]).map((each) => {
        const { shipmentId, shipmentNumber } = asRecord(each)
        return { id: shipmentId, shipmentNumber, status: "", orders: [orderOf(each)] }
      })
  ]
}

export const readRequest = (
  { random }: Client,
  known: Known,
  among: ReadonlyArray<Way> = ["list", "id", "graphql", "order"]
): Request => {
  const way = random.pick(among)
  const order = random.pick(known.orders)
  const [message, shown] = ways[way](known, order)
  return {
    asked: {
      operation: "read",
      shipment: known.shipmentNumber,
      way,
      order: way === "order" ? order : undefined
    },
    message,
    read: (body) => ({ shipments: asList(shown(body)).map(shipmentOf) })
  }
}

/** Reads shipments of its own place, and sometimes requests those of other tenants. */
export const readAtRandom = (actor: Actor): Promise<void> => {
  const { account: { business, clientId }, random, state } = actor
  const only = facilityOf[clientId]
  return actor.repeat(async () => {
    const own = state.shipmentsOf(actor.account)
    const foreign = state.shipments.filter((each) =>
      each.business !== business || (only !== undefined && each.facility !== only)
    )
    if (foreign.length > 0 && random.chance(0.2)) {
      await actor.attempt(snoopRequest(actor, random.pick(foreign)))
    } // The latest shipments are those that are being written.
    else if (own.length > 0) await actor.attempt(readRequest(actor, random.pick(own.slice(-8))))
  }, 120)
}

/** A request for a shipment of another tenant. */
const snoopRequest = ({ random }: Client, known: Known): Request => {
  const { business, id, shipmentNumber } = known
  const input = `{ businessSlug: "${business}", since: "1970-01-01T00:00:00Z", limit: 5 }`
  const message = random.pick([
    { path: `/v1/shipments/${id}` },
    { path: listPath("shipments", known, "shipmentNumber", shipmentNumber) },
    graphql(`{ shipment(id: ${id}) ${selection} }`),
    graphql(`{ pushMessages(input: ${input}) { id message } }`)
  ])
  return { asked: { operation: "snoop", target: shipmentNumber }, message }
}
