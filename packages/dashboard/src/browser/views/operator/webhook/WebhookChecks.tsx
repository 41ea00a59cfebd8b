/** Checks the receiver behind an endpoint of a sandbox, as `dockline webhook certify` does, and says what to fix. */
import type { CertificationView, EndpointView } from "@dockline/core/internal/operator/OperatorView"
import { useState } from "preact/hooks"
import { call, testMillis } from "../../../api/operator.ts"
import { useWork } from "../../../ui/forms.ts"
import { FaultNote } from "../../../ui/Frame.tsx"
import { Badge, Plain } from "../../../ui/Parts.tsx"
import type { Toned } from "../../../ui/tables.ts"

type Check = CertificationView["checks"][number]

const verdicts: Readonly<Record<Check["verdict"], Toned>> = {
  PASSED: ["Passed", "ok"],
  FAILED: ["Failed", "bad"],
  NOT_SENT: ["Not sent", "none"],
  UNSEEN: ["Check yourself", "calm"]
}

/** The result in words. Checks that cannot be seen from outside do not count as passed. */
const ending = ({ checks, isPassed }: CertificationView): string => {
  const count = (wanted: Check["verdict"]) => checks.filter(({ verdict }) => verdict === wanted).length
  return isPassed
    ? `Ready: ${count("PASSED")} checks passed`
    : `Not ready: ${count("FAILED")} failed, ${count("PASSED")} passed`
}

const Line = (
  { check: { asks, detail, durationMs, status, verdict, webhookId } }: { readonly check: Check }
) => (
  <li class="delivery">
    <Badge of={verdicts[verdict]} />
    <div class="what">
      <b>{asks}</b>
      {detail === "" ? null : <span class="sub">{detail}</span>}
    </div>
    <span class="soft answered">
      {webhookId === ""
        ? null
        : `${status === null ? "No answer" : `Answered ${status}`} after ${Math.round(durationMs)} ms`}
    </span>
  </li>
)

export const WebhookChecks = ({ endpoint: { id } }: { readonly endpoint: EndpointView }) => {
  const { begin, fault, isBusy: isRunning } = useWork()
  const [result, setResult] = useState<CertificationView>()
  const start = (): void =>
    begin(async () => {
      setResult(undefined)
      setResult(
        await call("POST /v1/operator/webhook-endpoints/:endpointId/certify", { endpointId: id }, testMillis)
      )
    })
  return (
    <section class="card" aria-label="Check the receiver">
      <div class="try">
        <h2>Check the receiver</h2>
        <p class="soft">
          {isRunning
            ? "Sending one message after the other…"
            : "This sends eight test messages, some of them wrong on purpose. They show whether the receiver verifies signatures, and whether it handles messages that come twice or late. Only a sandbox has these checks."}
        </p>
        <div class="buttons">
          <Plain aria-disabled={isRunning} onClick={start}>
            {result === undefined ? "Run the checks" : "Run the checks again"}
          </Plain>
        </div>
        <p class="said" role="status">
          {result === undefined
            ? null
            : <Badge of={[ending(result), result.isPassed ? "ok" : "bad"]} />}
        </p>
        <FaultNote fault={fault} />
      </div>
      {result === undefined
        ? null
        : <ol>{result.checks.map((check) => <Line key={check.name} check={check} />)}</ol>}
    </section>
  )
}
