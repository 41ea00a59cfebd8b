/**
 * The customers' servers: the mailbox for alerts, and the endpoints of webhooks, each at its own address, so that an endpoint which is
 * down affects no other. Requests and answers are recorded. A status is recorded before its first byte is written: if the service counts
 * a delivery as done without a recorded status, it got no answer.
 */
import { randomBytes } from "node:crypto"
import { createServer } from "node:http"
import type { IncomingMessage, ServerResponse } from "node:http"
import { text } from "node:stream/consumers"
import { Webhook } from "standardwebhooks"
import { epcisEvents, epcisPath, messageTypes, tagsOf } from "../history/History.ts"
import { digestOf } from "../history/Record.ts"
import type { Recorder } from "../history/Record.ts"
import { asRecord } from "../Json.ts"
import { close, listen } from "../system/Tcp.ts"
import { misbehave } from "./CustomerAnswers.ts"
import type { Misbehaviour } from "./CustomerAnswers.ts"
import { eventsIn } from "./Epcis.ts"
import { Mailbox } from "./Mailbox.ts"

/**
 * The character of an endpoint: it always answers 204 at once; it misbehaves on command, most of the time; it requires tokens, and
 * misbehaves in issuing them; or it refuses some messages permanently, even when all faults are healed, so that these must be dead in the
 * end.
 */
type Character = "steady" | "faulty" | "token" | "hopeless"

const placeOf = (business: string, character: Character, facility: string | null = null) => ({
  endpoint: `${business}-${facility ?? character}`,
  business,
  facility,
  character,
  types: messageTypes
})
type Place = ReturnType<typeof placeOf>

/** The endpoint that captures the events of a business, and gets no messages. */
const captureOf = (business: string, character: Character): Place => ({
  ...placeOf(business, character),
  endpoint: `${business}-epcis`,
  types: [epcisEvents]
})

const places = [placeOf("acme", "steady"), placeOf("acme", "steady", "east"), placeOf("globex", "steady")]
const steady = [...places, captureOf("acme", "steady"), captureOf("globex", "steady")]
const usual = [
  ...places,
  captureOf("acme", "faulty"),
  captureOf("globex", "steady"),
  ...["acme", "globex"].flatMap((business) => [placeOf(business, "faulty"), placeOf(business, "token")])
]

/** The sets of endpoints: the usual ones, these and a hopeless one, or only those that never fail. */
const chosen = { steady, usual, hopeless: [...usual, placeOf("acme", "hopeless")] }

/** In one of this number of shipments the first message is refused permanently. */
const hopelessShare = 3

/** The account that gets tokens. */
export const account = { username: "dockline", password: "correct horse" }

let receipts = 0

const newReceipt = () => ++receipts

export class Endpoint {
  readonly place: Place
  readonly signingSecret = `whsec_${randomBytes(32).toString("base64")}`
  /** Whether it fails only on command. */
  isCalm = false
  readonly #recorder: Recorder
  readonly #webhook = new Webhook(this.signingSecret)
  readonly #tokens = new Set<string>()
  /** The first message of each shipment. */
  readonly #firsts = new Map<number, string>()
  #server = this.#makeServer()
  #port = 0
  #way: Misbehaviour | undefined
  #turn = 0

