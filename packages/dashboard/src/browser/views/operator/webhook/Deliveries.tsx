/** The deliveries of a webhook endpoint: what has arrived, what waits, and what each attempt came to. */
import type { DeliveryView, EndpointView } from "@dockline/core/operator/OperatorView"
import { useState } from "preact/hooks"
import { href, setQuery } from "../../../router.ts"
import { amount, counted } from "../../../ui/amounts.ts"
import { shipmentNumber } from "../../../ui/brief.ts"
import { Download, pathOf } from "../../../ui/Download.tsx"
import { Empty } from "../../../ui/Frame.tsx"
import { webhookName } from "../../../ui/messageKinds.ts"
import { Badge, Choices, Plain, Time } from "../../../ui/Parts.tsx"
import type { Toned } from "../../../ui/tables.ts"
import { optionsOf } from "../../../ui/tables.ts"
import { Attempts, outcomeOf } from "./Attempts.tsx"
import { placeOf } from "./Webhooks.tsx"

export const filters = {
  open: ["Not delivered", ["DEAD", "PENDING"]],
  delivered: ["Delivered", ["DELIVERED"]],
  all: ["All", [""]]
} satisfies Record<string, readonly [label: string, statuses: ReadonlyArray<DeliveryView["status"] | "">]>

export type Filter = keyof typeof filters

const statuses: Readonly<Record<DeliveryView["status"], Toned>> = {
  DELIVERED: ["Delivered", "ok"],
  PENDING: ["Waiting", "warn"],
  DEAD: ["Given up", "bad"]
}

/** Orders deliveries: dead ones first, then those that were tried, then those that wait for others. */
const urgencyOf = ({ attempts, status }: DeliveryView): number => {
  if (status === "DEAD") return 0
  return status === "PENDING" && attempts.length > 0 ? 1 : 2
}

export const byUrgency = (one: DeliveryView, other: DeliveryView): number =>
  urgencyOf(one) - urgencyOf(other) || other.messageId - one.messageId

const Next = ({ delivery: { nextAttemptAt, status } }: { readonly delivery: DeliveryView }) => {
  if (nextAttemptAt !== null) {
    return (
      <>
        {" "}· next attempt <Time time={nextAttemptAt} />
      </>
    )
  }
  return status === "PENDING" ? <>{" "}· waits for an earlier message of its shipment</> : null
}

interface LineProps {
  readonly endpointId: string
  readonly delivery: DeliveryView
  readonly onReplay: () => void
}

const Line = ({ delivery, endpointId, onReplay }: LineProps) => {
  const [isOpen, setOpen] = useState(false)
  const last = delivery.attempts.at(-1)
  return (
    <li class="delivery">
      <Badge of={statuses[delivery.status]} />
      <div class="what">
        <b>Message {delivery.messageId}</b>
        <span class="sub soft">
          {webhookName(delivery.messageType)} of{" "}
          <a href={href(`/shipments/${delivery.shipmentId}`)}>
            shipment {shipmentNumber(delivery.shipmentId).value ?? delivery.shipmentId}
          </a>
          {last === undefined ? "" : ` · ${outcomeOf(last)}`}
          <Next delivery={delivery} />
        </span>
        {delivery.attempts.length === 0
          ? null
          : (
            <details onToggle={(event) => setOpen(event.currentTarget.open)}>
              <summary>
                {counted(delivery.attempts.length, "attempt")}
              </summary>
              {isOpen ? <Attempts endpointId={endpointId} delivery={delivery} /> : null}
            </details>
          )}
      </div>
      {last === undefined
        ? null
        : <Plain onClick={onReplay}>Deliver again</Plain>}
    </li>
  )
}

export interface Shown {
  readonly endpoint: EndpointView
  readonly deliveries: ReadonlyArray<DeliveryView>
  /** Whether there are more than are shown. */
  readonly hasMore: boolean
}

export const Deliveries = ({ deliveries, endpoint, filter, hasMore, replay }: Shown & {
  readonly filter: Filter
  readonly replay: (delivery: DeliveryView) => void
}) => (
  <>
    <div class="toolbar">
      <Choices
        label="Deliveries"
        options={optionsOf(filters)}
        chosen={filter}
        choose={(name) => setQuery({ status: name === "open" ? "" : name })}
      />
      <Download
        name={`deliveries-${endpoint.id}`}
        paths={filters[filter][1].map((status) =>
          pathOf(`operator/webhook-endpoints/${endpoint.id}/deliveries`, { status })
        )}
      />
    </div>
    <section class="card" aria-label="Deliveries">
      {deliveries.length > 0
        ? (
          <>
            <ol>
              {deliveries.map((delivery) => (
                <Line
                  key={delivery.id}
                  endpointId={endpoint.id}
                  delivery={delivery}
                  onReplay={() => replay(delivery)}
                />
              ))}
            </ol>
            <p class="totals">
              {amount(deliveries.length)} {hasMore ? "shown; there are more" : "in all"}
            </p>
          </>
        )
        : (
          <Empty title={filter === "open" ? "Every message has been delivered" : "No deliveries yet"}>
            {filter === "open"
              ? "A message appears here when the receiver has not accepted it, or while it waits for its turn."
              : `A delivery appears here with the next message of ${placeOf(endpoint)}.`}
          </Empty>
        )}
    </section>
  </>
)
