/**
 * A message as a webhook brings it: its signature checked by `standardwebhooks`, its id taken from `webhook-id`.
 */
import { Webhook } from "standardwebhooks"
import { textOf } from "./Failure.ts"
import { field, isObject } from "./Json.ts"
import type { JsonObject } from "./Json.ts"
import type { PushMessage } from "./PushMessage.ts"
import type { Log } from "./Service.ts"
import { Unacceptable } from "./Unacceptable.ts"

type Headers = Readonly<Record<string, string | ReadonlyArray<string> | undefined>>

/** The checks of the signing secrets: two while one takes the place of the other. */
export const verifierOf = (secrets: ReadonlyArray<string>) => {
  const webhooks = secrets.map((secret) => new Webhook(secret))
  /** Throws unless one of the secrets has signed the body as it stands, not more than five minutes ago. */
  return (body: Buffer, headers: Headers): void => {
    const signed = {
      "webhook-id": String(headers["webhook-id"] ?? ""),
      "webhook-timestamp": String(headers["webhook-timestamp"] ?? ""),
      "webhook-signature": String(headers["webhook-signature"] ?? "")
    }
    let reason = ""
    for (const webhook of webhooks) {
      try {
        webhook.verify(body, signed, { jsonParse: false })
        return
      } catch (error) {
        reason = textOf(error)
      }
    }
    throw new Unacceptable(401, `The signature does not hold: ${reason}`)
  }
}

/**
 * Whether a request is a test message, which is about no shipment and in no log. The id is signed, so that nobody can pass
 * a message off as a test.
 */
export const isTest = (headers: Headers): boolean => String(headers["webhook-id"] ?? "").startsWith("test_")

/** Reads the message of a body whose signature holds. Throws when it is none, or of another log than ours. */
export const readMessage = (
  messageType: string,
  body: Buffer,
  headers: Headers,
  log: Log
): PushMessage => {
  const [, digits = ""] = /^msg_(\d+)$/.exec(String(headers["webhook-id"] ?? "")) ?? []
  const id = Number(digits)
  if (digits === "" || !Number.isSafeInteger(id)) {
    throw new Unacceptable(400, "webhook-id must be msg_ and the number of the message")
  }
  const message = jsonOf(body)
  if (!isObject(message)) throw new Unacceptable(400, "The body must be a JSON object")
  const place = placeOf(message)
  // An id that was handled is known by the last one of our log: another log's would be taken for a repeat and lost.
  if (place.business !== undefined && place.business !== log.business) {
    throw new Unacceptable(400, `This customer takes messages of ${log.business}, not of ${place.business}`)
  }
  if (place.facility !== undefined && place.facility !== (log.facility ?? place.facility)) {
    throw new Unacceptable(400, `This customer takes messages of ${log.facility}, not of ${place.facility}`)
  }
  return {
    id,
    businessSlug: place.business ?? log.business,
    facilitySlug: place.facility ?? "",
    messageType,
    message,
    sentAt: ""
  }
}

/** Where a message comes from. A completion tells it by its pallets, if any remain. */
const placeOf = (message: JsonObject) => {
  const { pallets } = message
  const [pallet] = Array.isArray(pallets) ? pallets : []
  const from = isObject(pallet) ? pallet : message
  return { business: field(from, "businessSlug", "string"), facility: field(from, "facilitySlug", "string") }
}

export const jsonOf = (body: Buffer): unknown => {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body))
  } catch {
    throw new Unacceptable(400, "The body is not JSON in UTF-8")
  }
}
