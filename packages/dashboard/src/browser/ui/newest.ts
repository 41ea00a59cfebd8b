/** The newest messages of a facility. The service lists messages from a time on, so the look goes back step by step. */
import type { LiveMessage } from "../api/live.ts"
import { messages } from "../api/operations.ts"
import { run } from "../api/request.ts"
import type { Place } from "../session.ts"

/** The most messages that are kept. */
export const shownAtMost = 300

/** How far back the looks go, in minutes: further while fewer than enough were sent since. */
const looks = [5, 60, 24 * 60, 30 * 24 * 60]

const pageSize = 1000

/** The messages of these types since a time, oldest first: all, or the last {@link shownAtMost} of them. */
export const since = async (
  { business, facility }: Place,
  messageTypes: ReadonlyArray<LiveMessage["messageType"]>,
  time: string
): Promise<ReadonlyArray<LiveMessage>> => {
  let found: ReadonlyArray<LiveMessage> = []
  let afterId: number | undefined
  for (;;) {
    const { pushMessages } = await run(messages, {
      input: {
        businessSlug: business.slug,
        facilitySlug: facility.slug,
        messageTypes,
        since: time,
        afterId,
        limit: pageSize
      }
    })
    found = [...found, ...pushMessages].slice(-shownAtMost)
    if (pushMessages.length < pageSize) return found
    afterId = pushMessages.at(-1)!.id
  }
}

/** The newest messages of these types, newest first: at least so many, if there are. */
export const newest = async (
  place: Place,
  messageTypes: ReadonlyArray<LiveMessage["messageType"]>,
  enough: number
): Promise<ReadonlyArray<LiveMessage>> => {
  let found: ReadonlyArray<LiveMessage> = []
  for (const minutes of looks) {
    found = await since(place, messageTypes, new Date(Date.now() - minutes * 60_000).toISOString())
    if (found.length >= enough) break
  }
  return found.toReversed()
}

/** A text, or the texts of a list, in a payload. */
export const textOf = (message: LiveMessage["message"], name: string): string => {
  const value = message[name]
  return Array.isArray(value) ? value.join(", ") : typeof value === "string" ? value : ""
}

/** What a pallet is called in a message: its LPN where the customer's fields have it, else the id of the service. */
export const palletName = (message: LiveMessage["message"]): string =>
  textOf(message, "LPN") || textOf(message, "lpn") || `#${textOf(message, "servicePalletId")}`
