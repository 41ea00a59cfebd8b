/** How much one operation may ask for, how long it may take, and that what it asks for twice is loaded once (D8.8). */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { GraphqlEngine, makeEngine } from "../../src/engine/Engine.ts"
import { defaultOperationLimits } from "../../src/GraphqlConfig.ts"
import { engine, withChanges } from "../EngineSetup.ts"
import * as Running from "../Running.ts"
import { reasons, test } from "../Running.ts"

/** An engine that counts the reads of lists, each of which first runs `before`. */
const counting = (before: Effect.Effect<unknown> = Effect.void) =>
  Effect.map(GraphqlEngine, ({ services }) => {
    const calls: Array<string> = []
    const withCount = <Args extends ReadonlyArray<unknown>, A, E>(
      name: string,
      read: (...args: Args) => Effect.Effect<A, E>
    ) =>
    (...args: Args) =>
      Effect.suspend(() => {
        calls.push(name)
        return Effect.andThen(before, read(...args))
      })
    const { intake, messages, pallets, shipments } = services
    const countingServices = {
      shipments: {
        ...shipments,
        get: withCount("shipment", shipments.get),
        items: withCount("items", shipments.items),
        list: withCount("shipments", shipments.list),
        listOrders: withCount("orders", shipments.listOrders)
      },
      pallets: { ...pallets, ofShipment: withCount("pallets", pallets.ofShipment) },
      messages: { ...messages, history: withCount("pushMessages", messages.history) },
      intake: { ...intake, receive: withCount("submit", intake.receive) }
    }
    const counting = makeEngine(withChanges(services, countingServices))
    const ask = (query: string, variables?: Record<string, unknown>) =>
      Effect.provideService(Running.ask(query, variables), GraphqlEngine, counting)
    return { ask, calls }
  })

const aliases = (count: number, field: string) =>
  `{ ${Array.from({ length: count }, (_, index) => `a${index}: ${field}`).join(" ")} }`

const document = {
  business: "acme",
  facility: "east",
  direction: "OUTBOUND",
  orderNumber: "A",
  items: [{ lpn: "L", sku: "S", quantity: 1, quantityUnit: "CASE" }]
}

const submit = "submitDocument(input: $input) { shipment { id } }"

const since = "since: \"2020-01-01T00:00:00Z\""

describe("what an operation asks for more than once (D8.8)", () => {
  // @threat requests.14
  test("is loaded once, however many aliases show it, and whatever each shows", function*() {
    const { ask, calls } = yield* counting()
    yield* ask(`mutation ($input: DocumentInput!) { ${submit} }`, { input: document })
    calls.length = 0
    const { data, errors } = yield* ask(
      aliases(15, "shipments(first: 5) { nodes { id orders { items { lpn } } } }")
    )
    expect(errors).toBe(undefined)
    expect(new Set(Object.values(data as object).map((value) => JSON.stringify(value))).size).toBe(1)
    expect(calls).toEqual(["shipments"])
    calls.length = 0
    yield* ask("{ a: shipments { nodes { id } } b: shipments { edges { node { status } } } }")
    yield* ask(
      "query ($n: Int) { a: shipments(first: $n) { nodes { id } } b: shipments(first: 7) { nodes { id } } }",
      { n: 7 }
    )
    expect(calls).toEqual(["shipments", "shipments"])
    calls.length = 0
    yield* ask(aliases(15, `pushMessages(input: { businessSlug: "acme", ${since}, limit: 10 }) { id }`))
    expect(calls).toEqual(["pushMessages"])
  })

  test("is no shipment where its lists alone are shown, which say themselves that it is not there", function*() {
    const { ask, calls } = yield* counting()
    const { data } = yield* ask(`mutation ($input: DocumentInput!) { ${submit} }`, { input: document })
    const { id } = (data as { readonly submitDocument: { readonly shipment: { readonly id: number } } })
      .submitDocument.shipment
    const items = "items { nodes { lpn orderNumber } }"
    const askFor = (id: number, fields: string) => ask(`{ shipment(id: ${id}) { ${fields} } }`)
    calls.length = 0
    expect(yield* askFor(id, `${items} pallets { nodes { id } }`)).toEqual({
      data: { shipment: { items: { nodes: [{ lpn: "L", orderNumber: "A" }] }, pallets: { nodes: [] } } }
    })
    expect(calls).toEqual(["items", "pallets"])
    for (
      const [unknown, fields, load] of [
        [999, items, "items"],
        [0, items, "shipment"],
        [999, "id @skip(if: true)", "shipment"],
        [999, `__typename ${items}`, "shipment"]
      ] as const
    ) {
      calls.length = 0
      const answer = yield* askFor(unknown, fields)
      expect([answer.data, reasons(answer), calls]).toEqual([{ shipment: null }, ["SHIPMENT_NOT_FOUND"], [
        load
      ]])
    }
  })

  test("is loaded once for each entry of a list that shows it", function*() {
    const { ask, calls } = yield* counting()
    for (const orderNumber of ["A", "B"]) {
      yield* ask(`mutation ($input: DocumentInput!) { ${submit} }`, { input: { ...document, orderNumber } })
    }
    calls.length = 0
    const { errors } = yield* ask(
      "{ shipments { nodes { a: pallets(first: 1) { nodes { id } } b: pallets(first: 1) { nodes { lpn } } } } }"
    )
    expect(errors).toBe(undefined)
    expect(calls).toEqual(["shipments", "pallets", "pallets"])
  })

  test("is loaded for each where the arguments differ, and again after a mutation", function*() {
    const { ask, calls } = yield* counting()
    yield* ask("{ a: shipments { nodes { id } } b: shipments(status: ARRIVED) { nodes { id } } }")
    yield* ask("{ a: orders { nodes { id } } b: orders(orderNumber: \"A\") { nodes { id } } }")
    expect(calls).toEqual(["shipments", "shipments", "orders", "orders"])
    calls.length = 0
    const { data } = yield* ask(
      `mutation ($input: DocumentInput!) { a: submitDocument(input: $input) { created { id } }
        b: submitDocument(input: $input) { created { id } } }`,
      { input: document }
    )
    expect(calls).toEqual(["submit", "submit"])
    expect(data).toMatchObject({ a: { created: { length: 3 } }, b: { created: { length: 1 } } })
  })
})

