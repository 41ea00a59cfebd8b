/**
 * Checks that the peer follows the rules: both servers must answer the same documents alike except for ids and the current time.
 * Otherwise their speeds could not be compared.
 */
import { Effect } from "effect"
import { isDeepStrictEqual } from "node:util"
import { attempt, BenchError } from "../BenchError.ts"
import { urlOf } from "../Servers.ts"
import type { Server } from "../Servers.ts"
import { documentOf, strategies } from "./Documents.ts"

type Step = readonly [name: string, document: object]

const base = { business: "acme", facility: "east", direction: "OUTBOUND", orderNumber: "D-1" }

const item = (lpn: string, fields: object = {}) => ({
  lpn,
  sku: "S-1",
  quantity: 3,
  quantityUnit: "CASE",
  ...fields
})

/** Documents that are accepted. */
const accepted: ReadonlyArray<Step> = [
  ...strategies.flatMap((strategy) =>
    ([0, 1, 1] as const).map((variant): Step => [
      `the benchmark's own ${strategy}, variant ${variant}`,
      { ...documentOf(0, 0, variant, strategy), orderNumber: "D-0" }
    ])
  ),
  ["a new order without items", {}],
  ["OVERWRITE", { items: [item("P1"), item("P2"), item("p1")] }],
  ["APPEND", { orderItemUpdateStrategy: "APPEND", items: [item("P3", { quantity: 0 })] }],
  ["MERGE of one, one new, one unchanged", {
    orderItemUpdateStrategy: "MERGE",
    items: [item("P2", { lot: "L", caseSerials: [{ id: "C", quantity: 2 }] }), item("P4"), item("P1")]
  }],
  ["DELETE", { orderItemUpdateStrategy: "DELETE", items: [item("P3"), item("P9")] }],
  ["shipment and order fields", {
    expectedArrivalAt: "2026-11-24T06:30:00.1234+01:00",
    trailerNumber: "T",
    dockSlug: "D2",
    driverName: "A",
    supplier: "S",
    expectedQuantity: 12,
    additionalFields: [{ name: "x", value: "1" }, { name: "y", value: "" }]
  }],
  ["fields that are empty or zero change nothing", { trailerNumber: "", carrier: null, expectedQuantity: 0 }],
  ["several orders of one shipment", {
    shipmentNumber: "S-1",
    orderNumber: undefined,
    orders: [
      { orderNumber: "D-2", items: [item("Q1")] },
      { orderNumber: "D-3", supplier: "own", items: [item("Q2", { expirationDate: "2027-02-28" })] }
    ]
  }],
  ["a remapped order", { shipmentNumber: "S-2", orderNumber: "D-2", items: [item("Q4")] }],
  ["an order that stays on its shipment", { shipmentNumber: "S-1", orderNumber: "D-3" }],
  ["long texts beyond ASCII", {
    orderNumber: "Ü😀".repeat(200),
    items: [item("ß", { description: "\"\\ \u0001 😀" })]
  }]
]

/** Documents that are refused. */
const refused: ReadonlyArray<Step> = [
  ["APPEND of what is there", { orderItemUpdateStrategy: "APPEND", items: [item("P1")] }],
  ["an item twice", { items: [item("P1"), item("P1")] }],
  ["the other direction", { direction: "INBOUND" }],
  ["an unknown dock", { dockSlug: "D9" }],
  ["an unknown business", { business: "nobody" }],
  ["an unknown facility", { facility: "nowhere" }],
  ["a business of others", { business: "globex", facility: "main" }],
  ["missing item fields", { items: [{ lpn: "P" }] }],
  ["an unknown field", { ordernumber: "A" }],
  ["wrong types", { items: [item("P", { quantity: "5", isDangerousGood: "no" })] }]
]

/** The kinds of entities with ids, by the member of an answer that contains them. */
const kinds: Readonly<Record<string, string>> = { shipment: "SHIPMENT", orders: "ORDER", items: "ORDER_ITEM" }

