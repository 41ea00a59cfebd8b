/**
 * Reads the logs of businesses with rules, and adds what these tell: a cursor over the log for each business (D26.2).
 *
 * Guarantee: a message makes its notices once, whichever instances run and whenever they end: the cursor is compared and moved in the
 * transaction that adds them. A business whose log cannot be read delays no other, and is tried again later each time.
 */
import * as Backlog from "@dockline/core/messages/Backlog"
import { MessageLog } from "@dockline/core/messages/MessageLog"
import * as Timestamp from "@dockline/core/values/Timestamp"
import { Effect } from "effect"
import { ruleLimit } from "../domain/AlertRule.ts"
import { AlertStore } from "../domain/AlertStore.ts"
import type { Reading } from "../domain/AlertStore.ts"
import { noticesOf, noticeTypes, palletMessages } from "./Notices.ts"

/** How many businesses are read at once, and the most messages of a transaction. */
const [atOnce, pageSize] = [2, 100]

/** Makes a round: it reads the next messages of each business that is behind, and says whether none was. */
export const makeRound = Effect.gen(function*() {
  const log = yield* MessageLog
  const store = yield* AlertStore

  const read = Effect.fnUntraced(function*({ business, cursorId }: Reading) {
    const query = { business, facility: undefined, types: noticeTypes }
    const page = yield* Backlog.readLog(log, query, {
      cursorId,
      limit: pageSize,
      name: `Alerts of ${business}`,
      skipTo: (toId) => store.advance({ business, cursorId, toId, notices: [] })
    })
    const last = page?.messages.at(-1)
    if (page === undefined || last === undefined) return
    const { items: rules } = yield* store.list(business, { after: "", limit: ruleLimit })
    const pallets = yield* store.pallets(business, palletMessages(page.messages, rules))
    const notices = noticesOf(page.messages, pallets, rules, yield* Timestamp.now)
    // Where another instance was faster, nothing is added.
    yield* store.advance({ business, cursorId, toId: page.more ? last.id : page.lastId, notices })
  })

  return Backlog.makeRound({
    behind: (limit, after: Reading | undefined) => store.behind(noticeTypes, limit, after),
    keyOf: ({ business }) => business,
    work: read,
    failureOf: ({ business }) => `Reading the log of ${business} for alerts failed`,
    atOnce
  })
})
