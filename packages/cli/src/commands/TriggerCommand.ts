/** `dockline trigger`: makes the service send a message, by doing at the dock what leads to it. */
import { Clock, Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { randomUUID } from "node:crypto"
import { about } from "../About.ts"
import * as Arguments from "../Arguments.ts"
import { WrongUsage } from "../Failure.ts"
import { full, isSandbox, pallets, shipments } from "../OperatorConnection.ts"
import * as Output from "../Output.ts"
import * as ShownColumns from "../text/ShownColumns.ts"

const params = { id: Arguments.shipment }

/** The shipment, if it is at a sandbox: elsewhere a message that is made would be taken for freight. */
const shipmentOf = Effect.fnUntraced(function*(id: string) {
  const { value } = yield* shipments((api) => api.getShipment({ params: { id }, ...full }))
  const { slug } = value.business
  if (yield* isSandbox(slug)) return value
  return yield* new WrongUsage({
    message:
      `Shipment ${id} is freight of ${slug}, which is not a sandbox: its customer would take the message for ` +
      "real. Use a business with demo data, or make one with dockline business create --sandbox"
  })
})

const palletEvent = Command.make(
  "palletEvent",
  {
    ...params,
    lpn: Arguments.lpn,
    dock: Arguments.text("dock", "Slug of the dock; else that of the shipment"),
    direction: Flag.Literals("direction", ["LOADING", "UNLOADING"]).pipe(
      Flag.withDescription("Where the pallet goes; else LOADING, and UNLOADING for an inbound shipment"),
      Flag.optional
    )
  },
  ({ direction, dock, id, lpn }) =>
    Effect.gen(function*() {
      const value = yield* shipmentOf(id)
      const dockSlug = Option.getOrElse(dock, () => value.dockSlug)
      if (dockSlug === "") {
        return yield* new WrongUsage({ message: `Shipment ${id} has no dock yet: name one with --dock` })
      }
      const payload = {
        eventId: `trigger-${randomUUID()}`,
        business: value.business.slug,
        facility: value.facility.slug,
        dockSlug,
        direction: Option.getOrElse(direction, () =>
          value.direction === "INBOUND" ? "UNLOADING" as const : "LOADING" as const),
        occurredAt: new Date(yield* Clock.currentTimeMillis).toISOString(),
        shipmentId: value.id,
        labels: [{ name: "lpn", value: lpn }]
      }
      yield* pallets((api) =>
        api.recordPalletEvent({ headers: {}, payload, ...full })
      ).pipe(
        Output.record(ShownColumns.palletAnswer)
      )
    })
).pipe(
  about(
    "Let a pallet pass at the dock, as a tower would report it; takes a client with pallets:write",
    "dockline trigger palletEvent 1 LPN-1 --dock D1"
  )
)

const shipmentComplete = Command.make(
  "shipmentComplete",
  params,
  (params) =>
    Effect.gen(function*() {
      yield* shipmentOf(params.id)
      yield* shipments((api) => api.departShipment({ params, headers: {}, payload: {}, ...full })).pipe(
        Output.record(ShownColumns.shipment)
      )
    })
).pipe(
  about(
    "Let a shipment depart, which is final; takes a client with shipments:write",
    "dockline trigger shipmentComplete 1"
  )
)

export const trigger = Command.make("trigger").pipe(
  Command.withDescription(
    "Make a message happen at a sandbox, or a business with demo data, to try webhooks with"
  ),
  Command.withSubcommands([palletEvent, shipmentComplete])
)
