/** What clients are shown of errors, and what they are not (D4.4, D8.6, D12.3). */
import { Authenticator } from "@dockline/core/access/Authenticator"
import { OperationRegistry } from "@dockline/core/capability/OperationRegistry"
import { Messages } from "@dockline/core/messages/Messages"
import { Shipments } from "@dockline/core/movement/Shipments"
import type { CatalogueError } from "@dockline/core/values/CatalogueError"
import * as Errors from "@dockline/core/values/Errors"
import * as RequestErrors from "@dockline/core/values/RequestErrors"
import { capabilities } from "@dockline/server/Capabilities"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer, Logger } from "effect"
import { GraphQLError } from "graphql"
import { internal, ofCatalogue, withCode } from "../../src/resolvers/Run.ts"
import type { GraphqlCode } from "../../src/resolvers/Run.ts"
import { services, sessionOf } from "../EngineSetup.ts"
import { server, TestGraphql } from "../HttpSetup.ts"

const cause = new Error("secret: 10.0.0.1 refused")

const table: ReadonlyArray<readonly [CatalogueError, GraphqlCode]> = [
  [new Errors.Unauthenticated(), "UNAUTHENTICATED"],
  [new Errors.Forbidden({ permission: "p", business: "b", facility: "f" }), "FORBIDDEN"],
  [new Errors.BusinessNotFound({ business: "b" }), "NOT_FOUND"],
  [new Errors.MalformedDocument({ errors: [] }), "BAD_USER_INPUT"],
  [new RequestErrors.PayloadTooLarge({ limit: 1 }), "BAD_USER_INPUT"],
  [new RequestErrors.UnsupportedMediaType({ supported: [] }), "BAD_USER_INPUT"],
  [new Errors.EventIdReused({ eventId: "e" }), "CONFLICT"],
  [new Errors.HistoryExpired({ business: "b", droppedId: 1 }), "HISTORY_EXPIRED"],
  [new Errors.CursorAhead({ business: "b", newestId: 1 }), "CURSOR_AHEAD"],
  [new Errors.TooManyMessages({ limit: 1 }), "TOO_MANY_MESSAGES"],
  [new Errors.AnswerTooLarge({ limit: 1 }), "BAD_USER_INPUT"],
  [new Errors.OperationTooSlow({ seconds: 1 }), "BAD_USER_INPUT"],
  [new Errors.StorageUnavailable({ cause }), "INTERNAL"]
]

describe("D8.6 errors of the catalogue", () => {
  for (const [error, code] of table) {
    it(`${error.code} is ${code}, with its code as the reason and its own text`, () => {
      const view = ofCatalogue(error)
      expect(view.message).toBe(error.message)
      expect(view.extensions).toMatchObject({ code, reason: error.code })
      expect(JSON.stringify(view)).not.toContain("secret")
    })
  }

  it("HISTORY_EXPIRED carries the id to read on from as a number (D7.4), and no other error has one", () => {
    expect(ofCatalogue(new Errors.HistoryExpired({ business: "b", droppedId: 7 })).extensions).toMatchObject({
      droppedId: 7
    })
    expect("droppedId" in ofCatalogue(new Errors.ShipmentNotFound({ id: "1" })).extensions).toBe(false)
  })

  it("TOO_MANY_MESSAGES tells their number, as it is configured, from their text (D8.1)", () => {
    expect(new Errors.TooManyMessages({ limit: 50 }).message).toMatch(
      /^More messages than one answer holds \(50\)/
    )
    expect(new Errors.TooManyMessages({}).message).toMatch(/^The messages hold more text than one answer may/)
  })

  it("name no more faults than a document of REST does", () => {
    const errors = Array.from({ length: 1500 }, (_, index) => ({ path: String(index), detail: "is wrong" }))
    expect(ofCatalogue(new Errors.InvalidDocument({ errors })).extensions["errors"]).toHaveLength(1000)
  })

  it("keep the code that they have, and do not quote a client at length", () => {
    const error = internal("id")
    expect(withCode(error, "BAD_USER_INPUT")).toBe(error)
    expect(withCode(new GraphQLError("x".repeat(5000)), "BAD_USER_INPUT").message).toHaveLength(1001)
  })
})

