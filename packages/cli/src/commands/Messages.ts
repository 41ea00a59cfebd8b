/** `dockline messages`: the ids of messages, after a restore. */
import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { full, Operator } from "../Operator.ts"
import * as Output from "../Output.ts"

const advance = Command.make(
  "advance",
  {
    beyond: Flag.Int("beyond").pipe(
      Flag.withDescription("The highest id that any consumer may have seen; rather too high than too low")
    )
  },
  (payload) =>
    Effect.gen(function*() {
      const { call } = yield* Operator
      const answer = yield* call(
        "messageLogs",
        (messageLogs) => messageLogs.advanceMessages({ headers: {}, payload, ...full })
      )
      yield* Output.record([{ title: "newest id", text: ({ newestId }) => String(newestId) }], answer)
    })
).pipe(
  Command.withDescription(
    "Move the ids of all messages on, after the database was restored or a standby promoted: lost ids are not given again, and cursors up to there are good"
  ),
  Command.withExamples([{ command: "dockline messages advance --beyond 91000" }])
)

/** `dockline messages` */
export const messages = Command.make("messages").pipe(
  Command.withDescription("Messages: their ids, after a restore"),
  Command.withSubcommands([advance])
)
