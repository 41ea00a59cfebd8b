/**
 * Lists as the service writes them in CSV (D13), passed on as they come.
 *
 * Guarantee: a list that breaks off ends the run with a failure, so that nobody takes a part of it for all of it.
 */
import type * as Operation from "@dockline/core/access/Operation"
import { Duration, Effect, Stream } from "effect"
import { notConnected } from "./Failure.ts"
import type { NotConnected } from "./Failure.ts"
import { csv, ServiceCalls } from "./ServiceCalls.ts"
import type { CallInput } from "./ServiceCalls.ts"

export interface Table {
  /** Its text, as it comes. */
  readonly text: Stream.Stream<string, NotConnected>
  /** Where to go on after a page; `undefined` when nothing follows. */
  readonly next: string | undefined
}

const notCsv = notConnected(
  "The service does not write this list as CSV. Check that both have the same version"
)

export const request = Effect.fnUntraced(function*(list: Operation.AnyList, input: CallInput) {
  const { headers, stream } = yield* csv(list, input)
  if (!/^text\/csv\b/i.test(headers["content-type"] ?? "")) return yield* notCsv
  const { timeoutMillis } = yield* Effect.flatMap(ServiceCalls, ({ connection }) => connection)
  const text = stream.pipe(
    Stream.mapError(() => notConnected("The list broke off: what was written is incomplete", true)),
    Stream.timeoutOrElse({
      duration: timeoutMillis,
      orElse: () =>
        Stream.fail(notConnected(
          `No more of the list has arrived for ${
            Duration.format(Duration.millis(timeoutMillis))
          }: what was written is incomplete`,
          true
        ))
    }),
    Stream.decodeText
  )
  return { text, next: nextOf(headers["link"]) } satisfies Table
})

/** The cursor in the link to the next page. */
const nextOf = (link: string | undefined): string | undefined => {
  const [, query = ""] = /^<\?([^>]*)>; rel="next"$/.exec(link ?? "") ?? []
  const parameters = new URLSearchParams(query)
  return parameters.get("after") ?? parameters.get("afterId") ?? undefined
}
