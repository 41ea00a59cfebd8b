/** Reads the newest messages of a facility. The service lists messages since a time, so each read begins earlier than the last. */
import { messages as messagesOperation } from "../api/operations.ts"
import type { Message } from "../api/operations.ts"
import { Fault, run } from "../api/request.ts"
import type { Place } from "../session.ts"
import type { MessageType } from "./messageKinds.ts"

export const shownAtMost = 300

/** How far back each read begins, in minutes; the next read follows if there are too few messages. */
const steps = [5, 60, 24 * 60, 30 * 24 * 60]

const pageSize = 1000

type MessagesInput = Parameters<NonNullable<typeof messagesOperation["types"]>>[0]["input"]

/** Reads the messages of a facility since a time, oldest first. */
export const readMessages = (
  { business, facility }: Place,
  page: Omit<MessagesInput, "businessSlug" | "facilitySlug">
): Promise<ReadonlyArray<Message>> =>
  run(messagesOperation, { input: { businessSlug: business.slug, facilitySlug: facility.slug, ...page } })

/** Messages, oldest first: all that are kept, or the last {@link shownAtMost} of them. */
interface Result {
  readonly messages: ReadonlyArray<Message>
  /** Whether older ones have been dropped by age. */
  readonly isAll: boolean
}

export const since = async (
  place: Place,
  messageTypes: ReadonlyArray<MessageType>,
  time: string
): Promise<Result> => {
  let messages: ReadonlyArray<Message> = []
  let isAll = false
  let afterId: number | undefined
  for (;;) {
    try {
      const page = await readMessages(place, { messageTypes, since: time, afterId, limit: pageSize })
      messages = [...messages, ...page].slice(-shownAtMost)
      if (page.length < pageSize) return { messages, isAll }
      afterId = page.at(-1)!.id
    } catch (error) {
      if (!(error instanceof Fault) || error.droppedId === undefined) throw error
      isAll = true
      afterId = error.droppedId
    }
  }
}

interface Newest {
  readonly messages: ReadonlyArray<Message>
  /** The id of the newest message that was read or was known before: messages with higher ids have come since. */
  readonly lastId: number
}

/** The newest messages of these types: at least `enough`, if there are so many. `lastMessage` is the newest message known before. */
export const newest = async (
  place: Place,
  messageTypes: ReadonlyArray<MessageType>,
  enough: number,
  lastMessage: Message | undefined
): Promise<Newest> => {
  let messages: ReadonlyArray<Message> = []
  for (const minutes of steps) {
    const result = await since(place, messageTypes, new Date(Date.now() - minutes * 60_000).toISOString())
    messages = result.messages.toReversed()
    if (result.isAll || messages.length >= enough) break
  }
  return { messages, lastId: Math.max(messages[0]?.id ?? 0, lastMessage?.id ?? 0) }
}

/** Replaces the list by the messages of a read, except for messages that have come since. */
export const withNewer =
  ({ lastId, messages }: Newest, most = shownAtMost) =>
  (before: ReadonlyArray<Message>): ReadonlyArray<Message> =>
    [...before.filter(({ id }) => id > lastId), ...messages].slice(0, most)

/** Puts a live message at the top of the list, unless a read has already returned it. */
export const withNewest =
  (message: Message, most = shownAtMost) => (before: ReadonlyArray<Message>): ReadonlyArray<Message> =>
    before.some(({ id }) => id === message.id) ? before : [message, ...before].slice(0, most)
