/**
 * What an operator learns of a 503: its cause, under the correlation id of the answer, once.
 */
import { Authenticator } from "@dockline/core/Authenticator"
import { EdiFiles } from "@dockline/core/EdiFiles"
import { StorageUnavailable } from "@dockline/core/Errors"
import { Exceptions } from "@dockline/core/Exceptions"
import { Intake } from "@dockline/core/Intake"
import * as Memory from "@dockline/core/Memory"
import { Messages } from "@dockline/core/Messages"
import { Pallets } from "@dockline/core/Pallets"
import { Readiness } from "@dockline/core/Readiness"
import { IssuerUnavailable } from "@dockline/core/RequestErrors"
import { RequestLimits } from "@dockline/core/RequestLimits"
import { Search } from "@dockline/core/Search"
import { Shipments } from "@dockline/core/Shipments"
import { Skus } from "@dockline/core/Skus"
import { Clients } from "@dockline/http-adapter/Clients"
import * as HttpAdapter from "@dockline/http-adapter/HttpAdapter"
import { audienceOf, defaultHttpConfig } from "@dockline/http-adapter/HttpConfig"
import { TokenEndpoint } from "@dockline/http-adapter/TokenEndpoint"
import { defaultTokensConfig, Tokens } from "@dockline/http-adapter/Tokens"
import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Layer, Logger, References } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import * as OperatorServices from "../../support/OperatorServices.ts"

const { baseUrl } = defaultHttpConfig
const token = "s3cr3t-token"

const ask = Effect.fnUntraced(function*(path: string, error: StorageUnavailable | IssuerUnavailable) {
  const logged: Array<unknown> = []
  const logger = Logger.make(({ cause, fiber, logLevel }) => {
    const { correlationId } = fiber.getRef(References.CurrentLogAnnotations)
    logged.push([logLevel, correlationId, Cause.pretty(cause).includes("connection refused")])
    assert.notInclude(Cause.pretty(cause), token)
  })
  const { dispose, handler } = HttpRouter.toWebHandler(
    HttpAdapter.layer(defaultHttpConfig).pipe(
      Layer.provide([
        Layer.succeed(Authenticator, {
          authenticate: () => Effect.fail(error),
          current: () => Effect.die("a request outlives no look-up")
        }),
        Layer.succeed(Readiness, Effect.fail(new StorageUnavailable({ cause: error.cause }))),
        TokenEndpoint.layer(),
        Intake.layer(),
        Messages.layer(),
        Pallets.layer(),
        Exceptions.layer(),
        EdiFiles.layer,
        Search.layer,
        Skus.layer,
        Shipments.layer(),
        OperatorServices.layer(),
        RequestLimits.layerNone
      ]),
      Layer.provide(Layer.mergeAll(
        Clients.layer,
        Tokens.layer({ ...defaultTokensConfig, issuer: baseUrl, audience: audienceOf(baseUrl) })
      )),
      Layer.provide(Memory.layer),
      Layer.provideMerge(HttpServer.layerServices),
      Layer.provideMerge(Logger.layer([logger]))
    ),
    { disableLogger: true }
  )
  yield* Effect.addFinalizer(() => Effect.promise(dispose))
  const headers = { authorization: `Bearer ${token}`, "correlation-id": "quoted-by-the-client" }
  const response = yield* Effect.promise(() => handler(new Request(`${baseUrl}${path}`, { headers })))
  const { code } = (yield* Effect.promise(() => response.json())) as { readonly code: string }
  return { code, status: response.status, retryAfter: response.headers.get("retry-after"), logged }
})

const cause = new Error("connection refused")

describe("D4.3 a 503 is logged with its cause under the correlation id", () => {
  const cases: ReadonlyArray<readonly [string, StorageUnavailable | IssuerUnavailable, string]> = [
    ["/v1/shipments", new StorageUnavailable({ cause }), "STORAGE_UNAVAILABLE"],
    ["/v1/shipments", new IssuerUnavailable({ cause }), "ISSUER_UNAVAILABLE"],
    ["/readyz", new StorageUnavailable({ cause }), "STORAGE_UNAVAILABLE"]
  ]
  it.live.each(cases)("%s: %s", ([path, error, expected]) =>
    Effect.gen(function*() {
      const { code, logged, retryAfter, status } = yield* ask(path, error)
      assert.deepStrictEqual([status, code, retryAfter], [503, expected, "2"])
      assert.deepStrictEqual(logged, [["Warn", "quoted-by-the-client", true]])
    }))
})
