/** The incidents that exceptions are: those that are reported with high priority (D26.2). */
import { Effect, Option, Schema } from "effect"
import type { IncidentKinds } from "../capability/Incident.ts"
import { eachMessage, occurredAt } from "../capability/Incident.ts"
import { payloadOf } from "../messages/Message.ts"

const Report = Schema.Struct({
  url: Schema.String,
  exception: Schema.Struct({
    id: Schema.String,
    kind: Schema.String,
    priority: Schema.String,
    lpn: Schema.String,
    description: Schema.String,
    shipmentNumber: Schema.String
  })
})

const reportOf = Schema.decodeUnknownOption(Report)

/** The kinds of incidents of exceptions. */
export const exceptionIncidents = {
  URGENT_EXCEPTION: {
    about: "an exception that was reported with high priority",
    source: Effect.succeed(eachMessage(["EXCEPTION_REPORTED"], (message) => {
      const payload = payloadOf(message)
      const report = Option.getOrUndefined(reportOf(payload))
      if (report?.exception.priority !== "HIGH") return undefined
      const { exception: { description, id, kind, lpn, shipmentNumber }, url } = report
      return {
        key: `exception:${id}`,
        facility: message.facility,
        at: occurredAt(message, payload),
        title: `Urgent exception: shipment ${shipmentNumber}`,
        text: `${lpn === "" ? kind : `${kind}, pallet ${lpn}`}: ${description}`,
        url
      }
    }))
  }
} as const satisfies IncidentKinds<never>
