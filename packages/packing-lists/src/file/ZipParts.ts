/**
 * The parts of an XLSX file, which is a ZIP file, read with `yauzl` (D25.1).
 *
 * Guarantee: no more bytes are inflated than the limits allow. The directory of the file is checked first: a file with too many parts, or
 * with parts that are too large in total or in relation to their compressed sizes, is refused before anything is inflated. A part that is
 * larger than the directory says ends the reading. Parts are inflated only on demand, so that macros, external links and other contents are
 * never read.
 */
import { Data, Effect } from "effect"
import * as Yauzl from "yauzl"
import type { FileFault } from "./FileTable.ts"
import { fileFault, limits } from "./FileTable.ts"

/** The parts of a file by their names, in lower case. */
export interface ZipParts {
  readonly has: (name: string) => boolean
  /** The bytes of a part; `undefined` if there is no such part. */
  readonly read: (name: string) => Effect.Effect<Uint8Array | undefined, FileFault>
}

class ZipError extends Data.TaggedError("ZipError")<{ readonly cause: unknown }> {}

const notXlsx = () =>
  fileFault("it is no XLSX file, or it is damaged", "Save it again as XLSX (not XLS), without a password.")

const tooLarge = () =>
  fileFault(
    `it holds too much: more than ${
      limits.inflatedBytes / 1024 / 1024
    } MiB, or one part far larger than its share`,
    "Send the table alone, without pictures and further sheets."
  )

const open = (bytes: Uint8Array) =>
  Effect.tryPromise({
    try: () =>
      new Promise<Yauzl.ZipFile>((resolve, reject) => {
        const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
        Yauzl.fromBuffer(
          buffer,
          { lazyEntries: true, strictFileNames: true, validateEntrySizes: true, decodeStrings: true },
          (error, file) => error === null ? resolve(file) : reject(error)
        )
      }),
    catch: (cause) => new ZipError({ cause })
  })

const entriesOf = (file: Yauzl.ZipFile) =>
  Effect.tryPromise({
    try: () =>
      new Promise<ReadonlyArray<Yauzl.Entry>>((resolve, reject) => {
        const entries: Array<Yauzl.Entry> = []
        file.on("entry", (entry: Yauzl.Entry) => {
          entries.push(entry)
          if (entries.length > limits.parts) reject(tooLarge())
          else file.readEntry()
        })
        file.on("end", () => resolve(entries))
        file.on("error", reject)
        file.readEntry()
      }),
    catch: (cause) => cause
  })

const inflate = (file: Yauzl.ZipFile, entry: Yauzl.Entry) =>
  Effect.tryPromise({
    try: (signal) =>
      new Promise<Uint8Array>((resolve, reject) => {
        file.openReadStream(entry, (error, stream) => {
          if (error !== null) return reject(error)
          const chunks: Array<Uint8Array> = []
          signal.addEventListener("abort", () => stream.destroy())
          stream.on("data", (chunk: Uint8Array) => chunks.push(chunk))
          stream.on("error", reject)
          stream.on("end", () => resolve(Buffer.concat(chunks)))
        })
      }),
    catch: (cause) => new ZipError({ cause })
  })

/** Whether a part is too large in relation to its compressed size. */
const isBomb = ({ compressedSize, uncompressedSize }: Yauzl.Entry): boolean =>
  uncompressedSize > limits.smallBytes && uncompressedSize > compressedSize * limits.ratio

/** Opens a file. */
export const openParts = Effect.fnUntraced(function*(
  bytes: Uint8Array
): Effect.fn.Return<ZipParts, FileFault> {
  const file = yield* Effect.mapError(open(bytes), notXlsx)
  const entries = yield* Effect.mapError(
    entriesOf(file),
    (cause) => typeof cause === "object" && cause !== null && "remedy" in cause ? tooLarge() : notXlsx()
  )
  const total = entries.reduce((sum, { uncompressedSize }) => sum + uncompressedSize, 0)
  if (total > limits.inflatedBytes || entries.some(isBomb)) return yield* tooLarge()
  const parts = new Map<string, Yauzl.Entry>()
  for (const entry of entries) {
    const name = entry.fileName.toLowerCase()
    // If two parts have the same name, different programs read different ones of them.
    if (parts.has(name) || entry.isEncrypted()) return yield* notXlsx()
    parts.set(name, entry)
  }
  return {
    has: (name) => parts.has(name.toLowerCase()),
    read: (name) => {
      const entry = parts.get(name.toLowerCase())
      return entry === undefined ? Effect.undefined : Effect.mapError(inflate(file, entry), notXlsx)
    }
  }
})
