/** A history in the form for invariants: calls with their outcomes, and all tries of a request together. */
import type { AskedOf, Event, EventOf, EventType, History, Operation } from "../history/History.ts"

/** A broken guarantee, and the events that show it, by their `seq`. */
export interface Violation {
  readonly invariant: string
  readonly text: string
  readonly events: ReadonlyArray<number>
}

type Found = Omit<Violation, "invariant">

/** The findings of an invariant, one violation after another. */
export type Finding = Generator<Found>

/** An invariant of histories: it examines the facts and yields each violation. */
export type Invariant = (facts: Facts) => Iterable<Found>

/** Evidence: an event, a call with its outcome, all calls of a request, or several of these. */
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

export const found = (text: string, ...shown: ReadonlyArray<Shown>): Found => ({
  text,
  events: seqsOf(shown)
})

/**
 * One try; without an outcome if the history ended before. What a lost database acknowledged may be done or not: it has an unknown outcome,
 * and a read of it is left out.
 */
export interface Call {
  readonly invoke: EventOf<"invoke">
  readonly outcome: EventOf<"ok"> | EventOf<"refused"> | EventOf<"unknown"> | undefined
}

/** One request of a client, with all its tries. */
export interface Request<O extends Operation = Operation>
  extends Pick<EventOf<"invoke">, "business" | "facility" | "once">
{
  readonly asked: AskedOf<O>
  readonly calls: ReadonlyArray<Call>
  /** The first answer that acknowledges it. */
  readonly acknowledged: EventOf<"ok"> | undefined
  /** Whether it is certainly not done, because each try was refused. */
  readonly isRefused: boolean
  readonly invoked: EventOf<"invoke">
}

export type Done<O extends Operation> = Request<O> & { readonly acknowledged: EventOf<"ok"> }

export type OkCall = Call & { readonly outcome: EventOf<"ok"> }

export const isOk = (call: Call): call is OkCall => call.outcome?.type === "ok"

/** The time from the beginning of a copy until it serves, and the newest message of each business in the copy. */
interface Gap {
  readonly begin: number
  readonly end: number
  readonly newest: Readonly<Record<string, number>>
}

/** The history, sorted by subject. */
export class Facts {
  readonly history: History
  readonly calls: ReadonlyArray<Call>
  readonly requests: ReadonlyArray<Request>
  /** The messages of the log, and those that were lost with their database. */
  readonly log: ReadonlyArray<EventOf<"log">>
  readonly lost: ReadonlyArray<EventOf<"lost">>
  /** The messages that were dropped by age. */
  readonly dropped: ReadonlyMap<number, EventOf<"dropped">>
  /** The time in which answers come from a lost database, if there is one. */
  readonly gap: Gap | undefined
  readonly stored: ReadonlyArray<EventOf<"stored">>
  readonly #byType: ReadonlyMap<EventType, ReadonlyArray<Event>>

  constructor(history: History) {
    this.history = history
    this.#byType = Map.groupBy(history, ({ type }) => type)
    this.gap = this.#gap()
    this.calls = callsOf(this).flatMap((call) => withoutTheLost(call, this.gap))
    this.requests = Array.from(Map.groupBy(this.calls, ({ invoke }) => invoke.request).values(), requestOf)
    this.log = this.events("log").toSorted((left, right) => left.id - right.id)
    this.lost = this.events("lost").toSorted((left, right) => left.id - right.id)
    this.dropped = new Map(this.events("dropped").map((each) => [each.id, each]))
    this.stored = this.events("stored")
  }

  of<O extends Operation>(operation: O): ReadonlyArray<Request<O>> {
    return this.requests.filter((request): request is Request & Request<O> =>
      request.asked.operation === operation
    )
  }

  acknowledged<O extends Operation>(operation: O): ReadonlyArray<Done<O>> {
    return this.of(operation).filter((request): request is Done<O> => request.acknowledged !== undefined)
  }

  events<Type extends EventType>(type: Type): ReadonlyArray<EventOf<Type>> {
    // The type determines the form of its events.
    return (this.#byType.get(type) ?? []) as ReadonlyArray<Event & EventOf<Type>>
  }

  storedUnder(id: number): EventOf<"stored"> | undefined {
    return this.stored.find(({ shipment }) => shipment.id === id)
  }

  /** The stored shipment of a request, by its number. */
  storedAs({ asked, business, facility }: Request<"add" | "notice">): EventOf<"stored"> | undefined {
    return this.stored.find((each) =>
      each.business === business && each.facility === facility &&
      each.shipment.shipmentNumber === asked.shipment
    )
  }

  #gap(): Gap | undefined {
    const copied = this.events("copied").find(({ phase }) => phase === "begin")
    const promoted = this.events("promoted").find(({ newest }) => newest !== undefined)
    if (copied === undefined || promoted === undefined) return undefined
    return { begin: copied.seq, end: promoted.seq, newest: promoted.newest! }
  }
}

/** Whether a copy may lack the effect of a call. */
export const mayBeLost = ({ invoke, outcome }: Call, gap: Gap | undefined): boolean =>
  gap !== undefined && invoke.seq < gap.end && (outcome?.seq ?? Infinity) > gap.begin

/** A call for judgement: exempt only if the copy may lack its effect. */
const withoutTheLost = (call: Call, gap: Gap | undefined): ReadonlyArray<Call> => {
  const { invoke, outcome } = call
  if (!mayBeLost(call, gap) || outcome?.type !== "ok") return [call]
  if (invoke.asked.operation === "read") return []
  return [{ invoke, outcome: { ...outcome, type: "unknown", reason: "lost with its database" } }]
}

const callsOf = (facts: Facts): ReadonlyArray<Call> => {
  const outcomes = new Map<number, Call["outcome"]>()
  for (const event of facts.history) {
    if (event.type === "ok" || event.type === "refused" || event.type === "unknown") {
      outcomes.set(event.call, event)
    }
  }
  return facts.events("invoke").map((invoke) => ({ invoke, outcome: outcomes.get(invoke.call) }))
}

const requestOf = (calls: ReadonlyArray<Call>): Request => {
  const invoked = calls[0]!.invoke
  const { asked, business, facility, once } = invoked
  const acknowledged = calls.find(isOk)?.outcome
  const isRefused = calls.every(({ outcome }) => outcome?.type === "refused")
  return { asked, business, facility, once, calls, acknowledged, isRefused, invoked }
}
