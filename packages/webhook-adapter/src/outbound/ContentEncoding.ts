/**
 * Decodes the bodies of answers (RFC 9110, 8.4): some customers' servers encode them though nobody asked.
 *
 * Guarantee: however small a body is, no more than `bodyLimit` bytes are decoded of it, at each encoding. A body that cannot be decoded says so
 * in `error`, and changes no status.
 */
import { clip } from "@dockline/core/values/Clip"
import { Effect } from "effect"
import type { Transform } from "node:stream"
import {
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  createZstdDecompress
} from "node:zlib"
import { bodyLimit, tooLong } from "./OutboundHttp.ts"
import type { OutboundAnswer } from "./OutboundHttp.ts"

/** The most encodings of one body. */
const encodingLimit = 5

/** The largest window of zstd in bits, 8 MiB (RFC 9659): a decoder takes as much memory as a body of a few bytes asks for. */
const zstdWindow = 23

/** `deflate` is zlib's format (RFC 9110, 8.4.1.2), and what some servers send is the bare stream within it. */
const isZlib = (body: Uint8Array): boolean =>
  (body[0]! & 0x0f) === 8 && (body[0]! * 256 + body[1]!) % 31 === 0

const decoders: Readonly<Record<string, (body: Uint8Array) => Transform>> = {
  gzip: () => createGunzip(),
  "x-gzip": () => createGunzip(),
  deflate: (body) => (isZlib(body) ? createInflate() : createInflateRaw()),
  br: () => createBrotliDecompress(),
  zstd: () => createZstdDecompress({ params: { [constants.ZSTD_d_windowLogMax]: zstdWindow } })
}

/** The answer with its body decoded; what could be decoded of it where `error` says that not all could. */
export const withDecodedBody = (answer: OutboundAnswer): Effect.Effect<OutboundAnswer> => {
  const encodings = encodingsOf(answer)
  return answer.body.byteLength === 0 || encodings.length === 0
    ? Effect.succeed(answer)
    : Effect.promise(() => decode(answer, encodings))
}

const encodingsOf = ({ headers }: OutboundAnswer): ReadonlyArray<string> =>
  (headers["content-encoding"] ?? "").split(",").map((name) => name.trim().toLowerCase())
    .filter((name) => name !== "" && name !== "identity")

const decode = async (
  { body, error, ...head }: OutboundAnswer,
  encodings: ReadonlyArray<string>
): Promise<OutboundAnswer> => {
  const names = clip(encodings.join(", ").replaceAll(/[^\w\-, ]/g, "?"))
  const withoutBody = (why: string) => ({
    ...head,
    body: new Uint8Array(0),
    error: error === "" ? why : error
  })
  if (encodings.length > encodingLimit) {
    return withoutBody(`the answer has more than ${encodingLimit} encodings`)
  }
  if (!encodings.every((name) => decoders[name] !== undefined)) {
    return withoutBody(`the answer is in an encoding that is not known here (${names})`)
  }
  let plain = body
  let fault = error
  for (const name of encodings.toReversed()) {
    const step = await unpack(decoders[name]!(plain), plain)
    plain = step.bytes
    // A body that was cut ends early in its encoding too.
    if (fault === "" && step.fault !== "") {
      fault = step.fault === "LONG" ? tooLong : `the answer is not what its encoding says (${names})`
    }
  }
  return { ...head, body: plain, error: fault }
}

interface Output {
  readonly bytes: Uint8Array
  readonly fault: "" | "LONG" | "BAD"
}

const unpack = (decoder: Transform, input: Uint8Array): Promise<Output> =>
  new Promise((resolve) => {
    const chunks: Array<Uint8Array> = []
    let size = 0
    const end = (fault: Output["fault"]) => {
      decoder.destroy()
      resolve({ bytes: Buffer.concat(chunks), fault })
    }
    decoder.on("data", (chunk: Buffer) => {
      const room = bodyLimit - size
      chunks.push(chunk.subarray(0, room))
      size += chunk.byteLength
      if (size > bodyLimit) end("LONG")
    })
    decoder.on("end", () => end(""))
    decoder.on("error", () => end("BAD"))
    decoder.end(input)
  })
