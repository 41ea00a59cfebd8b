/** The deliveries of a webhook endpoint: what has arrived, what waits, what each attempt sent and got as an answer, and a test message. */
import type {
  DeliveryDetailView,
  DeliveryView,
  EndpointView,
  TestView
} from "@dockline/core/operator/OperatorView"
import type { ComponentChildren } from "preact"
import { useState } from "preact/hooks"
import { call, pageSize } from "../../api/operator.ts"
import { href, query, setQuery } from "../../router.ts"
import { exactTime } from "../../time.ts"
import { amount, counted } from "../../ui/amounts.ts"
import { shipmentNumber } from "../../ui/brief.ts"
import { Download, pathOf } from "../../ui/Download.tsx"
import { useActions, useWork } from "../../ui/forms.ts"
import { Empty, FaultNote, Loaded, Said, Waiting } from "../../ui/Frame.tsx"
import { useLoaded, usePolled } from "../../ui/loaded.ts"
import { webhookName } from "../../ui/messageKinds.ts"
import type { WebhookType } from "../../ui/messageKinds.ts"
import { Badge, Choices, Plain, Quote, Time } from "../../ui/Parts.tsx"
import type { Toned } from "../../ui/tables.ts"
import { nameIn, optionsOf } from "../../ui/tables.ts"

const route = "/v1/operator/webhook-endpoints/:endpointId"

const filters = {
  open: ["Not delivered", ["DEAD", "PENDING"]],
  delivered: ["Delivered", ["DELIVERED"]],
  all: ["All", [""]]
} satisfies Record<string, readonly [label: string, statuses: ReadonlyArray<DeliveryView["status"] | "">]>

const statuses: Readonly<Record<DeliveryView["status"], Toned>> = {
  DELIVERED: ["Delivered", "ok"],
  PENDING: ["Waiting", "warn"],
  DEAD: ["Given up", "bad"]
}

export const placeOf = ({ business, facility }: EndpointView): string =>
  facility === null ? `${business}, all facilities` : `${business}/${facility}`

/** Orders deliveries: dead ones first, then those that were tried, then those that wait for others. */
const urgencyOf = ({ attempts, status }: DeliveryView): number => {
  if (status === "DEAD") return 0
  return status === "PENDING" && attempts.length > 0 ? 1 : 2
}

const byUrgency = (one: DeliveryView, other: DeliveryView): number =>
  urgencyOf(one) - urgencyOf(other) || other.messageId - one.messageId

type Attempt = DeliveryView["attempts"][number]

/** What came of an attempt, in a few words. */
export const outcomeOf = ({ error, status }: Attempt): string => {
  if (status === null) return error || "No answer"
  return error === "" ? `Answered ${status}` : `Answered ${status}: ${error}`
}

/** The head and the body of a request or an answer; the head may be unknown. */
interface Half {
  readonly headers?: Readonly<Record<string, string>>
  readonly body: string
}

const textOf = (first: string, { body, headers = {} }: Half): string =>
  [
    first,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ...(body === "" ? [] : ["", body])
  ].join("\n")

/** A request to a customer's server beside its answer, as they went over the wire. */
const Exchange = ({ answer, request, status }: {
  readonly request: (Half & { readonly url: string }) | null
  readonly status: number | null
  readonly answer: Half | null
}) => (
  <div class="exchange">
    {request === null ? null : <Quote caption="Request">{textOf(`POST ${request.url}`, request)}</Quote>}
    {answer === null || status === null
      ? null
      : <Quote caption="Answer">{textOf(String(status), answer)}</Quote>}
  </div>
)

/** The request of an attempt without its body, which is the same in each. */
const headOf = (request: DeliveryDetailView["request"], at: string) =>
  request === null ? null : {
    url: request.url,
    headers: {
      ...request.headers,
      "webhook-timestamp": String(Math.floor(Date.parse(at) / 1000)),
      "webhook-signature": "(is not kept)"
    },
    body: ""
  }

