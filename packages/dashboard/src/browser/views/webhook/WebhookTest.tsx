/** Sends a test message to an endpoint, and shows what was sent, what came back, and what to do about it. */
import { useState } from "preact/hooks"
import { testEndpoint } from "../../api/operator.ts"
import type { EndpointView, TestView } from "../../api/operator.ts"
import { faultOf } from "../../api/request.ts"
import type { Fault } from "../../api/request.ts"
import { Exchange } from "../../ui/Exchange.tsx"
import { messageKinds } from "../../ui/messageKinds.ts"
import type { MessageType } from "../../ui/messageKinds.ts"
import { FaultNote } from "../../ui/Parts.tsx"

const wordsOf = ({ error, isTaken, status }: TestView): string =>
  isTaken
    ? `Taken: answered ${status}`
    : status === null
    ? `Not taken: ${error}`
    : `Not taken: answered ${status}`

const Result = ({ result }: { readonly result: TestView }) => (
  <>
    <p role="status">
      <span class="badge" data-tone={result.isTaken ? "ok" : "bad"}>{wordsOf(result)}</span>{" "}
      <span class="soft">
        after {result.durationMs} ms{result.status === null || result.error === "" ? "" : `, ${result.error}`}
      </span>
    </p>
    {result.remedy === "" ? null : <p>{result.remedy}</p>}
    <Exchange request={result.request} status={result.status} answer={result.answer} />
  </>
)

/** The view, for an endpoint. */
export const WebhookTest = ({ endpoint: { id, messageTypes } }: { readonly endpoint: EndpointView }) => {
  const [state, setState] = useState<
    { readonly isSending?: boolean; readonly result?: TestView; readonly fault?: Fault }
  >({})
  const { fault, isSending = false, result } = state
  const send = async (type: MessageType): Promise<void> => {
    if (isSending) return
    setState({ isSending: true })
    try {
      setState({ result: await testEndpoint(id, type) })
    } catch (thrown) {
      setState({ fault: faultOf(thrown) })
    }
  }
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
            onClick={() => void send(type)}
          >
            {messageKinds[type].name}
          </button>
        ))}
      </div>
      {fault === undefined ? null : <FaultNote fault={fault} />}
      {result === undefined ? null : <Result result={result} />}
    </section>
  )
}
