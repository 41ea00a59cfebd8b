/**
 * Where a run writes: data to standard output, everything said about it to standard error.
 *
 * Guarantee: nothing but data reaches standard output, so that it can be piped; what was written is written to its end
 * before the run goes on, and a failure to write is a failure of the run.
 */
import { Context, Effect, Layer, Predicate } from "effect"
import { NotWritten } from "./Failure.ts"

/** Where a run writes. */
export class Screen extends Context.Service<Screen, {
  /** Writes data and a newline to standard output. */
  readonly data: (text: string) => Effect.Effect<void, NotWritten>
  /** Says something to the person: a line on standard error. */
  readonly say: (text: string) => Effect.Effect<void>
  /** Writes to standard error as it is, for questions. */
  readonly ask: (text: string) => Effect.Effect<void>
  /** Columns of the terminal that shows the data; `undefined` when none does, and nothing is cut. */
  readonly columns: number | undefined
  /** Columns of the terminal that shows questions. */
  readonly questionColumns: number
  /** Whether there is somebody to answer a question. */
  readonly canAsk: boolean
}>()("@dockline/cli/Screen") {}

/** What writes, of a stream of Node. */
interface Writable {
  readonly write: (text: string, done: (error?: Error | null) => void) => unknown
}

const write = (stream: Writable, text: string): Effect.Effect<void, Error> =>
  Effect.callback((resume) => {
    stream.write(text, (error) => resume(Predicate.isNullish(error) ? Effect.void : Effect.fail(error)))
  })

const notWritten = (error: Error): NotWritten =>
  new NotWritten({
    message: `Cannot write to standard output: ${error.message}`,
    closed: Predicate.hasProperty(error, "code") && (error.code === "EPIPE" || error.code === "EOF")
  })

/** The columns of a terminal, if it is one and says how many it has. */
const widthOf = ({ columns, isTTY }: NodeJS.WriteStream): number | undefined =>
  isTTY && columns > 0 ? columns : undefined

/** The streams of this process. */
export const layerProcess: Layer.Layer<Screen> = Layer.sync(Screen, () => {
  const { stderr, stdin, stdout } = process
  // A failed write is told to its callback as well; without a listener the process would end by the event.
  stdout.on("error", () => undefined)
  stderr.on("error", () => undefined)
  return {
    data: (text) => Effect.mapError(write(stdout, `${text}\n`), notWritten),
    say: (text) => Effect.ignore(write(stderr, `${text}\n`)),
    ask: (text) => Effect.ignore(write(stderr, text)),
    columns: widthOf(stdout),
    questionColumns: widthOf(stderr) ?? 80,
    canAsk: stdin.isTTY && stderr.isTTY
  }
})
