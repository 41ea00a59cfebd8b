/**
 * Reads from the service repeatedly, until the run is interrupted or nothing more can come.
 *
 * Guarantee: once following has begun, a passing failure, such as a restart of the service, does not end it.
 */
import type { OpenWords } from "@dockline/core/access/OpenWords"
import { withWords } from "@dockline/core/access/Operation"
import { kindsOf, outboxesOf, profilesOf, wordsOf } from "@dockline/core/capability/DeclaredOperations"
import type { MessagePayload } from "@dockline/core/messages/Message"
import type { MessageView } from "@dockline/core/messages/MessageView"
import { operations } from "@dockline/core/operations/Operations"
import type { PayloadProfile } from "@dockline/core/places/MessageField"
import type { Kinds, OutboxKinds } from "@dockline/core/webhooks/MessageKinds"
import { Cause, Duration, Effect, Exit, Option, Stream } from "effect"
import * as Arguments from "../Arguments.ts"
import type { CapabilityPart } from "../CapabilityPart.ts"
import { isPassing, messageOf, Refusal } from "../Failure.ts"
import { bodiesOf } from "../Pages.ts"
import type { Chunk } from "../Pages.ts"
import { Screen } from "../Screen.ts"
import { call } from "../ServiceCalls.ts"

/** The flag `--interval`. */
export const interval = Arguments.seconds("interval", "Seconds between two reads", 1)

const longestWaitMillis = 30_000

const longestAskedMillis = 24 * 3_600_000

const waitMillis = (error: unknown, failures: number): number =>
  Math.max(
    Math.min(1000 * 2 ** failures, longestWaitMillis),
    error instanceof Refusal ? Math.min(1000 * (error.retryAfter ?? 0), longestAskedMillis) : 0
  )

/** Repeats a read after failures that may be temporary, with growing pauses; reports only the first of them. */
const patiently = Effect.fnUntraced(function*<A, E, R>(read: Effect.Effect<A, E, R>) {
  const { say } = yield* Screen
  const attempt = (failures: number): Effect.Effect<A, E, R> =>
    Effect.catch(read, (error) =>
      isPassing(error)
        ? (failures === 0 ? say(`${messageOf(error)}\nTrying again until it answers.`) : Effect.void).pipe(
          Effect.andThen(Effect.sleep(waitMillis(error, failures))),
          Effect.andThen(attempt(failures + 1))
        )
        : Effect.fail(error))
  return yield* attempt(0)
})

/** A pause lasts at least this many times the duration of the last answer, so that many watchers do not overload the service. */
const restFactor = 10

/** The result of a read, and its duration. */
export interface Timing<A> {
  readonly value: A
  readonly tookMillis: number
}

/** Reads patiently, and measures the read that succeeds. */
export const withTiming = <A, E, R>(read: Effect.Effect<A, E, R>) =>
  patiently(Effect.map(Effect.timed(read), ([took, value]): Timing<A> => ({
    value,
    tookMillis: Duration.toMillis(took)
  })))

/** The pause before the next read. */
export const rest = (seconds: number, tookMillis: number): Effect.Effect<void> =>
  Effect.sleep(Math.max(seconds * 1000, tookMillis * restFactor))

/** The types of messages and of outbox entries, and the profiles of payloads, of the contract and of capabilities (D20.1). */
export interface MessageWords {
  /** The types with their texts and test messages. */
  readonly kinds: Kinds
  /** The operation that lists messages, with these types. */
  readonly operation: typeof operations.messages
  /** The names of the types. */
  readonly types: ReadonlyArray<string>
  /** A few words that describe a message of a capability in a list; the list shows the shipment itself. */
  readonly wordsOf: (message: MessagePayload) => ReadonlyArray<string>
  /** The types of outbox entries, with their texts and tests. */
  readonly outboxes: OutboxKinds
  /** The vocabulary of a service that has all of these capabilities. */
  readonly ofService: OpenWords
  /** The payload profiles, the contract's first. */
  readonly profiles: readonly [PayloadProfile, ...ReadonlyArray<PayloadProfile>]
}

/** The words of the contract and of these capabilities. */
export const messageWordsOf = (capabilities: ReadonlyArray<CapabilityPart>): MessageWords => {
  const ofService = wordsOf(capabilities)
  return {
    kinds: kindsOf(capabilities),
    operation: withWords(operations.messages, ofService),
    types: ofService.messageTypes,
    wordsOf: (message) => capabilities.flatMap(({ wordsOfMessage }) => wordsOfMessage?.(message) ?? []),
    outboxes: outboxesOf(capabilities),
    ofService,
    profiles: profilesOf(capabilities)
  }
}

/** The messages that `dockline message tail` follows. */
export interface Tail extends Pick<MessageWords, "operation"> {
  readonly only: Readonly<Record<string, unknown>>
  /** The id to continue after; `undefined` for only new messages. */
  readonly after: number | undefined
  readonly limit: number
  /** Seconds between two reads. */
  readonly interval: number
}

const pageLimit = 100

type Cursor = { readonly afterId: number } | { readonly since: string }

const read = ({ only, operation }: Pick<Tail, "only" | "operation">, cursor: Cursor, limit: number) =>
  call(operation, { query: { ...only, ...cursor, limit } })

/** Later than any message. */
const never = "9999-12-31T23:59:59Z"

/** The time by the clock of the service, which also times messages; the clock of this machine may differ. */
const serviceTime = (of: Pick<Tail, "only" | "operation">) =>
  Effect.map(read(of, { since: never }, 1), ({ headers: { date = "" } }) => {
    const millis = Date.parse(date)
    return new Date(Number.isNaN(millis) ? Date.now() : millis).toISOString()
  })

/**
 * `dockline message tail`: the messages of a business in the order of their ids, page by page, first the existing ones and then new ones.
 *
 * Guarantee: after the first message, no message is missing and none comes twice, even if the connection breaks.
 */
export const tail = ({ after, interval, limit, ...of }: Tail) =>
  Stream.unwrap(Effect.gen(function*() {
    const { say } = yield* Screen
    const start: Cursor = after === undefined ? { since: yield* serviceTime(of) } : { afterId: after }
    let lastShown = after
    let isFirst = true
    const look = (cursor: Cursor, remainder: number) => {
      const page = read(of, cursor, Math.min(remainder, pageLimit))
      // A log that cannot be read at all ends the run at once.
      return isFirst ? Effect.map(page, (value) => ({ value, tookMillis: 0 })) : withTiming(page)
    }
    const step = Effect.fnUntraced(function*({ cursor, remainder, pause }: {
      readonly cursor: Cursor
      readonly remainder: number
      readonly pause: Effect.Effect<void>
    }) {
      // The next page is requested only after the messages up to its cursor were shown.
      if ("afterId" in cursor) lastShown = cursor.afterId
      yield* pause
      const { tookMillis, value: { body, value } } = yield* look(cursor, remainder)
      isFirst = false
      const last = value.items.at(-1)
      const chunk: Chunk<MessageView> = { ...value, bodies: bodiesOf(body) }
      const following = {
        cursor: last === undefined ? cursor : { afterId: last.id },
        remainder: remainder - value.items.length,
        pause: value.next === null ? rest(interval, tookMillis) : Effect.void
      }
      return [[chunk], following.remainder <= 0 ? Option.none() : Option.some(following)] as const
    })
    return Stream.paginate({ cursor: start, remainder: limit, pause: Effect.void }, step).pipe(
      Stream.onExit((exit) =>
        Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause) && lastShown !== undefined
          ? say(`To go on: --after ${lastShown}`)
          : Effect.void
      )
    )
  }))
