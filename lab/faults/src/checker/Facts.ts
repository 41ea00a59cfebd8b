/**
 * A history as invariants look at it: calls with their outcomes, the tries of a request together.
 */
import { eventsOf } from "../history/History.ts"
import type { Asked, Event, EventOf, History, Occurrence } from "../history/History.ts"

/** A promise that was broken. */
export interface Violation {
  readonly invariant: string
  readonly text: string
  /** The events that show it, by their `seq`. */
  readonly events: ReadonlyArray<number>
}

/** What an invariant finds. */
export type Found = Omit<Violation, "invariant">

/** What a history must not show: a rule looks at the facts and tells of each violation that it finds. */
export type Invariant = (facts: Facts) => Iterable<Found>

/** What shows something: an event, a call with its outcome, all calls of a request, or several of these. */
type Shown =
  | { readonly seq: number }
  | Call
  | { readonly calls: ReadonlyArray<Call> }
  | undefined
  | ReadonlyArray<Shown>

const seqsOf = (shown: Shown): ReadonlyArray<number> => {
  if (shown === undefined) return []
  if ("length" in shown) return shown.flatMap(seqsOf)
  if ("seq" in shown) return [shown.seq]
  return seqsOf("calls" in shown ? shown.calls : [shown.invoke, shown.outcome])
}

/** A violation, and what shows it. */
export const found = (text: string, ...shown: ReadonlyArray<Shown>): Found => ({
  text,
  events: seqsOf(shown)
})

/**
 * One try; without an outcome when the history ended before. What was acknowledged by a database that is gone may be
 * done or not: it is an unknown outcome, and a read of it is left out.
 */
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

/** A request that was acknowledged. */
export type Done<Operation extends Asked["operation"]> = Request<Operation> & {
  readonly acknowledged: EventOf<"ok">
}

/** A call that was answered with what acknowledges it. */
export type Answered = Call & { readonly outcome: EventOf<"ok"> }

/** Whether a call was answered with what acknowledges it. */
export const isOk = (call: Call): call is Answered => call.outcome?.type === "ok"

/** The history, sorted by what it is about. */
export class Facts {
  readonly history: History
  readonly calls: ReadonlyArray<Call>
  readonly requests: ReadonlyArray<Request>
  readonly log: ReadonlyArray<EventOf<"log">>
  /** Messages that are gone with the database that gave them. */
  readonly lost: ReadonlyArray<EventOf<"lost">>
  /** The messages that were dropped by age. */
  readonly dropped: ReadonlyMap<number, EventOf<"dropped">>
  /** From when to when answers are of a database that is gone, if there are such. */
  readonly gap: Gap | undefined
  readonly stored: ReadonlyArray<EventOf<"stored">>

  constructor(history: History) {
    this.history = history
    this.gap = gapIn(history)
    this.calls = callsOf(history).flatMap((call) => withoutTheLost(call, this.gap))
    this.requests = requestsOf(this.calls)
    this.log = eventsOf(history, "log").toSorted((left, right) => left.id - right.id)
    this.lost = eventsOf(history, "lost").toSorted((left, right) => left.id - right.id)
    this.dropped = new Map(eventsOf(history, "dropped").map((each) => [each.id, each]))
    this.stored = eventsOf(history, "stored")
  }

  /** The requests of one operation. */
  of<Operation extends Asked["operation"]>(operation: Operation): ReadonlyArray<Request<Operation>> {
    return this.requests.filter((request): request is Request & Request<Operation> =>
      request.asked.operation === operation
    )
  }

  /** The requests of one operation that were acknowledged. */
  acknowledged<Operation extends Asked["operation"]>(operation: Operation): ReadonlyArray<Done<Operation>> {
    return this.of(operation).filter((request): request is Done<Operation> =>
      request.acknowledged !== undefined
    )
  }

  /** The events of one kind. */
  events<Type extends Occurrence["type"]>(type: Type): ReadonlyArray<EventOf<Type>> {
    return eventsOf(this.history, type)
  }

  /** What was stored of a shipment, by its id. */
  storedUnder(id: number): EventOf<"stored"> | undefined {
    return this.stored.find(({ shipment }) => shipment.id === id)
  }

  /** What was stored of a shipment, by its number. */
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

/** From the beginning of a copy to the moment when it serves, by `seq`. */
export interface Gap {
  readonly begin: number
  readonly end: number
  /** The newest message of each business that the copy has. */
  readonly newest: Readonly<Record<string, number>>
}

const gapIn = (history: History): Gap | undefined => {
  const copied = eventsOf(history, "copied").find(({ phase }) => phase === "begin")
  const promoted = eventsOf(history, "promoted").find((event) => event.phase === "end")
  if (copied === undefined || promoted?.phase !== "end") return undefined
  return { begin: copied.seq, end: promoted.seq, newest: promoted.newest }
}

/** Why the outcome of a call is unknown that was acknowledged. */
export const lostReason = "lost with its database"

/** Whether a copy may lack what a call has left. */
export const mayBeLost = ({ invoke, outcome }: Call, gap: Gap | undefined): boolean =>
  gap !== undefined && invoke.seq < gap.end && (outcome?.seq ?? Infinity) > gap.begin

/** A call as it is judged: what the copy may lack is exempt, and nothing else. */
const withoutTheLost = (call: Call, gap: Gap | undefined): ReadonlyArray<Call> => {
  const { invoke, outcome } = call
  if (!mayBeLost(call, gap) || outcome?.type !== "ok") return [call]
  if (invoke.asked.operation === "read") return []
  const { at, seq, tags } = outcome
  return [{ invoke, outcome: { type: "unknown", call: invoke.call, reason: lostReason, tags, at, seq } }]
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

/** When something had ended; never, when its end is not known. */
export const endOf = (event: Event | undefined): number => event?.seq ?? Infinity
