/**
 * The customers' servers: the endpoints that webhooks go to, each at an address of its own, so that one which is away
 * takes no other with it. What came and what was answered is recorded; a status is recorded before its first byte is
 * written, so that a delivery which the service counts as done without one was not answered at all.
 */
import { randomBytes } from "node:crypto"
import { once } from "node:events"
import { createServer } from "node:http"
import type { IncomingMessage, Server, ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { Webhook } from "standardwebhooks"
import { tagsOf } from "../history/History.ts"
import { digestOf } from "../history/Record.ts"
import type { Recorder } from "../history/Record.ts"
import { asRecord } from "../Json.ts"
import { misbehave } from "./CustomerAnswers.ts"
import type { Misbehaviour } from "./CustomerAnswers.ts"

/** What sort of customer an endpoint belongs to. */
type Character =
  /** Answers 204 at once, always. */
  | "steady"
  /** Misbehaves when it is told to, most of the time. */
  | "faulty"
  /** Signs the service in with tokens, and misbehaves in that. */
  | "token"
  /** Refuses some messages for good, also when everybody is well: they are to be dead in the end. */
  | "hopeless"

interface Place {
  readonly endpoint: string
  readonly business: string
  readonly facility: string | null
  readonly character: Character
}

const placeOf = (business: string, character: Character, facility: string | null = null): Place => ({
  endpoint: `${business}-${facility ?? character}`,
  business,
  facility,
  character
})

const places: ReadonlyArray<Place> = [
  placeOf("acme", "steady"),
  placeOf("acme", "faulty"),
  placeOf("acme", "token"),
  placeOf("acme", "steady", "east"),
  placeOf("globex", "steady"),
  placeOf("globex", "faulty"),
  placeOf("globex", "token")
]

/** Of one in so many shipments the first message is refused for good. */
const hopelessShare = 3

/** The account that tokens are given to. */
export const account = { username: "dockline", password: "correct horse" }

let receipts = 0

export class Endpoint {
  readonly place: Place
  readonly signingSecret = `whsec_${randomBytes(32).toString("base64")}`
  readonly #recorder: Recorder
  readonly #webhook = new Webhook(this.signingSecret)
  readonly #tokens = new Set<string>()
  /** The first message that came of each shipment. */
  readonly #firsts = new Map<number, string>()
  #server: Server
  #port = 0
  #way: Misbehaviour | undefined
  #isCalm = false
  #turn = 0

  constructor(place: Place, recorder: Recorder) {
    this.place = place
    this.#recorder = recorder
    this.#server = this.#makeServer()
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${this.#port}`
  }

  /** Begins to listen, at the same address each time. */
  async listen(): Promise<void> {
    if (this.#server.listening) return
    this.#server = this.#makeServer()
    this.#server.listen(this.#port, "127.0.0.1")
    await once(this.#server, "listening")
    this.#port = (this.#server.address() as AddressInfo).port
  }

  /** Takes no connection any more, and breaks those that are there. */
  async leave(): Promise<void> {
    if (!this.#server.listening) return
    const closed = once(this.#server, "close")
    this.#server.close()
    this.#server.closeAllConnections()
    await closed
  }

  /** Misbehaves from now on, as far as its character has it; `undefined` ends it. */
  async behaveAs(way: Misbehaviour | undefined): Promise<void> {
    if (this.place.character === "steady" || this.place.character === "hopeless") return
    this.#way = way
    if (way === "refuse") return this.leave()
    if (way === "unauthorized" || way === "loginDown") this.#tokens.clear()
    if (way === undefined) {
      // Whoever is kept waiting is let go.
      this.#server.closeAllConnections()
      await this.listen()
    }
  }

  /** Fails no more unless it is told to. */
  calm(): void {
    this.#isCalm = true
  }

  /** The way in which it fails now, if it does. Not each time: a customer who is down altogether is the simpler one. */
  get #wayNow(): Misbehaviour | undefined {
    const turn = this.#turn++
    if (this.#way !== undefined) return turn % 4 === 3 ? undefined : this.#way
    // Nobody is perfect.
    return this.place.character === "faulty" && !this.#isCalm && turn % 10 === 9 ? "failing" : undefined
  }

  #makeServer(): Server {
    return createServer((request, response) => {
      // The sender may be killed at any time.
      this.#take(request, response).catch(() => response.destroy())
    })
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Array<Buffer> = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks).toString("utf8")
    if (request.url === "/login") return this.#logIn(body, response)
    const receipt = ++receipts
    const webhookId = String(request.headers["webhook-id"])
    this.#recorder.record({
      type: "receipt",
      receipt,
      endpoint: this.place.endpoint,
      path: String(request.url),
      webhookId,
      signed: this.#isSigned(request, webhookId, body),
      digest: digestOf(JSON.parse(body)),
      tags: tagsOf(body)
    })
    const answer = (status: number) => this.#recorder.record({ type: "answered", receipt, status })
    if (this.place.character === "token" && !this.#isSignedIn(request)) {
      answer(401)
      response.writeHead(401).end()
      return
    }
    const way = this.#isRefusedForGood(webhookId, body) ? "failing" : this.#wayNow
    if (way === undefined) {
      answer(204)
      response.writeHead(204).end()
    } else await misbehave(way, { request, response, answer, turn: this.#turn })
  }

  #isRefusedForGood(webhookId: string, body: string): boolean {
    if (this.place.character !== "hopeless") return false
    const shipment = Number(asRecord(JSON.parse(body))["serviceShipmentId"])
    if (!this.#firsts.has(shipment)) this.#firsts.set(shipment, webhookId)
    return shipment % hopelessShare === 0 && this.#firsts.get(shipment) === webhookId
  }

  #logIn(body: string, response: ServerResponse): void {
    const { password, username } = asRecord(JSON.parse(body))
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

  /** Whether the signature holds, at whatever time: clocks are set forward and back in a run. */
  #isSigned({ headers }: IncomingMessage, webhookId: string, body: string): boolean {
    const at = new Date(Number(headers["webhook-timestamp"]) * 1000)
    if (Number.isNaN(at.getTime())) return false
    return String(headers["webhook-signature"]).split(" ").includes(this.#webhook.sign(webhookId, at, body))
  }
}

/** Who they are: the usual ones, these and a hopeless one, or those alone that never fail. */
const chosen = {
  usual: places,
  hopeless: [...places, placeOf("acme", "hopeless")],
  steady: places.filter(({ character }) => character === "steady")
}

export class Customers {
  readonly endpoints: ReadonlyArray<Endpoint>

  private constructor(endpoints: ReadonlyArray<Endpoint>) {
    this.endpoints = endpoints
  }

  static async open(recorder: Recorder, which: keyof typeof chosen): Promise<Customers> {
    const endpoints = chosen[which].map((place) => new Endpoint(place, recorder))
    await Promise.all(endpoints.map((endpoint) => endpoint.listen()))
    return new Customers(endpoints)
  }

  /** Those that can misbehave do so from now on in this way alone; `undefined` has all of them be well. */
  async behaveAs(way: Misbehaviour | undefined): Promise<void> {
    await Promise.all(this.endpoints.map((endpoint) => endpoint.behaveAs(undefined)))
    if (way !== undefined) await Promise.all(this.endpoints.map((endpoint) => endpoint.behaveAs(way)))
  }

  /** Nobody fails any more unless told to. */
  calm(): void {
    for (const endpoint of this.endpoints) endpoint.calm()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.endpoints.map((endpoint) => endpoint.leave()))
  }
}
