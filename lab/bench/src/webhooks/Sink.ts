/**
 * The customer's side: a process that takes deliveries, answers 200, and remembers when each came. Below `/flaky` it refuses
 * one delivery in twenty for a second.
 */
import { headerIn, listen } from "../Deliveries.ts"
import type { Delivery } from "../Deliveries.ts"
import { fault, serve } from "../Serve.ts"
import { clock, fixedHeaders, signatureOf } from "./Workload.ts"

/** One request in so many has all its headers and its signature checked. */
const checkedEach = 500

const refusedEach = 20

/** What the process is told. */
export type SinkCommand =
  /** Its port. */
  | { readonly port: true }
  /** Forgets what came; so many deliveries are expected, repeats not counted. */
  | { readonly reset: number }
  /** When the first delivery has come, in milliseconds of the machine's monotonic clock; waits for it. */
  | { readonly first: true }
  /** When all that are expected have come; waits for it. */
  | { readonly reached: true }
  /** What has come. */
  | { readonly report: true }

/** What has come since it was reset. */
export interface Came {
  /** By message id: when it came first. */
  readonly arrivals: ReadonlyArray<readonly [id: number, at: number]>
  /** Deliveries of what had come before. */
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
