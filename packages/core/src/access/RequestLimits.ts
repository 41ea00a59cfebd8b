/**
 * Ports that limit the requests of each client (D10.5), counted once for all adapters. Others limit the work and the answers that the
 * process holds at once. The server limits HTTP requests itself. Adapters use these ports for other work, such as operations of a socket,
 * and for the memory of answers. {@link shareOf} names the shares by which the server divides requests, bodies, answers, operations of
 * sockets and event streams.
 *
 * Guarantee: a client or a person has one share, whatever tokens, sessions and interfaces it uses. Clients with grants for the same
 * businesses are in one larger share, so businesses get no more by having more clients. Requests that are not yet authenticated use the
 * share of their network, separate from all others.
 */
import { Context, Deferred, Effect, Layer, Result } from "effect"
import { CurrentWork } from "../input/Slices.ts"
import type { WaitIdle } from "../input/Slices.ts"
import { Overloaded } from "../values/RequestErrors.ts"
import type { RateLimited } from "../values/RequestErrors.ts"
import type { Principal } from "./Access.ts"
import { everything } from "./Access.ts"
import { isPerson } from "./Principals.ts"

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
  readonly count: (clientId: string) => Effect.Effect<Allowance | undefined, RateLimited>
}>()("@dockline/core/access/RequestLimits") {
  /** No limit. */
  static readonly layerNone: Layer.Layer<RequestLimits> = Layer.succeed(RequestLimits, {
    count: () => Effect.undefined
  })
}

/** Runs work in the share of a client or a person when the turn of the work comes. Work that would wait for too long is refused. */
export type AdmitWork = <A, E, R>(
  principal: Principal,
  work: Effect.Effect<A, E, R>
) => Effect.Effect<A, E | Overloaded, R>

/** The wait of a request outside the work of the process. Exactly one of the two functions is called, once. */
export interface AsideWait {
  /** The wait has succeeded: calls `goOn` when it is the request's turn, possibly at once, or refuses the request. */
  readonly end: (goOn: () => void) => void
  /** The wait has failed: the request only has to send its refusal. */
  readonly giveUp: () => void
}

/**
 * Begins a wait for something outside, such as the body of a request or the answer of another service. Meanwhile the request does not count
 * as work of the process. After the wait the request continues when its turn comes. If its turn would come too late, or if it has to make
 * way for other requests while it waits, `refuse` is called once, and the request does not continue. Without `refuse` the request continues
 * at once, and the caller limits the number of these waits. `request` is the request object of the platform.
 */
export type BeginAside = (request: object, refuse?: () => void) => AsideWait

/** Lets requests wait outside the work of the process; by default nothing is counted. */
export const Aside: Context.Reference<BeginAside> = Context.Reference<BeginAside>("@dockline/core/Aside", {
  defaultValue: (): BeginAside => () => ({ end: (goOn) => goOn(), giveUp: () => undefined })
})

/**
 * Runs an effect that a request waits for ({@link Aside}). If its result can be used only once, such as a provider's answer to a sign-in,
 * the request continues "at once" and is never refused.
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

/** Waits for the storage, or for the memory of answers. Meanwhile the current work does not count as running. */
export const idle: WaitIdle = (waiting) => Effect.flatMap(CurrentWork, (work) => work.idle(waiting))

/** Limits the work that the process does at once; without a limit by default. */
export const Capacity: Context.Reference<AdmitWork> = Context.Reference<AdmitWork>(
  "@dockline/core/Capacity",
  {
    defaultValue: (): AdmitWork => (_principal, work) => work
  }
)

/** The memory budget of one answer, in estimated characters of its JSON text. */
export interface AnswerMemory {
  /** Reserves memory before the text is loaded. Waits for a bounded time and then fails. */
  readonly reserve: (characters: number) => Effect.Effect<void, Overloaded>
  /** Reserves memory without waiting; `false` if there is not enough now. */
  readonly reserveNow: (characters: number) => boolean
}

