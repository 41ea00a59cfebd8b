/** A webhook endpoint: how it is, what has not been delivered, and what each attempt sent and got as an answer. */
import { useState } from "preact/hooks"
import { deliveries, enableEndpoint, endpoint, replay } from "../../api/operator.ts"
import type { DeliveryView, EndpointView } from "../../api/operator.ts"
import { faultOf } from "../../api/request.ts"
import type { Fault } from "../../api/request.ts"
import { href, query, setQuery } from "../../router.ts"
import { session } from "../../session.ts"
import { shipmentNumber } from "../../ui/brief.ts"
import { Download, pathOf } from "../../ui/Download.tsx"
import { useLive, useLoaded } from "../../ui/loaded.ts"
import { messageKinds } from "../../ui/messageKinds.ts"
import { Crumbs, Empty, FaultNote, Time, Waiting } from "../../ui/Parts.tsx"
import { Attempts, outcomeOf } from "./Attempts.tsx"
import { WebhookChecks } from "./WebhookChecks.tsx"
import { backlogOf, Condition, placeOf } from "./Webhooks.tsx"
import { WebhookTest } from "./WebhookTest.tsx"

/** The filters of deliveries, and the statuses that each of them asks for. */
const filters: Readonly<
  Record<string, readonly [label: string, statuses: ReadonlyArray<DeliveryView["status"] | "">]>
> = {
  open: ["Not delivered", ["DEAD", "PENDING"]],
  delivered: ["Delivered", ["DELIVERED"]],
  all: ["All", [""]]
}

const statuses: Readonly<Record<DeliveryView["status"], readonly [word: string, tone: string]>> = {
  DELIVERED: ["Delivered", "ok"],
  PENDING: ["Waiting", "warn"],
  DEAD: ["Given up", "bad"]
}

/** What was given up first, then what was tried, then what waits for others; the newest first within these. */
const urgencyOf = ({ attempts, status }: DeliveryView): number =>
  status === "DEAD" ? 0 : status === "PENDING" && attempts.length > 0 ? 1 : 2

const byUrgency = (one: DeliveryView, other: DeliveryView): number =>
  urgencyOf(one) - urgencyOf(other) || other.messageId - one.messageId

interface LineProps {
  readonly endpointId: string
  readonly delivery: DeliveryView
  readonly onReplay: () => void
}

const Line = ({ delivery, endpointId, onReplay }: LineProps) => {
  const [isOpen, setOpen] = useState(false)
  const [word, tone] = statuses[delivery.status]
  const last = delivery.attempts.at(-1)
  return (
    <li class="delivery">
      <span class="badge" data-tone={tone}>{word}</span>
      <div class="what">
        <b>Message {delivery.messageId}</b>
        <span class="sub soft">
          {messageKinds[delivery.messageType].name} of{" "}
          <a href={href(`/shipments/${delivery.shipmentId}`)}>
            shipment {shipmentNumber(delivery.shipmentId).value ?? delivery.shipmentId}
          </a>
          {last === undefined ? "" : ` · ${outcomeOf(last)}`}
          {delivery.nextAttemptAt === null
            ? delivery.status === "PENDING" ? " · waits for an earlier message of its shipment" : ""
            : (
              <>
                {" "}· next attempt <Time time={delivery.nextAttemptAt} />
              </>
            )}
        </span>
        {delivery.attempts.length === 0
          ? null
          : (
            <details onToggle={(event) => setOpen(event.currentTarget.open)}>
              <summary>
                {delivery.attempts.length === 1 ? "1 attempt" : `${delivery.attempts.length} attempts`}
              </summary>
              {isOpen ? <Attempts endpointId={endpointId} delivery={delivery} /> : null}
            </details>
          )}
      </div>
      {last === undefined
        ? null
        : <button type="button" class="plain" onClick={onReplay}>Deliver again</button>}
    </li>
  )
}

interface Shown {
  readonly endpoint: EndpointView
  readonly deliveries: ReadonlyArray<DeliveryView>
}

/** How the service signs in at a customer, in words; hosts may have others. */
const schemes: Readonly<Record<string, string>> = {
  none: "None",
  basic: "User name and password",
  token: "Token of a login"
}

