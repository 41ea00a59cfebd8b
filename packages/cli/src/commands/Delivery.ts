/** `dockline delivery`: what became of messages on their way to an endpoint. */
import { deliveryStatuses } from "@dockline/core/Delivery"
import { Effect, Option, Stream } from "effect"
import { Command, Flag } from "effect/cli"
import * as Arguments from "../Arguments.ts"
import * as Columns from "../Columns.ts"
import { WrongUsage } from "../Failure.ts"
import { full, Operator } from "../Operator.ts"
import * as Output from "../Output.ts"
import * as Pages from "../Pages.ts"

const listFlags = {
  endpointId: Arguments.endpoint,
  status: Flag.Literals("status", deliveryStatuses).pipe(
    Flag.withDescription("Only those that stand there"),
    Flag.optional
  ),
  attempts: Flag.Boolean("attempts").pipe(
    Flag.withDescription("Show each attempt on a line of its own"),
    Flag.withDefault(false)
  ),
  extent: Pages.flags
}

const list = Command.make(
  "list",
  listFlags,
  ({ attempts, endpointId, extent, status }) =>
    Effect.gen(function*() {
      const { call } = yield* Operator
      const only = Option.match(status, { onNone: () => ({}), onSome: (status) => ({ status }) })
      const pages = Pages.pages(
        extent,
        (page) =>
          call("deliveries", (deliveries) =>
            deliveries.listDeliveries({ params: { endpointId }, query: { ...page, ...only }, ...full }))
      )
      if (!attempts) {
        return yield* Output.list(Columns.deliveries, pages, "No deliveries.")
      }
      const shown = Stream.map(pages, (page) => ({
        ...page,
        items: page.items.flatMap(({ attempts, id }) =>
          attempts.map((attempt) => ({ ...attempt, delivery: id }))
        )
      }))
      yield* Output.list(Columns.attempts, shown, "No attempts.")
    })
).pipe(
  Command.withDescription("List the deliveries of a webhook endpoint, the newest message first"),
  Command.withExamples([
    { command: "dockline delivery list 1 --status DEAD" },
    { command: "dockline delivery list 1 --attempts --limit 10", description: "What the customer answered" }
  ])
)

const replay = Command.make(
  "replay",
  { endpointId: Arguments.endpoint, deliveryId: Arguments.delivery },
  (params) =>
    Effect.gen(function*() {
      const { call } = yield* Operator
      yield* call("deliveries", (deliveries) => deliveries.replayDelivery({ params, headers: {}, ...full }))
      yield* Output.done(`Delivery ${params.deliveryId} is pending again.`)
    })
).pipe(
  Command.withDescription("Deliver a message again, whatever became of it, under the same webhook-id"),
  Command.withExamples([{ command: "dockline delivery replay 1 4711" }])
)

const bound = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.withDescription(description), Flag.optional)

const idBound = (name: string, description: string) =>
  Flag.Int(name).pipe(Flag.withDescription(description), Flag.optional)

const rangeFlags = {
  endpointId: Arguments.endpoint,
  fromId: idBound("from-id", "Id of the first message; with --to-id"),
  toId: idBound("to-id", "Id of the last message"),
  from: bound("from", "When the first message was sent, RFC 3339; with --to, instead of the ids"),
  to: bound("to", "When the last message was sent")
}

const replayRange = Command.make(
  "replay-range",
  rangeFlags,
  ({ endpointId, from, fromId, to, toId }) =>
    Effect.gen(function*() {
      const { call } = yield* Operator
      const ids = Option.all({ fromId, toId })
      const times = Option.all({ from, to })
      const given = [fromId, toId, from, to].filter((bound) => Option.isSome<string | number>(bound)).length
      if (given !== 2 || Option.isNone(ids) === Option.isNone(times)) {
        return yield* new WrongUsage({
          message: "Say the range as --from-id and --to-id, or as --from and --to"
        })
      }
      const payload = { ...Option.getOrElse(ids, () => ({})), ...Option.getOrElse(times, () => ({})) }
      const answer = yield* call(
        "deliveries",
        (deliveries) => deliveries.replayDeliveries({ params: { endpointId }, headers: {}, payload, ...full })
      )
      yield* Output.record([{ title: "pending again", text: ({ count }) => String(count) }], answer)
    })
).pipe(
  Command.withDescription("Deliver a range of messages again, both ends included"),
  Command.withExamples([
    { command: "dockline delivery replay-range 1 --from-id 4000 --to-id 4711" },
    { command: "dockline delivery replay-range 1 --from 2026-11-20T06:00:00Z --to 2026-11-20T18:00:00Z" }
  ])
)

/** `dockline delivery` */
export const delivery = Command.make("delivery").pipe(
  Command.withDescription("Deliveries: what became of messages on their way to a webhook endpoint"),
  Command.withSubcommands([list, replay, replayRange])
)
