/**
 * `dockline delivery`: the delivery record of an endpoint, and replays.
 */
import { operatorOperations } from "@dockline/core/operator/OperatorOperations"
import type { DeliveryView } from "@dockline/core/operator/OperatorView"
import { Effect, Stream } from "effect"
import { Command } from "effect/cli"
import { about, noun } from "../About.ts"
import * as Arguments from "../Arguments.ts"
import { cellText, tableOf } from "../Cells.ts"
import { wrongUsage } from "../Failure.ts"
import * as Output from "../Output.ts"
import * as Pages from "../Pages.ts"
import type { Columns } from "../Table.ts"
import { commandOf } from "./DerivedCommand.ts"
import * as FieldFlags from "./FieldFlags.ts"

const { getDelivery, listDeliveries, replayDeliveries, replayDelivery } = operatorOperations

type AttemptView = DeliveryView["attempts"][number]

const outcome = (attempt: AttemptView | undefined): string =>
  attempt === undefined ? "-" : `${attempt.status ?? ""} ${attempt.error}`.trim()

const deliveries = tableOf(listDeliveries, [
  "id",
  ["message", "messageType"],
  "shipmentId",
  "status",
  ["tries", "attempts"],
  ["last try", "lastAttemptAt"],
  ["answer", ({ attempts }) => outcome(attempts.at(-1))],
  ["next try", "nextAttemptAt"]
])

/** Columns of attempts, each with the id of its delivery. */
const attemptColumns: Columns<AttemptView & { readonly delivery: string }> = {
  delivery: ({ delivery }) => delivery,
  at: ({ at }) => at,
  took: ({ durationMs }) => `${durationMs} ms`,
  answer: outcome,
  body: ({ response }) => cellText(response)
}

const list = Command.make(
  "list",
  {
    params: FieldFlags.pathArguments(listDeliveries),
    only: FieldFlags.of(listDeliveries.filters, {}),
    attempts: Arguments.isSet("attempts", "Show each attempt on its own line"),
    extent: Pages.flags(listDeliveries)
  },
  Effect.fnUntraced(function*({ attempts, extent, only, params }) {
    const rows = Pages.read(listDeliveries, { params, query: FieldFlags.presentValues(only) }, extent)
    if (!attempts) return yield* Output.list(rows, deliveries, "No deliveries.")
    if (extent.csv) return yield* wrongUsage("--csv only counts attempts: leave --attempts out")
    const pages = Stream.map(rows.pages, (page) => ({
      ...page,
      items: page.items.flatMap(({ attempts, id }) =>
        attempts.map((attempt) => ({ ...attempt, delivery: id }))
      )
    }))
    yield* Output.list({ pages }, attemptColumns, "No attempts.")
  })
).pipe(
  about(
    "List the deliveries of a webhook endpoint, the newest message first",
    "dockline delivery list 1 --status DEAD",
    "dockline delivery list 1 --attempts --limit 10  # What the customer answered"
  )
)

export const delivery = noun(
  "delivery",
  "Deliveries: what became of the messages to a webhook endpoint",
  [
    list,
    commandOf("show", getDelivery, { examples: ["dockline delivery show 1 4711"] }),
    commandOf("replay", replayDelivery, {
      done: ({ deliveryId }) => Output.done(`Delivery ${deliveryId} is pending again.`),
      examples: ["dockline delivery replay 1 4711"]
    }),
    commandOf("replay-range", replayDeliveries, {
      body: (body) => {
        const bounds = Object.keys(body).join()
        return bounds === "fromId,toId" || bounds === "from,to"
          ? Effect.succeed(body)
          : Effect.fail(wrongUsage("Give the range as --from-id and --to-id, or as --from and --to"))
      },
      examples: [
        "dockline delivery replay-range 1 --from-id 4000 --to-id 4711",
        "dockline delivery replay-range 1 --from 2026-11-20T06:00:00Z --to 2026-11-20T18:00:00Z"
      ]
    })
  ]
)
