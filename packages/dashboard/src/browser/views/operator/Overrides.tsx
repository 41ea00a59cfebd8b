/** Overrides for pages where declarations alone do not serve people well, by the patterns of paths. */
import type {
  DeliveryView,
  EndpointView,
  MessageRecordView,
  TestView
} from "@dockline/core/operator/OperatorView"
import type { ComponentChildren, ComponentType } from "preact"
import { perform } from "../../api/operator.ts"
import type { Row } from "../../api/operator.ts"
import { href } from "../../router.ts"
import { amount, counted } from "../../ui/amounts.ts"
import type { Column } from "../../ui/lists.tsx"
import { Badge, over, Plain, Time } from "../../ui/Parts.tsx"
import type { Toned } from "../../ui/tables.ts"
import { FieldMapPreview } from "./FieldMap.tsx"
import type { Outcome } from "./Outcome.tsx"
import { addressOf } from "./Resource.ts"
import { factOf, passages, valueOf, wordIn } from "./Value.tsx"

/** The differences from the page that declarations give. */
interface Override {
  readonly lead?: string | ((row: Row) => string)
  readonly empty?: readonly [title: string, words: string]
  /** The noun for the entries of a list that is replaced as a whole. */
  readonly noun?: string
  /** The views of a list in place of its filters, each with its query, and its text when it is empty. */
  readonly views?: Readonly<
    Record<string, readonly [label: string, queries: ReadonlyArray<Row>, empty: Override["empty"]]>
  >
  /** The columns of a list of its own, or of one in a view. */
  columns?(
    of: { readonly path: string; readonly view: Row; readonly outcome: Outcome }
  ): ReadonlyArray<Column<Row>>
  order?(one: Row, other: Row): number
  badges?(row: Row): ComponentChildren
  facts?(row: Row): ReadonlyArray<readonly [name: string, value: ComponentChildren]>
  links?(path: string): ComponentChildren
  /** The words among which an operation lets readers choose. */
  words?(row: Row): ReadonlyArray<string>
  /** Whether it runs without confirmation. */
  readonly isHarmless?: boolean
  /** A component beside a view and its form, which shows the present input. */
  readonly Beside?: ComponentType<{ readonly path: string; readonly value: unknown }>
}

// Rows have the fields that their operations declare.
const endpointIn = (row: Row): EndpointView => row as Row & EndpointView
const deliveryIn = (row: Row): DeliveryView => row as Row & DeliveryView
const recordIn = (row: Row): MessageRecordView => row as Row & MessageRecordView
const passageIn = (row: Row): MessageRecordView["endpoints"][number] =>
  row as Row & MessageRecordView["endpoints"][number]
const testIn = (row: Row): TestView => row as Row & TestView

const reasons: Readonly<Record<EndpointView["disabledReason"], string>> = {
  "": "Disabled",
  OPERATOR: "Disabled by an operator",
  GONE: "Disabled: it answered 410",
  FAILING: "Disabled: it failed for 5 days"
}

const conditionOf = (row: Row): Toned => {
  const { backlog, disabledReason, enabled, failingSince, login } = endpointIn(row)
  if (!enabled) return [reasons[disabledReason], disabledReason === "OPERATOR" ? "none" : "bad"]
  if (login !== null) return ["Waits for its login", "bad"]
  if (failingSince !== null) return ["Failing", "bad"]
  return backlog > 100 ? ["Behind", "warn"] : ["Delivering", "ok"]
}

const tones = ["bad", "warn", "ok", "none"]

const Condition = ({ row }: { readonly row: Row }) => <Badge of={conditionOf(row)} />

const placeOf = ({ business, facility }: EndpointView): string =>
  facility === null ? `${business}, all facilities` : `${business}/${facility}`

/** The number of waiting messages: the service counts up to a thousand. */
const backlogOf = ({ backlog }: EndpointView): string => backlog >= 1000 ? "1,000 or more" : String(backlog)

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

