/**
 * Writes the answer of a tool into what the SDK answers: the SDK writes the frame, with a mark where the answer belongs.
 *
 * Guarantee: the answer, which the client gets twice, is never whole in memory as a text; it is written as the client takes it.
 */
import * as JsonWriter from "@dockline/core/input/JsonWriter"
import type { CallToolResult } from "@modelcontextprotocol/server"
import { randomUUID } from "node:crypto"

/** The answer of a call, which clients get as a value and as text. */
export interface ToolAnswer {
  readonly value: object
  readonly isError: boolean
}

/** An answer, and the mark that stands for it. */
export interface MarkedAnswer {
  readonly answer: ToolAnswer
  readonly mark: string
}

/** Marks an answer; nobody can guess the mark. */
export const withMark = (answer: ToolAnswer): MarkedAnswer => ({ answer, mark: randomUUID() })

const textOf = (mark: string) => `${mark} text`

const structureOf = (mark: string) => ({ [`${mark} structure`]: 0 })

/** The result of a call for the SDK. */
export const resultOf = ({ answer: { isError }, mark }: MarkedAnswer): CallToolResult => ({
  content: [{ type: "text", text: textOf(mark) }],
  structuredContent: structureOf(mark),
  ...(isError ? { isError } : {})
})

/** The parts of an answer of the SDK, with the answer of the tool in the place of its marks. */
export function* parts(
  frame: string,
  { answer: { value }, mark }: MarkedAnswer
): Generator<string, void, void> {
  const [start = "", rest] = frame.split(JSON.stringify(textOf(mark)))
  // The SDK has answered something else, such as an error of its own.
  if (rest === undefined) return yield frame
  const [middle = "", end = ""] = rest.split(JSON.stringify(structureOf(mark)))
  yield `${start}"`
  for (const part of JsonWriter.parts(value)) yield JSON.stringify(part).slice(1, -1)
  yield `"${middle}`
  yield* JsonWriter.parts(value)
  yield end
}
