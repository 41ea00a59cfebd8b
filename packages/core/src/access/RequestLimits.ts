/**
 * Ports: limit the requests of each client (D10.5), whose count all adapters share, and the work and the answers that the
 * process holds at once. The server limits HTTP requests by itself; adapters ask for other work, such as operations of a
 * socket, and for the room that answers take.
 */
import { Context, Deferred, Effect, Layer, Result } from "effect"
import { CurrentWork } from "../input/Slices.ts"
import type { WaitIdle } from "../input/Slices.ts"
import { Overloaded } from "../values/RequestErrors.ts"
import type { RateLimited } from "../values/RequestErrors.ts"
import type { Principal } from "./Access.ts"

/** The remaining requests of a client, as the headers `RateLimit` and `RateLimit-Policy` show them. */
export interface Allowance {
  /** The most requests of one window. */
  readonly limit: number
  readonly windowSeconds: number
  readonly remaining: number
  /** Seconds until the window ends. */
  readonly resetSeconds: number
}

/** Limits the requests of each client. */
export class RequestLimits extends Context.Service<RequestLimits, {
  /** Counts one request of a client; `undefined` when there is no limit. */
  readonly take: (clientId: string) => Effect.Effect<Allowance | undefined, RateLimited>
}>()("@dockline/core/access/RequestLimits") {
  /** No limit. */
  static readonly layerNone: Layer.Layer<RequestLimits> = Layer.succeed(RequestLimits, {
    take: () => Effect.undefined
  })
}

/** Runs work in the share of a client or a person when its turn comes; work that would have to wait for too long is refused. */
export type TakeOn = <A, E, R>(
  principal: Principal,
  work: Effect.Effect<A, E, R>
) => Effect.Effect<A, E | Overloaded, R>

/** The wait of a request aside. One of its two ends is called, once. */
export interface AsideWait {
  /** What was waited for is there: calls `goOn` when it is the turn of the request, maybe at once, or refuses it. */
  readonly end: (goOn: () => void) => void
  /** It will not be there: the request only has its refusal to send. */
  readonly giveUp: () => void
}

/**
 * Begins to wait for what a request needs from outside, such as its body or the answer of another service, without counting the request among the
 * work of the process meanwhile. Then the request goes on when its turn comes; one that would have to wait for too long, or that has to give way
 * to others while it waits, is refused by `refuse`, which may be called once, before the end. Without `refuse` it goes on at once, and the
 * caller bounds how many wait so. The request is that of the platform.
 */
export type BeginAside = (request: object, refuse?: () => void) => AsideWait

/** Lets requests wait for others; it counts nothing by default. */
export const Aside: Context.Reference<BeginAside> = Context.Reference<BeginAside>("@dockline/core/Aside", {
  defaultValue: (): BeginAside => () => ({ end: (goOn) => goOn(), giveUp: () => undefined })
})

/**
 * Runs what a request waits for ({@link Aside}). What it has waited for may count once only, such as the answer of a provider to a
 * sign-in: then it goes on "at once" and is never refused.
 */
export const waitAside = <A, E, R>(
  request: object,
  waiting: Effect.Effect<A, E, R>,
  goesOn: "in turn" | "at once" = "in turn"
): Effect.Effect<A, E | Overloaded, R> =>
  Effect.flatMap(Aside, (begin) =>
    Effect.suspend(() => {
      const refusal = Deferred.makeUnsafe<never, Overloaded>()
      const refuse = (): void => void Deferred.doneUnsafe(refusal, Effect.fail(overloaded()))
      const wait = begin(request, goesOn === "at once" ? undefined : refuse)
      return Effect.raceFirst(waiting, Deferred.await(refusal)).pipe(
        Effect.onError(() => Effect.sync(wait.giveUp)),
        Effect.flatMap((value) =>
          Effect.raceFirst(
            Effect.callback<A>((resume) => wait.end(() => resume(Effect.succeed(value)))),
            Deferred.await(refusal)
          )
        )
      )
    }))

/** Waits for what the storage, or the room of answers, has for the present work. */
export const idle: WaitIdle = (waiting) => Effect.flatMap(CurrentWork, (work) => work.idle(waiting))

/** Limits the work that the process does at once; without a limit by default. */
export const Capacity: Context.Reference<TakeOn> = Context.Reference<TakeOn>("@dockline/core/Capacity", {
  defaultValue: (): TakeOn => (_principal, work) => work
})

/** The room of one answer, in characters of its text in JSON, as far as they can be told before it is made. */
export interface Room {
  /** Takes more room before so much is loaded; waits for it for a bounded time, and is refused then. */
  readonly take: (characters: number) => Effect.Effect<void, Overloaded>
  /** Takes more room at once; `false` where there is none now. */
  readonly takeNow: (characters: number) => boolean
}

/**
 * The room of the answer that is being made; without a limit by default. What loads shipments asks for it, so that the answer
 * of a large one waits, or is refused, before it takes memory.
 */
export const AnswerRoom: Context.Reference<Room> = Context.Reference<Room>("@dockline/core/AnswerRoom", {
  defaultValue: (): Room => endless
})

/** Room without a limit. */
export const endless: Room = { take: () => Effect.void, takeNow: () => true }

/**
 * Makes the check of decisions of a write by the room of their answers: a decision whose answer finds no room is refused at once, as it
 * holds locks. A repeated decision takes no more room than it needs.
 */
export const withinRoom = (room: Room) => {
  let sum = 0
  const hasRoom = (characters: number): boolean => {
    if (characters <= sum) return true
    if (!room.takeNow(characters - sum)) return false
    sum = characters
    return true
  }
  return <A, E>(
    decision: Result.Result<A, E>,
    textOf: (plan: A) => number
  ): Result.Result<A, E | Overloaded> =>
    Result.filterOrFail(decision, (plan) => hasRoom(textOf(plan)), () => overloaded())
}

/** The room of an answer, and what gives it back once its client has taken the answer, or is gone. */
export interface OpenedRoom {
  readonly room: Room
  /** Gives all that was taken back, once the answer is taken or its client is gone. */
  readonly release: () => void
}

/** Opens the room of an answer to a client, of a request of the platform if it has one, whose connection is cut where others need its room. */
export type OpenRoom = (principal: Principal, request?: object) => OpenedRoom

/** Limits the answers that the process holds at once; without a limit by default. Adapters open a room for each answer. */
export const AnswerRooms: Context.Reference<OpenRoom> = Context.Reference<OpenRoom>(
  "@dockline/core/AnswerRooms",
  { defaultValue: (): OpenRoom => () => ({ room: endless, release: () => undefined }) }
)

/** A refusal for overload. Its random wait of 1 to 3 seconds keeps clients from returning all at once. */
export const overloaded = (chance: number = Math.random()): Overloaded =>
  overloads[Math.floor(chance * overloads.length)]!

/** Made once: an error takes longer to make than all else of a refusal. */
const overloads = [1, 2, 3].map((retryAfterSeconds) => new Overloaded({ retryAfterSeconds }))