const SentBody = ({ request }: { readonly request: DeliveryDetailView["request"] }) => {
  if (request === null) {
    return <p class="soft">The message was dropped by age, so its requests cannot be shown.</p>
  }
  const { body, length } = request
  const part = length > body.length ? `, the first ${body.length} of ${length} characters` : ""
  return <Quote class="sent" caption={`Body of each request${part}`}>{body}</Quote>
}

interface AttemptsProps {
  readonly endpointId: string
  /** The id of the delivery. */
  readonly id: string
  /** What changes with each attempt. */
  readonly version: string
}

const Attempts = ({ endpointId, id, version }: AttemptsProps) => {
  const { fault, value } = useLoaded(
    `${endpointId} ${id} ${version}`,
    () => call(`GET ${route}/deliveries/:deliveryId`, { endpointId, deliveryId: id })
  )
  if (value === undefined) return fault === undefined ? <Waiting /> : <FaultNote fault={fault} />
  return (
    <>
      <ol class="attempts">
        {value.attempts.toReversed().map((attempt) => (
          <li key={attempt.at}>
            <p>
              <time dateTime={attempt.at} class="soft">{exactTime(attempt.at)}</time>{" "}
              <b>{outcomeOf(attempt)}</b> <span class="soft">after {attempt.durationMs} ms</span>
            </p>
            <Exchange
              request={headOf(value.request, attempt.at)}
              status={attempt.status}
              answer={{ body: attempt.response }}
            />
          </li>
        ))}
      </ol>
      <SentBody request={value.request} />
    </>
  )
}

/** The attempts of a delivery, which are read once they are opened. */
const AttemptDetails = ({ summary, ...props }: AttemptsProps & { readonly summary: string }) => {
  const [isOpen, setOpen] = useState(false)
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{summary}</summary>
      {isOpen ? <Attempts {...props} /> : null}
    </details>
  )
}

interface LineProps {
  readonly badge: Toned
  readonly title: ComponentChildren
  readonly children: ComponentChildren
  /** Its attempts, where it has some. */
  readonly attempts?: Parameters<typeof AttemptDetails>[0] | undefined
  /** A button, which has the message delivered. */
  readonly button: ComponentChildren
}

/** A message at an endpoint: its state, what came of it, and its attempts. */
export const DeliveryLine = ({ attempts, badge, button, children, title }: LineProps) => (
  <li class="delivery">
    <Badge of={badge} />
    <div class="what">
      <b>{title}</b>
      <span class="sub soft">{children}</span>
      {attempts === undefined ? null : <AttemptDetails {...attempts} />}
    </div>
    {button}
  </li>
)

const nextWords = ({ nextAttemptAt, status }: DeliveryView): ComponentChildren => {
  if (nextAttemptAt !== null) {
    return (
      <>
        {" "}· next attempt <Time time={nextAttemptAt} />
      </>
    )
  }
  return status === "PENDING" ? " · waits for an earlier message of its shipment" : ""
}

const Line = ({ delivery, endpointId, replay }: {
  readonly endpointId: string
  readonly delivery: DeliveryView
  readonly replay: () => void
}) => {
  const { attempts, id, messageId, messageType, shipmentId, status } = delivery
  const last = attempts.at(-1)
  return (
    <DeliveryLine
      badge={statuses[status]}
      title={`Message ${messageId}`}
      attempts={last && { endpointId, id, version: last.at, summary: counted(attempts.length, "attempt") }}
      button={last && <Plain onClick={replay}>Deliver again</Plain>}
    >
      {webhookName(messageType)} of{" "}
      <a href={href(`/shipments/${shipmentId}`)}>
        shipment {shipmentNumber(shipmentId).value ?? shipmentId}
      </a>
      {last === undefined ? "" : ` · ${outcomeOf(last)}`}
      {nextWords(delivery)}
    </DeliveryLine>
  )
}

