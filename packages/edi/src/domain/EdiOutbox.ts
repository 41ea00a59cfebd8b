/**
 * What is to be sent to EDI partners, in the outbox for webhook endpoints (D18.3): an endpoint that asks for it gets each interchange as
 * it is written.
 */
import type { Timestamp } from "@dockline/core/values/Timestamp"
import type { OutboxKind } from "@dockline/core/webhooks/MessageKinds"
import type { OutboxDraft } from "@dockline/core/webhooks/OutboxEntry"
import recorded from "./answers.json" with { type: "json" }
import { ediX12 } from "./EdiFile.ts"

/** The type of interchanges on their way to partners. */
export const ediInterchange = "EDI_INTERCHANGE"

/** An interchange for tests (ISA15 is `T`) without groups, whose sender and receiver are no partners (D9.9). */
const testInterchange = (now: Timestamp): string => {
  const date = now.slice(2, 10).replaceAll("-", "")
  const time = now.slice(11, 16).replace(":", "")
  const [sender, receiver] = ["DOCKLINE", "TEST"].map((id) => id.padEnd(15))
  const blank = " ".repeat(10)
  return `ISA*00*${blank}*00*${blank}*ZZ*${sender}*ZZ*${receiver}*${date}*${time}*U*00401*000000001*0*T*>~
IEA*0*000000001~`
}

const kind: OutboxKind = {
  path: "/api/edi",
  mediaType: ediX12,
  name: "EdiInterchange",
  title: "EDI interchange",
  about: "what is to be sent to EDI partners, as X12",
  when:
    "A shipment has departed, and an EDI partner is to be told: the body is the interchange, as X12. Only endpoints whose settings name \
the type get it.",
  content: "The text is that of the outbox, from ISA to IEA.",
  example: recorded.answers.ediOutbox.text,
  aboutNothing: testInterchange
}

/** The types of what is in the outbox. */
export const ediOutboxes = { [ediInterchange]: kind } as const

/** The entry of an interchange, as it was written for a shipment of a place. */
export const ediEntry = (
  place: Pick<OutboxDraft, "business" | "facility" | "shipmentId">,
  text: string
): OutboxDraft => ({ ...place, type: ediInterchange, path: kind.path, mediaType: kind.mediaType, text })
