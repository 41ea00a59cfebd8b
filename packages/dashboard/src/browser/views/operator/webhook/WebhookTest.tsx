/** Sends a test message to an endpoint, and shows what was sent, what came back, and what to do about it. */
import { useState } from "preact/hooks"
import { call, testMillis } from "../../../api/operator.ts"
import type { EndpointView, TestView } from "../../../api/operator.ts"
import { Exchange } from "../../../ui/Exchange.tsx"
import { messageKinds } from "../../../ui/messageKinds.ts"
import type { MessageType } from "../../../ui/messageKinds.ts"
import { FaultNote } from "../../../ui/Parts.tsx"
import { useWork } from "../../../ui/sending.ts"

const wordsOf = ({ error, isTaken, status }: TestView): string => {
  if (isTaken) return `Taken: answered ${status}`
  return status === null ? `Not taken: ${error}` : `Not taken: answered ${status}`
}

const Result = ({ result }: { readonly result: TestView }) => (
  <>
    <p role="status">
      <span class="badge" data-tone={result.isTaken ? "ok" : "bad"}>{wordsOf(result)}</span>{" "}
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

export const WebhookTest = ({ endpoint: { id, messageTypes } }: { readonly endpoint: EndpointView }) => {
  const { begin, fault, isBusy: isSending } = useWork()
  const [result, setResult] = useState<TestView>()
  const send = (type: MessageType): void =>
    begin(async () => {
      setResult(undefined)
      const route = "POST /v1/operator/webhook-endpoints/:endpointId/test"
      setResult(await call(route, { endpointId: id, body: { messageType: type } }, testMillis))
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
          <button
            key={type}
            type="button"
            class="plain"
            aria-disabled={isSending}
            onClick={() => send(type)}
          >
            {messageKinds[type].name}
          </button>
        ))}
      </div>
      <FaultNote fault={fault} />
      {result === undefined ? null : <Result result={result} />}
    </section>
  )
}