const Facts = ({ endpoint }: Pick<Shown, "endpoint">) => (
  <section class="card overview" aria-label="Overview">
    <dl class="facts">
      <div>
        <dt>Messages of</dt>
        <dd>{placeOf(endpoint)}</dd>
      </div>
      <div>
        <dt>Waiting</dt>
        <dd>{backlogOf(endpoint)}</dd>
      </div>
      <div>
        <dt>Failing since</dt>
        <dd>{endpoint.failingSince === null ? "–" : <Time time={endpoint.failingSince} />}</dd>
      </div>
      <div>
        <dt>Authentication</dt>
        <dd>{schemes[endpoint.authentication.type] ?? endpoint.authentication.type}</dd>
      </div>
      {endpoint.login === null ? null : (
        <div>
          <dt>Its login failed {endpoint.login.failures} times</dt>
          <dd>{endpoint.login.error}</dd>
        </div>
      )}
    </dl>
  </section>
)

/** Whether its business is for trying, or one of those that the session does not name. */
const isSandbox = ({ business }: EndpointView): boolean =>
  session.value?.businesses.find(({ slug }) => slug === business)?.sandbox !== false

/** The view of the endpoint with this id. */
export const Webhook = ({ id }: { readonly id: string }) => {
  const chosen = query.value.get("status") ?? "open"
  const filter = chosen in filters ? chosen : "open"
  const [said, setSaid] = useState("")
  const [refused, setRefused] = useState<Fault>()
  const { fault, reload, reloadNow, value } = useLoaded(`${id} ${filter}`, async (): Promise<Shown> => {
    const [shown, ...found] = await Promise.all([
      endpoint(id),
      ...filters[filter]![1].map((status) => deliveries(id, status))
    ])
    return { endpoint: shown, deliveries: found.flat().toSorted(byUrgency) }
  })
  useLive(undefined, {}, reload)

  const act = async (action: Promise<unknown>, words: string): Promise<void> => {
    try {
      await action
      setSaid(words)
      setRefused(undefined)
    } catch (thrown) {
      setRefused(faultOf(thrown))
    }
    reloadNow()
  }

  if (value === undefined) {
    return (
      <>
        <h1>Webhook endpoint {id}</h1>
        {fault === undefined ? <Waiting /> : <FaultNote fault={fault} retry={reload} />}
      </>
    )
  }
  const { baseUrl, enabled } = value.endpoint
  document.title = `${baseUrl} · Dockline`
  return (
    <>
      <div class="view-head">
        <div>
          <Crumbs>
            <a href={href("/webhooks")}>Webhooks</a>
          </Crumbs>
          <h1 class="title">
            {baseUrl} <Condition endpoint={value.endpoint} />
          </h1>
        </div>
        <button
          type="button"
          class="plain"
          onClick={() =>
            void act(
              enableEndpoint(id, !enabled),
              enabled ? "Deliveries have stopped. New messages wait." : "Deliveries have resumed."
            )}
        >
          {enabled ? "Stop deliveries" : "Resume deliveries"}
        </button>
      </div>
      <p class="said soft" role="status">{said}</p>
      {[fault, refused].map((each) => each === undefined ? null : <FaultNote key={each.code} fault={each} />)}
      <Facts endpoint={value.endpoint} />
      <WebhookTest endpoint={value.endpoint} />
      {isSandbox(value.endpoint) ? <WebhookChecks endpoint={value.endpoint} /> : null}
      <div class="toolbar">
        <div class="choices" role="group" aria-label="Deliveries">
          {Object.entries(filters).map(([name, [label]]) => (
            <button
              key={name}
              type="button"
              aria-pressed={name === filter}
              onClick={() => setQuery({ status: name === "open" ? "" : name })}
            >
              {label}
            </button>
          ))}
        </div>
        <Download
          name={`deliveries-${id}`}
          paths={filters[filter]![1].map((status) =>
            pathOf(`operator/webhook-endpoints/${id}/deliveries`, { status })
          )}
        />
      </div>
      <section class="card" aria-label="Deliveries">
        {value.deliveries.length === 0
          ? (
            <Empty title={filter === "open" ? "Every message has been delivered" : "No deliveries yet"}>
              <p>
                {filter === "open"
                  ? "A message appears here when the receiver does not take it, or when it waits for its turn."
                  : `A delivery appears here with the next message of ${placeOf(value.endpoint)}.`}
              </p>
            </Empty>
          )
          : (
            <ol>
              {value.deliveries.map((delivery) => (
                <Line
                  key={delivery.id}
                  endpointId={id}
                  delivery={delivery}
                  onReplay={() =>
                    void act(
                      replay(id, delivery.id),
                      `Message ${delivery.messageId} will be delivered again.`
                    )}
                />
              ))}
            </ol>
          )}
      </section>
    </>
  )
}
