/**
 * The mail server for alerts, at one address during a run. It records e-mails and answers as receivers of webhooks do. Addresses that
 * contain `faulty` accept only some e-mails; all other addresses accept every e-mail.
 */
import type { AddressInfo, Socket } from "node:net"
import type { Readable } from "node:stream"
import { buffer } from "node:stream/consumers"
import { SMTPServer } from "smtp-server"
import type { SMTPServerSession } from "smtp-server"
import { readMail } from "../../../../packages/alerts/test/send/MailServer.ts"
import { mailPath, tagsOf } from "../history/History.ts"
import { digestOf } from "../history/Record.ts"
import type { Recorder } from "../history/Record.ts"
import { thingsIn } from "./Alerts.ts"

/** The outcome of an e-mail: accepted, address refused for now, content refused for now, or connection closed without an answer. */
const ways = ["taken", "no address", "no content", "no answer"] as const
type Way = (typeof ways)[number]

const statuses: Readonly<Record<Way, number>> = {
  taken: 250,
  "no address": 451,
  "no content": 451,
  "no answer": 0
}

const refusal = () => Object.assign(new Error("not now"), { responseCode: 451 })

export class Mailbox {
  /** Whether faulty addresses accept every e-mail. */
  isCalm = false
  /** Whether faulty addresses accept no e-mail. */
  isDown = false
  readonly #recorder: Recorder
  readonly #newReceipt: () => number
  readonly #server: SMTPServer
  /** The outcome for the e-mail of a session, by the id of the session. */
  readonly #ways = new Map<string, Way>()
  /** The socket of each connection, by its remote port. */
  readonly #sockets = new Map<number | undefined, Socket>()
  #turn = 0

  private constructor(recorder: Recorder, newReceipt: () => number) {
    this.#recorder = recorder
    this.#newReceipt = newReceipt
    this.#server = new SMTPServer({
      authOptional: true,
      disabledCommands: ["STARTTLS"],
      disableReverseLookup: true,
      logger: false,
      closeTimeout: 100,
      onRcptTo: ({ address }, { id }, done) => {
        const way = this.#wayFor(address)
        this.#ways.set(id, way)
        done(way === "no address" ? refusal() : null)
      },
      onData: (stream, session, done) => {
        // Reading the e-mail fails if its sender is killed meanwhile.
        this.#take(stream, session).then((way) => {
          if (way === "no answer") this.#sockets.get(session.remotePort)?.destroy()
          else done(way === "taken" ? null : refusal())
        }, done)
      },
      onClose: ({ id, remotePort }) => {
        this.#ways.delete(id)
        this.#sockets.delete(remotePort)
      }
    })
    this.#server.server.on("connection", (socket) => this.#sockets.set(socket.remotePort, socket))
    // A client that closes its connection early is not an error of the server.
    this.#server.on("error", () => {})
  }

  static async open(recorder: Recorder, newReceipt: () => number): Promise<Mailbox> {
    const mailbox = new Mailbox(recorder, newReceipt)
    await new Promise<void>((resolve) => mailbox.#server.listen(0, "127.0.0.1", resolve))
    return mailbox
  }

  get url(): string {
    return `smtp://127.0.0.1:${(this.#server.server.address() as AddressInfo).port}`
  }

  close(): Promise<void> {
    return new Promise((resolve) => this.#server.close(resolve))
  }

  #wayFor(address: string): Way {
    if (this.isCalm || !address.includes("faulty")) return "taken"
    return this.isDown ? "no address" : ways[this.#turn++ % ways.length]!
  }

  /** Records an e-mail and its answer. */
  async #take(stream: Readable, { envelope: { rcptTo }, id }: SMTPServerSession): Promise<Way> {
    const source = (await buffer(stream)).toString("latin1")
    const [{ address } = { address: "" }] = rcptTo
    const { headers, text } = readMail([address], source)
    const receipt = this.#newReceipt()
    this.#recorder.record({
      type: "receipt",
      receipt,
      endpoint: address.replace(/@.*/, ""),
      path: mailPath,
      webhookId: headers.get("message-id") ?? "",
      signed: false,
      digest: digestOf([headers.get("subject"), text]),
      tags: tagsOf(text),
      things: thingsIn(text)
    })
    const way = this.#ways.get(id) ?? "taken"
    this.#recorder.record({ type: "answered", receipt, status: statuses[way] })
    return way
  }
}
