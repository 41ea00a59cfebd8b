/** Failed sign-ins are in the log, with who and whence, and with nothing else of the request (D13.8). */
import { Credentials } from "@dockline/core/access/Authenticator"
import { ClientStore } from "@dockline/core/access/Principals"
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Logger, References } from "effect"
import { Clients, credentialsLayer } from "../../src/tokens/Clients.ts"
import * as Setup from "../AuthSetup.ts"

const services = credentialsLayer({ trustedProxies: ["10.0.0.0/8"] }).pipe(
  Layer.provideMerge(Clients.layer),
  Layer.provideMerge(Setup.stores)
)

it.effect("a failed sign-in is a line with the client that there is and the address beyond trusted proxies", () =>
  Effect.gen(function*() {
    const { put } = yield* ClientStore
    yield* put([Setup.client("wms", "right"), { ...Setup.client("gone", "right"), enabled: false }])
    const { check } = yield* Credentials
    const lines: Array<unknown> = []
    const logger = Logger.make(({ fiber, logLevel, message }) => {
      const { address, client } = fiber.getRef(References.CurrentLogAnnotations)
      lines.push([logLevel, String(message), client, address])
    })
    const ask = (
      clientId: string,
      clientSecret: string,
      remoteAddress: string | undefined,
      forwardedFor?: string
    ) =>
      check({
        clientId,
        clientSecret,
        remoteAddress,
        headers: forwardedFor === undefined ? {} : { "x-forwarded-for": forwardedFor }
      }).pipe(Effect.provide(Logger.layer([logger])))
    assert.isTrue(yield* ask("wms", "right", "192.0.2.1"))
    assert.deepStrictEqual(lines, [])
    assert.isFalse(yield* ask("wms", "wrong", "192.0.2.1"))
    assert.isFalse(yield* ask("wms", "wrong", "10.0.0.1", "203.0.113.9"))
    assert.isFalse(yield* ask("wms", "wrong", "192.0.2.1", "203.0.113.9"))
    assert.isFalse(yield* ask("gone", "right", "192.0.2.2"))
    // Somebody has put a secret where the id belongs.
    assert.isFalse(yield* ask("s3cr3t-of-somebody", "wms", undefined))
    const line = (client: string, address: string) => ["Warn", "A sign-in failed", client, address]
    assert.deepStrictEqual(lines, [
      line("wms", "192.0.2.1"),
      line("wms", "203.0.113.9"),
      line("wms", "192.0.2.1"),
      line("gone", "192.0.2.2"),
      line("unknown", "")
    ])
  }).pipe(Effect.provide(services)))
