/** `dockline messages`: the ids of messages, after a restore. */
import { Command, Flag } from "effect/cli"
import { about } from "../About.ts"
import { full, messageLogs } from "../OperatorConnection.ts"
import * as Output from "../Output.ts"

const advance = Command.make(
  "advance",
  {
    beyond: Flag.Int("beyond").pipe(
      Flag.withDescription("The highest id that any consumer may have seen; rather too high than too low")
    )
  },
  (payload) =>
    messageLogs((api) => api.advanceMessages({ headers: {}, payload, ...full })).pipe(
      Output.record({ "newest id": ({ newestId }) => String(newestId) })
    )
).pipe(
  about(
    "Move the ids of all messages on, after the database was restored or a standby promoted: lost ids are not given again, and cursors up to there are good",
    "dockline messages advance --beyond 91000"
  )
)

export const messages = Command.make("messages").pipe(
  Command.withDescription("Messages: their ids, after a restore"),
  Command.withSubcommands([advance])
)
