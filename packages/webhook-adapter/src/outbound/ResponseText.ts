/** The text of an answer that the delivery record keeps (D9.6). */
import { responseLimit } from "@dockline/core/Delivery"
import { hideSecrets } from "./HiddenSecrets.ts"
import type { OutboundAnswer } from "./OutboundHttp.ts"

const utf8 = new TextDecoder("utf-8")

/**
 * The first 4 KiB, as a text that every database stores: bytes that are not UTF-8 are replaced, and NUL. A body in a
 * content encoding is not decoded, as that could make it large. The secrets are hidden, as some servers repeat the
 * request.
 */
export const responseText = (
  { body, headers }: Pick<OutboundAnswer, "body" | "headers">,
  secrets: ReadonlyArray<string> = []
): string => {
  if (body.byteLength === 0) return ""
  const encoding = (headers["content-encoding"] ?? "").toLowerCase()
  if (encoding !== "" && encoding !== "identity") {
    return `(${body.byteLength} bytes in the encoding ${encoding.replaceAll(/[^\w\-, ]/g, "?").slice(0, 40)})`
  }
  // Streaming holds back a character that the cut has split, instead of replacing it.
  const isCut = body.byteLength > responseLimit
  const text = isCut
    ? new TextDecoder("utf-8").decode(body.subarray(0, responseLimit), { stream: true })
    : utf8.decode(body)
  return hideSecrets(text.replaceAll("\0", "\ufffd"), secrets, isCut)
}
