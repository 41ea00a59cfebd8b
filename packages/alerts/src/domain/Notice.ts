/**
 * A notice: one incident, as people are told about it.
 */
import { clip } from "@dockline/core/values/Clip"
import type { Timestamp } from "@dockline/core/values/Timestamp"

/** The most characters of a title and of a text. */
const [titleLimit, textLimit] = [150, 500]

/** The states of a notice: it waits, was sent, was refused for good, or was dropped because its rule was disabled. */
export const noticeStates = ["WAITING", "SENT", "REFUSED", "DROPPED"] as const

/** The state of a notice. */
export type NoticeState = (typeof noticeStates)[number]

/** One incident, as people are told about it. */
export interface Notice {
  readonly at: Timestamp
  /** Its title, a few words. */
  readonly title: string
  readonly text: string
  /** Its page on the dashboard; `""` without one. */
  readonly url: string
}

/** A notice of bounded size. */
export const noticeOf = (at: Timestamp, title: string, text: string, url: string): Notice => ({
  at,
  title: clip(title, titleLimit),
  text: clip(text, textLimit),
  url
})
