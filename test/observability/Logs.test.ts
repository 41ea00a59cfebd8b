/**
 * The lines of the server's log: their facts about a request, their form, and that they contain no secret.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { WebhookCustomer } from "../server/WebhookCustomer.ts"
import { eventually } from "../support/Eventually.ts"
import * as ServerProcess from "../support/ServerProcess.ts"
import * as TestDatabase from "../support/TestDatabase.ts"
import { anEndpoint, aShipment, instance, palletEvent, signIn } from "./Instances.ts"
import type { Env } from "./Instances.ts"

type Line = Readonly<Record<string, unknown>>

/** The lines of the log: the whole output, from the first line. */
const linesOf = ({ output }: ServerProcess.ServerProcess): ReadonlyArray<Line> =>
  output().split("\n").slice(0, -1).map((line) => JSON.parse(line) as Line)

/** Waits for a line. */
const line = (server: ServerProcess.ServerProcess, isMeant: (line: Line) => boolean): Promise<Line> =>
  eventually("a line of the log", () => linesOf(server).find(isMeant))

const serving = (env: Env) =>
  Effect.gen(function*() {
    const { url } = yield* TestDatabase.createMigrated
    return yield* instance(url, env)
  })

/** Traces to a closed port: every batch is refused. */
const tracedToNowhere = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9", OTEL_BSP_SCHEDULE_DELAY: "50" }

describe("a line of the log", () => {
  it.live(
    "is JSON where nobody looks on, with the request's ids, route, client and trace",
    () =>
      Effect.gen(function*() {
        const server = yield* serving({ LOG_LEVEL: "Debug", ...tracedToNowhere })
        yield* Effect.promise(async () => {
          const owner = await signIn(server, "acme-client")
          await owner("/v1/documents?dryRun=false", { business: "acme" }, { "correlation-id": "line-1" })
          const { timestamp, traceId, spanId, ...rest } = await line(
            server,
            ({ correlationId }) => correlationId === "line-1"
          )
          assert.deepStrictEqual(rest, {
            level: "DEBUG",
            message: "POST /v1/documents 422",
            correlationId: "line-1",
            route: "/v1/documents",
            clientId: "acme-client"
          })
          assert.match(String(timestamp), /^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
          assert.match(String(traceId), /^[0-9a-f]{32}$/)
          assert.match(String(spanId), /^[0-9a-f]{16}$/)
          const shown = await line(server, ({ message }) => message === "POST /oauth/token 200")
          assert.strictEqual(shown["route"], "/oauth/token")
          assert.notInclude(JSON.stringify(linesOf(server)), "-secret")
        })
      }),
    60_000
  )

  it.live(
    "of a delivery has the endpoint, the message and the trace of the request that made it",
    () =>
      Effect.gen(function*() {
        const customer = yield* Effect.acquireRelease(
          Effect.promise(() => WebhookCustomer.open()),
          (opened) => Effect.sync(() => opened.close())
        )
        const server = yield* serving({ LOG_LEVEL: "Debug", ...tracedToNowhere })
        yield* Effect.promise(async () => {
          const operator = await signIn(server, "operator")
          const tower = await signIn(server, "tower")
          await anEndpoint(operator, customer.baseUrl)
          const shipmentId = await aShipment(await signIn(server, "acme-client"))
          const { body } = await tower("/v1/pallet-events", palletEvent(shipmentId), {
            "correlation-id": "made"
          })
          const delivered = await line(
            server,
            ({ message }) => message === "Delivery delivered: answered 200"
          )
          const made = await line(server, ({ correlationId }) => correlationId === "made")
          assert.deepInclude(delivered, {
            business: "acme",
            messageId: Number(body["messageId"]),
            attempt: 1,
            traceId: made["traceId"]
          })
          assert.isNumber(delivered["endpointId"])
          // The customer gets the trace through its header.
          assert.strictEqual(customer.received.length, 1)
        })
      }),
    60_000
  )

  it.live("has no trace, and nothing is sent, where no collector is named", () =>
    Effect.gen(function*() {
      const server = yield* serving({ LOG_LEVEL: "Debug" })
      yield* Effect.promise(async () => {
        const owner = await signIn(server, "acme-client")
        await owner("/v1/documents", {}, { "correlation-id": "untraced" })
        const shown = await line(server, ({ correlationId }) => correlationId === "untraced")
        assert.notProperty(shown, "traceId")
      })
    }))

  it.live("is as LOG_FORMAT says, from the first one", () =>
    Effect.gen(function*() {
      const server = yield* serving({ LOG_LEVEL: "Debug", LOG_FORMAT: "logfmt" })
      yield* Effect.promise(async () => {
        const owner = await signIn(server, "acme-client")
        await owner("/v1/documents", {}, { "correlation-id": "a \"b\" c" })
        const expected =
          `level=DEBUG message="POST /v1/documents 422" correlationId="a \\"b\\" c" route=/v1/documents ` +
          "clientId=acme-client"
        while (!server.output().includes(expected)) {
          await new Promise((resolve) => server.child.stdout!.once("data", resolve))
        }
        for (const each of server.output().trimEnd().split("\n")) assert.match(each, /^timestamp=\S+ level=/)
        assert.match(
          server.output(),
          /^timestamp=\S+ level=INFO message="Dockline serves http:\S+" version=\S+ database=".+" demo=true$/m
        )
      })
    }))

  it.live("is for people where LOG_FORMAT says so, as on a terminal, and begins with the banner", () =>
    Effect.gen(function*() {
      const server = yield* serving({ LOG_FORMAT: "pretty" })
      assert.match(server.output(), /^\n {2}Dockline serves http/)
      assert.include(server.output(), "DEMO DATA IS ON")
    }))

  it.live.each([
    ["OTEL_EXPORTER_OTLP_ENDPOINT", "collector:4317"],
    ["OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"],
    ["OTEL_TRACES_SAMPLER", "sometimes"],
    ["OTEL_TRACES_SAMPLER_ARG", "2"]
  ])(
    "cannot be written, or sent, as %s=%s says: the server says so and ends",
    ([name, value]: ReadonlyArray<string>) =>
      Effect.promise(async () => {
        const server = await ServerProcess.start({
          OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9",
          DATABASE_URL: "postgres://nobody@127.0.0.1:9/none",
          [name!]: value!
        })
        try {
          assert.strictEqual(await server.ended, 1)
          assert.match(server.output(), new RegExp(`^dockline: the setting ${name} is wrong: `, "m"))
        } finally {
          server.child.kill("SIGKILL")
        }
      }),
    30_000
  )
})
