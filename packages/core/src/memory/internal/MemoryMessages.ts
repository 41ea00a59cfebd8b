/**
 * The message log in memory. Every method of `MemoryMessages` is synchronous, so it is a transaction of its own.
 */
import { Effect, Result } from "effect"
import { Wakeups } from "../../messages/FeedSource.ts"
import type { Message, MessageDraft } from "../../messages/Message.ts"
import * as MessageFeed from "../../messages/MessageFeed.ts"
import { advanceLimit, MessageLog, MessageLogConfig, otherIdsAdvance } from "../../messages/MessageLog.ts"
import type { MessagePage, MessageQuery, Position } from "../../messages/MessageQuery.ts"
import { CursorAhead, HistoryExpired } from "../../values/Errors.ts"
import type { BusinessNotFound, FacilityNotFound } from "../../values/Errors.ts"
import { AdvanceTooFar } from "../../values/OperatorErrors.ts"
import * as Timestamp from "../../values/Timestamp.ts"
import * as TraceContext from "../../values/TraceContext.ts"
import type { WebhookType } from "../../values/Vocabulary.ts"

interface StoredLog {
  messages: Array<Message<WebhookType>>
  lastId: number
  lastSentAt: Timestamp.Timestamp
  droppedId: number
  droppedSentAt: Timestamp.Timestamp
}

/** The present log of a business, its messages in id order. */
export interface LogContents extends Readonly<Omit<StoredLog, "messages">> {
  readonly messages: ReadonlyArray<Message<WebhookType>>
}

const newLog = (): StoredLog => ({ messages: [], lastId: 0, lastSentAt: "", droppedId: 0, droppedSentAt: "" })

const emptyLog: LogContents = newLog()

/** How often expired messages are dropped, in milliseconds. */
const dropMillis = 3_600_000

/** When messages are appended, in which trace, and how long messages are kept. */
export interface Appending {
  readonly now: Timestamp.Timestamp
  readonly trace: string | undefined
  readonly retentionMillis: number
}

/** The logs of all businesses. Appends drop expired messages. */
export class MemoryMessages {
  readonly wakeups: Wakeups = new Wakeups()
  readonly #logs = new Map<string, StoredLog>()
  readonly #unknownPlace: (draft: MessageDraft) => BusinessNotFound | FacilityNotFound | undefined
  readonly #onDropped: () => void
  #lastId = 0
  #droppedAt: number | undefined

  /** `onDropped` is called when an append has dropped messages. */
  constructor(
    unknownPlace: (draft: MessageDraft) => BusinessNotFound | FacilityNotFound | undefined,
    onDropped: () => void
  ) {
    this.#unknownPlace = unknownPlace
    this.#onDropped = onDropped
  }

  append(
    drafts: ReadonlyArray<MessageDraft>,
    appending: Appending
  ): Result.Result<ReadonlyArray<Message>, BusinessNotFound | FacilityNotFound> {
    for (const draft of drafts) {
      const refusal = this.#unknownPlace(draft)
      if (refusal !== undefined) return Result.fail(refusal)
    }
    return Result.succeed(this.appendHere(drafts, appending))
  }