/**
 * Replaces each id by its order of appearance among the ids of its kind, over all answers of a server, and each time close to now by one
 * text. Two kinds may use the same number.
 */
const normalizer = () => {
  const ids = new Map<string, string>()
  const labelOf = (kind: string, id: string) => {
    const key = `${kind} ${id}`
    const label = ids.get(key) ?? `id ${ids.size + 1}`
    ids.set(key, label)
    return label
  }
  const isNow = (text: string) =>
    /^\d{4}-.*Z$/.test(text) && Math.abs(Date.parse(text) - Date.now()) < 600_000
  const normalize = (value: unknown, name: string): unknown => {
    if (typeof value === "string") return isNow(value) ? "now" : value
    if (Array.isArray(value)) return value.map((member) => normalize(member, name))
    if (typeof value !== "object" || value === null) return value
    const kind = "reference" in value && "type" in value ? String(value.type) : kinds[name] ?? name
    return Object.fromEntries(
      Object.entries(value).map(([key, member]) => [
        key,
        key === "id" ? labelOf(kind, String(member)) : normalize(member, key)
      ])
    )
  }
  return (answer: object) => normalize(answer, "") as object
}

const ask = async (server: Server, document: object) => {
  const response = await fetch(`${urlOf(server)}/v1/documents`, {
    method: "POST",
    headers: { authorization: `Bearer ${server.token}`, "content-type": "application/json" },
    body: JSON.stringify({ ...base, ...document })
  })
  const { instance: _, ...body } = (await response.json()) as { readonly instance?: string }
  return { status: response.status, hasLocation: response.headers.has("location"), body }
}

/** The most reported differences of two answers, and the most characters of each value. */
const [mostTold, longestTold] = [8, 80]

const told = (value: unknown): string => {
  const text = JSON.stringify(value) ?? "nothing"
  return text.length > longestTold ? `${text.slice(0, longestTold)}…` : text
}

/** The places where two answers differ, with both values. */
const differences = (one: unknown, other: unknown, path: string): ReadonlyArray<string> => {
  if (isDeepStrictEqual(one, other)) return []
  const areObjects = [one, other].every((value) => typeof value === "object" && value !== null) &&
    Array.isArray(one) === Array.isArray(other)
  if (!areObjects) return [`${path.slice(1)}: ${told(one)} and ${told(other)}`]
  const [left, right] = [one as Record<string, unknown>, other as Record<string, unknown>]
  return [...new Set([...Object.keys(left), ...Object.keys(right)])]
    .flatMap((key) => differences(left[key], right[key], `${path}.${key}`))
}

/** The report of the differences between two answers to a document, in at most ten lines. */
export const toldDifference = (document: string, one: object, other: object): ReadonlyArray<string> => {
  const lines = differences(one, other, "")
  const more = lines.length - mostTold
  return [
    `${document}:`,
    ...lines.slice(0, mostTold).map((line) => `- ${line}`),
    ...(more > 0 ? [`- and ${more} more`] : [])
  ]
}

/** Compares the answers of two servers on fresh databases, up to the first difference; returns the number of compared answers. */
export const compare = Effect.fnUntraced(function*(left: Server, right: Server) {
  const [ofLeft, ofRight] = [normalizer(), normalizer()]
  const steps = [...accepted, ...refused]
  for (const step of steps) {
    const [name, document] = step
    const [one, other] = yield* attempt(
      name,
      () => Promise.all([ask(left, document), ask(right, document)])
    )
    const lines = toldDifference(name, ofLeft(one), ofRight(other))
    if (lines.length > 1) {
      return yield* new BenchError({
        message: [`${left.name} and ${right.name} answer differently to ${lines[0]}`, ...lines.slice(1)].join(
          "\n"
        )
      })
    }
    const isAsExpected = accepted.includes(step) ? one.status < 300 : one.status >= 400 && one.status < 500
    if (!isAsExpected) {
      return yield* new BenchError({ message: `Both servers answer ${one.status} to ${name}` })
    }
  }
  return steps.length
})
