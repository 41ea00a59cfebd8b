/**
 * Messages and logs for the tests of the message log.
 */
import { payloadOf } from "@dockline/core/messages/Message"
import type { Message, MessageDraft, MessageQuery } from "@dockline/core/messages/Message"
import { MessageLog } from "@dockline/core/messages/MessageLog"
import type { MessageLogSettings } from "@dockline/core/messages/MessageLog"
import { Directory } from "@dockline/core/places/Place"
import * as Timestamp from "@dockline/core/values/Timestamp"
import { messageTypes } from "@dockline/core/values/Vocabulary"
import { Effect } from "effect"
import { unique } from "../generators/Given.ts"
import * as Suite from "../Suite.ts"

/** A day, in milliseconds. */
export const day = 86_400_000

/** Settings of a log that keeps few messages in memory. */
export const defaultSettings: MessageLogSettings = {
  retentionMillis: 90 * day,
  pollMillis: 500,
  recentLimit: 50,
  pageTextLimit: 16 * 1024 * 1024
}

/**
 * The time at which cases of retention send the messages to be dropped. It is before any message of other users of the database, so that
 * the cases drop only their own messages.
 */
export const longAgo = Date.parse("2001-01-01T00:00:00.000Z")

/** The retention in these cases. It is so long that the log drops no messages by itself. */
export const longRetention = 200 * 365 * day

/** A new business with the facilities `east` and `west`. */
export const aBusiness = Effect.gen(function*() {
  const directory = yield* Directory
  const slug = unique("logged")
  yield* directory.put([{
    slug,
    name: slug,
    fieldMap: [],
    facilities: [
      { slug: "east", name: "East", docks: ["D1"] },
      { slug: "west", name: "West", docks: [] }
    ]
  }])
  return slug
})

/** A draft of a message. */
export const aDraft = (business: string, n: unknown, fields: Partial<MessageDraft> = {}): MessageDraft => ({
  business,
  facility: "east",
  type: "PALLET_EVENT",
  payload: { n },
  shipmentId: 1,
  ...fields
})

/** A query for all messages of a business. */
export const everythingOf = (business: string, rest: Partial<MessageQuery> = {}): MessageQuery => ({
  business,
  facility: undefined,
  types: messageTypes,
  ...rest
})

/** Appends messages. */
export const append = (...drafts: ReadonlyArray<MessageDraft>) => MessageLog.use((log) => log.append(drafts))

/** Reads the log of a business. */
export const read = (query: MessageQuery, afterId = 0, limit = 1000, since?: Timestamp.Timestamp) =>
  MessageLog.use((log) => log.read(query, { afterId, since }, limit))

/** The numbers of messages made by {@link aDraft}. */
export const numbers = (messages: ReadonlyArray<Message>) =>
  messages.map((message) => payloadOf(message)["n"])

/** Runs an effect at a time in milliseconds since 1970. */
export const at = Timestamp.asOf

/** Adds a case of the log, with optional settings of the log. */
export type Test = Suite.AddTest<MessageLog | Directory>

/** Makes a suite of the log, whose cases run with {@link defaultSettings} by default. */
export const suiteOf = (
  name: string,
  write: (test: Test, describe: Suite.Author<never>["describe"]) => void
): Suite.Suite<MessageLog | Directory> =>
  Suite.make(
    name,
    ({ describe, test }) =>
      write(
        (title, program, settings = {}) => test(title, program, { ...defaultSettings, ...settings }),
        describe
      )
  )
