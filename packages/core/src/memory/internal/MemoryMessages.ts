/**
 * The message log in memory, and the outboxes, whose entries take their ids from the log. Every method of `MemoryMessages` is synchronous,
 * so it is a transaction of its own.
 */
import { Effect, Result } from "effect"
import { Wakeups } from "../../messages/Follower.ts"
import type { Message, MessageDraft, MessagePage, MessageQuery, Position } from "../../messages/Message.ts"
import * as MessageFeed from "../../messages/MessageFeed.ts"
import { advanceLimit, MessageLog, MessageLogConfig, otherIdsAdvance } from "../../messages/MessageLog.ts"
import { CursorAhead, HistoryExpired } from "../../values/Errors.ts"
import type { BusinessNotFound, FacilityNotFound } from "../../values/Errors.ts"
import type { MessageId } from "../../values/Id.ts"
import { AdvanceTooFar } from "../../values/OperatorErrors.ts"
import * as Timestamp from "../../values/Timestamp.ts"
import * as TraceContext from "../../values/TraceContext.ts"
import type { MessageType } from "../../values/Vocabulary.ts"
import type { Deliverable, OutboxDraft, OutboxEntry } from "../../webhooks/Delivery.ts"

/** The newest message, or entry of an outbox, that was dropped by age. Older ones can no longer be read either. */
interface NewestDrop {
  readonly droppedId: MessageId
  readonly droppedSentAt: Timestamp.Timestamp
}

const noDrop: NewestDrop = { droppedId: 0, droppedSentAt: Timestamp.earliest }

interface StoredLog extends NewestDrop {
  readonly messages: Array<Message>
  /** The entries of all outboxes. */
  readonly entries: Array<OutboxEntry>
  /** The newest drop of each outbox, by type. */
  readonly entryDrops: Map<string, NewestDrop>
  lastId: MessageId
  lastSentAt: Timestamp.Timestamp
  droppedId: MessageId
  droppedSentAt: Timestamp.Timestamp
}

/** The current contents of a log: its messages and the entries of its outboxes, in id order. */
export interface LogContents extends Readonly<Omit<StoredLog, "messages" | "entries" | "entryDrops">> {
  readonly messages: ReadonlyArray<Message>
  readonly entries: ReadonlyArray<OutboxEntry>
  readonly entryDrops: ReadonlyMap<string, NewestDrop>
}

const newLog = (): StoredLog => ({
  messages: [],
  entries: [],
  entryDrops: new Map(),
  lastId: 0,
  lastSentAt: Timestamp.earliest,
  ...noDrop
})

const emptyLog: LogContents = newLog()

/** The interval at which expired messages are dropped, in milliseconds. */
const dropMillis = 3_600_000

/** The time and the trace of an append, and how long messages are kept. */
export interface AppendSettings {
  readonly now: Timestamp.Timestamp
  readonly trace: string | undefined
  readonly retentionMillis: number
}

/** The logs of all businesses. An append drops expired messages and outbox entries, at most once an hour. */
export class MemoryMessages {
  readonly wakeups: Wakeups = new Wakeups()
  readonly #logs = new Map<string, StoredLog>()
  readonly #unknownPlace: (draft: MessageDraft) => BusinessNotFound | FacilityNotFound | undefined
  readonly #onDropped: () => void
  #lastId = 0
  #droppedAt: number | undefined

  /** `onDropped` is called when an append has dropped messages or outbox entries. */
  constructor(
    unknownPlace: (draft: MessageDraft) => BusinessNotFound | FacilityNotFound | undefined,
    onDropped: () => void
  ) {
    this.#unknownPlace = unknownPlace
    this.#onDropped = onDropped
  }

