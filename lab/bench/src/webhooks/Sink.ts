/**
 * The customer's side: a process that accepts deliveries, answers 200, and records when each arrived. Below `/flaky` it refuses one
 * delivery in twenty for a second.
 */
import { headerIn, listen } from "../Deliveries.ts"
import type { Delivery } from "../Deliveries.ts"
import { fault, serve } from "../Serve.ts"
import { clock, fixedHeaders, signatureOf } from "./Workload.ts"

/** All headers and the signature are checked for one in this number of requests. */
const checkedEach = 500

const refusedEach = 20

/** The commands to the process. */
export type SinkCommand =
  /** Answered with its port. */
  | { readonly port: true }
  /** Resets the record, and sets the number of expected deliveries, without repeats. */
  | { readonly reset: number }
  /** Waits for the first delivery; answered with its time, in milliseconds of the machine's monotonic clock. */
  | { readonly first: true }
  /** Waits for all expected deliveries; answered with the time of the last one. */
  | { readonly reached: true }
  /** Answered with the record. */
  | { readonly report: true }

/** The deliveries since the last reset. */
export interface Came {
  /** The time of the first delivery of each message, by its id. */
  readonly arrivals: ReadonlyArray<readonly [id: number, at: number]>
  /** The number of repeated deliveries. */
  readonly repeats: number
  /** Bytes of the first request, head and body. */
  readonly bytes: number
}

class Arrivals {
  readonly first = Promise.withResolvers<number>()
  readonly reached = Promise.withResolvers<number>()
  readonly #first = new Map<number, number>()
  #repeats = 0
  #bytes = 0
  #expected: number

  constructor(expected: number) {
    this.#expected = expected
  }

  take(delivery: Delivery): void {
    const at = clock()
    if (this.#first.has(delivery.id)) {
      this.#repeats += 1
      return
    }
    if (this.#first.size === 0) {
      this.#bytes = delivery.head.length + "\r\n\r\n".length + delivery.body.length
      this.first.resolve(at)
    }
    if (this.#first.size % checkedEach === 0) check(delivery)
    this.#first.set(delivery.id, at)
    if (this.#first.size === this.#expected) this.reached.resolve(at)
  }

  get report(): Came {
    return { arrivals: Array.from(this.#first), repeats: this.#repeats, bytes: this.#bytes }
  }
}

const check = ({ body, head, id }: Delivery): void => {
  for (const [name, value] of Object.entries(fixedHeaders)) {
    const sent = headerIn(head, name)
    if (sent !== value) fault(`${name} is ${sent} instead of ${value}`)
  }
  const due = signatureOf(`msg_${id}`, headerIn(head, "webhook-timestamp") ?? "", body.toString())
  if (headerIn(head, "webhook-signature") !== due) fault(`The signature of message ${id} does not hold`)
}

let arrivals = new Arrivals(Infinity)
let flaky = 0

const port = listen((delivery) => {
  if (delivery.target.startsWith("/flaky/")) return ++flaky % refusedEach === 0 ? "later" : "taken"
  arrivals.take(delivery)
  return "taken"
}, fault)

serve((command: SinkCommand) => {
  if ("reset" in command) return void (arrivals = new Arrivals(command.reset))
  if ("first" in command) return arrivals.first.promise
  if ("reached" in command) return arrivals.reached.promise
  return "port" in command ? port : arrivals.report
})
