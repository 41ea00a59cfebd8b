/** `dockline token`: an access token for other programs. */
import { Redacted } from "effect"
import { Command } from "effect/cli"
import { about } from "../About.ts"
import { token as ask } from "../OperatorConnection.ts"
import * as Output from "../Output.ts"

export const token = Command.make("token", {}, () => ask.pipe(Output.text((value) => Redacted.value(value))))
  .pipe(
    about(
      "Print an access token, which is good for a day. Whoever has it may do what you may do",
      "dockline token",
      {
        command: "curl -H \"Authorization: Bearer $(dockline token)\" http://localhost:8080/v1/shipments",
        description: "Use it with curl"
      }
    )
  )
