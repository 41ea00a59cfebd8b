/**
 * Work in a lane (its share, the memory for its body, and its ticket), and the states of a request in its lane.
 *
 * A request is
 *
 * - `new` until its lane queues, begins or refuses it;
 * - `watched` from then on: listeners detect the end of its answer;
 * - `counted out` once its answer is an event stream or a long list: it keeps the memory for its body, but does not count in the lane;
 * - `over` once its answer has ended, its connection is lost, or its lane has refused it while it was new.
 *
 * Guarantee: an admitted request releases its ticket and its memory exactly once, even if its lane begins or refuses it, or if its answer
 * ends, before {@link WorkLane.enter} returns. A request that is refused while it is new gets no listeners, because most requests of an
 * overload are refused.
 */
import type { AsideWait, Share } from "@dockline/core/access/RequestLimits"
import { CurrentWork } from "@dockline/core/input/Slices"
import type { WaitIdle } from "@dockline/core/input/Slices"
import { Effect } from "effect"
import type { IncomingMessage, ServerResponse } from "node:http"
import type { BodyRoom } from "./Budgets.ts"
import { answeredEvent, listEvent, streamEvent, whenOver } from "./CompleteResponse.ts"
import type { Ticket, WorkLane } from "./WorkLane.ts"

/** Work in a lane. It has no ticket while {@link WorkLane.enter} runs. */
export interface Admittance {
  readonly share: Share
  readonly body?: BodyRoom
  ticket: Ticket | undefined
}

/** An arriving request, and its state. */
export interface Arrival {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly authorization: string | undefined
  readonly refuse: () => void
  readonly pass: () => void
}

/** A request in its lane. */
export class AdmittedRequest implements Admittance {
  readonly share: Share
  readonly body: BodyRoom
  ticket: Ticket | undefined = undefined
  #state: "new" | "watched" | "counted out" | "over" = "new"
  readonly #arrival: Arrival
  readonly #onOver: (arrival: Arrival) => void

  /** Calls `onOver` once, when the request is over. */
  constructor(share: Share, body: BodyRoom, arrival: Arrival, onOver: (arrival: Arrival) => void) {
    this.share = share
    this.body = body
    this.#arrival = arrival
    this.#onOver = onOver
  }

  /** Queues the request in its lane, which passes it on or refuses it, maybe at once. */
  enter(lane: WorkLane): void {
    this.ticket = lane.enter(this.share, this.#begin, this.#refuse)
    this.#watch()
    // The answer may have ended before the ticket existed.
    if (this.#state !== "watched") this.ticket.end()
  }

  readonly #begin = (): void => {
    this.#watch()
    this.#arrival.pass()
  }

  /** If the request is watched, the end of the refusal ends it. */
  readonly #refuse = (): void => {
    if (this.#state === "new") this.#end()
    this.#arrival.refuse()
  }

  #watch(): void {
    if (this.#state !== "new") return
    this.#state = "watched"
    const { request, response } = this.#arrival
    response.once(answeredEvent, this.#end)
    response.once(streamEvent, this.#countOut)
    response.once(listEvent, this.#countOut)
    whenOver(request, response, this.#end)
  }

  readonly #countOut = (): void => {
    if (this.#state === "watched") this.#state = "counted out"
    this.ticket?.end()
  }

  readonly #end = (): void => {
    if (this.#state === "over") return
    this.#state = "over"
    this.ticket?.end()
    this.body.release()
    this.#onOver(this.#arrival)
  }
}

/** Runs work in its share. While the work waits, it does not count as running in any lane that it has passed. */
export const inShare = <A, E, R>(
  admittance: Admittance,
  work: Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  Effect.updateService(work, CurrentWork, ({ idle }) => ({
    turn: admittance.share.business,
    idle: (waiting) => idle(idling(admittance)(waiting))
  }))

/** Makes waiting work idle. If a wait ends at once, the work keeps counting as running. */
const idling = (admittance: Admittance): WaitIdle => (waiting) =>
  Effect.suspend(() => {
    const { ticket } = admittance
    if (ticket === undefined) return waiting
    let state: "begun" | "idle" | "over" = "begun"
    queueMicrotask(() => {
      if (state === "over") return
      state = "idle"
      ticket.idle()
    })
    return Effect.ensuring(
      waiting,
      Effect.sync(() => {
        if (state === "idle") ticket.awake()
        state = "over"
      })
    )
  })

/** The wait of work that no lane counts. */
export const noWait: AsideWait = { end: (goOn) => goOn(), giveUp: () => undefined }

/**
 * Pauses work while it waits, from the next turn of the event loop on: by then a body that arrives with the head is available. Paused work
 * that may be refused may have to give way to other work.
 */
export const pause = (admittance: Admittance, refuse: (() => void) | undefined): AsideWait => {
  let ticket: Ticket | undefined
  const next = setImmediate(() => {
    ticket = admittance.ticket
    ticket?.pause(refuse)
    if (refuse !== undefined) admittance.body?.offer(refuse)
  })
  const giveUp = (): void => {
    clearImmediate(next)
    admittance.body?.keep()
  }
  return {
    giveUp,
    end: (goOn) => {
      giveUp()
      if (ticket === undefined) goOn()
      else ticket.resume(goOn, refuse)
    }
  }
}
