/** What the tests of Dockline for plain asynchronous code start from. */
import { recently } from "@dockline/testing/generators/Given"
import { assert } from "vitest"
import type { Principal } from "../../src/access/Access.ts"
import * as Dockline from "../../src/embed/Dockline.ts"
import * as Memory from "../../src/memory/Memory.ts"

export const everything: Principal = {
  clientId: "everything",
  grants: [{
    business: "acme",
    facilities: "*",
    permissions: ["documents:write", "messages:read", "pallets:write", "shipments:write"]
  }]
}

export const nobody: Principal = { clientId: "nobody", grants: [] }

export const acme = {
  slug: "acme",
  name: "Acme",
  facilities: [{ slug: "east", name: "East", docks: ["D1"] }]
}

export const place = { business: "acme", facility: "east" }

export const item = { lpn: "P1", sku: "S1", quantity: 12, quantityUnit: "CASE" } as const

export const order = (orderNumber: string, more: object = {}): Dockline.DocumentJson => ({
  ...place,
  direction: "OUTBOUND",
  orderNumber,
  dockSlug: "D1",
  items: [item],
  ...more
})

export const eventOf = (eventId: string, lpn = "P1") => ({
  ...place,
  eventId,
  dockSlug: "D1",
  direction: "LOADING",
  occurredAt: recently("17:00:00Z"),
  labels: [{ name: "lpn", value: lpn }]
})

export const open = async (options: Partial<Dockline.Options> = {}) => {
  const dockline = await Dockline.open({ storage: Memory.layer, ...options })
  value(await dockline.places([acme]))
  return dockline
}

/** What a call was answered with; fails the test when it was refused. */
export const value = <A>(answer: Dockline.Answer<A, { readonly message: string }>): A => {
  if (answer.ok) return answer.value
  throw new Error(`refused: ${answer.error.message}`)
}

/** What a call was refused with; fails the test when it was not. */
export const refusal = <E>(answer: Dockline.Answer<unknown, E>): E => {
  if (!answer.ok) return answer.error
  throw new Error(`answered: ${JSON.stringify(answer.value)}`)
}

/** What a promise is rejected with. */
export const rejection = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(() => assert.fail("was not rejected"), (error: unknown) => error)

/** Submits an order, and records these events of its pallet. */
export const record = async (dockline: Dockline.Dockline, ids: ReadonlyArray<string>) => {
  value(await dockline.submit(order("O-1"), everything))
  for (const id of ids) value(await dockline.recordPallet(eventOf(id), everything))
}
