/**
 * Publishes the events of businesses to the endpoints that ask for `EPCIS_EVENTS` (D24.5). Each business has a cursor over its log of
 * messages.
 *
 * Guarantee: the events of a message are added to the outbox once, in the order of the log, whichever instances run and whenever they end:
 * the transaction that adds them also compares and moves the cursor. Messages that expire before they are read make no events, and a warning
 * is logged. A business whose events cannot be published delays no other. The pauses between attempts to publish them grow.
 */
import * as Backlog from "@dockline/core/messages/Backlog"
import { MessageLog } from "@dockline/core/messages/MessageLog"
import { Effect, Layer } from "effect"
import { epcisEntry } from "../domain/EpcisOutbox.ts"
import { EpcisStore } from "../domain/EpcisStore.ts"
import type { Publication } from "../domain/EpcisStore.ts"
import { eventMessageTypes } from "../events/EpcisEvent.ts"
import { makeEventSource } from "../query/EpcisEvents.ts"

/** The number of businesses whose events are published at once, and the most messages of a transaction. */
const [atOnce, pageSize] = [2, 50]

/**
 * Makes a round: it publishes the events of the next messages of each business that is behind, and returns whether no business was behind.
 */
export const makeRound = Effect.gen(function*() {
  const log = yield* MessageLog
  const store = yield* EpcisStore
  const eventsOf = yield* makeEventSource

  const publish = Effect.fnUntraced(function*({ business, cursorId }: Publication) {
    const query = { business, facility: undefined, types: eventMessageTypes }
    const page = yield* Backlog.readLog(log, query, {
      cursorId,
      limit: pageSize,
      name: `Events of ${business}`,
      skipTo: (toId) => store.publish({ business, cursorId, toId, entries: [] })
    })
    const last = page?.messages.at(-1)
    if (page === undefined || last === undefined) return
    const all = yield* eventsOf(business, page.messages, yield* store.settings(business))
    const entries = all.filter(({ events }) => events.length > 0)
      .map(({ events, message }) => epcisEntry(message, events))
    // `publish` adds nothing if another instance was faster, or if the business no longer publishes.
    yield* store.publish({ business, cursorId, toId: last.id, entries })
  })

  return Backlog.makeRound({
    behind: store.behind,
    keyOf: ({ business }) => business,
    work: publish,
    failureOf: ({ business }) => `Publishing events of ${business} failed`,
    atOnce
  })
})

/** Publishes for as long as the layer lives. */
export const layer: Layer.Layer<never, never, EpcisStore | MessageLog> = Layer.effectDiscard(
  Effect.gen(function*() {
    const { watch } = yield* EpcisStore
    yield* Backlog.run(yield* makeRound, { watch, failure: "Publishing events of EPCIS failed" })
  })
)
