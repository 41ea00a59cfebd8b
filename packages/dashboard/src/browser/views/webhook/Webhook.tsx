/** A webhook endpoint: how it is, what has not been delivered, and what each attempt sent and got as an answer. */
import { useState } from "preact/hooks"
import { call, pageSize } from "../../api/operator.ts"
import type { DeliveryView, EndpointView } from "../../api/operator.ts"
import { href, query, setQuery } from "../../router.ts"
import { session } from "../../session.ts"
import { shipmentNumber } from "../../ui/brief.ts"
import { Download, pathOf } from "../../ui/Download.tsx"
import { useLive, useLoaded } from "../../ui/loaded.ts"
import { messageKinds } from "../../ui/messageKinds.ts"
import { Choices, Empty, Fact, FaultNote, Loaded, ThingHead, Time } from "../../ui/Parts.tsx"
import { useActions } from "../../ui/sending.ts"
import { Attempts, outcomeOf } from "./Attempts.tsx"
import { WebhookChecks } from "./WebhookChecks.tsx"
import { backlogOf, Condition, placeOf } from "./Webhooks.tsx"
import { WebhookTest } from "./WebhookTest.tsx"

const route = "/v1/operator/webhook-endpoints/:endpointId"

/** The filters of deliveries, and the statuses that each of them asks for. */
const filters = {
  open: ["Not delivered", ["DEAD", "PENDING"]],
  delivered: ["Delivered", ["DELIVERED"]],
  all: ["All", [""]]
} satisfies Record<string, readonly [label: string, statuses: ReadonlyArray<DeliveryView["status"] | "">]>

type Filter = keyof typeof filters

const isFilter = (name: string): name is Filter => Object.hasOwn(filters, name)

const statuses: Readonly<Record<DeliveryView["status"], readonly [word: string, tone: string]>> = {
  DELIVERED: ["Delivered", "ok"],
  PENDING: ["Waiting", "warn"],
  DEAD: ["Given up", "bad"]
}

/** Orders deliveries: dead ones first, then those that were tried, then those that wait for others. */
const urgencyOf = ({ attempts, status }: DeliveryView): number => {
  if (status === "DEAD") return 0
  return status === "PENDING" && attempts.length > 0 ? 1 : 2
}

const byUrgency = (one: DeliveryView, other: DeliveryView): number =>
  urgencyOf(one) - urgencyOf(other) || other.messageId - one.messageId

/** What the delivery waits for. */
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
          <Next delivery={delivery} />
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

/** The built-in ways to sign in at a customer, in words. */
const schemes: Readonly<Record<string, string>> = {
  none: "None",
  basic: "User name and password",
  token: "Token of a login",
  oauth2: "OAuth 2.0"
}

/** What an endpoint has that most have not, in words. */
const specialsOf = ({ headers, payloadProfile, ratePerSecond, signatures }: EndpointView): string =>
  [
    ...(headers.length === 0 ? [] : [`headers ${headers.map(({ name }) => name).join(", ")}`]),
    ...(ratePerSecond === 0 ? [] : [`at most ${ratePerSecond} requests a second`]),
    ...(signatures.includes("v1a") ? ["signed by keys of the service too"] : []),
    ...(payloadProfile === "kargo" ? ["names of Kargo"] : [])
  ].join(" · ")

const Facts = ({ endpoint }: Pick<Shown, "endpoint">) => (
  <section class="card overview" aria-label="Overview">
    <dl class="facts">
      <Fact name="Messages of">{placeOf(endpoint)}</Fact>
      <Fact name="Waiting">{backlogOf(endpoint)}</Fact>
      <Fact name="Failing since">
        <Time time={endpoint.failingSince ?? ""} />
      </Fact>
      <Fact name="Authentication">
        {schemes[endpoint.authentication.type] ?? endpoint.authentication.type}
      </Fact>
      {specialsOf(endpoint) === "" ? null : <Fact name="Requests">{specialsOf(endpoint)}</Fact>}
      {endpoint.login === null ?
        null :
        <Fact name={`Its login failed ${endpoint.login.failures} times`}>{endpoint.login.error}</Fact>}
    </dl>
  </section>
)

