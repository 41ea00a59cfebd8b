/** How large one answer may grow over all its fields, and that nothing written is answered with a refusal (D8.8). */
import { describe, expect } from "@effect/vitest"
import { Effect } from "effect"
import { GraphqlEngine, makeEngine } from "../../src/engine/Engine.ts"
import { withChanges } from "../EngineSetup.ts"
import { ask, reasons, test } from "../Running.ts"

const documentOf = (orderNumber: string, items = 100) => ({
  business: "acme",
  facility: "east",
  direction: "OUTBOUND",
  orderNumber,
  items: Array.from({ length: items }, (_, index) => ({
    lpn: `${orderNumber}-${index}`,
    sku: "S",
    quantity: 1,
    quantityUnit: "CASE"
  }))
})

const submit = "mutation ($input: DocumentInput!) { submitDocument(input: $input) { shipment { id } } }"

/** Makes a shipment of 100 items. */
const shipmentOf = (orderNumber: string) =>
  Effect.map(
    ask(submit, { input: documentOf(orderNumber) }),
    ({ data }) => (data as { submitDocument: { shipment: { id: number } } }).submitDocument.shipment.id
  )

/** 100 items, whose lpn and description take some 4,000 characters of an answer. */
const small = { answerTextLimit: 8000 }

const lpns = "orders { items { lpn description } }"

describe("an answer (D8.8)", () => {
  test("shows a shipment or a page once, however large", function*() {
    const id = yield* shipmentOf("A")
    for (
      const query of [
        `{ shipment(id: ${id}) { ${lpns} } }`,
        `{ shipment(id: ${id}) { ...a ...a ${lpns} } } fragment a on Shipment { orders { items { lpn } } }`,
        `{ shipments { nodes { ${lpns} } } }`,
        `{ shipments { edges { cursor node { ${lpns} } } } }`,
        "{ orders { nodes { number: orderNumber items { plate: lpn } } } }",
        `{ shipment(id: ${id}) { ${lpns} other: orders @skip(if: true) { items { lpn } } } }`
      ]
    ) {
      expect((yield* ask(query)).errors).toBe(undefined)
    }
  }, { answerTextLimit: 100 })

  test("is refused beyond the limit, counted once for each alias, fragment and form", function*() {
    const id = yield* shipmentOf("A")
    const one = `shipment(id: ${id}) { ${lpns} }`
    expect((yield* ask(`{ ${one} }`)).errors).toBe(undefined)
    for (
      const query of [
        `{ a: ${one} b: ${one} c: ${one} }`,
        `{ a: shipment(id: ${id}) { ...f } b: shipment(id: ${id}) { ...f } c: shipment(id: ${id}) { ...f } } ` +
        `fragment f on Shipment { ${lpns} }`,
        `{ shipment(id: ${id}) { a: ${lpns} b: ${lpns} c: ${lpns} } }`,
        `{ shipment(id: ${id}) { orders { items { a: lpn b: lpn c: lpn d: lpn e: lpn f: lpn g: lpn } } } }`,
        `{ shipment(id: ${id}) { orders { items { ${"l".repeat(120)}: lpn } } } }`,
        `{ shipments { nodes { ${lpns} } a: nodes { ${lpns} } edges { node { ${lpns} } } } }`,
        "{ a: orders { nodes { items { lpn description } } } b: orders { edges { node { items { lpn description } } } } " +
        `${one} }`
      ]
    ) {
      const result = yield* ask(query)
      expect([query, reasons(result)]).toEqual([query, ["ANSWER_TOO_LARGE"]])
      expect(result.errors?.[0]?.extensions["code"]).toBe("BAD_USER_INPUT")
      expect(result.errors?.[0]?.message).toMatch(/8000 characters; ask for fewer fields and aliases/)
    }
  }, small)

  test("counts what is shown, not what is read", function*() {
    const id = yield* shipmentOf("A")
    const many = Array.from({ length: 15 }, (_, index) => `a${index}: shipment(id: ${id}) { id status }`)
    expect((yield* ask(`{ ${many.join(" ")} }`)).errors).toBe(undefined)
  }, small)

  test("has no alias that is long itself", function*() {
    const { errors } = yield* ask(`{ ${"x".repeat(129)}: __typename }`)
    expect(errors?.[0]?.message).toMatch(/alias with too many characters; the limit is 128/)
    expect((yield* ask(`{ ${"x".repeat(128)}: __typename }`)).errors).toBe(undefined)
  })

  test("of a mutation that would show something twice is refused before anything is written", function*() {
    for (const fields of [`a: ${lpns} b: ${lpns}`, "orders { items { a: lpn b: lpn } }"]) {
      const result = yield* ask(
        `mutation ($input: DocumentInput!) { submitDocument(input: $input) { shipment { ${fields} } } }`,
        { input: documentOf("A") }
      )
      expect(reasons(result)).toEqual(["INVALID_REQUEST"])
    }
    expect(yield* ask("{ orders { nodes { id } } }")).toEqual({ data: { orders: { nodes: [] } } })
  })

  test(
    "of mutations ends with the one that fills it: that one has written, those after it have not",
    function*() {
      const field = (name: string) =>
        `${name.toLowerCase()}: submitDocument(input: $${name}) { shipment { ${lpns} } }`
      const result = yield* ask(
        `mutation ($A: DocumentInput!, $B: DocumentInput!) { ${field("A")} ${field("B")} }`,
        { A: documentOf("A", 300), B: documentOf("B", 1) }
      )
      expect(reasons(result)).toEqual(["ANSWER_TOO_LARGE"])
      const { data } = yield* ask("{ orders { nodes { orderNumber } } }")
      expect(data).toEqual({ orders: { nodes: [{ orderNumber: "A" }] } })
    },
    small
  )

  test("reads one after another", function*() {
    const { services } = yield* GraphqlEngine
    let running = 0
    let most = 0
    const list = services.shipments.list
    const shipments = {
      ...services.shipments,
      list: (...args: Parameters<typeof list>) =>
        Effect.sync(() => void (most = Math.max(most, ++running))).pipe(
          Effect.andThen(Effect.yieldNow),
          Effect.andThen(list(...args)),
          Effect.ensuring(Effect.sync(() => void running--))
        )
    }
    const engine = makeEngine(withChanges(services, { shipments }))
    const { data } = yield* ask("{ a: shipments { nodes { id } } b: shipments(first: 5) { nodes { id } } }")
      .pipe(Effect.provideService(GraphqlEngine, engine))
    expect(data).toEqual({ a: { nodes: [] }, b: { nodes: [] } })
    expect(most).toBe(1)
  })
})
