/** `dockline message`: messages to customers, and the ids of messages after a restore. */
import type { MessageView } from "@dockline/core/messages/MessageView"
import { operatorOperations } from "@dockline/core/operator/OperatorOperations"
import { Option, Schema, Struct } from "effect"
import { Command, Flag } from "effect/cli"
import * as Arguments from "../Arguments.ts"
import { about, noun } from "../Arguments.ts"
import * as Following from "../follow/Following.ts"
import type { MessageWords } from "../follow/Following.ts"
import * as Output from "../Output.ts"
import { tableOf } from "../Table.ts"
import type { Column } from "../Table.ts"
import * as DerivedCommand from "./DerivedCommand.ts"
import { commandOf, listCommand } from "./DerivedCommand.ts"

const countText = (list: unknown, one: string, many: string): ReadonlyArray<string> =>
  Array.isArray(list) ? [`${list.length} ${list.length === 1 ? one : many} on`] : []

const subject = ({ message }: MessageView, { wordsOf }: MessageWords): string => {
  const { direction, discrepancies, orders, pallets, serviceShipmentId } = message
  return [
    ...(typeof direction === "string" ? [direction] : []),
    ...countText(pallets, "pallet", "pallets"),
    ...countText(discrepancies, "discrepancy", "discrepancies"),
    ...wordsOf(message),
    `shipment ${String(serviceShipmentId)}`,
    ...(Array.isArray(orders) && orders.length > 0 ? [`(${orders.join(" ")})`] : [])
  ].join(" ")
}

const columnsOf = (words: MessageWords): ReadonlyArray<Column<MessageView>> => [
  "id",
  "sentAt",
  ["type", "messageType"],
  "facilitySlug",
  ["what", (view) => subject(view, words)]
]

const filters = { arguments: ["business"], flags: { messageType: "type" } } as const

/** The flags of `tail`: filters, the id to start after, the limit and the interval. */
export const tailFlagsOf = ({ operation }: MessageWords) => ({
  only: DerivedCommand.flagsOf(Struct.omit(operation.filters, ["since"]), filters),
  after: Flag.Int("after").pipe(
    Flag.withDescription(
      "Continue after the message with this id, 0 for all; when absent, only new messages"
    ),
    Flag.withSchema(
      Schema.Int.check(Schema.isGreaterThanOrEqualTo(0, { message: "must be the id of a message, or 0" }))
    ),
    Flag.optional
  ),
  limit: Arguments.limit("End after this many messages; when absent, at Ctrl-C"),
  interval: Following.interval
})

type TailInput = Command.Command.Config.Infer<ReturnType<typeof tailFlagsOf>>

export const tailOf = ({ operation }: MessageWords, { after, interval, limit, only }: TailInput) =>
  Following.tail({
    operation,
    only: DerivedCommand.presentValues(only),
    after: Option.getOrUndefined(after),
    limit: Option.getOrElse(limit, () => Infinity),
    interval
  })

const tailWith = (words: MessageWords) =>
  Command.make(
    "tail",
    tailFlagsOf(words),
    (flags) => tailOf(words, flags).pipe(Output.endless(tableOf(words.operation, columnsOf(words))))
  ).pipe(
    about(
      "Show the messages to a customer as they come, until Ctrl-C; with --json, one JSON document on each line",
      "dockline message tail acme --after 4711",
      "dockline message tail acme --after 0 --limit 10 --json  # The first ones that are kept"
    )
  )

/** `dockline message`, for the message types in `words`. */
export const messageWith = (words: MessageWords) =>
  noun("message", "Messages to customers, and their ids after a restore", [
    listCommand("list", words.operation, {
      ...filters,
      columns: columnsOf(words),
      examples: [
        "dockline message list acme --limit 20",
        "dockline message list acme --since 2026-11-20T00:00:00Z --csv  # For a spreadsheet"
      ]
    }),
    tailWith(words),
    commandOf("advance", operatorOperations.advanceMessages, {
      examples: ["dockline message advance --beyond 91000"]
    })
  ])
