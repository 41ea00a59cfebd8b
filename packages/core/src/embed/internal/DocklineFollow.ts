/**
 * Follows the log of a business for programs that do not use Effect.
 *
 * Guarantee: until it ends, the loop gets every matching message after the starting point exactly once and in order, at its own pace.
 * Leaving the loop, aborting the signal and closing the façade each end it at once, also while it waits.
 */
import { Cause, Effect, Exit, Scope } from "effect"
import type { Principal } from "../../access/Access.ts"
import { pageSize } from "../../messages/Follower.ts"
import type { Follower } from "../../messages/Follower.ts"
import type { Message, MessageQuery } from "../../messages/Message.ts"
import { MessageLog } from "../../messages/MessageLog.ts"
import { Messages } from "../../messages/Messages.ts"
import type { ErrorOf } from "../../values/CatalogueError.ts"
import * as Errors from "../../values/Errors.ts"
import { MessageTypes } from "../../values/Vocabulary.ts"
import * as DocklineInput from "../DocklineInput.ts"
import { followReader } from "../DocklineInput.ts"
import type { FollowQuery } from "../DocklineInput.ts"
import { callOptions, DocklineClosed } from "./DocklineCalls.ts"
import type { CallOptions, Calls } from "./DocklineCalls.ts"

/** The errors that may end following. They are thrown, because a loop has no other way to return them. */
const followErrors = [
  Errors.BusinessNotFound,
  Errors.CursorAhead,
  Errors.FacilityNotFound,
  Errors.Forbidden,
  Errors.HistoryExpired,
  Errors.InvalidRequest,
  Errors.MalformedRequest,
  Errors.StorageUnavailable
] as const

/** The errors that refuse or end following. */
export type FollowError = ErrorOf<typeof followErrors>

/** Whether an exception of a loop over messages is a {@link FollowError}. */
export const isFollowError = (error: unknown): error is FollowError =>
  followErrors.some((errorClass) => error instanceof errorClass)

/** The messages that a loop follows; each call of `next` waits for one message. */
export interface Following extends AsyncIterableIterator<Message, void>, AsyncDisposable {
  /** Ends the loop, also while it waits for a message. */
  readonly return: () => Promise<IteratorResult<Message, void>>
}

type Services = Messages | MessageLog

/** Follows the messages of a query for a client. */
export const follow = (
  calls: Calls<Services>,
  query: FollowQuery,
  principal: Principal,
  options: CallOptions = {}
): Following => {
  const ending = new AbortController()
  const messages = calls.closing.aborted
    ? refuse()
    : endedBy(calls.closing, options, ending, generate(calls, query, principal, ending.signal))
  const following: Following = {
    next: () => messages.next(),
    return: () => {
      // Without the abort, a generator that waits for a message would end only after the next message.
      ending.abort()
      return messages.return()
    },
    [Symbol.asyncIterator]: () => following,
    [Symbol.asyncDispose]: async () => void await following.return()
  }
  return following
}

type MessageGenerator = AsyncGenerator<Message, void, void>

async function* refuse(): MessageGenerator {
  throw new DocklineClosed()
}

async function* endedBy(
  closing: AbortSignal,
  options: CallOptions,
  ending: AbortController,
  messages: MessageGenerator
): MessageGenerator {
  DocklineInput.checkOptions(options, callOptions)
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
  followQuery: FollowQuery,
  principal: Principal,
  endSignal: AbortSignal
): MessageGenerator {
  const start = await run(calls, begin(followQuery, principal), endSignal)
  if (start === undefined) return
  const { query } = start
  let { afterId } = start
  for (;;) {
    const scope = calls.fork()
    try {
      const follower = await run(calls, open(query, afterId, scope), endSignal)
      for (;;) {
        const batch = follower === undefined ? undefined : await run(calls, nextOf(follower), endSignal)
        if (batch === undefined) return
        // The follower fell behind; a new one continues from the log.
        if (batch === "behind") break
        for (const message of batch) {
          afterId = message.id
          yield message
          if (endSignal.aborted) return
        }
      }
    } finally {
      await Effect.runPromise(Scope.close(scope, Exit.void))
    }
  }
}

/** Checks a query, and finds the id after which following begins: by default the newest id of the log. */
const begin = Effect.fnUntraced(function*(followQuery: FollowQuery, principal: Principal) {
  const messages = yield* Messages
  const log = yield* MessageLog
  const client = DocklineInput.principalOf(principal)
  const readFollow = followReader(yield* MessageTypes)
  const { query, afterId } = yield* Effect.fromResult(readFollow(followQuery))
  yield* messages.authorize(query, client)
  if (afterId !== undefined) return { query, afterId }
  return { query, afterId: yield* log.lastId(query.business) }
})

const open = (query: MessageQuery, afterId: number, scope: Scope.Scope) =>
  Effect.flatMap(MessageLog, (log) => log.follow(query, { afterId, buffer: pageSize })).pipe(
    Scope.provide(scope)
  )

const nextOf = (follower: Follower) =>
  Effect.catchTag(follower.next, "ConsumerTooSlow", () => Effect.succeed("behind" as const))

/** Runs an effect; `undefined` if the loop ends before the effect does. */
const run = async <A, E>(
  calls: Calls<Services>,
  effect: Effect.Effect<A, E, Services>,
  endSignal: AbortSignal
): Promise<A | undefined> => {
  if (endSignal.aborted) return undefined
  const exit = await calls.run(effect, endSignal)
  if (Exit.isSuccess(exit)) return exit.value
  if (endSignal.aborted && Cause.hasInterruptsOnly(exit.cause)) return undefined
  throw Cause.squash(exit.cause)
}
