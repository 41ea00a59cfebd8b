/**
 * Publishes the events of businesses to the endpoints that ask for them: a cursor over the log of messages for each business (D24.5).
 *
 * Guarantee: the events of a message are in the outbox once, in the order of the log, whichever instances run and whenever they end: the
 * cursor is compared and moved in the transaction that adds them. A business whose events cannot be published delays no other.
 */
import { MessageLog } from "@dockline/core/messages/MessageLog"
import type { Directory } from "@dockline/core/places/Directory"
import { Cause, Effect, Latch, Layer } from "effect"
import { epcisEntry } from "../domain/EpcisOutbox.ts"
import { EpcisStore } from "../domain/EpcisStore.ts"
import type { Publication } from "../domain/EpcisStore.ts"
import { eventMessageTypes } from "../events/CoreVocabulary.ts"
import * as EventSource from "../query/EventSource.ts"

/** How long businesses are not looked for after a round, and after one that found none, in milliseconds. */
const [pauseMillis, idleMillis] = [200, 1000]

/** How often they are looked for without a wake-up, and the pause after a round that failed, in milliseconds. */
const [pollMillis, failedMillis] = [5000, 1000]

/** The most businesses that are looked for at once, how many are published at once, and the most messages of a transaction. */
const [lookSize, atOnce, pageSize] = [100, 2, 50]

/** Makes a round: it publishes the next messages of each business that is behind, and says whether none was. */
export const makeRound = Effect.gen(function*() {
  const log = yield* MessageLog
  const store = yield* EpcisStore
  const eventsOf = yield* EventSource.make

  const publish = Effect.fnUntraced(function*({ business, cursorId }: Publication) {
    const query = { business, facility: undefined, types: eventMessageTypes }
    const page = yield* log.read(query, { afterId: cursorId }, pageSize).pipe(
      Effect.catchTags({
        HistoryExpired: ({ droppedId }) =>
          Effect.as(
            Effect.andThen(
              Effect.logWarning(
                `Messages of ${business} up to ${droppedId} may have been dropped before their events were published`
              ),
              store.publish({ business, cursorId, toId: droppedId, entries: [] })
            ),
            undefined
          ),
        CursorAhead: ({ newestId }) =>
          Effect.as(
            Effect.logError(
              `Events of ${business} were published up to message ${cursorId}, and its log ends at ${newestId}; see dockline message advance`
            ),
            undefined
          )
      })
    )
    const last = page?.messages.at(-1)
    if (page === undefined || last === undefined) return
    const all = yield* eventsOf(business, page.messages, yield* store.settings(business))
    const entries = all.filter(({ events }) => events.length > 0)
      .map(({ events, message }) => epcisEntry(message, events))
    // Where another instance was faster, or the settings have changed, nothing is added.
    yield* store.publish({ business, cursorId, toId: last.id, entries })
  })

  const publishOrWarn = (publication: Publication): Effect.Effect<void> =>
    Effect.catchCause(publish(publication), (cause) =>
      Cause.hasInterrupts(cause)
        ? Effect.interrupt
        : Effect.logWarning(`Events of ${publication.business} were not published; trying again`, cause))

  return Effect.gen(function*() {
    let isDone = true
    // Each business has its turn once in a round, however many there are.
    for (let after: Publication | undefined, isMore = true; isMore;) {
      const behind: ReadonlyArray<Publication> = yield* store.behind(lookSize, after)
      yield* Effect.forEach(behind, publishOrWarn, { concurrency: atOnce, discard: true })
      isDone &&= behind.length === 0
      after = behind.at(-1)
      isMore = behind.length === lookSize
    }
    return isDone
  })
})

/** Publishes for as long as the layer lives. */
export const layer: Layer.Layer<never, never, Directory | EpcisStore | MessageLog> = Layer.effectDiscard(
  Effect.gen(function*() {
    const store = yield* EpcisStore
    const round = yield* makeRound
    const wakeup = Latch.makeUnsafe(true)
    yield* store.watch(() => wakeup.openUnsafe())
    const turn = Effect.gen(function*() {
      // The latch is closed before the look, so that messages appended during it open it again.
      wakeup.closeUnsafe()
      const isDone = yield* round
      yield* Effect.sleep(isDone ? idleMillis : pauseMillis)
      if (isDone) yield* Effect.timeoutOption(wakeup.await, pollMillis)
    })
    yield* turn.pipe(
      Effect.withTracerEnabled(false),
      Effect.catchCause((cause) =>
        Cause.hasInterrupts(cause)
          ? Effect.failCause(cause)
          : Effect.andThen(
            Effect.logWarning("Publishing events of EPCIS failed; trying again", cause),
            Effect.sleep(failedMillis)
          )
      ),
      Effect.forever,
      Effect.forkScoped
    )
  })
)