/** The facts about an endpoint: some fields in words, and the others unchanged. */
const endpointFacts = (row: Row) => {
  const endpoint = endpointIn(row)
  return [
    ["Messages of", placeOf(endpoint)],
    ["Waiting", backlogOf(endpoint)],
    factOf("failingSince", row),
    ["Messages", valueOf("messageTypes", row)],
    ["Authentication", wordIn("type", endpoint.authentication.type)],
    factOf("headers", row),
    ["Requests", endpoint.ratePerSecond === 0 ? "" : `At most ${endpoint.ratePerSecond} a second`],
    ["Signatures", endpoint.signatures.includes("v1a") ? "Also by keys of the service" : ""],
    ["Payload profile", endpoint.payloadProfile === "dockline" ? "" : endpoint.payloadProfile],
    ["Signing", signing(endpoint)],
    [`Its login failed ${counted(endpoint.login?.failures ?? 0, "time")}`, endpoint.login?.error ?? ""],
    ["To judge", endpoint.warnings.join(" ")]
  ] as const
}

/** The outcome of an attempt, in a few words. */
const outcomeOf = ({ error, status }: Pick<TestView, "error" | "status">): string =>
  status === null ? error || "No answer" : `Answered ${status}${error === "" ? "" : `: ${error}`}`

const attempt = (last: DeliveryView["attempts"][number] | null | undefined) =>
  last && (
    <>
      {outcomeOf(last)}, <Time time={last.at} near />
    </>
  )

const nextAttempt = (time: string | null) =>
  time && (
    <>
      Next attempt <Time time={time} near />
    </>
  )

/** Orders deliveries: first those given up, then those that were tried, then those that wait for others. */
const byUrgency = (one: Row, other: Row): number => {
  const urgencyOf = ({ attempts, status }: DeliveryView): number =>
    status === "DEAD" ? 0 : status === "PENDING" && attempts.length > 0 ? 1 : 2
  const [first, second] = [deliveryIn(one), deliveryIn(other)]
  return urgencyOf(first) - urgencyOf(second) || second.messageId - first.messageId
}

const endpoints = "/v1/operator/webhook-endpoints"
const endpoint = `${endpoints}/:endpointId`
const deliveries = `${endpoint}/deliveries`
const business = "/v1/operator/businesses/:slug"
const message = `${business}/messages/:messageId`

const deliveryPath = (endpointId: string, id: string | number): string =>
  href(addressOf(`${endpoints}/${endpointId}/deliveries/${id}`))

/** Sends a message to an endpoint once more, or for the first time. */
const Deliver = ({ id, outcome, row }: {
  readonly row: Row
  readonly id: number
  readonly outcome: Outcome
}) => {
  const { baseUrl, endpointId, state } = passageIn(row)
  if (state === "QUEUED" || state.startsWith("OTHER")) return null
  const path = `${endpoints}/${endpointId}`
  const deliver = (): Promise<unknown> =>
    state === "NOT_SENT"
      ? perform("POST", `${path}/replay`, { fromId: id, toId: id })
      : perform("POST", `${path}/deliveries/${id}/replay`)
  return (
    <Plain
      of={`to ${baseUrl}`}
      onClick={() => outcome.act(deliver, `Message ${id} will be delivered to ${baseUrl}.`)}
    >
      {state === "NOT_SENT" ? "Deliver" : "Deliver again"}
    </Plain>
  )
}

