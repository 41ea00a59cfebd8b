import { Effect } from "effect"
import { vi } from "vitest"

/** The length of the longest JSON that an effect reads or writes, in characters, with the effect's result. */
export const longestJson = Effect.fnUntraced(function*<A, E, R>(effect: Effect.Effect<A, E, R>) {
  const [parse, stringify] = [vi.spyOn(JSON, "parse"), vi.spyOn(JSON, "stringify")]
  return yield* Effect.ensuring(
    Effect.map(effect, (done) => ({
      done,
      longest: Math.max(
        ...parse.mock.calls.map(([text]) => text.length),
        ...stringify.mock.results.map(({ value }) => String(value).length)
      )
    })),
    Effect.sync(() => {
      parse.mockRestore()
      stringify.mockRestore()
    })
  )
})
