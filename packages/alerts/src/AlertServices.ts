/**
 * Tells people about incidents, for as long as its layer lives (D26).
 *
 * ```ts
 * // `services` are those of core over a storage, with a client for webhooks, such as `UndiciHttp.layer`
 * const url = Redacted.make("smtps://user:password@mail.example.com")
 * AlertServices.over(Mail.smtp({ url, from: "alerts@example.com" })).pipe(Layer.provide(services))
 * ```
 */
import * as Backlog from "@dockline/core/messages/Backlog"
import type { MessageLog } from "@dockline/core/messages/MessageLog"
import type { SecretsVault } from "@dockline/core/webhooks/SecretsVault"
import type { OutboundHttp } from "@dockline/webhook-adapter/outbound/OutboundHttp"
import { Effect, Layer } from "effect"
import { smtpOf } from "./AlertSettings.ts"
import type { AlertSettings } from "./AlertSettings.ts"
import { addressContext } from "./domain/AlertRule.ts"
import { AlertStore } from "./domain/AlertStore.ts"
import * as Reader from "./rules/Reader.ts"
import * as Mail from "./send/Mail.ts"
import * as Sender from "./send/Sender.ts"

/** Reads logs, searches for incidents outside them, and tells people. */
export const over = (
  mail: Layer.Layer<Mail.Mail>
): Layer.Layer<never, never, AlertStore | MessageLog | OutboundHttp | SecretsVault> =>
  Layer.effectDiscard(
    Effect.gen(function*() {
      const { watch } = yield* AlertStore
      yield* Backlog.run(yield* Reader.makeRound, { watch, failure: "Reading logs for alerts failed" })
      yield* Backlog.run(yield* Reader.makeLook, { watch, failure: "Looking for incidents failed" })
      yield* Backlog.run(yield* Sender.makeRound, { watch, failure: "Telling alerts failed" })
    })
  ).pipe(Layer.provide(mail))

/** The sealed addresses of rules, each with its owner and the context that opens it; at most `limit`. */
export const seals = (limit: number) =>
  AlertStore.use((store) =>
    Effect.map(store.urls(limit), (urls) =>
      urls.map(({ business, rule, url }) => ({
        owner: `alert rule ${rule} of ${business}`,
        text: url,
        context: addressContext(business)
      })))
  )

/** {@link over} the mail server in a server's settings, or without a mail server if the settings name none. */
export const ofSettings = (settings: AlertSettings): ReturnType<typeof over> => {
  const smtp = smtpOf(settings)
  return over(smtp === undefined ? Mail.none : Mail.smtp(smtp))
}
