/** Sends a test message to an endpoint, and shows what was sent, what came back, and what to do about it. */
import type { EndpointView, TestView } from "@dockline/core/operator/OperatorView"
import { useState } from "preact/hooks"
import { call, testMillis } from "../../../api/operator.ts"
import { useWork } from "../../../ui/forms.ts"
import { FaultNote } from "../../../ui/Frame.tsx"
import { webhookName } from "../../../ui/messageKinds.ts"
import type { WebhookType } from "../../../ui/messageKinds.ts"
import { Badge, Plain } from "../../../ui/Parts.tsx"
import { Exchange } from "./Exchange.tsx"

const wordsOf = ({ error, isTaken, status }: TestView): string => {
  if (isTaken) return `Taken: answered ${status}`
  return status === null ? `Not taken: ${error}` : `Not taken: answered ${status}`
}

const Result = ({ result }: { readonly result: TestView }) => (
  <>
    <p role="status">
      <Badge of={[wordsOf(result), result.isTaken ? "ok" : "bad"]} />{" "}
      <span class="soft">
        {result.status === null
          ? ""
          : `after ${result.durationMs} ms${result.error === "" ? "" : `, ${result.error}`}`}
      </span>
    </p>
    {result.remedy === "" ? null : <p>{result.remedy}</p>}
    <Exchange request={result.request} status={result.status} answer={result.answer} />
  </>
)

const route = "POST /v1/operator/webhook-endpoints/:endpointId/test"

export const WebhookTest = ({ endpoint: { id, messageTypes } }: { readonly endpoint: EndpointView }) => {
  const { begin, fault, isBusy: isSending } = useWork()
  const [result, setResult] = useState<TestView>()
  const send = (messageType: WebhookType): void =>
    begin(async () => {
      setResult(undefined)
      setResult(await call(route, { endpointId: id, body: { messageType } }, testMillis))
    })
  return (
    <section class="card try" aria-label="Send a test">
      <h2>Send a test</h2>
      <p class="soft">
        {isSending
          ? "Waiting for the answer…"
          : "This sends one signed message now. It is marked as a test and belongs to no shipment; it is not stored, and it holds up no other message."}
      </p>
      <div class="buttons">
        {messageTypes.map((type) => (
          <Plain
            key={type}
            aria-disabled={isSending}
            onClick={() => send(type)}
          >
            {webhookName(type)}
          </Plain>
        ))}
      </div>
      <FaultNote fault={fault} />
      {result === undefined ? null : <Result result={result} />}
    </section>
  )
}
