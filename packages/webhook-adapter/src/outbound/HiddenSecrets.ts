/**
 * Hides secrets in a text that a customer wrote: as they are, in any encoding of `TextLayers.ts`, and in any
 * combination of two. The work is bounded by the length of the text times a constant.
 */
import { Buffer } from "node:buffer"
import { layersOf, leastBytes, paddingByte } from "./TextLayers.ts"
import type { TextLayer } from "./TextLayers.ts"

/** The shortest secret that is hidden, in bytes: shorter secrets would match parts of words. */
export const shortest = leastBytes

export type Secret = string | Uint8Array

const hidden = "***"

/** If the text was cut at its end (`isCut`), the beginning of a secret there is hidden too, from four bytes on. */
export const hideSecrets = (text: string, secrets: ReadonlyArray<Secret>, isCut: boolean): string => {
  const sought = secrets.map(bytesOf).filter((secret) => secret.length >= shortest)
  if (sought.length === 0) return text
  const bytes = Buffer.from(text, "utf8")
  const spans = new Spans(bytes.length)
  for (const layer of layersOf(bytes, isCut)) {
    for (const secret of sought) find(layer, secret, spans)
  }
  return spans.hide(bytes)
}

/** The bytes of a secret without the padding of base64, which some encoders leave out. */
const bytesOf = (secret: Secret): Buffer => {
  const bytes = typeof secret === "string" ? Buffer.from(secret, "utf8") : Buffer.from(secret)
  let end = bytes.length
  while (end > shortest && bytes[end - 1] === paddingByte) end--
  return bytes.subarray(0, end)
}

const find = ({ bytes, ends, isCut, starts }: TextLayer, secret: Buffer, spans: Spans): void => {
  for (let at = bytes.indexOf(secret); at >= 0; at = bytes.indexOf(secret, at + 1)) {
    let last = at + secret.length - 1
    while (bytes[last + 1] === paddingByte) last++
    spans.add(starts[at]!, ends[last]!)
  }
  if (!isCut) return
  const beginning = secret.subarray(0, shortest)
  const first = Math.max(0, bytes.length - secret.length + 1)
  for (let at = bytes.indexOf(beginning, first); at >= 0; at = bytes.indexOf(beginning, at + 1)) {
    const rest = bytes.subarray(at)
    if (rest.equals(secret.subarray(0, rest.length))) return spans.add(starts[at]!, spans.length)
  }
}

class Spans {
  readonly length: number
  /** The number of parts that begin at a byte, less the number that end there. */
  readonly #changes: Int32Array

  constructor(length: number) {
    this.length = length
    this.#changes = new Int32Array(length + 1)
  }

  add(start: number, end: number): void {
    this.#changes[start]!++
    this.#changes[end]!--
  }

  hide(bytes: Buffer): string {
    let [shown, from, open] = ["", 0, 0]
    for (let at = 0; at <= this.length; at++) {
      const change = this.#changes[at]!
      if (change === 0) continue
      if (open === 0) shown += bytes.toString("utf8", from, at) + hidden
      open += change
      if (open === 0) from = at
    }
    return shown + bytes.toString("utf8", from)
  }
}
