/**
 * Asks questions on standard error. Without a terminal the run fails and says which flag to give instead.
 */
import { Effect, Terminal } from "effect"
import { Prompt } from "effect/cli"
import { Cancellation, wrongUsage } from "./Failure.ts"
import { printable } from "./Printable.ts"
import { Screen } from "./Screen.ts"

/** Fails with the message `missing` without a terminal. */
const ask = Effect.fnUntraced(function*<A>(prompt: Prompt.Prompt<A>, missing: string) {
  const screen = yield* Screen
  if (!screen.canAsk) return yield* wrongUsage(missing)
  const terminal = Terminal.make({
    ...(yield* Terminal.Terminal),
    columns: Effect.succeed(screen.questionColumns),
    display: screen.ask
  })
  // Ctrl-C leaves the cursor behind the question.
  return yield* Effect.provideService(Prompt.run(prompt), Terminal.Terminal, terminal).pipe(
    Effect.tapError(() => screen.ask("\n"))
  )
})

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
  const isMeant = yield* ask(prompt, `${message} There is no terminal to ask on; give --yes`)
  if (!isMeant) return yield* new Cancellation({ message: "Nothing was changed." })
})
