/**
 * Cuts the text of an answer into pieces.
 *
 * Guarantee: a short text is returned whole. Of a long text, the first {@link longText} characters are written at once, and each further
 * piece when its reader has taken the previous one. So the whole text is never in memory, and the event loop can serve other requests
 * between two pieces.
 */
import * as Slices from "@dockline/core/input/Slices"
import { Effect, Stream } from "effect"

/** A text of at least this many characters is returned in pieces. */
export const longText = 256 * 1024

/** The length of a piece, in characters. Only the last part of a piece may exceed it. */
const pieceText = 64 * 1024

/** A text as a whole, or piece by piece. */
export type Output =
  | { readonly _tag: "Whole"; readonly text: string }
  | { readonly _tag: "Pieces"; readonly pieces: Stream.Stream<string> }

/** Joins these parts into a text. Each part is read once. */
export const outputOf = (parts: Iterator<string>): Output => {
  const head = read(parts, longText)
  if (head.isLast) return { _tag: "Whole", text: head.text }
  const next = Effect.map(Slices.pause, () => {
    const { text } = read(parts, pieceText)
    return text === "" ? undefined : [text, undefined] as const
  })
  const rest = Stream.unfold(undefined, () => next)
  return { _tag: "Pieces", pieces: Stream.concat(Stream.fromArray(piecesOf(head.text)), rest) }
}

const read = (
  parts: Iterator<string>,
  length: number
): { readonly text: string; readonly isLast: boolean } => {
  let text = ""
  while (text.length < length) {
    const next = parts.next()
    if (next.done === true) return { text, isLast: true }
    text += next.value
  }
  return { text, isLast: false }
}

/** A part of a text, cut into pieces that never split a character. */
const piecesOf = (text: string): ReadonlyArray<string> => {
  const pieces: Array<string> = []
  for (let at = 0; at < text.length;) {
    let end = at + pieceText
    if (isHighSurrogate(text.charCodeAt(end - 1))) end++
    pieces.push(text.slice(at, end))
    at = end
  }
  return pieces
}

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit < 0xdc00
