/**
 * The documents of clients: registers that are overwritten, sets that grow, and orders into which several clients merge at once.
 */
import { markFields } from "../history/History.ts"
import type { Answered, AskedOf, Lpns } from "../history/History.ts"
import { asList, asRecord, listOf, shaped } from "../Json.ts"
import type { Actor, Known } from "./Actor.ts"
import { newRequest, patienceFor } from "./Client.ts"
import type { Account, Request } from "./Client.ts"

const itemOf = shaped({
  id: String,
  lpn: String,
  lot: String,
  quantity: Number,
  purchaseOrder: String,
  description: String,
  upc: String
})

export const orderOf = shaped({ orderNumber: String, status: String, items: listOf(itemOf) })

export const shipmentOf = shaped({
  id: Number,
  shipmentNumber: String,
  status: String,
  orders: listOf(orderOf)
})

const intakeAnswer = (body: unknown): Answered => {
  const { created, removed, shipment, updated } = asRecord(body)
  return {
    shipments: [shipmentOf(shipment)],
    counts: [asList(created).length, asList(updated).length, asList(removed).length]
  }
}

/** An item; no two items of an order share an LPN. */
const item = (lpn: string, more: object) => ({ lpn, sku: "SKU", quantity: 1, quantityUnit: "CASE", ...more })

type Strategy = "OVERWRITE" | "APPEND" | "MERGE"

/** The request that sends a document; without a key, each attempt counts as a separate request. */
const documentRequest = (
  { business, facility }: Account,
  asked: AskedOf<"overwrite"> | AskedOf<"add">,
  orderItemUpdateStrategy: Strategy,
  orders: ReadonlyArray<{ readonly orderNumber: string; readonly items: ReadonlyArray<object> }>,
  key: string | undefined
): Request => {
  const place = { business, facility, direction: "OUTBOUND", shipmentNumber: asked.shipment }
  const body = { ...place, orderItemUpdateStrategy, orders }
  return { asked, once: key !== undefined, message: { path: "/v1/documents", body, key }, read: intakeAnswer }
}

/** Adds the shipment in an answer to the shipments that the actor knows. */
const know = (actor: Actor, body: unknown, orders: ReadonlyArray<string>): Known => {
  const { id, shipmentNumber } = shipmentOf(asRecord(body)["shipment"])
  return actor.knows(id, shipmentNumber, orders)
}

/**
 * Overwrites a register again and again: all items of both orders of a shipment must have the version of the last write. Half of the writes
 * have a key; without a key, each attempt writes a version of its own.
 */
export const writeRegister = async (actor: Actor): Promise<void> => {
  const register = {
    operation: "overwrite",
    shipment: actor.name("S"),
    orders: [actor.name("O"), actor.name("O")],
    items: actor.random.int(2, 40)
  } as const
  const { items, orders } = register
  const write = (version: string, key?: string) =>
    documentRequest(
      actor.account,
      { ...register, version },
      "OVERWRITE",
      orders.map((orderNumber) => ({
        orderNumber,
        items: Array.from({ length: items }, (_, at) =>
          item(`${orderNumber}/${at}`, { lot: version, quantity: at }))
      })),
      key
    )
  let version = 0
  await actor.repeat(async () => {
    version++
    const request = newRequest()
    if (actor.random.chance(0.5)) {
      const { body, outcome } = await actor.finish(write(`v${version}`, request), 0, request)
      if (outcome.type === "ok") know(actor, body, orders)
      return
    }
    for (let attempt = 1;; attempt++) {
      const { body, outcome } = await actor.attempt(write(`v${version}.${attempt}`), request)
      if (outcome.type === "ok") know(actor, body, orders)
      if (outcome.type === "ok" || actor.state.isOver()) return
      await actor.pause(300)
    }
  }, 150)
}

/** The items that one document adds, and a field that it sets. */
export type Addition = Omit<AskedOf<"add">, "operation">

/** The request that adds items, with a key. */
export const addRequest = (
  account: Account,
  addition: Addition,
  key: string,
  strategy: Strategy = "APPEND"
): Request => {
  const { mark, own } = addition
  const orders = Object.entries(own).map(([orderNumber, lpns]) => ({
    orderNumber,
    items: [
      ...lpns.map((lpn) => item(lpn, { lot: key })),
      ...(mark?.order === orderNumber ? [item(mark.lpn, { [mark.field]: mark.value })] : [])
    ]
  }))
  return {
    ...documentRequest(account, { operation: "add", ...addition }, strategy, orders, key),
    patience: patienceFor(Object.values(own).flat().length)
  }
}

/** Adds items once, with as many attempts as necessary, and returns the shipment. Sometimes it repeats the request afterwards. */
export const addOnce = async (
  actor: Actor,
  addition: Addition,
  strategy?: Strategy
): Promise<Known | undefined> => {
  const request = newRequest()
  const asked = addRequest(actor.account, addition, request, strategy)
  const { body, outcome } = await actor.finish(asked, 0.2, request)
  return outcome.type === "ok" ? know(actor, body, Object.keys(addition.own)) : undefined
}

export const lpnsFor = (actor: Actor, orders: ReadonlyArray<string>): Lpns =>
  Object.fromEntries(orders.map((order) => [order, actor.names("L", 1, 4)]))

/** Grows one set after another: several documents add items to it, and each is repeated with its key until it is acknowledged. */
export const growSet = (actor: Actor): Promise<void> =>
  actor.repeat(async () => {
    const shipment = actor.name("S")
    const orders = [actor.name("O"), actor.name("O")]
    for (let left = actor.random.int(3, 12); left > 0 && !actor.state.isStopping; left--) {
      await addOnce(actor, { shipment, own: lpnsFor(actor, orders) })
      await actor.pause(150)
    }
  }, 0)

/**
 * Again and again, several clients at once create the same shipment and merge into the same order: each client adds its own item, and sets
 * its own field of a shared item.
 */
export const contend = (actor: Actor): Promise<void> => {
  const actors = ["first", "second", "third"].map((name) => actor.other(name))
  return actor.repeat(async () => {
    const [shipment, order, lpn] = [actor.name("S"), actor.name("O"), actor.name("L")]
    for (let left = 4; left > 0 && !actor.state.isStopping; left--) {
      await Promise.all(actors.map((each, at) => {
        const mark = { order, lpn, field: markFields[at]!, value: actor.name("M") }
        return addOnce(each, { shipment, own: { [order]: [actor.name("L")] }, mark }, "MERGE")
      }))
    }
  }, 300)
}
