/**
 * A notice: one thing that people are told.
 */
import { clip } from "@dockline/core/values/Clip"
import type { Timestamp } from "@dockline/core/values/Timestamp"

/** The most characters of a title and of a text. */
const [titleLimit, textLimit] = [150, 500]

/** What becomes of a notice: it waits, was sent, was refused for good, or was dropped as its rule was disabled. */
export const noticeStates = ["WAITING", "SENT", "REFUSED", "DROPPED"] as const

/** What became of a notice. */
export type NoticeState = (typeof noticeStates)[number]

/** One thing that people are told. */
export interface Notice {
  readonly at: Timestamp
  /** What it is, in a few words. */
  readonly title: string
  readonly text: string
  /** The page of it on the dashboard; `""` without one. */
  readonly url: string
}

/** A notice of bounded size. */
export const noticeOf = (at: Timestamp, title: string, text: string, url: string): Notice => ({
  at,
  title: clip(title, titleLimit),
  text: clip(text, textLimit),
  url
})
