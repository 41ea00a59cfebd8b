/**
 * Sends the mix at a fixed rate: what falls due is sent, whether or not earlier requests have been answered. A time
 * counts from when a request was due, so that waiting for a connection is part of it.
 */
import { Arrivals } from "./Arrivals.ts"
import { Connections } from "./Connections.ts"
import type { Answer, Exchange } from "./Connections.ts"
import { life } from "./Life.ts"
import type { Kind, Slot, Slots } from "./Life.ts"
import { messageIdIn, Requests, shipmentIdIn } from "./Requests.ts"
import { fateOf, Tallies } from "./Tallies.ts"
import type { Fate } from "./Tallies.ts"
import type { MixTask, Tally } from "./Task.ts"

/** How often it is looked for requests without an answer in time, in milliseconds. */
const sweepMillis = 100

/** How long a connection may have nothing to do, in milliseconds. */
const idleMillis = 5000

/** How far behind the newest message the reader of messages begins. */
const readBack = 40

interface Flight {
  readonly dueAt: number
  readonly slot: Slot
  readonly kind: Kind
  readonly client: number
  readonly exchange: Exchange
}

/** A load under way. */
export class Generator {
  readonly #task: MixTask
  readonly #slots: Slots
  readonly #connections: Connections
  readonly #tallies = new Tallies(performance.now())
  /** The oldest first. */
  readonly #flights = new Set<Flight>()
  /** Until when each client is silent. */
  readonly #silentUntil: Float64Array
  readonly #random: () => number
  readonly #arrivals: Arrivals
  readonly #sweep: NodeJS.Timeout
  readonly #requests: Requests
  #newestMessage = 0
  #isOn = true

  constructor(task: MixTask, slots: Slots, random: () => number) {
    this.#task = task
    this.#slots = slots
    this.#random = random
    this.#connections = new Connections(task.port, task.connections)
    this.#silentUntil = new Float64Array(task.clients)
    this.#requests = new Requests(task.tokens, task.port)
    this.#arrivals = new Arrivals(task.rate, performance.now(), this.#random)
    this.#sweep = setInterval(() => {
      const now = performance.now()
      this.#giveUp(now - task.timeoutMillis)
      this.#connections.trim(now - idleMillis)
    }, sweepMillis)
    this.#sendDue()
  }

  /** What happened since the last tally. */
  tally(): Tally {
    return this.#tallies.take(performance.now(), this.#flights.size)
  }

  /** Nothing falls due any more; resolves when what is in flight has ended, with its tally. */
  async stop(): Promise<Tally> {
    this.#isOn = false
    while (this.#flights.size > 0) await new Promise((resolve) => setTimeout(resolve, 20))
    clearInterval(this.#sweep)
    const tally = this.tally()
    this.#connections.close()
    return tally
  }

  #sendDue(): void {
    if (!this.#isOn) return
    const now = performance.now()
    for (let at = this.#arrivals.due(now); at !== undefined; at = this.#arrivals.due(now)) this.#send(at)
    setTimeout(() => this.#sendDue(), Math.max(1, this.#arrivals.wait(performance.now())))
  }

  #send(dueAt: number): void {
    const client = Math.floor(this.#random() * this.#task.clients)
    const isHeld = this.#silentUntil[client]! > dueAt
    this.#tallies.due(isHeld)
    if (isHeld) return
    const slot = this.#slots.take()
    const flight: Flight = {
      dueAt,
      slot,
      kind: life[slot.at]!.kind,
      client,
      exchange: {
        request: () => this.#requests.of(slot, Math.max(0, this.#newestMessage - readBack)),
        onEnd: (answer) => this.#end(flight, answer)
      }
    }
    this.#flights.add(flight)
    this.#connections.send(flight.exchange)
  }

  #end(flight: Flight, answer: Answer | string): void {
    const { dueAt, kind, slot } = flight
    // Given up: it has ended before.
    if (!this.#flights.delete(flight)) return
    const now = performance.now()
    const millis = now - dueAt
    if (millis > this.#task.timeoutMillis) {
      this.#tallies.ended(now, kind, "timeout", millis, () => "")
      return this.#slots.again(slot)
    }
    if (typeof answer === "string") {
      this.#tallies.ended(now, kind, "error", millis, () => `${kind}: ${answer}`)
      return this.#slots.again(slot)
    }
    const fate = this.#judge(flight, answer)
    this.#tallies.ended(
      now,
      kind,
      fate,
      millis,
      () => `${kind}: ${answer.status} ${answer.body.toString()}`
    )
    if (fate === "good") this.#slots.done(slot)
    else this.#slots.again(slot)
  }

  /** What became of it; a good answer is learnt from, and a refusal taken to heart. */
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

  #giveUp(dueBefore: number): void {
    for (const flight of this.#flights) {
      if (flight.dueAt >= dueBefore) break
      this.#flights.delete(flight)
      this.#connections.abandon(flight.exchange)
      this.#tallies.ended(performance.now(), flight.kind, "timeout", this.#task.timeoutMillis, () => "")
      this.#slots.again(flight.slot)
    }
  }
}

const goodData = Buffer.from("{\"data\":")
