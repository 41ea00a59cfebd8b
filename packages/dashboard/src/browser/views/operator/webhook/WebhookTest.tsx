/** Sends a test message to an endpoint, and shows what was sent, what came back, and what to do about it. */
import type { EndpointView, TestView } from "@dockline/core/internal/operator/OperatorView"
import { useState } from "preact/hooks"
import { call, testMillis } from "../../../api/operator.ts"
import type { Question } from "../../../api/operator.ts"
import { useWork } from "../../../ui/forms.ts"
import { FaultNote } from "../../../ui/Frame.tsx"
import { webhookName } from "../../../ui/messageKinds.ts"
import type { WebhookType } from "../../../ui/messageKinds.ts"
import { Badge, Plain, Select } from "../../../ui/Parts.tsx"
import { nameIn, optionsOf } from "../../../ui/tables.ts"
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

/** What a test says beside its type. */
type Wanted = Omit<Question<typeof route>["body"], "messageType">

const defects: Readonly<Record<NonNullable<Wanted["defect"]>, string>> = {
  UNSIGNED: "Without a signature",
  WRONG_SIGNATURE: "Signed with another secret",
  ALTERED_BODY: "Changed after it was signed",
  OLD_TIMESTAMP: "Ten minutes old"
}

interface WebhookTestProps {
  readonly endpoint: EndpointView
  /** Whether messages may be wrong on purpose, or come again. */
  readonly isSandbox: boolean
}

export const WebhookTest = ({ endpoint: { id, messageTypes }, isSandbox }: WebhookTestProps) => {
  const { begin, fault, isBusy: isSending } = useWork()
  const [result, setResult] = useState<TestView>()
  const [defect, setDefect] = useState<Wanted["defect"]>()
  const send = (messageType: WebhookType, wanted: Wanted): void =>
    begin(async () => {
      setResult(undefined)
      setResult(await call(route, { endpointId: id, body: { messageType, ...wanted } }, testMillis))
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
        {isSandbox
          ? (
            <label class="dock">
              Message{" "}
              <Select
                value={defect ?? ""}
                options={[["", "A valid message"], ...optionsOf(defects)]}
                onChange={({ currentTarget: { value } }) => setDefect(nameIn(defects, value))}
              />
            </label>
          )
          : null}
        {messageTypes.map((type) => (
          <Plain
            key={type}
            aria-disabled={isSending}
            onClick={() => send(type, defect === undefined ? {} : { defect })}
          >
            {webhookName(type)}
          </Plain>
        ))}
      </div>
      <FaultNote fault={fault} />
      {result === undefined ? null : <Result result={result} />}
      {result === undefined || !isSandbox ? null : (
        <div class="buttons">
          <Plain
            aria-disabled={isSending}
            onClick={() => send(result.messageType, { webhookId: result.webhookId })}
          >
            Send it again
          </Plain>
        </div>
      )}
    </section>
  )
}
