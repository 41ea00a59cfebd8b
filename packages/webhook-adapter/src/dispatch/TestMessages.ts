/**
 * Sends test messages in the same way as deliveries: with the credentials of the endpoint, under the outbound policy, and within the same
 * limits of time and size (D9.9). The rate of the endpoint does not limit them.
 *
 * Guarantee: as core's `TestSender` defines it. Each test fetches a new token, so that it tests the login too.
 */
import * as Timestamp from "@dockline/core/values/Timestamp"
import { responseLimit, storable } from "@dockline/core/webhooks/Delivery"
import { TestSender, unsent } from "@dockline/core/webhooks/MessageKinds"
import type { SentRequest, TestAnswer } from "@dockline/core/webhooks/MessageKinds"
import type { SecretsVault } from "@dockline/core/webhooks/SecretsVault"
import { Clock, Effect, Exit, Layer } from "effect"
import type { CustomerAuth } from "../auth/CustomerAuth.ts"
import { hideSecrets, OutboundHttp } from "../outbound/OutboundHttp.ts"
import type { OutboundAnswer, OutboundRequest } from "../outbound/OutboundHttp.ts"
import { defaultWebhookConfig } from "../WebhookConfig.ts"
import type { WebhookConfig } from "../WebhookConfig.ts"
import { makeOpen } from "./EndpointCredentials.ts"
import { makeTry, reasonOf, secretsOf } from "./Sending.ts"

/** Provides the `TestSender` of core. */
export const layer = (
  config: WebhookConfig = defaultWebhookConfig
): Layer.Layer<never, never, SecretsVault | CustomerAuth | OutboundHttp> =>
  Layer.effect(
    TestSender,
    Effect.gen(function*() {
      const clock = yield* Clock.Clock
      const open = yield* makeOpen(clock)
      const tryOnce = makeTry(yield* OutboundHttp, clock, config)
      return {
        send: Effect.fn("TestSender.send")(function*(endpoint, message) {
          const credentials = yield* Effect.exit(open(endpoint, undefined))
          if (Exit.isFailure(credentials)) {
            return unsent(yield* Timestamp.now, "SERVICE", reasonOf(credentials))
          }
          const authorization = yield* Effect.exit(credentials.value.auth.obtain)
          if (Exit.isFailure(authorization)) {
            return unsent(yield* Timestamp.now, "LOGIN", `signing in failed: ${reasonOf(authorization)}`)
          }
          const exchange = yield* tryOnce(message, credentials.value, authorization.value)
          const { response, ...attempt } = exchange.attempt
          const secrets = secretsOf(credentials.value, authorization.value)
          return {
            ...attempt,
            error: storable(attempt.error),
            request: shownRequest(exchange.request, Object.keys(credentials.value.headers)),
            unsentBy: null,
            answer: exchange.answer === undefined
              ? null
              : { headers: shownHeaders(exchange.answer, secrets), body: storable(response) }
          }
        })
      }
    })
  )

/** Shows the scheme of an authorization, but neither its credentials nor the values of the endpoint's own headers. */
const shownRequest = (
  { body, headers, url }: OutboundRequest,
  own: ReadonlyArray<string>
): SentRequest => {
  const { Authorization: authorization, ...otherHeaders } = headers
  const others = { ...otherHeaders, ...Object.fromEntries(own.map((name) => [name, "***"])) }
  const [scheme = ""] = /^(?:Basic|Bearer) /.exec(authorization ?? "") ?? []
  return {
    url,
    headers: authorization === undefined ? others : { ...others, Authorization: `${scheme}***` },
    body
  }
}

/** The most headers of an answer that are shown. */
const fieldLimit = 50

/** The first headers of an answer that together have at most `responseLimit` characters, without secrets. */
const shownHeaders = ({ headers }: OutboundAnswer, secrets: ReadonlyArray<string>): TestAnswer["headers"] => {
  const fields: Record<string, string> = {}
  let room = responseLimit
  for (const [name, value] of Object.entries(headers).slice(0, fieldLimit)) {
    const text = storable(hideSecrets(value, secrets))
    room -= name.length + text.length
    if (room < 0) break
    fields[hideSecrets(name, secrets)] = text
  }
  return fields
}
