/**
 * A history as invariants look at it: calls with their outcomes, the tries of a request together.
 */
import { eventsOf } from "./History.ts"
import type { Asked, Event, EventOf, History } from "./History.ts"

/** A promise that was broken. */
export interface Violation {
  readonly invariant: string
  readonly text: string
  /** The events that show it, by their `seq`. */
  readonly events: ReadonlyArray<number>
}

/** What an invariant says of a history. */
export type Invariant = (facts: Facts) => ReadonlyArray<Omit<Violation, "invariant">>

/** One try; without an outcome when the history ended before. */
export interface Call {
  readonly invoke: EventOf<"invoke">
  readonly outcome: EventOf<"ok"> | EventOf<"refused"> | EventOf<"unknown"> | undefined
}

/** One thing that a client wanted. */
export interface Request<Operation extends Asked["operation"] = Asked["operation"]> {
  readonly asked: Extract<Asked, { readonly operation: Operation }>
  readonly business: string
  readonly facility: string
  readonly once: boolean
  readonly calls: ReadonlyArray<Call>
  /** The first answer that acknowledges it. */
  readonly acknowledged: EventOf<"ok"> | undefined
  /** Whether it is surely not done: each try was refused. */
  readonly isRefused: boolean
  /** The first try. */
  readonly invoked: EventOf<"invoke">
}

/** Whether a call was answered with what acknowledges it. */
export const isOk = (call: Call): call is Call & { readonly outcome: EventOf<"ok"> } =>
  call.outcome?.type === "ok"

/** The history, sorted by what it is about. */
export class Facts {
  readonly history: History
  readonly calls: ReadonlyArray<Call>
  readonly requests: ReadonlyArray<Request>
  readonly log: ReadonlyArray<EventOf<"log">>
  readonly stored: ReadonlyArray<EventOf<"stored">>

  constructor(history: History) {
    this.history = history
    this.calls = callsOf(history)
    this.requests = requestsOf(this.calls)
    this.log = eventsOf(history, "log").toSorted((left, right) => left.id - right.id)
    this.stored = eventsOf(history, "stored")
  }

  /** The requests of one operation. */
  of<Operation extends Asked["operation"]>(operation: Operation): ReadonlyArray<Request<Operation>> {
    return this.requests.filter((request): request is Request & Request<Operation> =>
      request.asked.operation === operation
    )
  }

  /** What was stored of a shipment. */
  storedAs(
    { business, facility }: Pick<Request, "business" | "facility">,
    shipmentNumber: string
  ): EventOf<"stored"> | undefined {
    return this.stored.find((each) =>
      each.business === business && each.facility === facility &&
      each.shipment.shipmentNumber === shipmentNumber
    )
  }
}

const callsOf = (history: History): ReadonlyArray<Call> => {
  const outcomes = new Map<number, Call["outcome"]>()
  for (const event of history) {
    if (event.type === "ok" || event.type === "refused" || event.type === "unknown") {
      outcomes.set(event.call, event)
    }
  }
  return eventsOf(history, "invoke").map((invoke) => ({ invoke, outcome: outcomes.get(invoke.call) }))
}

const requestsOf = (calls: ReadonlyArray<Call>): ReadonlyArray<Request> => {
  const tries = Map.groupBy(calls, ({ invoke }) => invoke.request)
  return Array.from(tries.values(), (calls) => {
    const invoked = calls[0]!.invoke
    const { asked, business, facility, once } = invoked
    return {
      asked,
      business,
      facility,
      once,
      calls,
      acknowledged: calls.find(isOk)?.outcome,
      isRefused: calls.every(({ outcome }) => outcome?.type === "refused"),
      invoked
    }
  })
}

/** The events that show something of a request. */
export const seqsOf = ({ calls }: Pick<Request, "calls">): ReadonlyArray<number> =>
  calls.flatMap(({ invoke, outcome }) => outcome === undefined ? [invoke.seq] : [invoke.seq, outcome.seq])

/** When something had ended; never, when its end is not known. */
export const endOf = (event: Event | undefined): number => event?.seq ?? Infinity
