/**
 * What the delivery record keeps of an answer (D9.6).
 */
import { responseLimit } from "@dockline/core/Delivery"
import type { OutboundAnswer } from "./OutboundHttp.ts"

const utf8 = new TextDecoder("utf-8")

/** What stands where a secret was. */
const hidden = "***"

/** The shortest secret that is hidden, in characters: shorter ones are parts of words. */
const shortest = 4

/**
 * The first 4 KiB of an answer's body as a text that every database takes: what is not UTF-8 is replaced, NUL as
 * well. A body in a content encoding is not decoded, which could make it large; its size is told instead. The secrets
 * given are hidden: some servers repeat in an error what was sent to them.
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
  // Streaming keeps back a character that the cut has split, instead of replacing it.
  const isCut = body.byteLength > responseLimit
  const text = isCut
    ? new TextDecoder("utf-8").decode(body.subarray(0, responseLimit), { stream: true })
    : utf8.decode(body)
  return withoutSecrets(text.replaceAll("\0", "\ufffd"), secrets, isCut)
}

const withoutSecrets = (text: string, secrets: ReadonlyArray<string>, isCut: boolean): string => {
  let shown = text
  for (const secret of secrets.flatMap(formsOf)) {
    shown = shown.replaceAll(secret, hidden)
    if (isCut) shown = withoutBeginning(shown, secret)
  }
  return shown
}

/** As it is, and as it stands in JSON. */
const formsOf = (secret: string): ReadonlyArray<string> => {
  if (secret.length < shortest) return []
  const inJson = JSON.stringify(secret).slice(1, -1)
  return inJson === secret ? [secret] : [secret, inJson]
}

/** Without a beginning of the secret, of which the cut has taken the end. */
const withoutBeginning = (text: string, secret: string): string => {
  for (let length = Math.min(secret.length - 1, text.length); length >= shortest; length--) {
    if (text.endsWith(secret.slice(0, length))) return `${text.slice(0, -length)}${hidden}`
  }
  return text
}
