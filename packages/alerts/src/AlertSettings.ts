/**
 * The settings for alerts by e-mail: environment variables that the server reads together with its own (D12.1).
 *
 * Guarantee: a fault names the variable and its required form, and never shows its value, which may be a secret.
 */
import { Config, Option, Redacted, Schema } from "effect"
import { smtpUrlFault } from "./send/Mail.ts"
import type { SmtpConfig } from "./send/Mail.ts"

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
    meaning: "Mail server that sends alerts by e-mail; a user and a password are sent only over TLS",
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
export const smtpOf = ({ smtpFrom, smtpUrl }: AlertSettings): SmtpConfig | undefined =>
  Option.getOrUndefined(Option.map(smtpUrl, (url) => ({
    url,
    from: Option.getOrElse(smtpFrom, () => `dockline@${new URL(Redacted.value(url)).hostname}`)
  })))
