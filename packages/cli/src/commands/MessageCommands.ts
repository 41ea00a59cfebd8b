/** `dockline message`: what customers are told, and the ids of messages after a restore. */
import { messageTypes } from "@dockline/core/Vocabulary"
import type { MessageType } from "@dockline/core/Vocabulary"
import { Option, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import { about } from "../About.ts"
import * as Arguments from "../Arguments.ts"
import * as Following from "../follow/Following.ts"
import * as Tailing from "../follow/Tailing.ts"
import { full, messageLogs, messages } from "../OperatorConnection.ts"
import * as Output from "../Output.ts"
import * as Pages from "../Pages.ts"
import * as ShownColumns from "../text/ShownColumns.ts"

/** Which messages to follow, and from where on. */
export const tailFlags = {
  business: Arguments.business,
  facility: Arguments.text("facility", "Only those of this facility; needed without permission for all"),
  messageType: Flag.Literals("type", messageTypes).pipe(
    Flag.withDescription("Only messages of this type"),
    Flag.optional
  ),
  after: Flag.Int("after").pipe(
    Flag.withDescription(
      "Go on after the message with this id, 0 for all there are; new ones only when absent"
    ),
    Flag.withSchema(
      Schema.Int.check(
        Schema.isGreaterThanOrEqualTo(0, { message: "must be the id of a message, or 0" })
      )
    ),
    Flag.optional
  ),
  limit: Flag.Int("limit").pipe(
    Flag.withDescription("End after so many messages; goes on until Ctrl-C when absent"),
    Flag.withSchema(
      Schema.Int.check(Schema.isGreaterThan(0, { message: "must be a whole number above 0" }))
    ),
    Flag.optional
  ),
  interval: Following.interval
}

interface TailFlags extends Pick<Tailing.Tail, "interval"> {
  readonly after: Option.Option<number>
  readonly business: string
  readonly facility: Option.Option<string>
  readonly limit: Option.Option<number>
  readonly messageType: Option.Option<MessageType>
}

export const tailOf = ({ after, business, facility, interval, limit, messageType }: TailFlags) =>
  Tailing.tail({
    only: {
      business,
      ...Arguments.ifGiven("facility", facility),
      ...Arguments.ifGiven("messageType", messageType)
    },
    after: Option.getOrUndefined(after),
    limit: Option.getOrElse(limit, () => Infinity),
    interval
  })

const tail = Command.make(
  "tail",
  tailFlags,
  (flags) => tailOf(flags).pipe(Output.endless(ShownColumns.messages))
).pipe(
  about(
    "Show the messages to a customer as they come, until Ctrl-C; with --json, one JSON document a line",
    "dockline message tail acme --after 4711",
    {
      command: "dockline message tail acme --after 0 --limit 10 --json",
      description: "The first ones that are kept"
    }
  )
)

const list = Command.make(
  "list",
  {
    business: Arguments.business,
    facility: tailFlags.facility,
    messageType: tailFlags.messageType,
    since: Arguments.time("since", "Only those that were sent then or later"),
    extent: Pages.flags
  },
  ({ business, extent, facility, messageType, since }) => {
    const only = {
      business,
      ...Arguments.ifGiven("facility", facility),
      ...Arguments.ifGiven("messageType", messageType),
      ...Arguments.ifGiven("since", since)
    }
    return Pages.numbered(
      extent,
      ({ after, limit }) =>
        messages((api) =>
          api.listMessages({
            query: {
              ...only,
              // The whole log unless there is another start.
              ...(after === undefined && only.since !== undefined ? {} : { afterId: after ?? 0 }),
              ...(limit === undefined ? {} : { limit })
            },
            ...full
          })
        )
    ).pipe(Output.list(ShownColumns.messages, "No messages."))
  }
).pipe(
  about(
    "List the messages to a customer that are kept, the oldest first",
    "dockline message list acme --limit 20",
    {
      command: "dockline message list acme --since 2026-11-20T00:00:00Z --csv",
      description: "For a spreadsheet"
    }
  )
)

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
    "dockline message advance --beyond 91000"
  )
)

export const message = Command.make("message").pipe(
  Command.withDescription("Messages: what customers are told, and their ids after a restore"),
  Command.withSubcommands([list, tail, advance])
)
