/**
 * Port: sends e-mail. `smtp` is the port over a mail server by SMTP.
 *
 * Guarantee: a failure says whether another try may help. The `Message-ID` that `smtp` sends depends only on the id of the draft and on the
 * sender, so that mail programs can recognise a repeated copy. Its failures contain no password.
 */
import { clip } from "@dockline/core/values/Clip"
import { Context, Data, Effect, Layer, Redacted, Schema } from "effect"
import { createTransport } from "nodemailer"

/** An e-mail. */
export interface MailDraft {
  /** The part of its id before the `@`. */
  readonly id: string
  readonly to: ReadonlyArray<string>
  readonly subject: string
  readonly text: string
}

/** A message could not be sent to anyone. */
export class SendFailure extends Data.TaggedError("SendFailure")<{
  /** The reason, for operators. */
  readonly reason: string
  /** Whether another try is useless. */
  readonly isFinal: boolean
}> {}

/** Sends e-mail. */
export class Mail extends Context.Service<Mail, {
  /** Sends an e-mail. Returns the refused addresses if others were accepted. */
  readonly send: (draft: MailDraft) => Effect.Effect<ReadonlyArray<string>, SendFailure>
}>()("@dockline/alerts/send/Mail") {}

/** A mail server. */
export interface SmtpConfig {
  /**
   * `smtps://user:password@host:465`, or `smtp://host:587`, which is encrypted (STARTTLS) if the server offers it, and must be encrypted if a
   * user is named, except on this machine.
   */
  readonly url: Redacted.Redacted
  /** The sender: `alerts@example.com`, or `Dockline <alerts@example.com>`. */
  readonly from: string
}

/** The time limits for a mail server, in milliseconds. They end before the claim of a message does. */
const timeouts = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 20_000 }

/** The time limit of a try, in milliseconds. */
const sendMillis = 60_000

/** The fault of the address of a mail server; `undefined` if it is valid. */
export const smtpUrlFault = (text: string): string | undefined => {
  const url = URL.parse(text)
  try {
    decodeURIComponent(`${url?.username}${url?.password}`)
  } catch {
    return "must write % in the user and the password as %25"
  }
  return url !== null && /^smtps?:$/.test(url.protocol) && url.hostname !== ""
    ? undefined
    : "must be smtps://user:password@host:465, or smtp://host:587"
}

const isLoopback = (host: string): boolean =>
  host === "localhost" || host === "[::1]" || /^127(?:\.\d+){3}$/.test(host)

const MailError = Schema.Struct({
  message: Schema.String,
  code: Schema.optionalKey(Schema.String),
  responseCode: Schema.optionalKey(Schema.Number)
})

/** The failure of a try. It is final if the server refuses the message or its addresses (5xx); all other failures may pass. */
const failureOf = (error: unknown, password: string): SendFailure => {
  if (!Schema.is(MailError)(error)) return new SendFailure({ reason: "the mail failed", isFinal: false })
  const { code = "", message, responseCode = 0 } = error
  const text = password === "" ? message : message.replaceAll(password, "***")
  return new SendFailure({
    reason: clip(text.replaceAll(/\s+/g, " "), 300),
    isFinal: responseCode >= 500 && (code === "EENVELOPE" || code === "EMESSAGE")
  })
}

/** Sends over a mail server by SMTP. Each message has a connection of its own. */
export const smtp = ({ from, url }: SmtpConfig): Layer.Layer<Mail> =>
  Layer.sync(Mail, () => {
    const { hostname, password: secret, port, protocol, username } = new URL(Redacted.value(url))
    const password = decodeURIComponent(secret)
    const transport = createTransport({
      ...timeouts,
      host: hostname.replaceAll(/^\[|\]$/g, ""),
      port: port === "" ? (protocol === "smtps:" ? 465 : 587) : Number(port),
      secure: protocol === "smtps:",
      // A password leaves this machine only encrypted.
      requireTLS: username !== "" && !isLoopback(hostname),
      disableFileAccess: true,
      disableUrlAccess: true,
      ...(username === "" ? {} : { auth: { user: decodeURIComponent(username), pass: password } })
    })
    const domain = /@([^@>\s]+)>?$/.exec(from)?.[1] ?? hostname
    return Mail.of({
      send: ({ id, subject, text, to }) =>
        Effect.tryPromise({
          try: () =>
            transport.sendMail({
              from,
              to: [...to],
              subject,
              text,
              messageId: `<${id}@${domain}>`,
              headers: { "Auto-Submitted": "auto-generated", "X-Auto-Response-Suppress": "All" }
            }),
          catch: (error) => failureOf(error, password)
        }).pipe(
          Effect.timeoutOrElse({
            duration: sendMillis,
            orElse: () =>
              Effect.fail(new SendFailure({ reason: "the mail server took too long", isFinal: false }))
          }),
          Effect.map(({ rejected }) => rejected)
        )
    })
  })

/** The port of a service without a mail server: each e-mail fails, and is tried again like any other failed message. */
export const none: Layer.Layer<Mail> = Layer.succeed(Mail, {
  send: () =>
    Effect.fail(new SendFailure({ reason: "the service has no mail server; set SMTP_URL", isFinal: false }))
})