  /** Appends messages of places that exist, whoever gets them. */
  appendHere<Type extends WebhookType>(
    drafts: ReadonlyArray<MessageDraft<Type>>,
    { now, trace, retentionMillis }: Appending
  ): ReadonlyArray<Message<Type>> {
    this.#dropHourly(Date.parse(now), retentionMillis)
    const messages = drafts.map((draft) => this.#append(draft, now, trace))
    for (const business of new Set(drafts.map((draft) => draft.business))) this.wakeups.wake(business)
    return messages
  }

  read<Type extends WebhookType>(
    query: MessageQuery<Type>,
    { afterId, since }: Position,
    limit: number,
    textLimit: number
  ): Result.Result<MessagePage<Type>, HistoryExpired | CursorAhead> {
    const { business, facility, types } = query
    const log = this.logOf(business)
    if (afterId > log.lastId) return Result.fail(new CursorAhead({ business, newestId: log.lastId }))
    if (afterId < log.droppedId && (since === undefined || since <= log.droppedSentAt)) {
      return Result.fail(new HistoryExpired({ business, droppedId: log.droppedId }))
    }
    const isAskedFor = ofTypes(types)
    const messages: Array<Message<Type>> = []
    let text = 0
    let more = false
    for (let at = firstAfter(log.messages, afterId); at < log.messages.length; at++) {
      const message = log.messages[at]!
      if (since !== undefined && message.sentAt < since) continue
      if (!isAskedFor(message) || (facility !== undefined && message.facility !== facility)) continue
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

  /** The message of a business with this id; `undefined` when the log does not hold it. */
  find(business: string, id: number): Message<WebhookType> | undefined {
    const { messages } = this.logOf(business)
    const message = messages[firstAfter(messages, id - 1)]
    return message?.id === id ? message : undefined
  }

  /** Advances the next id, and the newest id of each business, beyond an id; returns whether the next id has changed. */
  advance(beyond: number, businesses: Iterable<string>): boolean {
    const advances = beyond > this.#lastId
    if (advances) this.#lastId = beyond
    for (const business of businesses) {
      const log = this.#storedOf(business)
      log.lastId = Math.max(log.lastId, beyond)
    }
    return advances
  }

  get newestId(): number {
    return this.#lastId
  }

  /** Drops the messages that were sent before, and returns their number. */
  dropBefore(cutoff: Timestamp.Timestamp): number {
    let dropped = 0
    for (const log of this.#logs.values()) {
      const kept = log.messages.findIndex(({ sentAt }) => sentAt >= cutoff)
      const gone = log.messages.splice(0, kept < 0 ? log.messages.length : kept)
      const newest = gone.at(-1)
      if (newest === undefined) continue
      dropped += gone.length
      log.droppedId = newest.id
      log.droppedSentAt = newest.sentAt
    }
    return dropped
  }

  /** Drops expired messages at most once an hour. No timer is needed: a log without appends does not grow. */
  #dropHourly(now: number, retentionMillis: number): void {
    this.#droppedAt ??= now
    if (now - this.#droppedAt < dropMillis) return
    this.#droppedAt = now
    if (this.dropBefore(Timestamp.fromMillis(now - retentionMillis)) > 0) this.#onDropped()
  }

  #storedOf(business: string): StoredLog {
    const log = this.#logs.get(business) ?? newLog()
    this.#logs.set(business, log)
    return log
  }

  #append<Type extends WebhookType>(
    { payload, ...draft }: MessageDraft<Type>,
    now: Timestamp.Timestamp,
    trace: string | undefined
  ): Message<Type> {
    const log = this.#storedOf(draft.business)
    const message: Message<Type> = {
      ...draft,
      id: ++this.#lastId,
      sentAt: now > log.lastSentAt ? now : log.lastSentAt,
      json: JSON.stringify(payload),
      ...(trace === undefined ? {} : { trace })
    }
    log.messages.push(message)
    log.lastId = message.id
    log.lastSentAt = message.sentAt
    return message
  }
}

const ofTypes = <Type extends WebhookType>(types: ReadonlyArray<Type>) => {
  const names: ReadonlySet<WebhookType> = new Set(types)
  return (message: Message<WebhookType>): message is Message<Type> => names.has(message.type)
}

/** The index of the first message with a higher id; messages are in id order. */
export const firstAfter = (messages: ReadonlyArray<Message<WebhookType>>, id: number): number => {
  let low = 0
  let high = messages.length
  while (low < high) {
    const middle = (low + high) >>> 1
    const found = messages[middle]
    if (found !== undefined && found.id <= id) low = middle + 1
    else high = middle
  }
  return low
}

/** The port over the messages of a database, whose `advance` advances the ids of all entities. */
export const messageLogOf = Effect.fnUntraced(function*(
  { messages, advance }: {
    readonly messages: MemoryMessages
    readonly advance: (beyond: number, others: number) => number
  }
) {
  const settings = yield* MessageLogConfig
  const read = <Type extends WebhookType>(
    query: MessageQuery<Type>,
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
          : Effect.succeed(advance(beyond, otherIdsAdvance))
      )
  })
})
