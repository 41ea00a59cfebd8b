/**
 * Operations made to hurt: refused with their code before anything is executed, and quickly (D8.8).
 */
import { defaultOperationLimits as limits } from "@dockline/graphql-adapter/GraphqlConfig"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { getIntrospectionQuery } from "graphql"
import type { GraphQLSchema } from "graphql"
import { cpuMillis } from "../support/CpuTime.ts"
import { GraphqlServer, layerMemory } from "../support/GraphqlServer.ts"
import type { Operation } from "../support/GraphqlServer.ts"
import { connected, errorsOf } from "./Sockets.ts"

const repeat = (count: number, make: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => make(at)).join(" ")

const nested = (field: string, depth: number, leaf: string): string =>
  `${`${field} { `.repeat(depth)}${leaf}${" }".repeat(depth)}`

/** Fragments of which each spreads the next twice: 2^count fields. */
const doubling = (count: number, type: string, leaf: string): string =>
  `${repeat(count, (at) => `fragment F${at} on ${type} { ...F${at + 1} ...F${at + 1} }`)}
   fragment F${count} on ${type} { ${leaf} }`

const business = (selection: string) => `business(slug: "acme") { ${selection} }`

const parsing = "GRAPHQL_PARSE_FAILED"
const validation = "GRAPHQL_VALIDATION_FAILED"

const bombs: ReadonlyArray<readonly [name: string, document: string, code: string, message: RegExp]> = [
  ["depth", `{ ${nested("shipments", limits.depth, "id")} }`, validation, /too deep/],
  [
    "depth through fragments",
    `{ ...A } fragment A on Query { ${nested("nodes", 6, "...B")} } fragment B on Query { ${
      nested("nodes", 6, "id")
    } }`,
    validation,
    /too deep/
  ],
  [
    "depth in an inline fragment",
    `{ ... on Query { ${nested("nodes", limits.depth, "... { id }")} } }`,
    validation,
    /too deep/
  ],
  ["depth beyond what a stack holds", `{ ${nested("a", 650, "b")} }`, validation, /too deep/],
  ["depth of a value", `{ shipment(id: ${"[".repeat(5000)} }`, parsing, /token|too deep/],
  [
    "aliases",
    `{ ${repeat(limits.aliases + 1, (at) => `a${at}: ${business("slug")}`)} }`,
    validation,
    /aliases/
  ],
  [
    "aliases in a fragment that is spread often",
    `{ ${business("...F ...F")} } fragment F on Business { ${repeat(8, (at) => `a${at}: slug`)} }`,
    validation,
    /aliases/
  ],
  ["tokens", `{ ${repeat(limits.tokens, () => "slug")} }`, parsing, /token/],
  [
    "tokens in comments' company",
    `{ # ${"x".repeat(50_000)}\n ${repeat(limits.tokens, () => "slug")} }`,
    parsing,
    /token/
  ],
  [
    "directives on one field",
    `{ ${business(`slug ${"@include(if: true) ".repeat(limits.directives + 1)}`)} }`,
    validation,
    /directives/
  ],
  [
    "directives that do not exist",
    `{ ${business(`slug ${repeat(limits.directives + 1, (at) => `@d${at}`)}`)} }`,
    validation,
    /directives/
  ],
  [
    "directives in a fragment that is spread often",
    `{ ${business(repeat(10, () => "...F"))} }
     fragment F on Business { slug ${"@skip(if: false) ".repeat(6)} }`,
    validation,
    /directives/
  ],
  [
    "fragments that double, of fields",
    `{ ${business("...F0")} } ${doubling(60, "Business", "slug")}`,
    validation,
    /fields/
  ],
  [
    "fragments that double, with aliases",
    `{ ...F0 } ${doubling(60, "Query", `a: ${business("slug")}`)}`,
    validation,
    /aliases/
  ],
  [
    "fragments that double and are not used",
    `{ ${business("slug")} } ${doubling(60, "Business", "slug")}`,
    validation,
    /./
  ],
  [
    "a fragment of itself",
    `{ ${business("...A")} } fragment A on Business { slug ...A }`,
    validation,
    /spreads itself/
  ],
  [
    "fragments of each other",
    `{ ${business("...A")} } fragment A on Business { ...B } fragment B on Business { ...A }`,
    validation,
    /spreads itself/
  ],
  ["fields", `{ ${repeat(limits.fields + 1, () => "__typename")} }`, validation, /fields/],
  [
    "introspection in a circle",
    `{ __schema { types { fields { type { fields { name } } } } } }`,
    validation,
    /comes back/
  ],
  [
    "introspection in a circle of fragments",
    `{ __schema { types { ...T } } }
     fragment T on __Type { fields { type { ...U } } } fragment U on __Type { fields { name } }`,
    validation,
    /comes back/
  ],
  [
    "introspection in a circle of possible types",
    `{ __type(name: "Query") { possibleTypes { interfaces { possibleTypes { name } } } } }`,
    validation,
    /comes back/
  ],
  [
    "introspection in depth",
    `{ __type(name: "Query") { fields { type { ${
      nested("ofType", limits.introspectionDepth, "name")
    } } } } }`,
    validation,
    /introspection too deep/
  ],
  [
    "operations",
    repeat(limits.operations + 1, (at) => `query Q${at} { ${business("slug")} }`),
    validation,
    /operations/
  ]
]

/** Counts what is resolved at the roots from now on. */
const countResolved = (schema: GraphQLSchema): () => number => {
  let count = 0
  for (const type of [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()]) {
    for (const field of Object.values(type?.getFields() ?? {})) {
      for (const part of ["resolve", "subscribe"] as const) {
        const resolve = field[part]
        if (resolve === undefined) continue
        field[part] = (...args) => {
          count++
          return resolve(...args)
        }
      }
    }
  }
  return () => count
}

/** The milliseconds of the processor that it takes: the best of five, each with a text of its own, as what is known of a text is kept. */
const timeOf = (judge: (query: string) => void, query: string): number =>
  Math.min(...Array.from({ length: 5 }, (_, at) => {
    const started = cpuMillis()
    judge(`${query} # ${at}`)
    return cpuMillis() - started
  }))

const sendBatch = (body: string) =>
  Effect.flatMap(GraphqlServer, ({ fetch }) =>
    fetch({
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/graphql-response+json" },
      body
    }))

layer(layerMemory(), { excludeTestServices: true })("D8.8 limits", (it) => {
  it.effect("what is counted is counted: an operation within the limits is resolved", () =>
    Effect.gen(function*() {
      const { engine, execute } = yield* GraphqlServer
      const resolved = countResolved(engine.schema)
      const query = `{ ${repeat(limits.aliases, (at) => `a${at}: ${business("slug")}`)} }`
      const { errors } = yield* execute({ query })
      assert.deepStrictEqual([errors, resolved()], [undefined, limits.aliases])
    }))

  for (const [name, query, code, message] of bombs) {
    // @threat requests.12
    it.effect(`${name}: ${code} over POST, GET, sockets and event streams, before any resolver`, () =>
      Effect.scoped(Effect.gen(function*() {
        const { engine, execute, fetch } = yield* GraphqlServer
        const resolved = countResolved(engine.schema)
        const operation: Operation = { query }
        const posted = yield* execute(operation)
        const got = query.length > 12_000
          ? posted
          : yield* fetch({ method: "GET", query: `?query=${encodeURIComponent(query)}` })
        const raw = yield* connected()
        raw.send({ id: "b", type: "subscribe", payload: operation })
        const frame = yield* raw.frame("a refusal", ({ id }) => id === "b")
        assert.strictEqual(frame.type, "error")
        const streamed = yield* fetch({
          method: "POST",
          headers: { "content-type": "application/json", accept: "text/event-stream" },
          body: JSON.stringify(operation)
        })
        assert.include(streamed.text, `"code":"${code}"`)
        for (const errors of [posted.errors!, got.errors!, errorsOf(frame)]) {
          assert.deepStrictEqual(new Set(errors.map(({ extensions }) => extensions.code)), new Set([code]))
          assert.match(errors.map((error) => error.message).join("\n"), message)
        }
        raw.send({ type: "ping" })
        yield* raw.frame("a pong", ({ type }) => type === "pong")
        assert.strictEqual(resolved(), 0)
      })))

    it.effect(`${name}: judged in less than 100 ms`, () =>
      Effect.gen(function*() {
        const { engine } = yield* GraphqlServer
        assert.isBelow(
          timeOf((query) => assert.notProperty(engine.prepare({ query }), "document"), query),
          100
        )
      }))
  }

  it.effect("the best that the limits let through is judged in less than 100 ms", () =>
    Effect.gen(function*() {
      const { engine } = yield* GraphqlServer
      const fields = repeat(450, () => "slug")
      const many = repeat(14, (at) => `a${at}: ${business("slug name")}`)
      const pairs = `{ ${business(repeat(100, (at) => `...F${at}`))} }
        ${repeat(100, (at) => `fragment F${at} on Business { slug name }`)}`
      for (const query of [`{ ${business(fields)} }`, `{ ${many} }`, pairs]) {
        const time = timeOf((query) => assert.property(engine.prepare({ query }), "document"), query)
        assert.isBelow(time, 100, query.slice(0, 60))
      }
    }))

  // @threat requests.12
  it.effect("a batch is refused, whatever is in it", () =>
    Effect.gen(function*() {
      const { engine } = yield* GraphqlServer
      const resolved = countResolved(engine.schema)
      const operation = JSON.stringify({ query: `{ ${business("slug")} }` })
      for (
        const body of [`[${operation}]`, `[${Array(50).fill(operation).join(",")}]`, "[]", `  [${operation}]`]
      ) {
        const { status, errors } = yield* sendBatch(body)
        assert.strictEqual(status, 400)
        assert.deepStrictEqual(errors!.map(({ extensions }) => extensions.code), ["BAD_USER_INPUT"])
        assert.match(errors![0]!.message, /batch/)
      }
      assert.strictEqual(resolved(), 0)
    }))

  it.effect("the introspection of common tools passes", () =>
    Effect.gen(function*() {
      const { execute } = yield* GraphqlServer
      const { data, errors } = yield* execute<
        { readonly __schema: { readonly types: ReadonlyArray<unknown> } }
      >({
        query: getIntrospectionQuery({
          descriptions: true,
          inputValueDeprecation: true,
          specifiedByUrl: true
        })
      })
      assert.strictEqual(errors, undefined, JSON.stringify(errors))
      assert.isAbove(data!.__schema.types.length, 20)
    }))
})