/**
 * The memory budget of the current answer; unlimited by default. Code that loads shipments reserves memory first, so that an answer with a
 * large shipment waits, or is refused, before it uses memory.
 */
export const AnswerMemory: Context.Reference<AnswerMemory> = Context.Reference<AnswerMemory>(
  "@dockline/core/AnswerMemory",
  {
    defaultValue: (): AnswerMemory => unlimitedMemory
  }
)

/** A memory budget without a limit. */
export const unlimitedMemory: AnswerMemory = { reserve: () => Effect.void, reserveNow: () => true }

/**
 * Makes a check that a write applies to its decision. If there is not enough memory for the answer, the check refuses the decision at once
 * instead of waiting, because the write holds locks. A repeated decision does not reserve memory twice.
 */
export const memoryCheck = (memory: AnswerMemory) => {
  let reservation = 0
  const reserveUpTo = (characters: number): boolean => {
    if (characters <= reservation) return true
    if (!memory.reserveNow(characters - reservation)) return false
    reservation = characters
    return true
  }
  return <A, E>(
    decision: Result.Result<A, E>,
    textOf: (plan: A) => number
  ): Result.Result<A, E | Overloaded> =>
    Result.filterOrFail(decision, (plan) => reserveUpTo(textOf(plan)), () => overloaded())
}

/** The memory budget of an answer, with the function that releases it. */
export interface ReleasableMemory {
  readonly memory: AnswerMemory
  /** Releases all reserved memory. It is called once the client has received the answer or is gone. */
  readonly release: () => void
}

/**
 * Opens the memory budget of an answer to a client. If a request object of the platform is passed, its connection may be cut when other
 * answers need the memory.
 */
export type OpenAnswerMemory = (principal: Principal, request?: object) => ReleasableMemory

/** Limits the answers that the process holds at once; without a limit by default. Adapters open a memory budget for each answer. */
export const OpenAnswerMemory: Context.Reference<OpenAnswerMemory> = Context.Reference<OpenAnswerMemory>(
  "@dockline/core/OpenAnswerMemory",
  { defaultValue: (): OpenAnswerMemory => () => ({ memory: unlimitedMemory, release: () => undefined }) }
)

/** A refusal for overload. Its random wait of 1 to 3 seconds keeps clients from returning all at once. */
export const overloaded = (chance: number = Math.random()): Overloaded =>
  overloads[Math.floor(chance * overloads.length)]!

/** Made once, because creating an error takes longer than the rest of a refusal. */
const overloads = [1, 2, 3].map((retryAfterSeconds) => new Overloaded({ retryAfterSeconds }))

/** The share of a client, within the share of a business. Both fields are keys. */
export interface Share {
  /** A client, a person who has signed in, or the network of unauthenticated requests. */
  readonly client: string
  /**
   * The businesses of the client's grants, as one key: a client of several businesses uses the share of their combination, and not the
   * share of any one of them. All clients without grants have one share, because an operator may create any number of them. For a network,
   * it equals `client`.
   */
  readonly business: string
}

/** The key of a business. */
export const businessKey = (business: string): string => `business:${business}`

const keysByGrants = new WeakMap<Principal["grants"], string>()

const businessesOf = (grants: Principal["grants"]): string => {
  const cachedKey = keysByGrants.get(grants)
  if (cachedKey !== undefined) return cachedKey
  const slugs = new Set(grants.map(({ business }) => business))
  const key = businessKey(slugs.has(everything) ? everything : Array.from(slugs).sort().join())
  keysByGrants.set(grants, key)
  return key
}

/** The share of a principal. */
export const shareOf = ({ clientId, grants }: Principal): Share => {
  const client = isPerson(clientId) ? clientId : `client:${clientId}`
  return { client, business: businessesOf(grants) }
}

/** The share of a network, such as `192.0.2.7` or `2001:db8:0:1::/64`. */
export const networkShare = (network: string): Share => {
  const key = `network:${network}`
  return { client: key, business: key }
}
