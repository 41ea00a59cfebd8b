/** The limits of an operation: refused before anything is executed, and in no time (D8.8). */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { getIntrospectionQuery } from "graphql"
import { cpuMillis } from "../../../../test/support/CpuTime.ts"
import { GraphqlEngine } from "../../src/engine/Engine.ts"
import { defaultOperationLimits } from "../../src/GraphqlConfig.ts"
import { engine } from "../EngineSetup.ts"
import { test } from "../Running.ts"

const repeat = (count: number, text: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => text(index)).join(" ")

/** `depth` fields, one within the other. */
const nest = (depth: number): string => `{ ${"a { ".repeat(depth - 1)} b ${"} ".repeat(depth - 1)} }`

const { aliases, depth, directives, fields, introspectionDepth, operations, tokens } = defaultOperationLimits

/** `fields { type { ofType { … name } } }` within `__schema { types { … } }`, to the depth. */
const introspection = (depth: number): string =>
  `{ __schema { types { fields { type { ${"ofType { ".repeat(depth - 5)} name ${
    "} ".repeat(depth - 5)
  } } } } } }`

/** Fragments that double `levels` times. */
const bomb = (levels: number, leaf: string): string =>
  `{ ...f0 } ${repeat(levels, (i) => `fragment f${i} on Query { ...f${i + 1} ...f${i + 1} }`)} ` +
  `fragment f${levels} on Query { ${leaf} }`

const messages = (query: string) =>
  Effect.map(GraphqlEngine, ({ prepare }) => {
    const start = cpuMillis()
    const operation = prepare({ query })
    const millis = cpuMillis() - start
    return "document" in operation
      ? { texts: [], codes: [], millis }
      : {
        texts: operation.map(({ message }) => message),
        codes: operation.map(({ extensions }) => extensions["code"]),
        millis
      }
  })

const refusals: ReadonlyArray<readonly [name: string, query: string, text: RegExp]> = [
  ["deep fields", nest(depth + 1), /^The operation nests fields too deep; the limit is 12$/],
  [
    "fields deep by fragments",
    `{ a { ...f0 } } ${
      repeat(depth, (i) => `fragment f${i} on X { a { ...f${i + 1} } }`)
    } fragment f${depth} on X { b }`,
    /too deep; the limit is 12$/
  ],
  ["aliases", `{ ${repeat(aliases + 1, (i) => `a${i}: __typename`)} }`, /too many aliases; the limit is 15$/],
  [
    "aliases by fragments",
    `{ ${repeat(8, () => "... on Query { ...f }")} } fragment f on Query { a: __typename b: __typename }`,
    /too many aliases; the limit is 15$/
  ],
  ["tokens", `{ ${repeat(tokens, () => "a")} }`, /more than 2000 tokens/],
  [
    "directives",
    `{ ${repeat(directives + 1, () => "__typename @skip(if: true)")} }`,
    /too many directives; the limit is 50$/
  ],
  [
    "directives of one variable",
    `query ($a: Int ${repeat(directives + 1, () => "@a")}) { __typename }`,
    /too many directives/
  ],
  [
    "directives of several variables together with those of fields",
    `query (${repeat(directives, (index) => `$a${index}: Int @a`)}) { __typename @skip(if: true) }`,
    /too many directives/
  ],
  [
    "repeated directives",
    `{ __typename ${repeat(directives + 1, () => "@skip(if: true)")} }`,
    /too many directives/
  ],
  ["fields", `{ ${repeat(fields + 1, () => "__typename")} }`, /too many fields.*the limit is 500$/],
  ["a fragment bomb", bomb(40, "__typename"), /too many fields/],
  ["a fragment bomb of directives", bomb(40, "... @skip(if: true) { __typename }"), /too many directives/],
  [
    "a fragment bomb that nothing uses",
    `{ __typename } ${bomb(40, "__typename").slice(9)}`,
    /too many fields/
  ],
  [
    "a fragment that spreads itself",
    "{ ...a } fragment a on Query { ...b } fragment b on Query { ...a }",
    /spreads itself$/
  ],
  [
    "operations",
    repeat(operations + 1, (i) => `query q${i} { __typename }`),
    /11 operations; the limit is 10$/
  ],
  ["deep introspection", introspection(introspectionDepth + 1), /introspection too deep; the limit is 20$/],
  [
    "a cycle in introspection",
    "{ __schema { types { fields { type { fields { name } } } } } }",
    /comes back to "fields" within "fields"/
  ],
  [
    "a cycle in introspection by fragments",
    "{ __type(name: \"Query\") { ...t } } fragment t on __Type { fields { type { ...u } } } fragment u on __Type { fields { name } }",
    /comes back to "fields" within "fields"/
  ]
]