/** Whether the business is a sandbox, or unknown to the session. */
const isSandbox = ({ business }: EndpointView): boolean =>
  session.value?.businesses.find(({ slug }) => slug === business)?.sandbox !== false

const Content = ({ filter, reload, shown: { deliveries, endpoint } }: {
  readonly shown: Shown
  readonly filter: Filter
  readonly reload: () => void
}) => {
  const { baseUrl, enabled, id } = endpoint
  document.title = `${baseUrl} · Dockline`
  const { act, fault, said } = useActions(reload)
  const replay = ({ id: deliveryId, messageId }: DeliveryView): void =>
    act(
      () => call(`POST ${route}/deliveries/:deliveryId/replay`, { endpointId: id, deliveryId }),
      `Message ${messageId} will be delivered again.`
    )
  return (
    <>
      <ThingHead list="webhooks" title={baseUrl} badges={<Condition endpoint={endpoint} />}>
        <button
          type="button"
          class="plain"
          onClick={() =>
            act(
              () => call(`PATCH ${route}`, { endpointId: id, body: { enabled: !enabled } }),
              enabled ? "Deliveries have stopped. New messages wait." : "Deliveries have resumed."
            )}
        >
          {enabled ? "Stop deliveries" : "Resume deliveries"}
        </button>
      </ThingHead>
      <p class="said soft" role="status">{said}</p>
      <FaultNote fault={fault} />
      <Facts endpoint={endpoint} />
      <WebhookTest endpoint={endpoint} />
      {isSandbox(endpoint) ? <WebhookChecks endpoint={endpoint} /> : null}
      <div class="toolbar">
        <Choices
          label="Deliveries"
          options={Object.entries(filters).map(([name, [label]]) => [name, label])}
          chosen={filter}
          choose={(name) => setQuery({ status: name === "open" ? "" : name })}
        />
        <Download
          name={`deliveries-${id}`}
          paths={filters[filter][1].map((status) =>
            pathOf(`operator/webhook-endpoints/${id}/deliveries`, { status })
          )}
        />
      </div>
      <section class="card" aria-label="Deliveries">
        {deliveries.length > 0 ?
          null :
          (
            <Empty title={filter === "open" ? "Every message has been delivered" : "No deliveries yet"}>
              <p>
                {filter === "open"
                  ? "A message appears here when the receiver does not take it, or when it waits for its turn."
                  : `A delivery appears here with the next message of ${placeOf(endpoint)}.`}
              </p>
            </Empty>
          )}
        {deliveries.length === 0 ? null : (
          <ol>
            {deliveries.map((delivery) => (
              <Line
                key={delivery.id}
                endpointId={id}
                delivery={delivery}
                onReplay={() => replay(delivery)}
              />
            ))}
          </ol>
        )}
      </section>
    </>
  )
}

/** The view of the endpoint with this id. */
export const Webhook = ({ id }: { readonly id: string }) => {
  const chosen = query.value.get("status") ?? "open"
  const filter = isFilter(chosen) ? chosen : "open"
  const state = useLoaded(`${id} ${filter}`, async (): Promise<Shown> => {
    const asked = { endpointId: id, limit: pageSize }
    const [endpoint, ...found] = await Promise.all([
      call(`GET ${route}`, { endpointId: id }),
      ...filters[filter][1].map((status) => call(`GET ${route}/deliveries`, { ...asked, status }))
    ])
    return { endpoint, deliveries: found.flatMap(({ items }) => items).toSorted(byUrgency) }
  })
  useLive(undefined, {}, state.reload)
  return (
    <>
      {state.value === undefined ? <h1>Webhook endpoint {id}</h1> : null}
      <Loaded state={state}>
        {(shown) => <Content shown={shown} filter={filter} reload={state.reloadNow} />}
      </Loaded>
    </>
  )
}