  constructor(place: Place, recorder: Recorder) {
    this.place = place
    this.#recorder = recorder
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${this.#port}`
  }

  /** Begins to listen, always at the same address. */
  async listen(): Promise<void> {
    if (this.#server.listening) return
    this.#server = this.#makeServer()
    this.#port = await listen(this.#server, this.#port)
  }

  /** Accepts no more connections, and breaks the existing ones. */
  async leave(): Promise<void> {
    if (!this.#server.listening) return
    const closed = close(this.#server)
    this.#server.closeAllConnections()
    await closed
  }

  /** Misbehaves from now on, if its character allows it; `undefined` ends it. */
  async behaveAs(way: Misbehaviour | undefined): Promise<void> {
    if (this.place.character === "steady" || this.place.character === "hopeless") return
    this.#way = way
    if (way === "refuse") return this.leave()
    if (way === "unauthorized" || way === "loginDown") this.#tokens.clear()
    if (way !== undefined) return
    // Ends the connections that it keeps waiting.
    this.#server.closeAllConnections()
    await this.listen()
  }

  /**
   * The way in which it fails now, if it does. It does not fail each time, because a customer that is always down is the simpler case.
   */
  get #wayNow(): Misbehaviour | undefined {
    const turn = this.#turn++
    if (this.#way !== undefined) return turn % 4 === 3 ? undefined : this.#way
    // It also fails now and then by itself.
    return this.place.character === "faulty" && !this.isCalm && turn % 10 === 9 ? "failing" : undefined
  }

  #makeServer() {
    return createServer((request, response) => {
      // The sender may be killed at any time.
      this.#take(request, response).catch(() => response.destroy())
    })
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request)
    const message = asRecord(JSON.parse(body))
    if (request.url === "/login") return this.#logIn(message, response)
    const receipt = newReceipt()
    const webhookId = String(request.headers["webhook-id"])
    const { endpoint } = this.place
    const signed = this.#isSigned(request, webhookId, body)
    const [path, digest, tags] = [String(request.url), digestOf(message), tagsOf(body)]
    const things = path === epcisPath ? eventsIn(message) : undefined
    this.#recorder.record({
      type: "receipt",
      receipt,
      endpoint,
      path,
      webhookId,
      signed,
      digest,
      tags,
      things
    })
    const answer = (status: number) => void this.#recorder.record({ type: "answered", receipt, status })
    const isKnown = this.place.character !== "token" || this.#isSignedIn(request)
    const isHopeless = this.#isRefusedForGood(webhookId, Number(message["serviceShipmentId"]))
    const way = isKnown ? isHopeless ? "failing" : this.#wayNow : undefined
    if (way !== undefined) return misbehave(way, { request, response, answer, turn: this.#turn })
    const status = isKnown ? 204 : 401
    answer(status)
    response.writeHead(status).end()
  }

  #isRefusedForGood(webhookId: string, shipment: number): boolean {
    if (this.place.character !== "hopeless") return false
    if (!this.#firsts.has(shipment)) this.#firsts.set(shipment, webhookId)
    return shipment % hopelessShare === 0 && this.#firsts.get(shipment) === webhookId
  }

  #logIn({ password, username }: ReturnType<typeof asRecord>, response: ServerResponse): void {
    if (this.#way === "loginDown") return void response.writeHead(500).end()
    if (username !== account.username || password !== account.password) {
      return void response.writeHead(403).end()
    }
    const token = randomBytes(12).toString("hex")
    this.#tokens.add(token)
    response.writeHead(200, { "content-type": "application/json" })
    response.end(JSON.stringify({ access_token: token, expires_in: 3600 }))
  }

  #isSignedIn(request: IncomingMessage): boolean {
    const [scheme, token = ""] = String(request.headers["authorization"]).split(" ")
    return scheme === "Bearer" && this.#tokens.has(token)
  }

  /** Whether the signature is valid, whatever its time, because clocks are set forward and back in a run. */
  #isSigned({ headers }: IncomingMessage, webhookId: string, body: string): boolean {
    const at = new Date(Number(headers["webhook-timestamp"]) * 1000)
    if (Number.isNaN(at.getTime())) return false
    return String(headers["webhook-signature"]).split(" ").includes(this.#webhook.sign(webhookId, at, body))
  }
}

export class Customers {
  readonly endpoints: ReadonlyArray<Endpoint>
  readonly mailbox: Mailbox

  private constructor(endpoints: ReadonlyArray<Endpoint>, mailbox: Mailbox) {
    this.endpoints = endpoints
    this.mailbox = mailbox
  }

  static async open(recorder: Recorder, which: keyof typeof chosen): Promise<Customers> {
    const endpoints = chosen[which].map((place) => new Endpoint(place, recorder))
    await Promise.all(endpoints.map((endpoint) => endpoint.listen()))
    return new Customers(endpoints, await Mailbox.open(recorder, newReceipt))
  }

  /** The settings of a server that sends them e-mails. */
  get settings() {
    return { SMTP_URL: this.mailbox.url, SMTP_FROM: "dockline@example.com" }
  }

  /** All endpoints that can misbehave do so in this way from now on; `undefined` ends it. */
  async behaveAs(way: Misbehaviour | undefined): Promise<void> {
    this.mailbox.isDown = way !== undefined
    await Promise.all(this.endpoints.map((endpoint) => endpoint.behaveAs(undefined)))
    if (way !== undefined) await Promise.all(this.endpoints.map((endpoint) => endpoint.behaveAs(way)))
  }

  /** From now on endpoints fail only on command. */
  calm(): void {
    for (const each of [...this.endpoints, this.mailbox]) each.isCalm = true
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.mailbox.close(), ...this.endpoints.map((endpoint) => endpoint.leave())])
  }
}
