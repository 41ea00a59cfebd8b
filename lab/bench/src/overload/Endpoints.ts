/**
 * The customers' webhook endpoints: `/good` takes everything, `/flaky` refuses one delivery in twenty for a second. They
 * check signatures now and then, and the order within each shipment always: a message of a shipment comes first when all
 * earlier ones of it have been taken.
 */
import { headerIn } from "../Deliveries.ts"
import type { Delivery, Take } from "../Deliveries.ts"
import { signatureOf } from "../webhooks/Workload.ts"

/** How an endpoint behaves, as its path says. */
export const behaviours = ["good", "flaky"] as const

/** How an endpoint behaves. */
export type Behaviour = (typeof behaviours)[number]

/** One delivery in so many has its signature checked. */
const checkedEach = 200

/** One delivery in so many is refused by the flaky endpoint. */
const refusedEach = 20

const shipmentMark = Buffer.from("\"serviceShipmentId\":\"")

/** What an endpoint does with each delivery. */
const endpoint = (behaviour: Behaviour, onFault: (what: string) => void): Take => {
  const ids = new Set<number>()
  /** By shipment: the last message of it that was taken. */
  const lastOf = new Map<string, number>()
  let requests = 0
  const check = ({ body, head, id }: Delivery) => {
    const due = signatureOf(`msg_${id}`, headerIn(head, "webhook-timestamp") ?? "", body.toString())
    if (headerIn(head, "webhook-signature") === due) return
    onFault(`${behaviour}: the signature of message ${id} does not hold`)
  }
  return (delivery) => {
    const { body, id, target } = delivery
    requests += 1
    if (behaviour === "flaky" && requests % refusedEach === 0) return "later"
    if (requests % checkedEach === 1) check(delivery)
    if (ids.has(id)) return "taken"
    ids.add(id)
    const at = body.indexOf(shipmentMark) + shipmentMark.length
    const shipment = body.toString("latin1", at, body.indexOf(34, at))
    if (id < (lastOf.get(shipment) ?? 0)) {
      onFault(`${behaviour}: message ${id} of shipment ${shipment} came after a later one`)
    }
    lastOf.set(shipment, id)
    // A completion is the last of its shipment.
    if (target.endsWith("/shipmentComplete")) lastOf.delete(shipment)
    return "taken"
  }
}

/** All endpoints, each under its path. */
export const endpoints = (onFault: (what: string) => void): Take => {
  const all = behaviours.map((behaviour) => [`/${behaviour}/`, endpoint(behaviour, onFault)] as const)
  return (delivery) => {
    const [, take] = all.find(([path]) => delivery.target.startsWith(path)) ?? []
    if (take === undefined) onFault(`a delivery to ${delivery.target}`)
    return take?.(delivery)
  }
}