const overrides: Readonly<Record<string, Override>> = {
  "/v1/operator/audit": {
    lead: "What operators have changed, newest first. Entries are kept for a year.",
    empty: [
      "No change is recorded",
      "Changes to businesses, places, clients, people and endpoints appear here."
    ],
    columns: () => [
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
  [`${business}/field-map`]: {
    lead: "Which labels of pallets the messages of the business carry, and under which names.",
    noun: "fields",
    Beside: FieldMapPreview
  },
  [message]: {
    lead: (row) => {
      const all = recordIn(row).endpoints
      const count = all.filter(({ state }) => state === "DELIVERED").length
      if (all.length === 0) return "The business has no endpoint: nobody gets its messages."
      return count === 0
        ? "No endpoint has it."
        : `${amount(count)} of ${counted(all.length, "endpoint")} ${count === 1 ? "has" : "have"} it.`
    }
  },
  [`${message}/endpoints`]: {
    columns: ({ outcome, view }) => [
      [
        "Address",
        (row) => <a href={href(`/webhooks/${passageIn(row).endpointId}`)}>{passageIn(row).baseUrl}</a>,
        "main wide"
      ],
      ["State", (row) => <Badge of={passages[passageIn(row).state] ?? ["", "none"]} />, "wide"],
      ["Why", (row) => over(passageIn(row).reason, nextAttempt(passageIn(row).nextAttemptAt) ?? ""), "wide"],
      ["Last attempt", (row) => {
        const { endpointId, lastAttempt } = passageIn(row)
        return lastAttempt && <a href={deliveryPath(endpointId, recordIn(view).id)}>{attempt(lastAttempt)}</a>
      }, "wide"],
      ["Change", (row) => <Deliver row={row} id={recordIn(view).id} outcome={outcome} />, "number wide"]
    ],
    order: (one, other) => {
      const [first, second] = [one, other].map((row) => Object.keys(passages).indexOf(passageIn(row).state))
      return first! - second!
    }
  },
  [endpoints]: {
    lead:
      "At these addresses customers receive messages as they happen. Endpoints that need attention come first.",
    empty: [
      "No endpoint receives webhooks yet",
      "Create an endpoint: Dockline then sends each message to the customer's server as it happens."
    ],
    columns: () => [
      [
        "Address",
        (row) => <a href={href(`/webhooks/${endpointIn(row).id}`)}>{endpointIn(row).baseUrl}</a>,
        "main wide"
      ],
      ["Condition", (row) => <Condition row={row} />, "wide"],
      ["Messages of", (row) => placeOf(endpointIn(row))],
      ["Waiting", (row) => backlogOf(endpointIn(row)), "number end", "Waiting"]
    ],
    order: (one, other) => tones.indexOf(conditionOf(one)[1]) - tones.indexOf(conditionOf(other)[1])
  },
  [endpoint]: {
    badges: (row) => <Condition row={row} />,
    facts: endpointFacts
  },
  [deliveries]: {
    views: {
      open: ["Not delivered", [{ status: "DEAD" }, { status: "PENDING" }], [
        "Every message has been delivered",
        "A message appears here when the receiver has not accepted it, or while it waits for its turn."
      ]],
      delivered: ["Delivered", [{ status: "DELIVERED" }], [
        "No deliveries yet",
        "A delivery appears here with the next message."
      ]],
      all: ["All", [{}], ["No deliveries yet", "A delivery appears here with the next message."]]
    },
    columns: ({ path }) => [
      [
        "Message",
        (row) => {
          const { id, messageType } = deliveryIn(row)
          return over(
            <a href={href(addressOf(`${path}/${id}`))}>Message {id}</a>,
            wordIn("messageType", messageType)
          )
        },
        "main nowrap"
      ],
      ["State", (row) => valueOf("status", row)],
      ["Shipment", (row) => valueOf("shipmentId", row), "wide nowrap", "Shipment"],
      ["Last attempt", (row) => {
        const { attempts, nextAttemptAt, status } = deliveryIn(row)
        const next = nextAttempt(nextAttemptAt) ??
          (status === "PENDING" ? "Waits for an earlier message of its shipment" : "")
        return over(attempt(attempts.at(-1)) ?? "Not tried yet", next)
      }, "wide"]
    ],
    order: byUrgency
  },
  [`${deliveries}/:deliveryId/replay`]: { isHarmless: true },
  [`${deliveries}/:deliveryId/attempts`]: {
    order: (one, other) => String(one["at"]) < String(other["at"]) ? 1 : -1
  },
  [`${endpoint}/test`]: {
    words: (row) => endpointIn(row).messageTypes,
    facts: (row) => {
      const { durationMs, isTaken, remedy } = testIn(row)
      const words = outcomeOf(testIn(row))
      const result = `${isTaken ? "Taken" : "Not taken"}: ${words.charAt(0).toLowerCase()}${words.slice(1)}`
      return [
        ["Result", <Badge of={[result, isTaken ? "ok" : "bad"]} />],
        ["After", `${durationMs} ms`],
        ["What to do", remedy]
      ]
    }
  }
}

export const overrideOf = (pattern: string): Override => overrides[pattern] ?? {}
