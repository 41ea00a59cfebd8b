/**
 * Tells people about incidents, for as long as the layer {@link over} lives (D26). The settings for alerts by e-mail are environment
 * variables that the server reads together with its own (D12.1).
 *
 * Guarantee: the fault of a setting gives the required form. The server adds the name of the variable, and shows no value.
 *
 * ```ts
 * // `services`: those of core and the `AlertStore` over a storage, with a client for webhooks, such as `UndiciHttp.layer`
 * const url = Redacted.make("smtps://user:password@mail.example.com")
 * AlertServices.over(Mail.smtp({ url, from: "alerts@example.com" })).pipe(Layer.provide(services))
 * ```
 */
import * as Backlog from "@dockline/core/messages/Backlog"
import type { MessageLog } from "@dockline/core/messages/MessageLog"
import type { SecretsVault } from "@dockline/core/webhooks/SecretsVault"
import type { OutboundHttp } from "@dockline/webhook-adapter/outbound/OutboundHttp"
import { Config, Effect, Layer, Option, Redacted, Schema } from "effect"
import { addressContext } from "./domain/AlertRule.ts"
import { AlertStore } from "./domain/AlertStore.ts"
import * as Reader from "./rules/Reader.ts"
import * as Mail from "./send/Mail.ts"
import { smtpUrlFault } from "./send/Mail.ts"
import type { SmtpConfig } from "./send/Mail.ts"
import * as Sender from "./send/Sender.ts"

/** Reads logs, searches for incidents outside them, and tells people. */
export const over = (
  mail: Layer.Layer<Mail.Mail>
): Layer.Layer<never, never, AlertStore | MessageLog | OutboundHttp | SecretsVault> =>
  Layer.effectDiscard(
    Effect.gen(function*() {
      const { watch } = yield* AlertStore
      yield* Backlog.run(yield* Reader.makeLogRound, { watch, failure: "Reading logs for alerts failed" })
      yield* Backlog.run(yield* Reader.makeCheckRound, { watch, failure: "Looking for incidents failed" })
      yield* Backlog.run(yield* Sender.makeRound, { watch, failure: "Sending alerts failed" })
    })
  ).pipe(Layer.provide(mail))

/** The sealed addresses of rules, each with its owner and the context that opens it; at most `limit`. */
export const sealedAddresses = (limit: number) =>
  AlertStore.use((store) =>
    Effect.map(store.urls(limit), (urls) =>
      urls.map(({ business, rule, url }) => ({
        owner: `alert rule ${rule} of ${business}`,
        text: url,
        context: addressContext(business)
      })))
  )

/** {@link over} with the mail server that a server's settings name; without one if they name none. */
export const ofSettings = (settings: AlertSettings): ReturnType<typeof over> => {
  const smtp = smtpOf(settings)
  return over(smtp === undefined ? Mail.none : Mail.smtp(smtp))
}

/** A variable that may be missing or, as in an env file, empty. */
const optional = (name: string, faultOf: (text: string) => string | undefined) =>
  Config.map(
    Config.withDefault(
      Config.schema(
        Schema.String.check(Schema.makeFilter((text) => text === "" ? undefined : faultOf(text))),
        name
      ),
      ""
    ),
    (text) => text === "" ? Option.none<string>() : Option.some(text)
  )

const [urlKind, fromKind] = [
  "smtps://user:password@host:465, or smtp://host:587",
  "an e-mail address, with a name before it or not"
]

/** The settings, by their names in the code of the server. */
export const alertSettings = {
  smtpUrl: {
    name: "SMTP_URL",
    kind: urlKind,
    default: "none",
    meaning:
      "Mail server that sends alerts by e-mail; a user and a password are sent only over TLS, or to the same machine",
    config: Config.map(optional("SMTP_URL", smtpUrlFault), Option.map((url) => Redacted.make(url)))
  },
  smtpFrom: {
    name: "SMTP_FROM",
    kind: fromKind,
    default: "`dockline@{host of SMTP_URL}`",
    meaning: "Sender of these e-mails: `Dockline <alerts@example.com>`",
    config: optional(
      "SMTP_FROM",
      (text) =>
        /^(?:[^<>\r\n]*<[^\s@<>]+@[^\s@<>]+>|[^\s@<>]+@[^\s@<>]+)$/.test(text)
          ? undefined
          : `must be ${fromKind}`
    )
  }
} as const

/** The values of these settings. */
export interface AlertSettings {
  readonly smtpUrl: Option.Option<Redacted.Redacted>
  readonly smtpFrom: Option.Option<string>
}

/** The mail server in these settings; `undefined` if they name none. */
const smtpOf = ({ smtpFrom, smtpUrl }: AlertSettings): SmtpConfig | undefined =>
  Option.getOrUndefined(Option.map(smtpUrl, (url) => ({
    url,
    from: Option.getOrElse(smtpFrom, () => `dockline@${new URL(Redacted.value(url)).hostname}`)
  })))
