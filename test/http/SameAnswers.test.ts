/**
 * One history on memory and on PostgreSQL: every answer is the same, ids and the current time aside.
 */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { layerMemory, layerPostgres, TestServer } from "../support/TestServer.ts"
import type { DemoClient } from "../support/TestServer.ts"
import { asXml, item, xml } from "./Sample.ts"
import type { Reply } from "./Wire.ts"

interface Step {
  readonly path?: string
  readonly document?: Readonly<Record<string, unknown>>
  readonly client?: DemoClient
  readonly headers?: Readonly<Record<string, string>>
  readonly inXml?: boolean
}

/** Numbers from a seed, so that a failure repeats: a linear congruence (Numerical Recipes). */
const generator = (seed: number) => {
  let state = seed
  return (below: number): number => (state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32) % below
}

/** A history of documents that meet each other: few numbers, all strategies, faults among them, reads between. */
const history = (seed: number, length: number): ReadonlyArray<Step> => {
  const random = generator(seed)
  const pick = <A>(...values: ReadonlyArray<A>): A => values[random(values.length)]!
  const items = () =>
    Array.from({ length: random(4) }, () =>
      item(`L-${random(5)}`, {
        quantity: random(3),
        lot: pick("", "A", "B"),
        isDangerousGood: random(2) === 0,
        ...(random(12) === 0 ? { quantityUnit: pick("", "BOX") } : {})
      }))
  const orderOf = (number: number) => ({
    orderNumber: `O-${number}`,
    sealNumber: pick("", "S1", "S2"),
    expectedQuantity: random(3),
    ...(random(3) === 0 ? {} : { items: items() }),
    ...(random(2) === 0 ? {} : { orderItemUpdateStrategy: pick("APPEND", "MERGE", "DELETE", "OVERWRITE") })
  })
  return Array.from({ length }, (): Step => {
    if (random(10) === 0) {
      return {
        path: pick(
          "/v1/shipments?limit=3",
          "/v1/orders?orderNumber=O-1",
          "/v1/orders?limit=2",
          "/v1/shipments?status=x"
        )
      }
    }
    const head = {
      business: random(15) === 0 ? pick("globex", "nobody") : "acme",
      facility: pick("east", "east", "west"),
      direction: random(8) === 0 ? "INBOUND" : "OUTBOUND",
      carrier: pick("", "C1", "C2"),
      dockSlug: pick("", "D1", "D2"),
      expectedArrivalAt: "2031-05-06T07:08:09Z"
    }
    const document = random(3) === 0
      ? { ...head, shipmentNumber: `S-${random(3)}`, orders: [orderOf(random(4)), orderOf(random(4))] }
      : { ...head, ...orderOf(random(4)), ...(random(2) === 0 ? { shipmentNumber: `S-${random(3)}` } : {}) }
    return {
      document,
      client: random(8) === 0 ? "acme-east-client" : "acme-client",
      inXml: random(4) === 0,
      headers: {
        ...(random(6) === 0 ? { prefer: pick("dry-run", "return=minimal") } : {}),
        ...(random(6) === 0 ? { "idempotency-key": `K-${random(4)}` } : {}),
        ...(random(6) === 0 ? { accept: "text/xml" } : {})
      }
    }
  })
}

/** Ids by the order in which they appear, and times near the present by name. */
const normalizer = () => {
  const names = new Map<string, string>()
  const nameOf = (kind: string, id: unknown): string => {
    if (id === "" || id === 0) return `no ${kind}`
    const key = `${kind} ${String(id)}`
    const name = names.get(key) ?? `${kind} #${names.size}`
    names.set(key, name)
    return name
  }
  const visit = (value: unknown, kind: string): unknown => {
    if (Array.isArray(value)) return value.map((entry) => visit(entry, kind))
    if (typeof value === "string") return Math.abs(Date.parse(value) - Date.now()) < 3_600_000 ? "now" : value
    if (typeof value !== "object" || value === null) return value
    const members = value as Readonly<Record<string, unknown>>
    return Object.fromEntries(
      Object.entries(members).map(([name, member]) => {
        if (name === "id") return [name, nameOf(String(members["type"] ?? kind), member)]
        if (name === "dockId") return [name, nameOf("DOCK", member)]
        if (name === "shipmentId") return [name, nameOf("SHIPMENT", member)]
        if (name === "next") return [name, member === null ? null : "next"]
        return [
          name,
          visit(
            member,
            name === "orders" ? "ORDER" : name === "items" && kind === "ORDER" ? "ORDER_ITEM" : kind
          )
        ]
      })
    )
  }
  return (step: Step, { status, headers, body }: Reply) => {
    const { items, ...rest } = body as { readonly items?: unknown }
    const listed = visit(items, step.path?.startsWith("/v1/orders") === true ? "ORDER" : "SHIPMENT")
    return [
      step,
      status,
      "location" in headers,
      headers["idempotency-replayed"],
      listed,
      visit(rest, "SHIPMENT")
    ]
  }
}

const replay = (steps: ReadonlyArray<Step>) =>
  Effect.gen(function*() {
    const server = yield* TestServer
    const normalize = normalizer()
    const answers: Array<unknown> = []
    for (const step of steps) {
      const { path, document, client = "acme-client", headers = {}, inXml = false } = step
      const reply = yield* path === undefined
        ? server.post(inXml ? xml(document!) : document, {
          client,
          headers: { ...(inXml ? asXml : {}), ...headers }
        })
        : server.get(path, { client })
      answers.push(normalize(step, reply))
    }
    return answers
  })

it.live.each([1, 2, 3])(
  "D5 the same answers on memory and on PostgreSQL, history %s",
  (seed) =>
    Effect.gen(function*() {
      const steps = history(seed, 80)
      const onMemory = yield* Effect.provide(replay(steps), layerMemory())
      const onPostgres = yield* Effect.provide(replay(steps), layerPostgres())
      onPostgres.forEach((answer, index) => assert.deepStrictEqual(answer, onMemory[index], `step ${index}`))
      const statuses = new Set(onMemory.map((answer) => (answer as ReadonlyArray<unknown>)[1]))
      for (const status of [200, 201, 409, 422]) assert.include(statuses, status)
    })
)
