/** The quick way of `pushMessages` answers as GraphQL's general execution does, whatever is asked. */
import { MessageLog } from "@dockline/core/messages/MessageLog"
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { GraphqlEngine } from "../../src/engine/Engine.ts"
import { partsOf } from "../../src/engine/GraphqlOperation.ts"
import * as MessageList from "../../src/engine/MessageList.ts"
import { makeReadMessages } from "../../src/schema/SchemaMessages.ts"
import { engine, sessionOf } from "../EngineSetup.ts"

const input = `input: { businessSlug: "acme", since: "1970-01-01T00:00:00Z" }`
const all = "id businessSlug facilitySlug messageType message sentAt"

/** Each with its variables; the head of the operation, its fields. */
const queries: ReadonlyArray<readonly [head: string, fields: string, variables?: Record<string, unknown>]> = [
  ["query", `pushMessages(${input}) { ${all} }`],
  ["query", `pushMessages(${input}) { sentAt id }`],
  ["query", `pushMessages(${input}) { __typename id }`],
  ["query", `list: pushMessages(${input}) { a: id b: id id message }`],
  ["query", `pushMessages(${input}) { id id sentAt id }`],
  ["query", `__proto__: pushMessages(${input}) { __proto__: id }`],
  ["query ($input: PushMessageFilter!)", "pushMessages(input: $input) { id }", {
    input: { businessSlug: "acme", since: "1970-01-01T00:00:00Z", facilitySlug: "west" }
  }],
  ["query ($input: PushMessageFilter!)", "pushMessages(input: $input) { id }", {
    input: { businessSlug: 1 }
  }],
  ["query ($input: PushMessageFilter!)", "pushMessages(input: $input) { id }", {}],
  [
    "query ($since: DateTime = \"1970-01-01T00:00:00Z\")",
    `pushMessages(input: { businessSlug: "acme", since: $since }) { id }`
  ],
  [
    "query ($since: DateTime = \"1970-01-01T00:00:00Z\")",
    `pushMessages(input: { businessSlug: "acme", since: $since }) { id }`,
    { since: null }
  ],
  ["query", `pushMessages(input: { businessSlug: "nobody", since: "1970-01-01T00:00:00Z" }) { id }`],
  ["query", `again: pushMessages(input: { businessSlug: "globex", since: "1970-01-01T00:00:00Z" }) { id }`],
  [
    "query",
    `pushMessages(input: { businessSlug: "acme", since: "1970-01-01T00:00:00Z", messageTypes: [] }) { id }`
  ]
]

layer(engine())("the quick way of pushMessages", (it) => {
  for (const [head, fields, variables = {}] of queries) {
    it.effect(`is that of ${head} { ${fields} } with ${JSON.stringify(variables)}`, () =>
      Effect.gen(function*() {
        const { prepare, execute } = yield* GraphqlEngine
        const { append } = yield* MessageLog
        yield* append(["east", "west"].map((facility) => ({
          business: "acme",
          facility,
          type: "PALLET_EVENT" as const,
          payload: { facility, nested: [{ n: 1.5, text: "\u2028\"" }] },
          shipmentId: 1
        })))
        const answer = Effect.fnUntraced(function*(query: string) {
          const operation = prepare({ query, variables })
          if (!("document" in operation)) return expect.fail(JSON.stringify(operation))
          const context = { session: sessionOf("acme-client"), correlationId: "test" }
          const result = yield* Effect.promise(() => execute(operation, context))
          return Array.from(partsOf(result)).join("")
            .replace(/"locations":\[.*?\],?/g, "")
        })
        const quick = yield* answer(`${head} { ${fields} }`)
        // A directive is not the quick way's.
        expect(quick).toBe(yield* answer(`${head} { ... @include(if: true) { ${fields} } }`))
      }))
  }

  const others = [
    `{ pushMessages(${input}) { ...f } } fragment f on PushMessage { id }`,
    `{ pushMessages(${input}) { id @include(if: true) } }`,
    `{ pushMessages(${input}) @skip(if: false) { id } }`,
    `{ pushMessages(${input}) { ... on PushMessage { id } } }`,
    `{ pushMessages(${input}) { id } __typename }`,
    "{ __typename }",
    "{ shipments { nodes { id } } }",
    "mutation { departShipment(input: { shipmentId: 1 }) { id } }"
  ]
  for (const query of others) {
    it.effect(`leaves ${query} to general execution`, () =>
      Effect.map(GraphqlEngine, ({ schema, services, prepare }) => {
        const list = MessageList.make(schema, makeReadMessages(services))
        const operation = prepare({ query })
        expect("document" in operation).toBe(true)
        const context = { session: sessionOf("acme-client"), correlationId: "test" }
        expect("document" in operation && list(operation, context)).toBe(undefined)
      }))
  }
})
