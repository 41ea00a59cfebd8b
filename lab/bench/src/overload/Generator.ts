/**
 * Sends the mix at a fixed rate: each request is sent when it is due, whether or not earlier requests have been answered. Its time counts
 * from when it was due, and so includes waiting for a connection.
 */
import { Pool } from "undici"
import type { Random } from "../../../Random.ts"
import { Arrivals } from "./Arrivals.ts"
import { life } from "./Life.ts"
import type { Kind, Slot, Slots } from "./Life.ts"
import { messageIdIn, Requests, shipmentIdIn } from "./Requests.ts"
import { fateOf, Tallies } from "./Tallies.ts"
import type { Fate } from "./Tallies.ts"
import type { MixTask, Tally } from "./Task.ts"

/** How long a connection may be idle, in milliseconds. */
const idleMillis = 5000

/** How often the generator checks whether requests are in flight, in milliseconds. */
const lookMillis = 20

/** How far behind the newest message the reader of messages begins. */
const readBack = 40

interface Flight {
  readonly dueAt: number
  readonly slot: Slot
  readonly kind: Kind
  readonly client: number
}

/** A whole answer. */
interface Answer {
  readonly status: number
  /** Seconds; `undefined` without the header. */
  readonly retryAfter: number | undefined
  readonly body: Buffer
}

/** A running load. */
export class Generator {
  readonly #task: MixTask
  readonly #slots: Slots
  readonly #pool: Pool
  readonly #tallies = new Tallies(performance.now())
  /** The time until which each client is silent. */
  readonly #silentUntil: Float64Array
  readonly #random: Random
  readonly #arrivals: Arrivals
  readonly #requests: Requests
  #newestMessage = 0
  #inFlight = 0
  #isOn = true

  constructor(task: MixTask, slots: Slots, random: Random) {
    this.#task = task
    this.#slots = slots
    this.#random = random
    this.#pool = new Pool(`http://127.0.0.1:${task.port}`, {
      connections: task.connections,
      pipelining: 1,
      keepAliveTimeout: idleMillis,
      // Each request has its own time limit, from when it was due.
      headersTimeout: 0,
      bodyTimeout: 0
    })
    this.#silentUntil = new Float64Array(task.clients)
    this.#requests = new Requests(task.tokens)
    this.#arrivals = new Arrivals(task.rate, performance.now(), this.#random)
    this.#sendDue()
  }

  /** The counts since the last tally. */
  tally(): Tally {
    return this.#tallies.take(performance.now(), this.#inFlight)
  }

  /** Stops new requests; resolves with the tally when those in flight have ended. */
  async stop(): Promise<Tally> {
    this.#isOn = false
    while (this.#inFlight > 0) await new Promise((resolve) => setTimeout(resolve, lookMillis))
    const tally = this.tally()
    await this.#pool.destroy()
    return tally
  }

  #sendDue(): void {
    if (!this.#isOn) return
    const now = performance.now()
    for (let at = this.#arrivals.due(now); at !== undefined; at = this.#arrivals.due(now)) this.#send(at)
    setTimeout(() => this.#sendDue(), Math.max(1, this.#arrivals.wait(performance.now())))
  }

  #send(dueAt: number): void {
    const client = this.#random.int(0, this.#task.clients - 1)
    const isHeld = this.#silentUntil[client]! > dueAt
    this.#tallies.due(isHeld)
    if (isHeld) return
    const slot = this.#slots.take()
    const flight: Flight = { dueAt, slot, kind: life[slot.at]!.kind, client }
    this.#inFlight++
    void this.#ask(flight).then((answer) => this.#end(flight, answer))
  }

  /** The answer; `undefined` if none came in time, or a text about the failure. */
  async #ask({ dueAt, slot }: Flight): Promise<Answer | string | undefined> {
    const left = Math.max(0, dueAt + this.#task.timeoutMillis - performance.now())
    const signal = AbortSignal.timeout(Math.round(left))
    const request = this.#requests.of(slot, Math.max(0, this.#newestMessage - readBack))
    try {
      const { body, headers, statusCode } = await this.#pool.request({ ...request, signal })
      const retryAfter = headers["retry-after"]
      return {
        status: statusCode,
        retryAfter: typeof retryAfter === "string" ? Number(retryAfter) : undefined,
        body: Buffer.from(await body.arrayBuffer())
      }
    } catch (cause) {
      return signal.aborted ? undefined : String(cause)
    }
  }

  #end(flight: Flight, answer: Answer | string | undefined): void {
    this.#inFlight--
    const { dueAt, kind, slot } = flight
    const now = performance.now()
    const fate = answer === undefined
      ? "timeout"
      : typeof answer === "string"
      ? "error"
      : this.#judge(flight, answer)
    this.#tallies.ended(fate, now - dueAt, () => {
      const what = typeof answer === "object" ? `${answer.status} ${answer.body.toString()}` : answer
      return `${kind}: ${what}`
    })
    if (fate === "good") this.#slots.done(slot)
    else this.#slots.again(slot)
  }

  /** Counts the outcome of a request; good answers update the generator, and refusals make their client wait. */
  #judge({ client, kind, slot }: Flight, { body, retryAfter, status }: Answer): Fate {
    const fate = fateOf(status, retryAfter)
    if (fate === "refused" && this.#task.manners === "polite") {
      this.#silentUntil[client] = performance.now() + retryAfter! * 1000
    }
    if (fate !== "good") return fate
    if (kind === "document" && slot.id === 0) slot.id = shipmentIdIn(body)
    else if (kind === "pallet") this.#newestMessage = Math.max(this.#newestMessage, messageIdIn(body))
    // An error of GraphQL is a 200 as well.
    else if (kind === "messages" && !body.subarray(0, 8).equals(goodData)) return "error"
    return fate
  }
}

const goodData = Buffer.from("{\"data\":")
