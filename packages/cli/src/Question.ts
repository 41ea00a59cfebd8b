/**
 * Questions to the person at the terminal, on standard error.
 *
 * Guarantee: without a terminal nothing waits for an answer that cannot come: the run fails and says what to give
 * instead.
 */
import { Effect, Redacted, Terminal } from "effect"
import { Prompt } from "effect/cli"
import { Declined, WrongUsage } from "./Failure.ts"
import { printable } from "./Printable.ts"
import { Screen } from "./Screen.ts"

/** The terminal as questions see it: what a prompt shows goes where it is no data. */
const onScreen = <A, E, R>(question: Effect.Effect<A, E, R>) =>
  Effect.gen(function*() {
    const screen = yield* Screen
    const terminal = yield* Terminal.Terminal
    const shown = Terminal.make({
      ...terminal,
      columns: Effect.succeed(screen.questionColumns),
      display: screen.ask
    })
    // Who leaves with Ctrl-C leaves the cursor behind the question.
    return yield* Effect.provideService(question, Terminal.Terminal, shown).pipe(
      Effect.tapError(() => screen.ask("\n"))
    )
  })

/** Asks for a secret, which is not shown as it is typed. */
export const askSecret = Effect.fnUntraced(function*(what: string, remedy: string) {
  const { canAsk } = yield* Screen
  if (!canAsk) {
    return yield* new WrongUsage({
      message: `${what} is missing, and there is no terminal to ask at. ${remedy}`
    })
  }
  const secret = yield* onScreen(Prompt.run(Prompt.Hidden({
    message: printable(what),
    validate: (value) => value === "" ? Effect.fail("Type it, or leave with Ctrl-C") : Effect.succeed(value)
  })))
  return Redacted.make(Redacted.value(secret))
})

/** Asks whether to go on, which it does not unless somebody says so. Without a terminal `--yes` has to. */
export const confirm = Effect.fnUntraced(function*(question: string) {
  const { canAsk } = yield* Screen
  if (!canAsk) {
    return yield* new WrongUsage({
      message: `${printable(question)} There is no terminal to ask at; say --yes`
    })
  }
  const isMeant = yield* onScreen(
    Prompt.run(Prompt.Confirm({ message: printable(question), initial: false }))
  )
  if (!isMeant) return yield* new Declined({ message: "Nothing was changed." })
})