export const Deliveries = ({ endpoint }: { readonly endpoint: EndpointView }) => {
  const endpointId = endpoint.id
  const filter = nameIn(filters, query.value.get("status")) ?? "open"
  const state = usePolled(`${endpointId} ${filter}`, async () => {
    const pages = await Promise.all(
      filters[filter][1].map((status) =>
        call(`GET ${route}/deliveries`, { endpointId, limit: pageSize, status })
      )
    )
    return {
      rows: pages.flatMap(({ items }) => items).toSorted(byUrgency),
      hasMore: pages.some(({ next }) => next !== null)
    }
  })
  const { act, fault, said } = useActions(state.reloadNow)
  const replay = ({ id: deliveryId, messageId }: DeliveryView): void =>
    act(
      () => call(`POST ${route}/deliveries/:deliveryId/replay`, { endpointId, deliveryId }),
      `Message ${messageId} will be delivered again.`
    )
  return (
    <>
      <div class="toolbar">
        <Choices
          label="Deliveries"
          options={optionsOf(filters)}
          chosen={filter}
          choose={(name) => setQuery({ status: name === "open" ? "" : name })}
        />
        <Download
          name={`deliveries-${endpointId}`}
          paths={filters[filter][1].map((status) =>
            pathOf(`operator/webhook-endpoints/${endpointId}/deliveries`, { status })
          )}
        />
      </div>
      <Said>{said}</Said>
      <FaultNote fault={fault} />
      <Loaded state={state}>
        {({ hasMore, rows }) => (
          <section class="card" aria-label="Deliveries">
            {rows.length === 0
              ? (
                <Empty title={filter === "open" ? "Every message has been delivered" : "No deliveries yet"}>
                  {filter === "open"
                    ? "A message appears here when the receiver has not accepted it, or while it waits for its turn."
                    : `A delivery appears here with the next message of ${placeOf(endpoint)}.`}
                </Empty>
              )
              : (
                <>
                  <ol>
                    {rows.map((delivery) => (
                      <Line
                        key={delivery.id}
                        endpointId={endpointId}
                        delivery={delivery}
                        replay={() => replay(delivery)}
                      />
                    ))}
                  </ol>
                  <p class="totals">{amount(rows.length)} {hasMore ? "shown; there are more" : "in all"}</p>
                </>
              )}
          </section>
        )}
      </Loaded>
    </>
  )
}

/** The timeout of tests: the customer may take its time for the login and for each message. */
const testMillis = 60_000

const resultOf = ({ error, isTaken, status }: TestView): string => {
  if (isTaken) return `Taken: answered ${status}`
  return status === null ? `Not taken: ${error}` : `Not taken: answered ${status}`
}

/** Sends a test message to an endpoint, and shows what was sent, what came back, and what to do about it. */
export const WebhookTest = ({ endpoint: { id, messageTypes } }: { readonly endpoint: EndpointView }) => {
  const { begin, fault, isBusy } = useWork()
  const [result, setResult] = useState<TestView>()
  const send = (messageType: WebhookType): void =>
    begin(async () => {
      setResult(undefined)
      setResult(
        await call(`POST ${route}/test`, { endpointId: id, body: { messageType } }, { patience: testMillis })
      )
    })
  const after = result?.status === null || result === undefined
    ? ""
    : `after ${result.durationMs} ms${result.error === "" ? "" : `, ${result.error}`}`
  return (
    <section class="card try" aria-label="Send a test">
      <h2>Send a test</h2>
      <p class="soft">
        {isBusy
          ? "Waiting for the answer…"
          : "This sends one signed message now. It is marked as a test and belongs to no shipment; it is not stored, and it holds up no other message."}
      </p>
      <div class="buttons">
        {messageTypes.map((type) => (
          <Plain key={type} aria-disabled={isBusy} onClick={() => send(type)}>{webhookName(type)}</Plain>
        ))}
      </div>
      <FaultNote fault={fault} />
      {result === undefined ? null : (
        <>
          <p role="status">
            <Badge of={[resultOf(result), result.isTaken ? "ok" : "bad"]} /> <span class="soft">{after}</span>
          </p>
          {result.remedy === "" ? null : <p>{result.remedy}</p>}
          <Exchange request={result.request} status={result.status} answer={result.answer} />
        </>
      )}
    </section>
  )
}