const acceptances: ReadonlyArray<readonly [name: string, query: string]> = [
  ["aliases up to the limit", `{ ${repeat(aliases, (i) => `a${i}: __typename`)} }`],
  ["directives up to the limit", `{ ${repeat(directives, () => "__typename @skip(if: true)")} }`],
  ["fields up to the limit", `{ ${repeat(fields, () => "__typename")} }`],
  ["introspection up to the limit", introspection(introspectionDepth)],
  ["the introspection of tools", getIntrospectionQuery({ inputValueDeprecation: true, oneOf: true })],
  [
    "a fragment used many times",
    `{ ${repeat(50, () => "...f")} } fragment f on Query { __typename shipments { nodes { id } } }`
  ]
]

/** Documents that cost GraphQL's own rules the most among those that pass our limits, or nearly. */
const expensive: ReadonlyArray<readonly [name: string, query: string]> = [
  ["conflicting fields", `{ ${repeat(200, (i) => `shipment(id: ${i}) { id }`)} }`],
  [
    "fragments beside each other",
    `{ ${repeat(120, (i) => `...f${i}`)} } ${repeat(120, (i) => `fragment f${i} on Query { __typename }`)}`
  ],
  [
    "misspelt input fields",
    `mutation { submitDocument(input: { ${repeat(600, (i) => `orderNumbe${i}: 1`)} }) { shipment { id } } }`
  ],
  ["long names", `{ ${repeat(400, () => `shipment${"s".repeat(2000)}`)} }`],
  ["a long name", `{ ${"a".repeat(900_000)} }`],
  ["comments", `${"#\n".repeat(450_000)}{ __typename }`],
  [
    "a bomb of nested spreads",
    repeat(60, (i) => `fragment f${i} on Query { ${repeat(10, (j) => `...f${i + j + 1}`)} }`)
  ]
]

describe("limits of an operation", () => {
  for (const [name, query, text] of refusals) {
    // @threat requests.12
    it.effect(`refuses ${name}`, () =>
      Effect.map(messages(query), ({ texts, codes, millis }) => {
        expect(texts.join("\n")).toMatch(text)
        expect(codes[0]).toMatch(/^GRAPHQL_(PARSE|VALIDATION)_FAILED$/)
        expect(millis).toBeLessThan(500)
      }).pipe(Effect.provide(engine())))
  }

  for (const [name, query] of acceptances) {
    it.effect(`accepts ${name}`, () =>
      Effect.map(messages(query), ({ texts }) => expect(texts).toEqual([])).pipe(Effect.provide(engine())))
  }

  it.effect("accepts fields up to the depth, refused only for what they name", () =>
    Effect.map(messages(nest(depth)), ({ texts }) => {
      expect(texts).toEqual([`Cannot query field "a" on type "Query".`])
    }).pipe(Effect.provide(engine())))

  for (const [name, query] of expensive) {
    it.effect(`takes no longer than a moment over ${name}`, () =>
      Effect.map(messages(query), ({ texts, millis }) => {
        // Some 30 ms on a quiet machine; the limit leaves room for a busy one.
        expect(millis).toBeLessThan(1000)
        for (const text of texts) expect(text.length).toBeLessThanOrEqual(1001)
      }).pipe(Effect.provide(engine())))
  }
})

describe("documents that are kept", () => {
  test("are judged once, the refused ones as well", function*() {
    const { prepare } = yield* GraphqlEngine
    const good = "{ __typename }"
    const [first, second] = [prepare({ query: good }), prepare({ query: good })]
    expect("document" in first && "document" in second && first.document === second.document).toBe(true)
    expect(prepare({ query: "{ nope }" })).toBe(prepare({ query: "{ nope }" }))
  })

  for (
    const [what, limits] of [
      ["by count", { entries: 3, characters: 1_000_000, tokens: 1_000_000 }],
      ["by characters", { entries: 100, characters: 600, tokens: 1_000_000 }],
      ["by tokens", { entries: 100, characters: 1_000_000, tokens: 12 }]
    ] as const
  ) {
    test(`are bounded ${what}, the least recently used going first`, function*() {
      const { prepare } = yield* GraphqlEngine
      const documentOf = (query: string) => {
        const operation = prepare({ query })
        return "document" in operation ? operation.document : undefined
      }
      const old = documentOf("{ __typename }")
      expect(documentOf("{ __typename }")).toBe(old)
      for (let i = 0; i < 60; i++) documentOf(`{ __typename } #${i}`)
      expect(documentOf("{ __typename }")).not.toBe(old)
    }, { documentCache: limits })
  }
})