describe("the entries that the lists of an operation could hold (D8.8)", () => {
  const all = "pallets { nodes { id } } discrepancies { nodes { kind } } items { nodes { lpn } }"

  // @threat requests.14
  test("are bounded before anything is read", function*() {
    const { ask, calls } = yield* counting()
    const refusals: ReadonlyArray<readonly [query: string, variables?: Record<string, unknown>]> = [
      [aliases(2, `shipments { nodes { ${all} } }`)],
      [
        aliases(2, "shipments(first: 100) { edges { node { ...f } } }") +
        `fragment f on Shipment { ${all} }`
      ],
      [`{ shipments { nodes { ${all} } edges { node { ... on Shipment { ${all} } } } } }`],
      [
        `query ($n: Int) { shipments(first: $n) { nodes { ${all} x: pallets { nodes { id } } y: pallets { nodes { id } }
        z: pallets(first: $n) { nodes { id } } } } }`,
        { n: 100 }
      ],
      [`query ($n: Int = 100) { shipments(first: $n) { nodes { ${all} ${
        ["x", "y"].map((name) => `${name}: items(first: $n) { nodes { lpn } }`).join(" ")
      } } } }`],
      [aliases(6, `pushMessages(input: { businessSlug: "acme", ${since} }) { id }`)]
    ]
    for (const [query, variables] of refusals) {
      const result = yield* ask(query, variables)
      expect([query, reasons(result)]).toEqual([query, ["OPERATION_TOO_COSTLY"]])
      expect(result.errors?.[0]?.extensions["code"]).toBe("BAD_USER_INPUT")
      expect(result.errors?.[0]?.message).toMatch(/more than 50000 entries; ask for a smaller first/)
      expect("data" in result).toBe(false)
    }
    expect(calls).toEqual([])
  })

  test("leave room for what pages and customers ask for", function*() {
    const { ask } = yield* counting()
    for (
      const [query, variables] of [
        [`{ shipments { nodes { ${all} } } }`],
        [aliases(15, "shipments { nodes { id orders { items { lpn } } } }")],
        [aliases(15, `shipments(first: 10) { nodes { ${all} } }`)],
        [aliases(5, `pushMessages(input: { businessSlug: "acme", ${since} }) { id }`)],
        ["query ($n: Int) { shipments(first: $n) { nodes { id } } }"],
        ["query ($n: Int = 5) { a: shipments(first: $n) { nodes { id } } }", { n: 6 }]
      ] as ReadonlyArray<readonly [string, Record<string, unknown>?]>
    ) {
      expect([query, (yield* ask(query, variables)).errors]).toEqual([query, undefined])
    }
  })
})

