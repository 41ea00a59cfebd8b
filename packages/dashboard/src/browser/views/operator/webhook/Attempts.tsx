/** The attempts of a delivery: what each of them sent, and what it got as an answer. */
import type { DeliveryDetailView, DeliveryView } from "@dockline/core/operator/OperatorView"
import { call } from "../../../api/operator.ts"
import { exactTime } from "../../../time.ts"
import { FaultNote, Waiting } from "../../../ui/Frame.tsx"
import { useLoaded } from "../../../ui/loaded.ts"
import { Quote } from "../../../ui/Parts.tsx"
import { Exchange } from "./Exchange.tsx"

type Attempt = DeliveryView["attempts"][number]

type Request = DeliveryDetailView["request"]

/** What came of an attempt, in a few words. */
export const outcomeOf = ({ error, status }: Attempt): string => {
  if (status === null) return error || "No answer"
  return error === "" ? `Answered ${status}` : `Answered ${status}: ${error}`
}

/** The request of an attempt without its body, which is the same in each. */
const headOf = (request: Request, at: string) =>
  request === null ? null : {
    url: request.url,
    headers: {
      ...request.headers,
      "webhook-timestamp": String(Math.floor(Date.parse(at) / 1000)),
      "webhook-signature": "(is not kept)"
    },
    body: ""
  }

const Sent = ({ request }: { readonly request: Request }) => {
  if (request === null) {
    return <p class="soft">The message was dropped by age, so its requests cannot be shown.</p>
  }
  const { body, length } = request
  const part = length > body.length ? `, the first ${body.length} of ${length} characters` : ""
  return <Quote class="sent" caption={`Body of each request${part}`}>{body}</Quote>
}

interface AttemptsProps {
  readonly endpointId: string
  readonly delivery: DeliveryView
}

export const Attempts = ({ delivery: { attempts, id }, endpointId }: AttemptsProps) => {
  const route = "GET /v1/operator/webhook-endpoints/:endpointId/deliveries/:deliveryId"
  const { fault, value } = useLoaded(`${endpointId} ${id}`, () => call(route, { endpointId, deliveryId: id }))
  if (value === undefined) return fault === undefined ? <Waiting /> : <FaultNote fault={fault} />
  return (
    <>
      <ol class="attempts">
        {attempts.toReversed().map((attempt) => (
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
      <Sent request={value.request} />
    </>
  )
}
