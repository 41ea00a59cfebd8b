/** The webhook endpoints of an operator, with those that need attention first. */
import { call, readAll } from "../../api/operator.ts"
import type { EndpointView } from "../../api/operator.ts"
import { href } from "../../router.ts"
import { Download } from "../../ui/Download.tsx"
import { useLive, useLoaded } from "../../ui/loaded.ts"
import { Empty, Heads, Loaded } from "../../ui/Parts.tsx"

const reasons: Readonly<Record<EndpointView["disabledReason"], string>> = {
  "": "Disabled",
  OPERATOR: "Disabled by an operator",
  GONE: "Disabled: it answered 410",
  FAILING: "Disabled: it failed for 5 days"
}

/** The condition of an endpoint in words, with its tone. */
export const conditionOf = (
  endpoint: EndpointView
): readonly [words: string, tone: "ok" | "warn" | "bad" | "none"] => {
  if (!endpoint.enabled) {
    return [reasons[endpoint.disabledReason], endpoint.disabledReason === "OPERATOR" ? "none" : "bad"]
  }
  if (endpoint.login !== null) return ["Waits for its login", "bad"]
  if (endpoint.failingSince !== null) return ["Failing", "bad"]
  return endpoint.backlog > 100 ? ["Behind", "warn"] : ["Delivering", "ok"]
}

/** How many messages wait: the service counts up to a thousand. */
export const backlogOf = ({ backlog }: EndpointView): string =>
  backlog >= 1000 ? "1,000 or more" : String(backlog)

const urgencyOf = (endpoint: EndpointView): number =>
  ["bad", "warn", "ok", "none"].indexOf(conditionOf(endpoint)[1])

/** The badge of an endpoint. */
export const Condition = ({ endpoint }: { readonly endpoint: EndpointView }) => {
  const [words, tone] = conditionOf(endpoint)
  return <span class="badge" data-tone={tone}>{words}</span>
}

/** Where an endpoint's messages come from. */
export const placeOf = ({ business, facility }: EndpointView): string =>
  facility === null ? `${business}, all facilities` : `${business}/${facility}`

const Table = ({ shown }: { readonly shown: ReadonlyArray<EndpointView> }) => (
  <table class="table rows cards">
    <Heads names={["Address", "Condition", "Messages of", ["Waiting"]]} />
    <tbody>
      {shown.toSorted((one, other) => urgencyOf(one) - urgencyOf(other)).map((endpoint) => (
        <tr key={endpoint.id}>
          <td class="main wide">
            <a href={href(`/webhooks/${endpoint.id}`)}>{endpoint.baseUrl}</a>
          </td>
          <td class="wide">
            <Condition endpoint={endpoint} />
          </td>
          <td>{placeOf(endpoint)}</td>
          <td class="number end" data-label="Waiting">{backlogOf(endpoint)}</td>
        </tr>
      ))}
    </tbody>
  </table>
)

export const Webhooks = () => {
  const state = useLoaded(
    "webhooks",
    () => readAll((page) => call("GET /v1/operator/webhook-endpoints", page))
  )
  useLive(undefined, {}, state.reload)
  return (
    <>
      <div class="view-head">
        <h1>Webhooks</h1>
        <Download name="webhook-endpoints" paths={["/api/v1/operator/webhook-endpoints"]} />
      </div>
      <Loaded state={state}>
        {(value) => (
          <section class="card">
            {value.length > 0 ? <Table shown={value} /> : (
              <Empty title="No endpoint receives webhooks yet">
                <p>
                  <code>dockline webhook create</code> or <code>POST /v1/operator/webhook-endpoints</code>
                  {" "}
                  makes one. Dockline then sends each message to the customer's server as it happens.
                </p>
              </Empty>
            )}
          </section>
        )}
      </Loaded>
    </>
  )
}
