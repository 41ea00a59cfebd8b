/**
 * The setup that the tests of token logins share.
 */
import { defaultSchemes } from "@dockline/core/webhooks/WebhookEndpoint"
import { Effect, Redacted } from "effect"
import type { ServerResponse } from "node:http"
import * as CustomerAuth from "../src/auth/CustomerAuth.ts"
import * as CustomerServer from "./CustomerServer.ts"
import { client } from "./OutboundSetup.ts"

/** The defaults of core's scheme, as an endpoint has them stored. */
const defaults = Object.fromEntries(
  defaultSchemes.find(({ type }) => type === "token")!.fields.flatMap(({ default: value, name }) =>
    value === undefined ? [] : [[name, value]]
  )
)

export const password = Redacted.make("s3cret & = ö")

export const open = (
  loginUrl: string,
  settings: Readonly<Record<string, string>> = {}
) =>
  Effect.flatMap(
    client(),
    (http) =>
      CustomerAuth.loginProvider(http, { userAgent: "Dockline/9" }).open(
        { ...defaults, loginUrl, username: "dockline", ...settings },
        { password }
      )
  )

/** A login server that issues `t1`, `t2`, …, or answers as the test says. */
export const loginServer = (
  answer: (number: number, response: ServerResponse) => void = (number, response) =>
    response.end(JSON.stringify({ access_token: `t${number}`, expires_in: 600 }))
) => {
  let logins = 0
  return CustomerServer.http((_, response) => answer(++logins, response))
}

export const json = (value: unknown) => loginServer((_, response) => response.end(JSON.stringify(value)))

/** A login server that answers with a value, and the authentication there. */
export const signingIn = Effect.fnUntraced(function*(
  value: unknown,
  settings: Readonly<Record<string, string>> = {}
) {
  const server = yield* json(value)
  return { server, auth: yield* open(server.url, settings) }
})
