/**
 * What clients do with documents: registers that are overwritten, sets that grow, orders that several merge into at
 * once.
 */
import { markFields } from "../history/History.ts"
import type { Answered, Lpns, Mark } from "../history/History.ts"
import { asList, asRecord } from "../Json.ts"
import { shipmentOf } from "./Shown.ts"
import { newRequest, post } from "./WorkloadClient.ts"
import type { Account, Client, Request } from "./WorkloadClient.ts"
import type { Known, State } from "./WorkloadState.ts"

/** The sku of every item: items of an order differ by their lpn. */
const sku = "SKU"

const document = (
  account: Account,
  shipmentNumber: string,
  strategy: string,
  orders: ReadonlyArray<unknown>
) => ({
  business: account.business,
  facility: account.facility,
  direction: "OUTBOUND",
  shipmentNumber,
  orderItemUpdateStrategy: strategy,
  orders
})

const intakeAnswer = (body: unknown): Answered => {
  const { created, removed, shipment, updated } = asRecord(body)
  return {
    shipments: [shipmentOf(shipment)],
    counts: [asList(created).length, asList(updated).length, asList(removed).length]
  }
}

/** A register: a shipment of some orders, all items of which say the version that was written last. */
export interface Register {
  readonly shipmentNumber: string
  readonly orders: ReadonlyArray<string>
  readonly items: number
}

const overwrite = (
  account: Account,
  register: Register,
  version: string,
  key: string | undefined
): Request => ({
  asked: {
    operation: "overwrite",
    shipment: register.shipmentNumber,
    version,
    orders: register.orders,
    items: register.items
  },
  once: key !== undefined,
  message: post(
    "/v1/documents",
    document(
      account,
      register.shipmentNumber,
      "OVERWRITE",
      register.orders.map((orderNumber) => ({
        orderNumber,
        items: Array.from({ length: register.items }, (_, at) => ({
          lpn: `${orderNumber}/${at}`,
          sku,
          lot: version,
          quantity: at,
          quantityUnit: "CASE"
        }))
      }))
    ),
    key
  ),
  read: intakeAnswer
})

/** Writes one version after another. Half of them with a key; without one each try is a version of its own. */
export const writeRegister = async (client: Client, state: State, register: Register): Promise<void> => {
  const { account, random } = client
  for (let version = 1; !state.isStopping; version++) {
    const request = newRequest()
    if (random.chance(0.5)) {
      const keyed = overwrite(account, register, `v${version}`, request)
      const { body, outcome } = await client.settle(keyed, state.isOver, request)
      if (outcome.type === "ok") know(state, account, body, register.orders)
    } else {
      for (let attempt = 1;; attempt++) {
        const result = await client.attempt(
          overwrite(account, register, `v${version}.${attempt}`, undefined),
          request
        )
        if (result.outcome.type === "ok") know(state, account, result.body, register.orders)
        if (result.outcome.type === "ok" || state.isOver()) break
        await client.pause(300)
      }
    }
    await client.pause(150)
  }
}

const know = (
  state: State,
  { business, facility }: Account,
  body: unknown,
  orders: ReadonlyArray<string>
): Known => {
  const { id, shipmentNumber } = shipmentOf(asRecord(body)["shipment"])
  const known = { id, shipmentNumber, business, facility, orders }
  if (id > 0) state.add(known)
  return known
}

/** Items that are added in one document, and a field that is set. */
interface Addition {
  readonly shipmentNumber: string
  readonly strategy: "APPEND" | "MERGE"
  readonly own: Lpns
  readonly mark?: Mark
  readonly contested?: true
}

const item = (lpn: string, more: object) => ({ lpn, sku, quantity: 1, quantityUnit: "CASE", ...more })

/** The request that adds items, under a key. */
export const addRequest = (
  account: Account,
  { contested, mark, own, shipmentNumber, strategy }: Addition,
  key: string
): Request => ({
  asked: {
    operation: "add",
    shipment: shipmentNumber,
    own,
    ...(mark === undefined ? {} : { mark }),
    ...(contested === undefined ? {} : { contested })
  },
  once: true,
  message: post(
    "/v1/documents",
    document(
      account,
      shipmentNumber,
      strategy,
      Object.entries(own).map(([orderNumber, lpns]) => ({
        orderNumber,
        items: [
          ...lpns.map((lpn) => item(lpn, { lot: key })),
          ...(mark?.order === orderNumber ? [item(mark.lpn, { [mark.field]: mark.value })] : [])
        ]
      }))
    ),
    key
  ),
  read: intakeAnswer
})

/** Adds pallets to a set by several documents, each repeated under its key until it is known to be there. */
export const growSet = async (client: Client, state: State): Promise<void> => {
  const { account: { business, facility }, random } = client
  while (!state.isStopping) {
    const shipmentNumber = state.name(business, facility, "S")
    const orders = [state.name(business, facility, "O"), state.name(business, facility, "O")]
    for (let left = random.int(3, 12); left > 0 && !state.isStopping; left--) {
      await addOnce(client, state, {
        shipmentNumber,
        strategy: "APPEND",
        own: lpnsFor(client, state, orders)
      })
      await client.pause(150)
    }
  }
}

export const lpnsFor = (client: Client, state: State, orders: ReadonlyArray<string>): Lpns => {
  const { account: { business, facility }, random } = client
  return Object.fromEntries(
    orders.map((order) => [
      order,
      Array.from({ length: random.int(1, 4) }, () => state.name(business, facility, "L"))
    ])
  )
}

/** Adds items once, however often it takes; what is known of the shipment then. Now and then it asks again, in doubt. */
export const addOnce = async (
  client: Client,
  state: State,
  addition: Addition,
  instance?: number
): Promise<Known | undefined> => {
  const request = newRequest()
  const asked = {
    ...addRequest(client.account, addition, request),
    ...(instance === undefined ? {} : { instance })
  }
  const { body, outcome } = await client.settle(asked, state.isOver, request)
  if (outcome.type !== "ok") return undefined
  if (client.random.chance(0.2)) await client.attempt(asked, request)
  return know(state, client.account, body, Object.keys(addition.own))
}

/**
 * Has several clients make the same shipment and merge into the same order, all at once, again and again: an item of
 * its own each, and a field of its own of the one item that all of them write.
 */
export const contend = async (clients: ReadonlyArray<Client>, state: State): Promise<void> => {
  const [first] = clients
  const { business, facility } = first!.account
  while (!state.isStopping) {
    const shipmentNumber = state.name(business, facility, "S")
    const order = state.name(business, facility, "O")
    const shared = state.name(business, facility, "L")
    for (let left = 4; left > 0 && !state.isStopping; left--) {
      await Promise.all(clients.map((client, at) => {
        const own = { [order]: [state.name(business, facility, "L")] }
        const mark = {
          order,
          lpn: shared,
          field: markFields[at]!,
          value: state.name(business, facility, "M")
        }
        return addOnce(client, state, { shipmentNumber, strategy: "MERGE", own, mark })
      }))
    }
    await first!.pause(300)
  }
}