describe("the entries that the lists of its arguments hold (D8.8)", () => {
  const items = (count: number) => Array.from({ length: count }, () => ({ lpn: "L", sku: "S" }))
  const serials = (count: number) =>
    Array.from({ length: count }, (_, id) => ({ id: String(id), quantity: 1 }))

  // @threat requests.18
  test(
    "are bounded before anything is read, however deep a list is and however many aliases name it",
    function*() {
      const { ask, calls } = yield* counting()
      const submission = (index: number) => `a${index}: ${submit}`
      const many = `mutation ($input: DocumentInput!) { ${[1, 2, 3].map(submission).join(" ")} }`
      const follow =
        "subscription ($filter: PushMessageSubscriptionFilter!) { pushMessage(filter: $filter) { id } }"
      const types = Array.from({ length: 11 }, () => "PALLET_EVENT").join(" ")
      const history =
        `pushMessages(input: { businessSlug: "acme", ${since}, messageTypes: [${types}] }) { id }`
      const refusals: ReadonlyArray<readonly [query: string, variables?: Record<string, unknown>]> = [
        [many, { input: { ...document, items: items(7) } }],
        [
          `mutation ($input: DocumentInput!) { ...f } fragment f on Mutation { ${submit} }`,
          { input: { ...document, items: [{ ...document.items[0], caseSerials: serials(20) }] } }
        ],
        [aliases(2, history)],
        [
          `query ($types: [MessageType!] = [${types}]) { ${
            aliases(2, history.replace(`[${types}]`, "$types")).slice(1)
          }`
        ],
        [many, { input: Array.from({ length: 7 }, () => document) }],
        [many, { input: { nobody: { knows: [[[...items(5)]]] } } }],
        [follow, {
          filter: { businessSlug: "acme", messageTypes: Array.from({ length: 21 }, () => "PALLET_EVENT") }
        }]
      ]
      for (const [query, variables] of refusals) {
        const result = yield* ask(query, variables)
        expect([query, reasons(result)]).toEqual([query, ["OPERATION_TOO_COSTLY"]])
        expect("data" in result).toBe(false)
      }
      expect(calls).toEqual([])
      const { errors } = yield* ask(many, { input: { ...document, items: items(6) } })
      expect(reasons({ errors: errors ?? [] })).not.toContain("OPERATION_TOO_COSTLY")
    },
    { limits: { ...defaultOperationLimits, entries: 20 } }
  )
})

describe("the time of an operation (D8.8)", () => {
  // @threat requests.14
  it.live("ends a query that reads on, and what would have been read after it", () =>
    Effect.gen(function*() {
      const { ask, calls } = yield* counting(Effect.never)
      const result = yield* ask("{ a: shipments { nodes { id } } b: orders { nodes { id } } }")
      expect(reasons(result)).toEqual(["OPERATION_TOO_SLOW"])
      expect(result.errors?.[0]?.message).toMatch(
        /^The operation was ended after 0.05 seconds; ask for fewer lists/
      )
      expect(calls).toEqual(["shipments"])
    }).pipe(Effect.provide(engine({ timeoutMillis: 50 }))))

  it.live("ends no mutation that has begun, and begins none afterwards", () =>
    Effect.gen(function*() {
      const { ask, calls } = yield* counting(Effect.sleep(60))
      const result = yield* ask(
        `mutation ($a: DocumentInput!, $b: DocumentInput!) { a: submitDocument(input: $a) { created { reference } }
          b: submitDocument(input: $b) { created { id } } }`,
        { a: document, b: { ...document, orderNumber: "B" } }
      )
      expect(reasons(result)).toEqual(["OPERATION_TOO_SLOW"])
      expect(calls).toEqual(["submit"])
      const { data } = yield* Effect.flatMap(counting(), ({ ask }) =>
        ask("{ orders { nodes { orderNumber } } }"))
      expect(data).toEqual({ orders: { nodes: [{ orderNumber: "A" }] } })
    }).pipe(Effect.provide(engine({ timeoutMillis: 50 }))))
})
