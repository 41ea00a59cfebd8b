/** A mail server on a socket of its own, which records its mails. */
import { Effect } from "effect"
import type { AddressInfo } from "node:net"
import { SMTPServer } from "smtp-server"
import type { SMTPServerOptions } from "smtp-server"

/** A received e-mail. */
export interface ArrivedMail {
  readonly to: ReadonlyArray<string>
  /** The headers by lower-case name, unfolded. */
  readonly headers: ReadonlyMap<string, string>
  readonly text: string
}

/** The answer of a server to an address; 250 by default. */
export type Answer = (address: string) => { readonly code: number; readonly text: string } | undefined

/** Reads an e-mail to some addresses from its source, in which each character is a byte. */
export const readMail = (to: ReadonlyArray<string>, source: string): ArrivedMail => {
  const end = source.indexOf("\r\n\r\n")
  const headers = source.slice(0, end).replaceAll(/\r\n[ \t]+/g, " ").split("\r\n").map((line) => {
    const colon = line.indexOf(":")
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const
  })
  const fields = new Map(headers)
  const body = source.slice(end + 4)
  const bytes = fields.get("content-transfer-encoding") === "base64"
    ? Buffer.from(body, "base64")
    : Buffer.from(
      body.replaceAll("=\r\n", "").replaceAll(
        /=([0-9A-F]{2})/g,
        (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))
      ),
      "latin1"
    )
  const isEncoded = fields.has("content-transfer-encoding") &&
    fields.get("content-transfer-encoding") !== "7bit"
  return { to, headers: fields, text: (isEncoded ? bytes.toString("utf8") : body).replaceAll("\r\n", "\n") }
}

/** Serves until the scope ends. */
export const make = Effect.fnUntraced(
  function*({ answer = () => undefined, ...options }: SMTPServerOptions & { readonly answer?: Answer } = {}) {
    const mails: Array<ArrivedMail> = []
    const server = new SMTPServer({
      authOptional: true,
      disabledCommands: ["STARTTLS"],
      disableReverseLookup: true,
      logger: false,
      closeTimeout: 100,
      onRcptTo: ({ address }, _, done) => {
        const refusal = answer(address)
        done(
          refusal === undefined
            ? null
            : Object.assign(new Error(refusal.text), { responseCode: refusal.code })
        )
      },
      onData: (stream, { envelope }, done) => {
        const chunks: Array<Buffer> = []
        stream.on("data", (chunk: Buffer) => chunks.push(chunk))
        stream.on("end", () => {
          const to = envelope.rcptTo.map(({ address }) => address)
          mails.push(readMail(to, Buffer.concat(chunks).toString("latin1")))
          done()
        })
      },
      ...options
    })
    // A client that breaks off is no failure of the server.
    server.on("error", () => {})
    yield* Effect.acquireRelease(
      Effect.callback<void>((resume) => {
        server.listen(0, "127.0.0.1", () => resume(Effect.void))
      }),
      () =>
        Effect.callback<void>((resume) => {
          server.close(() => resume(Effect.void))
        })
    )
    const { port } = server.server.address() as AddressInfo
    return {
      port,
      /** The mails to an address. */
      mailsFor: (address: string) => mails.filter(({ to }) => to.includes(address))
    }
  }
)
