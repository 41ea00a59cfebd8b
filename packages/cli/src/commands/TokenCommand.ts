/** `dockline token`: an access token for other programs. */
import { Effect, Redacted } from "effect"
import { Command } from "effect/cli"
import { about } from "../About.ts"
import * as Output from "../Output.ts"
import { ServiceCalls } from "../ServiceCalls.ts"

export const token = Command.make(
  "token",
  {},
  Effect.fnUntraced(function*() {
    const { body, value } = yield* Effect.flatMap(ServiceCalls, ({ token }) => token)
    yield* Output.answer({ body, value: Redacted.value(value) })
  })
).pipe(
  about(
    "Print an access token, which is valid for a day. Anyone who has it may do what you may do",
    "dockline token",
    "curl -H \"Authorization: Bearer $(dockline token)\" http://localhost:8080/v1/shipments  # Use it with curl"
  )
)
