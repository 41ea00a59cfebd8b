/**
 * What the delivery record keeps of an answer (D9.6).
 */
import { responseLimit } from "@dockline/core/Delivery"
import { hideSecrets } from "./HiddenSecrets.ts"
import type { Secret } from "./HiddenSecrets.ts"
import type { OutboundAnswer } from "./OutboundHttp.ts"

const utf8 = new TextDecoder("utf-8")

/**
 * The first 4 KiB of an answer's body as a text that every database takes: what is not UTF-8 is replaced, NUL as
 * well. A body in a content encoding is not decoded, which could make it large; its size is told instead. The secrets
 * given are hidden, however they are encoded: some servers repeat in an error what was sent to them.
 */
export const responseText = (
  { body, headers }: Pick<OutboundAnswer, "body" | "headers">,
  secrets: ReadonlyArray<Secret> = []
): string => {
  if (body.byteLength === 0) return ""
  const encoding = (headers["content-encoding"] ?? "").toLowerCase()
  if (encoding !== "" && encoding !== "identity") {
    return `(${body.byteLength} bytes in the encoding ${encoding.replaceAll(/[^\w\-, ]/g, "?").slice(0, 40)})`
  }
  // Streaming keeps back a character that the cut has split, instead of replacing it.
  const isCut = body.byteLength > responseLimit
  const text = isCut
    ? new TextDecoder("utf-8").decode(body.subarray(0, responseLimit), { stream: true })
    : utf8.decode(body)
  return hideSecrets(text.replaceAll("\0", "\ufffd"), secrets, isCut)
}
