/** `dockline trigger`: makes the service send a message, by doing at the dock what leads to it. */
import { operations } from "@dockline/core/Operations"
import { graphqlPath } from "@dockline/wire/internal/Path"
import { Clock, Effect, Option, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import { HttpClientRequest, HttpClientResponse } from "effect/http"
import { randomUUID } from "node:crypto"
import { about, noun } from "../About.ts"
import * as Arguments from "../Arguments.ts"
import { wrongUsage } from "../Failure.ts"
import * as Output from "../Output.ts"
import { call, ServiceCalls } from "../ServiceCalls.ts"

const id = Arguments.named("shipment", "The shipment's id")

const BusinessAnswer = Schema.Struct({
  data: Schema.optionalKey(
    Schema.NullOr(Schema.Struct({ business: Schema.NullOr(Schema.Struct({ sandbox: Schema.Boolean })) }))
  )
})

/** Whether integrations are tried at a business, without real freight; only operators can read that over REST. */
const isSandbox = Effect.fnUntraced(function*(slug: string) {
  const { send } = yield* ServiceCalls
  const query = "query($slug: String!) { business(slug: $slug) { sandbox } }"
  const { data } = yield* send(
    HttpClientRequest.post(graphqlPath).pipe(
      HttpClientRequest.acceptJson,
      HttpClientRequest.bodyJsonUnsafe({ query, variables: { slug } })
    ),
    HttpClientResponse.schemaBodyJson(BusinessAnswer)
  )
  return data?.business?.sandbox === true
})

/** The shipment, if it is at a sandbox: elsewhere a message that is made would be taken for freight. */
const shipmentOf = Effect.fnUntraced(function*(id: string) {
  const { value } = yield* call(operations.shipment, { params: { id } })
  const { slug } = value.business
  if (yield* isSandbox(slug)) return value
  return yield* wrongUsage(
    `Shipment ${id} is freight of ${slug}, which is not a sandbox: its customer would take the message for ` +
      "real. Use a business with demo data, or make one with dockline business create --sandbox"
  )
})

const palletEvent = Command.make(
  "palletEvent",
  {
    id,
    lpn: Arguments.named("lpn", "License plate of the pallet"),
    dock: Arguments.text("dock", "Slug of the dock; when absent, that of the shipment"),
    direction: Flag.Literals("direction", ["LOADING", "UNLOADING"]).pipe(
      Flag.withDescription(
        "Which way the pallet goes; when absent, UNLOADING for an inbound shipment, else LOADING"
      ),
      Flag.optional
    )
  },
  ({ direction, dock, id, lpn }) =>
    Effect.gen(function*() {
      const value = yield* shipmentOf(id)
      const dockSlug = Option.getOrElse(dock, () => value.dockSlug)
      if (dockSlug === "") {
        return yield* wrongUsage(`Shipment ${id} has no dock yet: name one with --dock`)
      }
      const body = {
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
      yield* Output.answer(yield* call(operations.recordPallet, { body }))
    })
).pipe(
  about(
    "Let a pallet pass the dock, as a tower would report it; needs a client with pallets:write",
    "dockline trigger palletEvent 1 LPN-1 --dock D1"
  )
)

const shipmentComplete = Command.make(
  "shipmentComplete",
  { id },
  (params) =>
    Effect.gen(function*() {
      yield* shipmentOf(params.id)
      yield* Output.answer(yield* call(operations.depart, { params, body: {} }))
    })
).pipe(
  about(
    "Let a shipment depart, which is final; needs a client with shipments:write",
    "dockline trigger shipmentComplete 1"
  )
)

export const trigger = noun(
  "trigger",
  "Make a message happen at a sandbox, or a business with demo data, to try webhooks with",
  [palletEvent, shipmentComplete]
)
