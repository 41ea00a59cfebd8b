/** The webhook endpoints of an operator, with those that need attention first. */
import type { EndpointView } from "@dockline/core/operator/OperatorView"
import { useState } from "preact/hooks"
import { href } from "../../../router.ts"
import { businessOptions, facilityOptions, mayHaveMore, session } from "../../../session.ts"
import { webhookName, webhookTypes } from "../../../ui/messageKinds.ts"
import { Badge } from "../../../ui/Parts.tsx"
import type { Toned } from "../../../ui/tables.ts"
import type { Differing } from "../Field.tsx"
import { Listing, Secret } from "../Parts.tsx"

/** What an endpoint gets unless other types are chosen, as the command line has it. */
const defaultTypes = ["PALLET_EVENT"]

/** The choices of the form of an endpoint. */
export const choices = (): Readonly<Record<string, Differing>> => ({
  messageTypes: { label: "Messages", options: webhookTypes().map((type) => [type, webhookName(type)]) },
  // No limit.
  ratePerSecond: { emptied: 0 },
  payloadProfile: { options: (session.value?.payloadProfiles ?? []).map((name) => [name, name]) }
})

const placeChoices = (business: unknown): Readonly<Record<string, Differing>> => {
  const [businesses, facilities] = [businessOptions(), facilityOptions(business)]
  return mayHaveMore.value
    ? {
      business: { proposed: businesses },
      facility: { proposed: facilities, hint: "Leave it empty for all facilities." }
    }
    : {
      business: { options: businesses, hint: "" },
      facility: { options: [["", "All facilities"], ...facilities], hint: "" }
    }
}

const reasons: Readonly<Record<EndpointView["disabledReason"], string>> = {
  "": "Disabled",
  OPERATOR: "Disabled by an operator",
  GONE: "Disabled: it answered 410",
  FAILING: "Disabled: it failed for 5 days"
}

const conditionOf = (endpoint: EndpointView): Toned => {
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

export const Condition = ({ endpoint }: { readonly endpoint: EndpointView }) => (
  <Badge of={conditionOf(endpoint)} />
)

export const placeOf = ({ business, facility }: EndpointView): string =>
  facility === null ? `${business}, all facilities` : `${business}/${facility}`

export const Webhooks = () => {
  const [made, setMade] = useState<{ readonly baseUrl: string; readonly signingSecret: string }>()
  return (
    <>
      {made === undefined ? null : (
        <Secret value={made.signingSecret} close={() => setMade(undefined)}>
          Give this signing secret to the customer behind{" "}
          {made.baseUrl}: it proves that messages come from here.
        </Secret>
      )}
      <Listing
        list="GET /v1/operator/webhook-endpoints"
        title="Webhooks"
        lead="At these addresses customers receive messages as they happen. Endpoints that need attention come first."
        idOf={({ id }) => id}
        columns={() => [
          ["Address", ({ baseUrl, id }) => <a href={href(`/webhooks/${id}`)}>{baseUrl}</a>, "main wide"],
          ["Condition", (endpoint) => <Condition endpoint={endpoint} />, "wide"],
          ["Messages of", placeOf],
          ["Waiting", backlogOf, "number end", "Waiting"]
        ]}
        order={(one, other) => urgencyOf(one) - urgencyOf(other)}
        create={{
          route: "POST /v1/operator/webhook-endpoints",
          title: "Create an endpoint",
          values: {
            business: businessOptions()[0]?.[0],
            messageTypes: defaultTypes,
            authentication: { type: "none" },
            enabled: true
          },
          differing: (values) => ({ ...choices(), ...placeChoices(values["business"]) }),
          made: setMade,
          said: ({ baseUrl, warnings }) =>
            [`Messages go to ${baseUrl} as they happen. Send a test from its page.`, ...warnings].join(" ")
        }}
        empty={[
          "No endpoint receives webhooks yet",
          "Create an endpoint: Dockline then sends each message to the customer's server as it happens."
        ]}
      />
    </>
  )
}