/** Services some of which fail, each in its way; what is logged of it goes to the list. */
const faulty = (lines: Array<string>) =>
  OperationRegistry.layer(capabilities).pipe(Layer.provideMerge(Layer.mergeAll(
    services,
    Layer.effect(
      Messages,
      Effect.map(Messages, (messages) =>
        Messages.of({
          ...messages,
          history: () => Effect.fail(new Errors.StorageUnavailable({ cause }))
        }))
    ).pipe(Layer.provide(services)),
    Layer.effect(
      Shipments,
      Effect.map(Shipments, (shipments) =>
        Shipments.of({
          ...shipments,
          get: () => Effect.die(cause),
          // A page that is none of those that core makes.
          list: () => Effect.succeed(JSON.parse("{ \"items\": [{ \"id\": \"secret\" }], \"next\": null }"))
        }))
    ).pipe(Layer.provide(services)),
    Layer.succeed(
      Authenticator,
      Authenticator.of({
        authenticate: (header) =>
          header === "Bearer away"
            ? Effect.fail(new Errors.StorageUnavailable({ cause }))
            : Effect.succeed(sessionOf("acme-client")),
        current: () => Effect.fail(new Errors.StorageUnavailable({ cause }))
      })
    ),
    Logger.layer([Logger.map(Logger.formatJson, (line) => void lines.push(line))])
  )))

const withFaults = (
  run: (graphql: TestGraphql["Service"], lines: ReadonlyArray<string>) => Promise<void>
) =>
  Effect.suspend(() => {
    const lines: Array<string> = []
    return Effect.flatMap(TestGraphql, (graphql) => Effect.promise(() => run(graphql, lines))).pipe(
      Effect.provide(server({}, faulty(lines)))
    )
  })

const history = `{ pushMessages(input: { businessSlug: "acme", since: "2020-01-01T00:00:00Z" }) { id } }`

describe("faults", () => {
  it.effect("of variables and arguments are the client's", () =>
    withFaults(async ({ ask }, lines) => {
      const absent = await ask("query ($n: Int = 1) { orders(first: $n) { nodes { id } } }", { n: "x" })
      expect(absent.body.errors?.[0]?.extensions).toEqual({ code: "BAD_USER_INPUT" })
      // A variable with a default may stand where null may not, and be null all the same.
      const nothing = await ask(`query ($id: Long = 1) { shipment(id: $id) { id } }`, { id: null })
      expect(nothing.body.errors).toMatchObject([{
        path: ["shipment"],
        extensions: { code: "BAD_USER_INPUT" }
      }])
      expect(lines).toEqual([])
    }))

  it.effect("of the storage are 503 with Retry-After in GraphQL's form, wherever they happen (D12.3)", () =>
    withFaults(async ({ ask }, lines) => {
      const errors = [{
        message: "The database cannot be reached at the moment; repeat the request",
        extensions: { code: "INTERNAL", reason: "STORAGE_UNAVAILABLE", retryable: true }
      }]
      for (const accept of ["application/json", "application/graphql-response+json"]) {
        const token = await ask(history, {}, { client: "away", accept })
        expect(token.status).toBe(503)
        expect(token.headers.get("retry-after")).toBe("2")
        expect(token.headers.get("content-type")).toBe(`${accept}; charset=utf-8`)
        expect(token.body).toEqual({ errors })
        const field = await ask(history, {}, { accept })
        expect(field.status).toBe(503)
        expect(field.headers.get("retry-after")).toBe("2")
        expect(field.body).toMatchObject({ data: null, errors })
        expect(token.text + field.text).not.toContain("secret")
      }
      expect(lines.filter((line) => line.includes("STORAGE_UNAVAILABLE"))).toHaveLength(4)
    }))

  it.effect("that are defects show the correlation id and nothing else, and are logged under it", () =>
    withFaults(async ({ send }, entries) => {
      const reply = await send({
        method: "POST",
        headers: { "content-type": "application/json", "correlation-id": "abc-1" },
        body: JSON.stringify({ query: "{ shipment(id: 1) { id } }" })
      })
      expect(reply.status).toBe(200)
      expect(reply.body).toMatchObject({
        data: { shipment: null },
        errors: [{
          message: "The service failed to process the request; quote the correlation id to its operator",
          path: ["shipment"],
          extensions: { code: "INTERNAL", reason: "INTERNAL_ERROR", correlationId: "abc-1" }
        }]
      })
      expect(reply.text).not.toContain("secret")
      const lines = entries.filter((line) => line.includes("secret"))
      expect(lines).toHaveLength(1)
      expect(lines[0]).toContain("abc-1")
    }))

  it.effect("of what core returns show nothing of it either, and are logged", () =>
    withFaults(async ({ ask }, lines) => {
      const reply = await ask("{ shipments { nodes { id shipmentNumber } } }")
      expect(reply.body.errors?.[0]?.extensions).toMatchObject({ code: "INTERNAL", reason: "INTERNAL_ERROR" })
      expect(reply.text).not.toContain("secret")
      expect(reply.text).not.toContain("Long")
      expect(lines.some((line) => line.includes("Request failed"))).toBe(true)
    }))
})
