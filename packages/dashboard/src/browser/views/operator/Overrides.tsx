/** Where people are better served than by what declarations say: by the patterns of paths. */
import type { EndpointView } from "@dockline/core/operator/OperatorView"
import type { ComponentChildren, ComponentType } from "preact"
import type { Row } from "../../api/operator.ts"
import { href } from "../../router.ts"
import { counted } from "../../ui/amounts.ts"
import type { Column } from "../../ui/lists.tsx"
import { Badge, over, Time } from "../../ui/Parts.tsx"
import type { Toned } from "../../ui/tables.ts"
import { Deliveries, placeOf, WebhookTest } from "./Deliveries.tsx"
import { labelOf, wordIn } from "./Field.tsx"
import { FieldMap } from "./FieldMap.tsx"
import { MessageRecord } from "./MessageRecord.tsx"
import type { Outcome } from "./Outcome.tsx"
import { addressOf } from "./Resource.ts"
import type { Resource } from "./Resource.ts"
import { valueOf } from "./Value.tsx"

interface PartProps {
  readonly resource: Resource
  /** What it is a part of. */
  readonly row: Row
  readonly outcome: Outcome
}

/** What differs from what the declarations say. */
interface Override {
  readonly lead?: string
  readonly empty?: readonly [title: string, words: string]
  readonly columns?: ReadonlyArray<Column<Row>>
  order?(one: Row, other: Row): number
  badges?(row: Row): ComponentChildren
  facts?(row: Row): ReadonlyArray<readonly [name: string, value: ComponentChildren]>
  links?(path: string): ComponentChildren
  /** What stands on the page above, in place of what is drawn. */
  readonly Part?: ComponentType<PartProps>
  /** The page of it. */
  readonly Page?: ComponentType<{ readonly resource: Resource }>
}

/** An endpoint: its row has what the operation declares. */
const endpointIn = (row: Row): EndpointView => row as Row & EndpointView

const reasons: Readonly<Record<EndpointView["disabledReason"], string>> = {
  "": "Disabled",
  OPERATOR: "Disabled by an operator",
  GONE: "Disabled: it answered 410",
  FAILING: "Disabled: it failed for 5 days"
}

const conditionOf = ({ backlog, disabledReason, enabled, failingSince, login }: EndpointView): Toned => {
  if (!enabled) return [reasons[disabledReason], disabledReason === "OPERATOR" ? "none" : "bad"]
  if (login !== null) return ["Waits for its login", "bad"]
  if (failingSince !== null) return ["Failing", "bad"]
  return backlog > 100 ? ["Behind", "warn"] : ["Delivering", "ok"]
}

const urgencyOf = (row: Row): number => ["bad", "warn", "ok", "none"].indexOf(conditionOf(endpointIn(row))[1])

/** How many messages wait: the service counts up to a thousand. */
const backlogOf = ({ backlog }: EndpointView): string => backlog >= 1000 ? "1,000 or more" : String(backlog)

const Condition = ({ row }: { readonly row: Row }) => <Badge of={conditionOf(endpointIn(row))} />

const signing = ({ signingSecrets }: EndpointView) => {
  const until = signingSecrets.find(({ validUntil }) => validUntil !== null)?.validUntil
  return until
    ? (
      <>
        Two secrets sign the deliveries; the older one until <Time time={until} />
      </>
    )
    : ""
}

/** What there is to know of an endpoint: the fields that say it, in words, and others as they are. */
const endpointFacts = (row: Row) => {
  const endpoint = endpointIn(row)
  const field = (name: keyof EndpointView) => [labelOf(name), valueOf(name, row)] as const
  return [
    ["Messages of", placeOf(endpoint)],
    ["Waiting", backlogOf(endpoint)],
    field("failingSince"),
    ["Messages", valueOf("messageTypes", row)],
    ["Authentication", wordIn("type", endpoint.authentication.type)],
    field("headers"),
    ["Requests", endpoint.ratePerSecond === 0 ? "" : `At most ${endpoint.ratePerSecond} a second`],
    ["Signatures", endpoint.signatures.includes("v1a") ? "Also by keys of the service" : ""],
    ["Payload profile", endpoint.payloadProfile === "dockline" ? "" : endpoint.payloadProfile],
    ["Signing", signing(endpoint)],
    [`Its login failed ${counted(endpoint.login?.failures ?? 0, "time")}`, endpoint.login?.error ?? ""],
    ["To judge", endpoint.warnings.join(" ")]
  ] as const
}

const endpoints = "/v1/operator/webhook-endpoints"
const endpoint = `${endpoints}/:endpointId`
const business = "/v1/operator/businesses/:slug"

const overrides: Readonly<Record<string, Override>> = {
  "/v1/operator/audit": {
    lead: "What operators have changed, newest first. Entries are kept for a year.",
    empty: [
      "No change is recorded",
      "Changes to businesses, places, clients, people and endpoints appear here."
    ],
    columns: [
      ["Change", (row) => valueOf("action", row), "main"],
      ["When", (row) => <Time time={String(row["at"])} near />, "number end"],
      ["Subject", (row) => [valueOf("subject", row), valueOf("details", row)], "wide"],
      [
        "By",
        (row) => over(String(row["clientId"]), row["address"] ? `from ${String(row["address"])}` : ""),
        "wide"
      ]
    ]
  },
  "/v1/operator/businesses": {
    lead:
      "These are the customers of the service. Each has its facilities, its docks and its messages, apart from the others."
  },
  "/v1/operator/clients": {
    lead: "These programs may use the interfaces, each with the permissions that its grants name."
  },
  "/v1/operator/people": {
    lead: "These people can sign in with the OpenID Connect provider of the service.",
    empty: [
      "Nobody can sign in with the provider yet",
      "Add a person by the e-mail address that the provider has verified, or by their subject, which the sign-in page shows to people who have not been added."
    ]
  },
  [`${business}/facilities/:facility`]: {
    links: (path) => {
      const [, , , , slug, , facility] = path.split("/")
      return <a class="button" href={href(`/docks?at=${slug}/${facility}`)}>To its board</a>
    }
  },
  [`${business}/field-map`]: { Page: FieldMap },
  [`${business}/messages/:messageId`]: { Page: MessageRecord },
  [endpoints]: {
    lead:
      "At these addresses customers receive messages as they happen. Endpoints that need attention come first.",
    empty: [
      "No endpoint receives webhooks yet",
      "Create an endpoint: Dockline then sends each message to the customer's server as it happens."
    ],
    columns: [
      [
        "Address",
        (row) => <a href={href(addressOf(`${endpoints}/${String(row["id"])}`))}>{String(row["baseUrl"])}</a>,
        "main wide"
      ],
      ["Condition", (row) => <Condition row={row} />, "wide"],
      ["Messages of", (row) => placeOf(endpointIn(row))],
      ["Waiting", (row) => backlogOf(endpointIn(row)), "number end", "Waiting"]
    ],
    order: (one, other) => urgencyOf(one) - urgencyOf(other)
  },
  [endpoint]: {
    badges: (row) => <Condition row={row} />,
    facts: endpointFacts
  },
  [`${endpoint}/deliveries`]: { Part: ({ row }) => <Deliveries endpoint={endpointIn(row)} /> },
  [`${endpoint}/test`]: { Part: ({ row }) => <WebhookTest endpoint={endpointIn(row)} /> }
}

export const overrideOf = (pattern: string): Override => overrides[pattern] ?? {}
