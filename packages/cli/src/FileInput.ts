/** Reads files that the command line names; `-` is standard input. */
import { Effect, FileSystem, Stdio, Stream } from "effect"
import { wrongUsage } from "./Failure.ts"

/** The content, byte for byte; `name` is the flag or argument that names the file. */
export const readBytes = Effect.fnUntraced(function*(path: string, name: string) {
  if (path === "-") {
    const { stdin } = yield* Stdio.Stdio
    return yield* Stream.runCollect(stdin).pipe(
      Effect.map((pieces): Uint8Array => Buffer.concat(pieces)),
      Effect.mapError(() => wrongUsage(`${name}: standard input cannot be read`))
    )
  }
  const files = yield* FileSystem.FileSystem
  return yield* files.readFile(path).pipe(
    Effect.mapError((error) => wrongUsage(`${name}: ${path} cannot be read: ${error.message}`))
  )
})

export const readText = (path: string, name: string) =>
  Effect.map(readBytes(path, name), (bytes) => new TextDecoder().decode(bytes))