  append(
    drafts: ReadonlyArray<MessageDraft>,
    settings: AppendSettings
  ): Result.Result<ReadonlyArray<Message>, BusinessNotFound | FacilityNotFound> {
    for (const draft of drafts) {
      const refusal = this.#unknownPlace(draft)
      if (refusal !== undefined) return Result.fail(refusal)
    }
    return Result.succeed(this.#appendAll(drafts, settings))
  }

  /** Appends messages of places that exist. */
  #appendAll(drafts: ReadonlyArray<MessageDraft>, settings: AppendSettings): ReadonlyArray<Message> {
    this.#dropHourly(Date.parse(settings.now), settings.retentionMillis)
    const messages = drafts.map(({ payload, ...draft }): Message => {
      const message = { ...this.#next(draft, settings), json: JSON.stringify(payload) }
      this.#logToWrite(draft.business).messages.push(message)
      return message
    })
    for (const business of new Set(drafts.map((draft) => draft.business))) this.wakeups.wake(business)
    return messages
  }

  /** Appends an entry to an outbox. */
  appendEntry(draft: OutboxDraft, settings: AppendSettings): void {
    this.#dropHourly(Date.parse(settings.now), settings.retentionMillis)
    this.#logToWrite(draft.business).entries.push(this.#next(draft, settings))
    this.wakeups.wake(draft.business)
  }

  read(
    query: MessageQuery,
    { afterId, since }: Position,
    limit: number,
    textLimit: number
  ): Result.Result<MessagePage, HistoryExpired | CursorAhead> {
    const { business, facility, types } = query
    const log = this.logOf(business)
    if (afterId > log.lastId) return Result.fail(new CursorAhead({ business, newestId: log.lastId }))
    // A reader that asks only for messages newer than all dropped ones misses nothing.
    if (afterId < log.droppedId && (since === undefined || since <= log.droppedSentAt)) {
      return Result.fail(new HistoryExpired({ business, droppedId: log.droppedId }))
    }
    const names: ReadonlySet<MessageType> = new Set(types)
    const messages: Array<Message> = []
    let text = 0
    let more = false
    for (let at = firstAfter(log.messages, afterId); at < log.messages.length; at++) {
      const message = log.messages[at]!
      if (since !== undefined && message.sentAt < since) continue
      if (!names.has(message.type) || (facility !== undefined && message.facility !== facility)) continue
      text += message.json.length
      more = messages.length === limit || (text > textLimit && messages.length > 0)
      if (more) break
      messages.push(message)
    }
    return Result.succeed({ messages, more, lastId: log.lastId })
  }

  logOf(business: string): LogContents {
    return this.#logs.get(business) ?? emptyLog
  }

  /** The message, or the entry, of a business with this id; `undefined` when neither the log nor an outbox holds it. */
  find(business: string, id: number): Deliverable | undefined {
    const { entries, messages } = this.logOf(business)
    const candidates = [messages[firstAfter(messages, id - 1)], entries[firstAfter(entries, id - 1)]]
    return candidates.find((each) => each?.id === id)
  }

  /** Raises the newest id of all logs, and that of each business, to `beyond` at least. Returns whether the newest id of all changed. */
  advance(beyond: number, businesses: Iterable<string>): boolean {
    const advances = beyond > this.#lastId
    if (advances) this.#lastId = beyond
    for (const business of businesses) {
      const log = this.#logToWrite(business)
      log.lastId = Math.max(log.lastId, beyond)
    }
    return advances
  }

  /** The newest id of all logs. */
  get newestId(): number {
    return this.#lastId
  }

  /** Drops messages, and entries of outboxes, sent before a time, and returns their number. */
  dropBefore(cutoff: Timestamp.Timestamp): number {
    let count = 0
    for (const log of this.#logs.values()) {
      const messages = dropOld(log.messages, cutoff)
      const newest = messages.at(-1)
      if (newest !== undefined) Object.assign(log, dropOf(newest))
      const entries = dropOld(log.entries, cutoff)
      for (const entry of entries) log.entryDrops.set(entry.type, dropOf(entry))
      count += messages.length + entries.length
    }
    return count
  }

  /** Drops expired messages and outbox entries at most once an hour. No timer is needed: a log without appends does not grow. */
  #dropHourly(now: number, retentionMillis: number): void {
    this.#droppedAt ??= now
    if (now - this.#droppedAt < dropMillis) return
    this.#droppedAt = now
    if (this.dropBefore(Timestamp.fromMillis(now - retentionMillis)) > 0) this.#onDropped()
  }

  /** The log of a business, which is created if there is none. */
  #logToWrite(business: string): StoredLog {
    const log = this.#logs.get(business) ?? newLog()
    this.#logs.set(business, log)
    return log
  }

