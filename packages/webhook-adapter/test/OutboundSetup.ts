/** What the tests of outbound calls share. */
import { it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import type { Scope } from "effect"
import { OutboundHttp } from "../src/outbound/OutboundHttp.ts"
import type { OutboundRequest } from "../src/outbound/OutboundHttp.ts"
import * as UndiciHttp from "../src/outbound/UndiciHttp.ts"
import type { UndiciHttpConfig } from "../src/outbound/UndiciHttp.ts"

/** A client that may call this machine; as the test says otherwise. */
export const client = (config: Partial<UndiciHttpConfig> = {}) =>
  Effect.map(
    Layer.build(UndiciHttp.layer({ allow: ["127.0.0.0/8"], timeoutMillis: 5_000, ...config })),
    Context.get(OutboundHttp)
  )

/** A test over real sockets, with a client that may call this machine. */
export const test = (
  title: string,
  body: (
    http: OutboundHttp["Service"]
  ) => Generator<Effect.Effect<unknown, unknown, Scope.Scope>, void, never>
) => it.live(title, () => Effect.flatMap(client(), (http) => Effect.gen(() => body(http))))

export const request = (url: string, rest: Partial<OutboundRequest> = {}): OutboundRequest => ({
  url,
  headers: { "Content-Type": "application/json" },
  body: `{"pallet":"1"}`,
  ...rest
})

/** Why a call has no answer. */
export const failureOf = (
  url: string,
  config: Partial<UndiciHttpConfig> = {},
  rest?: Partial<OutboundRequest>
) =>
  Effect.flatMap(
    client(config),
    (http) => Effect.map(Effect.flip(http.post(request(url, rest))), ({ error }) => error)
  )

/** The beginning of an answer as it is written on a socket. */
export const head = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"

export const textOf = (body: Uint8Array) => Buffer.from(body).toString("utf8")
