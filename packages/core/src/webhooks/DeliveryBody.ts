/**
 * Interchanges of X12 on their way to EDI partners by webhook, and the bodies of deliveries: JSON, or the X12 as it was written (D18.3).
 *
 * Guarantee: the body of an interchange is its text, byte for byte, whatever the profile of the endpoint.
 */
import { isRecord } from "../input/internal/DocumentCheck.ts"
import type { MessageDraft, MessagePayload } from "../messages/Message.ts"
import type { PayloadProfile } from "../places/PayloadProfile.ts"
import type { Timestamp } from "../values/Timestamp.ts"
import type { WebhookType } from "../values/Vocabulary.ts"

/** RFC 1767. */
export const ediMediaType = "application/edi-x12"

/** The field of a payload that holds the text of an interchange. */
export const interchangeField = "interchange"

/** A message for the log that holds an interchange, as it was written for a shipment of this place. */
export const interchangeMessage = (
  place: Pick<MessageDraft, "business" | "facility" | "shipmentId">,
  text: string
): MessageDraft<"EDI_INTERCHANGE"> => ({
  ...place,
  type: "EDI_INTERCHANGE",
  payload: { [interchangeField]: text }
})

/**
 * The payload of a test: an interchange for tests (ISA15 is `T`) without groups, whose sender and receiver are no partners (D9.9).
 */
export const testInterchange = (now: Timestamp): MessagePayload => {
  const date = now.slice(2, 10).replaceAll("-", "")
  const time = now.slice(11, 16).replace(":", "")
  const [sender, receiver] = ["DOCKLINE", "TEST"].map((id) => id.padEnd(15))
  const blank = " ".repeat(10)
  return {
    [interchangeField]:
      `ISA*00*${blank}*00*${blank}*ZZ*${sender}*ZZ*${receiver}*${date}*${time}*U*00401*000000001*0*T*>~
IEA*0*000000001~`
  }
}

/** The body of a delivery, with its media type. */
export interface DeliveryBody {
  readonly contentType: string
  readonly body: string
}

/** The body of a delivery, of the payload of its message as JSON. */
export const deliveryBody = (profile: PayloadProfile, type: WebhookType, json: string): DeliveryBody => {
  if (type !== "EDI_INTERCHANGE") {
    return { contentType: "application/json", body: profile.write(type, json) }
  }
  const payload: unknown = JSON.parse(json)
  const text = isRecord(payload) ? payload[interchangeField] : undefined
  return { contentType: ediMediaType, body: typeof text === "string" ? text : "" }
}
