/**
 * The output of a run. Only data reaches standard output, so it can be piped. Each write completes before the run
 * continues, and a failed write of data fails the run.
 */
import { Context, Effect, Layer, Predicate, Terminal } from "effect"
import { Prompt } from "effect/cli"
import { Cancellation, NotWritten, printable, wrongUsage } from "./Failure.ts"

/** Asks a question on standard error. Without a terminal, it fails with the message `missing`. */
const ask = Effect.fnUntraced(function*<A>(prompt: Prompt.Prompt<A>, missing: string) {
  const screen = yield* Screen
  if (!screen.canAsk) return yield* wrongUsage(missing)
  const terminal = Terminal.make({
    ...(yield* Terminal.Terminal),
    columns: Effect.succeed(screen.questionColumns),
    display: screen.ask
  })
  // Ctrl-C leaves the cursor after the question.
  return yield* Effect.provideService(Prompt.run(prompt), Terminal.Terminal, terminal).pipe(
    Effect.tapError(() => screen.ask("\n"))
  )
})

/** Asks for a secret. Without a terminal, it fails with `remedy`, which names the flag or the variable to use instead. */
export const askSecret = Effect.fnUntraced(function*(what: string, remedy: string) {
  const prompt = Prompt.Hidden({
    message: printable(what),
    validate: (value) =>
      value === "" ? Effect.fail("Enter a value, or press Ctrl-C to leave") : Effect.succeed(value)
  })
  return yield* ask(prompt, `${what} is missing, and there is no terminal to ask for it. ${remedy}`)
})

/** Asks whether to continue; anything but yes declines. Without a terminal, `--yes` is required. */
export const confirm = Effect.fnUntraced(function*(question: string) {
  const message = printable(question)
  const prompt = Prompt.Confirm({ message, initial: false })
  const isConfirmed = yield* ask(prompt, `${message} There is no terminal to ask on; give --yes`)
  if (!isConfirmed) return yield* new Cancellation({ message: "Nothing was changed." })
})

/** The output of a command: standard output for data, standard error for messages and questions. */
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
