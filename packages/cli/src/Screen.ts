/**
 * The output of a run. Only data reaches standard output, so it can be piped. Each write completes before the run
 * continues, and a failed write of data fails the run.
 */
import { Context, Effect, Layer, Predicate } from "effect"
import { NotWritten } from "./Failure.ts"

/** Where a command writes. */
export class Screen extends Context.Service<Screen, {
  /** Writes data and a newline to standard output. */
  readonly data: (text: string) => Effect.Effect<void, NotWritten>
  /** Writes a part of the data to standard output unchanged. */
  readonly part: (text: string) => Effect.Effect<void, NotWritten>
  /** Writes a message as a line to standard error. */
  readonly say: (text: string) => Effect.Effect<void>
  /** Writes text to standard error unchanged, for questions. */
  readonly ask: (text: string) => Effect.Effect<void>
  /** The columns of the terminal that shows the data; `undefined` without a terminal, so that nothing is cut. */
  readonly columns: number | undefined
  readonly questionColumns: number
  readonly canAsk: boolean
}>()("@dockline/cli/Screen") {}

const write = (stream: NodeJS.WriteStream, text: string): Effect.Effect<void, Error> =>
  Effect.callback((resume) => {
    stream.write(text, (error) => resume(Predicate.isNullish(error) ? Effect.void : Effect.fail(error)))
  })

const notWritten = (error: Error): NotWritten =>
  new NotWritten({
    message: `Cannot write to standard output: ${error.message}`,
    closed: Predicate.hasProperty(error, "code") && (error.code === "EPIPE" || error.code === "EOF")
  })

const widthOf = ({ columns, isTTY }: NodeJS.WriteStream): number | undefined =>
  isTTY && columns > 0 ? columns : undefined

export const layerProcess: Layer.Layer<Screen> = Layer.sync(Screen, () => {
  const { stderr, stdin, stdout } = process
  // The callback of a failed write reports it too; without a listener the event would end the process.
  stdout.on("error", () => undefined)
  stderr.on("error", () => undefined)
  return {
    data: (text) => Effect.mapError(write(stdout, `${text}\n`), notWritten),
    part: (text) => Effect.mapError(write(stdout, text), notWritten),
    say: (text) => Effect.ignore(write(stderr, `${text}\n`)),
    ask: (text) => Effect.ignore(write(stderr, text)),
    columns: widthOf(stdout),
    questionColumns: widthOf(stderr) ?? 80,
    canAsk: stdin.isTTY && stderr.isTTY
  }
})
