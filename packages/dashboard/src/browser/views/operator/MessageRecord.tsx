/** A message and what became of it at each endpoint of its business: why a customer's system has it, or does not. */
import type { MessageRecordView } from "@dockline/core/operator/OperatorView"
import { call } from "../../api/operator.ts"
import { href } from "../../router.ts"
import { amount } from "../../ui/amounts.ts"
import { useActions } from "../../ui/forms.ts"
import { FaultNote, Loaded, Said, ThingHead } from "../../ui/Frame.tsx"
import { usePolled } from "../../ui/loaded.ts"
import { webhookName } from "../../ui/messageKinds.ts"
import { Plain, Quote, Time } from "../../ui/Parts.tsx"
import type { Toned } from "../../ui/tables.ts"
import { DeliveryLine, outcomeOf } from "./Deliveries.tsx"
import type { Resource } from "./Resource.ts"

type Passage = MessageRecordView["endpoints"][number]

/** The states, those that need attention first. */
const states: Readonly<Record<Passage["state"], Toned>> = {
  DEAD: ["Given up", "bad"],
  NOT_SENT: ["Not sent", "bad"],
  PENDING: ["Waiting", "warn"],
  QUEUED: ["Queued", "warn"],
  DELIVERED: ["Delivered", "ok"],
  OTHER_TYPE: ["Other type", "none"],
  OTHER_FACILITY: ["Other facility", "none"]
}

const order = Object.keys(states)

const endpoint = "/v1/operator/webhook-endpoints/:endpointId"

/** Has an endpoint get a message once more, or for the first time. */
const replay = ({ endpointId, state }: Passage, id: number): Promise<unknown> =>
  state === "NOT_SENT"
    ? call(`POST ${endpoint}/replay`, { endpointId, body: { fromId: id, toId: id } })
    : call(`POST ${endpoint}/deliveries/:deliveryId/replay`, { endpointId, deliveryId: String(id) })

const countOf = ({ endpoints }: MessageRecordView): string => {
  const count = endpoints.filter(({ state }) => state === "DELIVERED").length
  if (endpoints.length === 0) return "The business has no endpoint: nobody gets its messages."
  if (count === 0) return "No endpoint has it."
  return `${amount(count)} of ${amount(endpoints.length)} ${
    endpoints.length === 1 ? "endpoint" : "endpoints"
  } ${count === 1 ? "has" : "have"} it.`
}

const Line = ({ deliver, id, passage }: {
  readonly passage: Passage
  readonly id: number
  readonly deliver: () => void
}) => {
  const { baseUrl, endpointId, lastAttempt, nextAttemptAt, reason, state } = passage
  const isDeliverable = state !== "QUEUED" && !state.startsWith("OTHER")
  return (
    <DeliveryLine
      badge={states[state]}
      title={<a href={href(`/webhooks/${endpointId}`)}>{baseUrl}</a>}
      attempts={lastAttempt === null
        ? undefined
        : { endpointId, id: String(id), version: lastAttempt.at, summary: "Attempts" }}
      button={isDeliverable && (
        <Plain of={`to ${baseUrl}`} onClick={deliver}>
          {state === "NOT_SENT" ? "Deliver" : "Deliver again"}
        </Plain>
      )}
    >
      {reason}
      {lastAttempt && (
        <>
          {" "}
          {outcomeOf(lastAttempt)}, <Time time={lastAttempt.at} near />.
        </>
      )}
      {nextAttemptAt && (
        <>
          {" "}Next attempt <Time time={nextAttemptAt} near />.
        </>
      )}
    </DeliveryLine>
  )
}

const read = (business: string, id: string): Promise<MessageRecordView> =>
  call("GET /v1/operator/businesses/:slug/messages/:messageId", { slug: business, messageId: id })

/** Where a message of a business went, with the message. */
export const Whereabouts = ({ business, id }: { readonly business: string; readonly id: string }) => {
  const state = usePolled(`${business} ${id}`, () => read(business, id))
  const { act, fault, said } = useActions(state.reloadNow)
  return (
    <Loaded state={state}>
      {(record) => (
        <section class="card whereabouts" aria-label="Where it went">
          <p class="totals">
            <a href={href(`/businesses/${business}/messages/${id}`)}>Message {id}</a>,{" "}
            {webhookName(record.messageType)} of{" "}
            <a href={href(`/shipments/${record.shipmentId}`)}>shipment {record.shipmentId}</a>, sent{" "}
            <Time time={record.sentAt} near />. <b>{countOf(record)}</b>
          </p>
          <Said>{said}</Said>
          <FaultNote fault={fault} />
          <ol>
            {record.endpoints.toSorted((one, other) => order.indexOf(one.state) - order.indexOf(other.state))
              .map(
                (passage) => (
                  <Line
                    key={passage.endpointId}
                    passage={passage}
                    id={record.id}
                    deliver={() =>
                      act(
                        () => replay(passage, record.id),
                        `Message ${id} will be delivered to ${passage.baseUrl}.`
                      )}
                  />
                )
              )}
          </ol>
          <Quote class="sent" caption="The message">{record.body}</Quote>
        </section>
      )}
    </Loaded>
  )
}

/** The page of a message. */
export const MessageRecord = ({ resource: { path } }: { readonly resource: Resource }) => {
  const [business = "", , id = ""] = path.split("/").slice(4).map(decodeURIComponent)
  return (
    <>
      <ThingHead
        list="businesses"
        above={<a href={href(`/businesses/${business}`)}>{business}</a>}
        title={`Message ${id}`}
      />
      <Whereabouts business={business} id={id} />
    </>
  )
}
