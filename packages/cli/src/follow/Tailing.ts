/**
 * `dockline message tail`: the messages of a business in the order of their ids, as they come.
 *
 * Guarantee: after the first message none is left out and none comes twice, whatever becomes of the connection.
 */
import type { MessageView } from "@dockline/core/messages/MessageView"
import { Cause, Effect, Exit, Option, Stream } from "effect"
import { bodiesOf } from "../Pages.ts"
import type { Chunk } from "../Pages.ts"
import { Screen } from "../Screen.ts"
import { call } from "../ServiceCalls.ts"
import * as Following from "./Following.ts"
import type { MessageWords } from "./MessageWords.ts"

export interface Tail extends Pick<MessageWords, "operation"> {
  readonly only: Readonly<Record<string, unknown>>
  /** The id to go on after; `undefined` for new messages alone. */
  readonly after: number | undefined
  readonly limit: number
  /** Seconds between two looks. */
  readonly interval: number
}

const pageLimit = 100

type Cursor = { readonly afterId: number } | { readonly since: string }

const read = ({ only, operation }: Pick<Tail, "only" | "operation">, cursor: Cursor, limit: number) =>
  call(operation, { query: { ...only, ...cursor, limit } })

/** Later than any message. */
const never = "9999-12-31T23:59:59Z"

/** The time of the service, by which messages are sent: the clock of this machine may be another. */
const serviceTime = (of: Pick<Tail, "only" | "operation">) =>
  Effect.map(read(of, { since: never }, 1), ({ headers: { date = "" } }) => {
    const millis = Date.parse(date)
    return new Date(Number.isNaN(millis) ? Date.now() : millis).toISOString()
  })

/** The messages after a cursor, and then those that come, page by page. */
export const tail = ({ after, interval, limit, ...of }: Tail) =>
  Stream.unwrap(Effect.gen(function*() {
    const { say } = yield* Screen
    const start: Cursor = after === undefined ? { since: yield* serviceTime(of) } : { afterId: after }
    let lastShown = after
    let isFirst = true
    const look = (cursor: Cursor, remainder: number) => {
      const page = read(of, cursor, Math.min(remainder, pageLimit))
      // A log that cannot be read at all ends the run at once.
      return isFirst ? Effect.map(page, (value) => ({ value, tookMillis: 0 })) : Following.withTiming(page)
    }
    const step = Effect.fnUntraced(function*({ cursor, remainder, pause }: {
      readonly cursor: Cursor
      readonly remainder: number
      readonly pause: Effect.Effect<void>
    }) {
      // The next request asks for the messages after those shown.
      if ("afterId" in cursor) lastShown = cursor.afterId
      yield* pause
      const { tookMillis, value: { body, value } } = yield* look(cursor, remainder)
      isFirst = false
      const last = value.items.at(-1)
      const chunk: Chunk<MessageView> = { ...value, bodies: bodiesOf(body) }
      const following = {
        cursor: last === undefined ? cursor : { afterId: last.id },
        remainder: remainder - value.items.length,
        pause: value.next === null ? Following.rest(interval, tookMillis) : Effect.void
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
