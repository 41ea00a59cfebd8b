/**
 * `dockline delivery`: the delivery record of an endpoint, and replays.
 */
import { deliveryStatuses } from "@dockline/core/Delivery"
import { Effect, Option, Stream } from "effect"
import { Command, Flag } from "effect/cli"
import { about } from "../About.ts"
import * as Arguments from "../Arguments.ts"
import { WrongUsage } from "../Failure.ts"
import { deliveries, full } from "../OperatorConnection.ts"
import * as Output from "../Output.ts"
import * as Pages from "../Pages.ts"
import * as ShownColumns from "../text/ShownColumns.ts"

const listFlags = {
  endpointId: Arguments.endpoint,
  status: Flag.Literals("status", deliveryStatuses).pipe(
    Flag.withDescription("Only those that stand there"),
    Flag.optional
  ),
  attempts: Arguments.isSet("attempts", "Show each attempt on a line of its own"),
  extent: Pages.flags
}

const list = Command.make(
  "list",
  listFlags,
  ({ attempts, endpointId, extent, status }) =>
    Effect.gen(function*() {
      const only = Arguments.ifGiven("status", status)
      const listed = Pages.pages(
        extent,
        (page) =>
          deliveries((api) =>
            api.listDeliveries({ params: { endpointId }, query: { ...page, ...only }, ...full })
          )
      )
      if (!attempts) return yield* listed.pipe(Output.list(ShownColumns.deliveries, "No deliveries."))
      if (extent.csv) return yield* new WrongUsage({ message: "--csv counts attempts: leave --attempts out" })
      const pages = Stream.map(listed.pages, (page) => ({
        ...page,
        items: page.items.flatMap(({ attempts, id }) =>
          attempts.map((attempt) => ({ ...attempt, delivery: id }))
        )
      }))
      yield* new Pages.List(pages).pipe(Output.list(ShownColumns.attempts, "No attempts."))
    })
).pipe(
  about(
    "List the deliveries of a webhook endpoint, the newest message first",
    "dockline delivery list 1 --status DEAD",
    { command: "dockline delivery list 1 --attempts --limit 10", description: "What the customer answered" }
  )
)

const show = Command.make(
  "show",
  { endpointId: Arguments.endpoint, deliveryId: Arguments.delivery },
  (params) =>
    Effect.gen(function*() {
      const answer = yield* deliveries((api) => api.getDelivery({ params, ...full }))
      yield* Output.record(ShownColumns.delivery(answer.value))(Effect.succeed(answer))
    })
).pipe(
  about(
    "Show a delivery: what its attempts send, and what each got as an answer",
    "dockline delivery show 1 4711"
  )
)

const replay = Command.make(
  "replay",
  { endpointId: Arguments.endpoint, deliveryId: Arguments.delivery },
  (params) =>
    Effect.gen(function*() {
      yield* deliveries((api) => api.replayDelivery({ params, headers: {}, ...full }))
      yield* Output.done(`Delivery ${params.deliveryId} is pending again.`)
    })
).pipe(
  about(
    "Deliver a message again, whatever became of it, under the same webhook-id",
    "dockline delivery replay 1 4711"
  )
)

const idBound = (name: string, description: string) =>
  Flag.Int(name).pipe(Flag.withDescription(description), Flag.optional)

const rangeFlags = {
  endpointId: Arguments.endpoint,
  fromId: idBound("from-id", "Id of the first message; with --to-id"),
  toId: idBound("to-id", "Id of the last message"),
  from: Arguments.time("from", "When the first message was sent; with --to, instead of the ids"),
  to: Arguments.time("to", "When the last message was sent")
}

const replayRange = Command.make(
  "replay-range",
  rangeFlags,
  ({ endpointId, from, fromId, to, toId }) =>
    Effect.gen(function*() {
      const ids = Option.all({ fromId, toId })
      const times = Option.all({ from, to })
      const given = [fromId, toId, from, to].filter((bound) => Option.isSome<string | number>(bound)).length
      if (given !== 2 || Option.isNone(ids) === Option.isNone(times)) {
        return yield* new WrongUsage({
          message: "Say the range as --from-id and --to-id, or as --from and --to"
        })
      }
      const payload = { ...Option.getOrElse(ids, () => ({})), ...Option.getOrElse(times, () => ({})) }
      yield* deliveries((api) =>
        api.replayDeliveries({ params: { endpointId }, headers: {}, payload, ...full })
      ).pipe(Output.record({ "pending again": ({ count }) => String(count) }))
    })
).pipe(
  about(
    "Deliver a range of messages again, both ends included",
    "dockline delivery replay-range 1 --from-id 4000 --to-id 4711",
    "dockline delivery replay-range 1 --from 2026-11-20T06:00:00Z --to 2026-11-20T18:00:00Z"
  )
)

export const delivery = Command.make("delivery").pipe(
  Command.withDescription("Deliveries: what became of messages on their way to a webhook endpoint"),
  Command.withSubcommands([list, show, replay, replayRange])
)
