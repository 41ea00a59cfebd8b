/**
 * Adds the notices of rules: it reads the logs of businesses with rules, by a cursor for each business, and checks every few seconds for
 * incidents that are not in the log (D26.2).
 *
 * Guarantee: the notices of an incident are added once, whichever instances run and whenever they end: the transaction that adds them also
 * compares and moves the cursor, or the time of the check. A business whose log cannot be read delays no other. The pauses between attempts
 * to read it grow.
 */
import { IncidentSources } from "@dockline/core/capability/Capability"
import type { Incident } from "@dockline/core/capability/Capability"
import * as Backlog from "@dockline/core/messages/Backlog"
import type { Message } from "@dockline/core/messages/Message"
import { MessageLog } from "@dockline/core/messages/MessageLog"
import * as Timestamp from "@dockline/core/values/Timestamp"
import { Effect } from "effect"
import type { AlertRule } from "../domain/AlertRule.ts"
import { AlertStore } from "../domain/AlertStore.ts"
import type { Look, Reading } from "../domain/AlertStore.ts"
import { noticesOf, sinceOf, tells } from "./Notices.ts"

/** The number of businesses that are read at once, and the most messages of a transaction. */
const [atOnce, pageSize] = [2, 100]

/** How far a check looks back beyond the last check, in milliseconds: a day, for incidents that are reported or stored late. */
const lateMillis = 86_400_000

/**
 * Makes a round over logs: it reads the next messages of each business that has unread messages, and returns whether there was no such
 * business.
 */
export const makeLogRound = Effect.gen(function*() {
  const log = yield* MessageLog
  const store = yield* AlertStore
  const sources = Array.from(yield* IncidentSources).flatMap(([kind, source]) =>
    "types" in source ? [{ kind, ...source }] : []
  )
  const allTypes = Array.from(new Set(sources.flatMap(({ types }) => types)))

  /** The incidents in a page of messages that a rule covers, in the order of the messages. */
  const incidentsIn = Effect.fnUntraced(function*(
    business: string,
    messages: ReadonlyArray<Message>,
    rules: ReadonlyArray<AlertRule>
  ) {
    const incidents: Array<{ readonly incident: Incident; readonly id: number; readonly kind: string }> = []
    for (const { kind, ofMessages, types } of sources) {
      const own = messages.filter(({ facility, type }) =>
        types.includes(type) && rules.some((rule) => tells(rule, kind, facility))
      )
      if (own.length === 0) continue
      for (const [id, incident] of yield* ofMessages(business, own)) incidents.push({ id, incident, kind })
    }
    return incidents.toSorted((left, right) => left.id - right.id)
  })

  const read = Effect.fnUntraced(function*({ business, cursorId }: Reading) {
    const query = { business, facility: undefined, types: allTypes }
    const page = yield* Backlog.readLog(log, query, {
      cursorId,
      limit: pageSize,
      name: `Alerts of ${business}`,
      skipTo: (toId) => store.advance({ business, cursorId, toId, notices: [] })
    })
    const last = page?.messages.at(-1)
    if (page === undefined || last === undefined) return
    const { now, rules } = yield* store.rules(business)
    const notices = (yield* incidentsIn(business, page.messages, rules)).flatMap(({ id, incident, kind }) =>
      noticesOf(
        incident,
        rules.filter((rule) => id > rule.fromId && tells(rule, kind, incident.facility)),
        now
      )
    )
    // If another instance was faster, nothing is added.
    yield* store.advance({ business, cursorId, toId: page.more ? last.id : page.lastId, notices })
  })

  return Backlog.makeRound({
    behind: (limit, after: Reading | undefined) => store.behind(allTypes, limit, after),
    keyOf: ({ business }) => business,
    work: read,
    failureOf: ({ business }) => `Reading the log of ${business} for alerts failed`,
    atOnce
  })
})

/** Makes a round of checks outside logs: it checks each business that is due, and returns whether no business was due. */
export const makeCheckRound = Effect.gen(function*() {
  const store = yield* AlertStore
  const sources = Array.from(yield* IncidentSources).flatMap(([kind, source]) =>
    "since" in source ? [{ kind, ...source }] : []
  )
  const kinds = sources.map(({ kind }) => kind)

  const look = Effect.fnUntraced(function*({ business, lookedAt }: Look) {
    const present = yield* store.rules(business)
    const late = Timestamp.fromMillis(Date.parse(lookedAt) - lateMillis)
    const notices = yield* Effect.forEach(sources, ({ kind, since }) => {
      const first = sinceOf(present, kind)
      if (first === undefined) return Effect.succeed([])
      return Effect.map(
        since(business, first > late ? first : late),
        (incidents) =>
          incidents.flatMap((incident) =>
            noticesOf(
              incident,
              present.rules.filter((rule) =>
                tells(rule, kind, incident.facility) && incident.at >= rule.since
              ),
              present.now
            )
          )
      )
    })
    yield* store.look({ business, lookedAt, notices: notices.flat() })
  })

  return Backlog.makeRound({
    behind: (limit, after: Look | undefined) => store.looks(kinds, limit, after),
    keyOf: ({ business }) => business,
    work: look,
    failureOf: ({ business }) => `Looking at ${business} for alerts failed`,
    atOnce
  })
})