  /** A draft with the next id, and with the time of sending, which never goes back within a log. */
  #next<Draft extends Pick<MessageDraft, "business">>(draft: Draft, { now, trace }: AppendSettings) {
    const log = this.#logToWrite(draft.business)
    log.lastId = ++this.#lastId
    if (now > log.lastSentAt) log.lastSentAt = now
    return { ...draft, id: log.lastId, sentAt: log.lastSentAt, ...(trace === undefined ? {} : { trace }) }
  }
}

/** Removes the messages sent before a time from the beginning of a list, and returns them. */
const dropOld = <Each extends Pick<Message, "sentAt">>(
  list: Array<Each>,
  cutoff: Timestamp.Timestamp
): ReadonlyArray<Each> => {
  const firstKept = list.findIndex(({ sentAt }) => sentAt >= cutoff)
  return list.splice(0, firstKept < 0 ? list.length : firstKept)
}

const dropOf = ({ id, sentAt }: Pick<Message, "id" | "sentAt">): NewestDrop => ({
  droppedId: id,
  droppedSentAt: sentAt
})

/** The newest drop of the log and of the outboxes of these types. */
export const droppedOf = (log: LogContents, types: ReadonlyArray<string>): NewestDrop =>
  types.map((type) => log.entryDrops.get(type) ?? noDrop).reduce(
    (newest, drop) => drop.droppedId > newest.droppedId ? drop : newest,
    log
  )

/** The messages of a log, and the entries of its outboxes, after an id: in the order of their ids. */
export function* after({ entries, messages }: LogContents, id: number): Generator<Deliverable> {
  let [at, entryAt] = [firstAfter(messages, id), firstAfter(entries, id)]
  for (;;) {
    const [message, entry] = [messages[at], entries[entryAt]]
    const next = message === undefined || (entry !== undefined && entry.id < message.id) ? entry : message
    if (next === undefined) return
    yield next
    if (next === entry) entryAt++
    else at++
  }
}

/** The index of the first element with a higher id, in a list in id order; the length of the list if there is none. */
const firstAfter = (list: ReadonlyArray<Pick<Message, "id">>, id: number): number => {
  let low = 0
  let high = list.length
  while (low < high) {
    const middle = (low + high) >>> 1
    const element = list[middle]
    if (element !== undefined && element.id <= id) low = middle + 1
    else high = middle
  }
  return low
}

/**
 * The port over the messages of a database. The database advances the ids, because an advance raises the ids of
 * messages beyond an id, and the ids of all other entities by a number.
 */
export const messageLogOf = Effect.fnUntraced(function*(
  { messages, advanceAll }: {
    readonly messages: MemoryMessages
    readonly advanceAll: (beyond: number, otherIdsBy: number) => number
  }
) {
  const settings = yield* MessageLogConfig
  const read = (
    query: MessageQuery,
    position: Position,
    limit: number,
    textLimit = Infinity
  ) =>
    Effect.suspend(() =>
      Effect.fromResult(
        messages.read(query, position, limit, Math.min(textLimit, settings.pageTextLimit))
      )
    )
  const lastId = (business: string) => Effect.sync(() => messages.logOf(business).lastId)
  const feed = yield* MessageFeed.make({ read, lastId, wakeups: messages.wakeups }, settings)
  return MessageLog.of({
    append: (drafts) =>
      Effect.flatMap(
        Effect.zip(Timestamp.now, TraceContext.current),
        ([now, trace]) =>
          Effect.fromResult(
            messages.append(drafts, { now, trace, retentionMillis: settings.retentionMillis })
          )
      ),
    read,
    lastId,
    ...feed,
    dropExpired: Effect.map(
      Timestamp.now,
      (now) => messages.dropBefore(Timestamp.fromMillis(Date.parse(now) - settings.retentionMillis))
    ),
    advance: (beyond) =>
      Effect.suspend(() =>
        beyond - messages.newestId > advanceLimit
          ? Effect.fail(new AdvanceTooFar({ newestId: messages.newestId, limit: advanceLimit }))
          : Effect.succeed(advanceAll(beyond, otherIdsAdvance))
      )
  })
})
