/**
 * Following the log of a business from plain asynchronous code.
 *
 * Guarantee: every matching message after the starting point exactly once and in order, however slowly they are taken:
 * what does not fit into memory is read again from the log. Leaving the loop, aborting the signal and closing the façade
 * each end it at once, also while it waits, and leave nothing behind.
 */
import { Cause, Effect, Exit, Scope } from "effect"
import type { Principal } from "../access/Access.ts"
import * as Given from "../internal/Given.ts"
import { pageSize } from "../messages/Follower.ts"
import type { Follower } from "../messages/Follower.ts"
import type { Message } from "../messages/Message.ts"
import { MessageLog } from "../messages/MessageLog.ts"
import type { MessageQuery } from "../messages/MessageQuery.ts"
import { Messages } from "../messages/Messages.ts"
import {
  BusinessNotFound,
  CursorAhead,
  FacilityNotFound,
  Forbidden,
  HistoryExpired,
  InvalidRequest,
  MalformedRequest,
  StorageUnavailable
} from "../values/Errors.ts"
import { callOptions, DocklineClosed } from "./DocklineCalls.ts"
import type { CallOptions, Calls } from "./DocklineCalls.ts"
import { readFollow } from "./DocklineInput.ts"
import type { FollowQuery } from "./DocklineInput.ts"

/** The errors that following may end with. A loop has nowhere else to put them, so they are thrown. */
const followErrors = [
  BusinessNotFound,
  CursorAhead,
  FacilityNotFound,
  Forbidden,
  HistoryExpired,
  InvalidRequest,
  MalformedRequest,
  StorageUnavailable
] as const

/** Why following is refused, or cannot go on. */
export type FollowError = InstanceType<(typeof followErrors)[number]>

/** Whether something that a loop over messages threw is one of the errors that following may end with. */
export const isFollowError = (error: unknown): error is FollowError =>
  followErrors.some((known) => error instanceof known)

/** Messages as they come. It is to be asked for one at a time, as a loop does. */
export interface Following extends AsyncIterableIterator<Message, void>, AsyncDisposable {
  /** Ends it, also while it waits for a message. */
  readonly return: () => Promise<IteratorResult<Message, void>>
}

type Services = Messages | MessageLog

/** Follows what the query names on behalf of a client. */
export const follow = (
  calls: Calls<Services>,
  query: FollowQuery,
  principal: Principal,
  options: CallOptions = {}
): Following => {
  const ending = new AbortController()
  const messages = calls.closing.aborted
    ? refused()
    : endedBy(calls.closing, options, ending, generate(calls, query, principal, ending.signal))
  const following: Following = {
    next: () => messages.next(),
    return: () => {
      // What waits for a message is woken: a generator would end after that message only.
      ending.abort()
      return messages.return()
    },
    [Symbol.asyncIterator]: () => following,
    [Symbol.asyncDispose]: async () => void await following.return()
  }
  return following
}

type Generated = AsyncGenerator<Message, void, void>

/** For whoever begins to follow what is closed. */
async function* refused(): Generated {
  throw new DocklineClosed()
}

/** Listens to what may end the messages for as long as they are asked for. */
async function* endedBy(
  closing: AbortSignal,
  options: CallOptions,
  ending: AbortController,
  messages: Generated
): Generated {
  Given.checkOptions(options, callOptions)
  const outer = options.signal === undefined ? [closing] : [closing, options.signal]
  const end = () => ending.abort()
  if (outer.some(({ aborted }) => aborted)) end()
  outer.forEach((signal) => signal.addEventListener("abort", end))
  try {
    yield* messages
  } finally {
    outer.forEach((signal) => signal.removeEventListener("abort", end))
  }
}

async function* generate(
  calls: Calls<Services>,
  given: FollowQuery,
  principal: Principal,
  ending: AbortSignal
): Generated {
  const begun = await run(calls, begin(given, principal), ending)
  if (begun === undefined) return
  const { query } = begun
  let { afterId } = begun
  for (;;) {
    const scope = calls.fork()
    try {
      const follower = await run(calls, open(query, afterId, scope), ending)
      for (;;) {
        const batch = follower === undefined ? undefined : await run(calls, nextOf(follower), ending)
        if (batch === undefined) return
        // It fell behind: it reads on from the log, with a follower of its own.
        if (batch === "behind") break
        for (const message of batch) {
          afterId = message.id
          yield message
          if (ending.aborted) return
        }
      }
    } finally {
      await Effect.runPromise(Scope.close(scope, Exit.void))
    }
  }
}

/** What is followed, and after which message: what is the newest now, unless one is given. */
const begin = Effect.fnUntraced(function*(given: FollowQuery, principal: Principal) {
  const messages = yield* Messages
  const log = yield* MessageLog
  const asking = Given.principalOf(principal)
  const { query, afterId } = yield* Effect.fromResult(readFollow(given))
  yield* messages.authorize(query, asking)
  if (afterId !== undefined) return { query, afterId }
  return { query, afterId: yield* log.lastId(query.business) }
})

const open = (query: MessageQuery, afterId: number, scope: Scope.Scope) =>
  Effect.flatMap(MessageLog, (log) => log.follow(query, { afterId, buffer: pageSize })).pipe(
    Scope.provide(scope)
  )

const nextOf = (follower: Follower) =>
  Effect.catchTag(follower.next, "ConsumerTooSlow", () => Effect.succeed("behind" as const))

/** Runs a step; `undefined` when it was to end meanwhile. */
const run = async <A, E>(
  calls: Calls<Services>,
  effect: Effect.Effect<A, E, Services>,
  ending: AbortSignal
): Promise<A | undefined> => {
  if (ending.aborted) return undefined
  const exit = await calls.run(effect, ending)
  if (Exit.isSuccess(exit)) return exit.value
  if (ending.aborted && Cause.hasInterruptsOnly(exit.cause)) return undefined
  throw Cause.squash(exit.cause)
}
