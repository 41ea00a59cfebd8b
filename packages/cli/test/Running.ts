/** A run of the command line in this process, with a terminal and an environment of the test's own. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { ConfigProvider, Console, Effect, Layer, Option, Queue, Stdio, Stream, Terminal } from "effect"
import type { Cause } from "effect"
import { run } from "../src/CommandLine.ts"
import { NotWritten } from "../src/Failure.ts"
import { Screen } from "../src/Screen.ts"

/** What a run is given. */
export interface RunInput {
  readonly env?: Readonly<Record<string, string>>
  /** Columns of the terminal that shows the data; none does when absent. */
  readonly columns?: number
  /** What is typed at the questions; nobody is there when absent. */
  readonly keystrokes?: string
  readonly stdin?: string
  /** Whoever reads the data leaves after so many writes. */
  readonly closesAfter?: number
}

/** How a run went. */
export interface Ran {
  readonly code: number
  readonly data: string
  readonly errors: string
}

const keyOf = (character: string): Terminal.UserInput => ({
  input: Option.some(character),
  key: { name: character === "\r" ? "enter" : character, ctrl: false, meta: false, shift: false }
})

/** Types the text, then leaves with Ctrl-C. */
const typing = (text: string): Terminal.Terminal["readInput"] =>
  Effect.gen(function*() {
    const queue = yield* Queue.make<Terminal.UserInput, Cause.Done>()
    for (const character of text) yield* Queue.offer(queue, keyOf(character))
    yield* Queue.end(queue)
    return queue
  })

/** The words of a line as a shell makes them. */
export const words = (line: string): ReadonlyArray<string> =>
  Array.from(
    line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g),
    ([, double, single, plain]) => double ?? single ?? plain ?? ""
  )

/** Runs one command line. */
export const runLine = async (args: ReadonlyArray<string>, input: RunInput = {}): Promise<Ran> => {
  let data = ""
  let log = ""
  let writes = 0
  const part = (text: string) =>
    Effect.suspend(() => {
      if (writes === input.closesAfter) {
        return Effect.fail(new NotWritten({ message: "EPIPE", closed: true }))
      }
      writes += 1
      data += text
      return Effect.void
    })
  const screen = Layer.succeed(Screen, {
    data: (text) => part(`${text}\n`),
    part,
    say: (text) => Effect.sync(() => void (log += `${text}\n`)),
    ask: (text) => Effect.sync(() => void (log += text)),
    columns: input.columns,
    questionColumns: 80,
    canAsk: input.keystrokes !== undefined
  })
  const terminal = Layer.succeed(
    Terminal.Terminal,
    Terminal.make({
      columns: Effect.succeed(80),
      rows: Effect.succeed(24),
      size: Effect.die("no test resizes"),
      readLine: Effect.die("nothing reads lines"),
      readInput: typing(input.keystrokes ?? ""),
      display: () => Effect.die("questions go to the screen")
    })
  )
  // Help goes to the console.
  const help = Layer.succeed(Console.Console, {
    ...globalThis.console,
    log: (text: string) => void (data += `${text}\n`)
  })
  const stdio = Stdio.layerTest({ stdin: Stream.make(new TextEncoder().encode(input.stdin ?? "")) })
  const code = await run(args).pipe(
    Effect.provide(
      Layer.mergeAll(NodeServices.layer, screen, terminal, stdio, help).pipe(
        Layer.provideMerge(ConfigProvider.layer(ConfigProvider.fromEnvRecord({ ...input.env })))
      )
    ),
    Effect.runPromise
  )
  return { code, data, errors: log }
}
