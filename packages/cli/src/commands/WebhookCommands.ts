/**
 * `dockline webhook`: the endpoints of customers.
 */
import { operatorOperations, operatorOperationsOf } from "@dockline/core/operator/OperatorOperations"
import type { OperatorOperations } from "@dockline/core/operator/OperatorOperations"
import type { DeliveryView, EndpointView } from "@dockline/core/operator/OperatorView"
import { defaultSchemes } from "@dockline/core/webhooks/WebhookEndpoint"
import { Effect, Option, Redacted, Stream } from "effect"
import { Command } from "effect/cli"
import * as Arguments from "../Arguments.ts"
import { about, noun } from "../Arguments.ts"
import { NotTaken, wrongUsage } from "../Failure.ts"
import type { MessageWords } from "../follow/Following.ts"
import * as Output from "../Output.ts"
import * as Pages from "../Pages.ts"
import { call } from "../ServiceCalls.ts"
import { cellText, tableOf } from "../Table.ts"
import type { Column, Columns } from "../Table.ts"
import * as DerivedCommand from "./DerivedCommand.ts"
import { commandOf, Conditional, listCommand } from "./DerivedCommand.ts"
import * as EndpointFlags from "./EndpointFlags.ts"
import { certifyWith } from "./ReceiverCommands.ts"
import * as SecretInput from "./SecretInput.ts"

const { deleteWebhookEndpoint, getWebhookEndpoint } = operatorOperations
const { listWebhookEndpoints, rotateSigningSecret, updateWebhookEndpoint } = operatorOperations

/** Accepts any name: only the service knows its profiles. */
const payloadProfile = Arguments.text(
  "payload-profile",
  "How the fields of messages are named; dockline is the contract's"
)

const once = "Give the signing secret to the customer now: the service shows it only once."

const endpointColumns: ReadonlyArray<Column<EndpointView>> = [
  "id",
  "business",
  ["facility", ({ facility }) => facility ?? "*"],
  "baseUrl",
  ["messages", "messageTypes"],
  ["auth", ({ authentication }) => authentication.type],
  ["state", ({ disabledReason, enabled }) => (enabled ? "enabled" : `disabled (${disabledReason})`)],
  ["waiting", "backlog"]
]

const createBy = (operations: OperatorOperations) =>
  commandOf("create", operations.createWebhookEndpoint, {
    description: "Create a webhook endpoint; its signing secret is shown once",
    arguments: ["business"],
    fields: [
      "business",
      "facility",
      "baseUrl",
      "messageTypes",
      "ratePerSecond",
      "signatures",
      "payloadProfile",
      "enabled",
      "fromId"
    ],
    flags: {
      signatures: "signature",
      messageTypes: "message",
      payloadProfile,
      enabled: Arguments.isEnabled("Messages wait until it is enabled")
    },
    more: {
      authentication: EndpointFlags.authenticationFlags,
      headers: EndpointFlags.headerFlags,
      signingSecret: SecretInput.flags("signing-secret")
    },
    body: Effect.fnUntraced(function*(body, more) {
      const authentication = yield* EndpointFlags.authenticationForNew(more.authentication)
      const headers = yield* EndpointFlags.headersForNew(more.headers)
      const secret = yield* SecretInput.secretOf("signing-secret", more.signingSecret)
      return {
        ...body,
        authentication,
        ...(headers.length === 0 ? {} : { headers }),
        ...(Option.isSome(secret) ? { signingSecret: Redacted.value(secret.value) } : {})
      }
    }),
    done: (_, { warnings }) => Output.done([...warnings, once].join("\n")),
    examples: [
      "dockline webhook create acme --base-url https://wms.acme.example --auth none",
      "dockline webhook create acme --facility east --message PALLET_EVENT --base-url https://wms.acme.example --auth basic --username dockline  # The password is asked for; --password-env or --password-file take it from elsewhere"
    ]
  })

const updateBy = (operations: OperatorOperations) =>
  commandOf("update", operations.updateWebhookEndpoint, {
    description:
      "Change a webhook endpoint; settings without a flag stay. With another address the password is asked for again: " +
      "a stored password is never sent to another address",
    fields: ["baseUrl", "messageTypes", "ratePerSecond", "signatures", "payloadProfile"],
    flags: { messageTypes: "message", payloadProfile, signatures: "signature" },
    more: { authentication: EndpointFlags.authenticationFlags, headers: EndpointFlags.headerChangeFlags },
    body: Effect.fnUntraced(function*(patch, { authentication, headers }, params) {
      const isGiven = EndpointFlags.hasAuthentication(authentication)
      const hasHeaders = EndpointFlags.hasHeaders(headers)
      if (!isGiven && !hasHeaders && Object.keys(patch).length === 0) {
        return yield* wrongUsage(
          "Say what to change: --base-url, --message, --rate-per-second, --signature, --payload-profile, headers, \
--auth or its settings"
        )
      }
      const { baseUrl } = patch
      if (!isGiven && !hasHeaders && baseUrl === undefined) return patch
      const { headers: read, value } = yield* call(getWebhookEndpoint, { params })
      const authenticationChange = yield* EndpointFlags.authenticationForChange(
        authentication,
        baseUrl,
        value
      )
      const body = {
        ...patch,
        ...(authenticationChange === undefined ? {} : { authentication: authenticationChange }),
        ...(hasHeaders ? { headers: yield* EndpointFlags.headersForChange(headers, value) } : {})
      }
      return new Conditional({ body, etag: read["etag"] })
    }),
    examples: [
      "dockline webhook update 1 --base-url https://new.acme.example",
      "dockline webhook update 1 --password-file new-password.txt  # Its new password",
      "dockline webhook update 1 --header-env X-Api-Key=API_KEY --rate-per-second 50"
    ]
  })

/** `dockline webhook`, for endpoints with these types of messages, and the commands that check their receivers. */
export const webhookWith = (words: MessageWords) => {
  const operations = operatorOperationsOf(defaultSchemes, words.ofService)
  return noun("webhook", "Webhook endpoints: where customers take messages", [
    listCommand("list", listWebhookEndpoints, {
      columns: endpointColumns,
      examples: ["dockline webhook list"]
    }),
    commandOf("show", getWebhookEndpoint, { examples: ["dockline webhook show 1"] }),
    createBy(operations),
    updateBy(operations),
    commandOf("enable", updateWebhookEndpoint, {
      description: "Deliver again; waiting messages are delivered in order",
      fields: [],
      body: () => Effect.succeed({ enabled: true }),
      examples: ["dockline webhook enable 1"]
    }),
    commandOf("disable", updateWebhookEndpoint, {
      description: "Stop delivering; messages wait",
      fields: [],
      body: () => Effect.succeed({ enabled: false }),
      examples: ["dockline webhook disable 1"]
    }),
    commandOf("delete", deleteWebhookEndpoint, {
      question: (params) =>
        Effect.map(
          call(getWebhookEndpoint, { params }),
          ({ value: { baseUrl, business, id } }) =>
            `Delete webhook endpoint ${id} (${business}, ${baseUrl}) and its record of deliveries?`
        ),
      done: ({ endpointId }) => Output.done(`Deleted webhook endpoint ${endpointId}.`),
      examples: ["dockline webhook delete 1 --yes"]
    }),
    commandOf("rotate-secret", rotateSigningSecret, {
      done: () => Output.done(`${once} The previous secret also signs for 24 hours.`),
      examples: ["dockline webhook rotate-secret 1"]
    }),
    commandOf("test", operations.testWebhookEndpoint, {
      flags: { messageType: "message" },
      done: (_, { isTaken, webhookId }) =>
        isTaken
          ? Output.done(`The endpoint has taken ${webhookId}.`)
          : Effect.fail(new NotTaken({ message: "The endpoint has not accepted the test message" })),
      examples: [
        "dockline webhook test 1",
        "dockline webhook test 1 --message SHIPMENT_COMPLETE  # A departure"
      ]
    }),
    certifyWith(words)
  ])
}

const { getDelivery, getMessage, listDeliveries, replayDeliveries, replayDelivery } = operatorOperations

type AttemptView = DeliveryView["attempts"][number]

const outcome = (attempt: AttemptView | undefined): string =>
  attempt === undefined ? "-" : `${attempt.status ?? ""} ${attempt.error}`.trim()

const deliveryColumns = tableOf(listDeliveries, [
  "id",
  ["message", "messageType"],
  "shipmentId",
  "status",
  ["tries", "attempts"],
  ["last try", "lastAttemptAt"],
  ["answer", ({ attempts }) => outcome(attempts.at(-1))],
  ["next try", "nextAttemptAt"]
])

/** Columns of attempts, each with the id of its delivery. */
const attemptColumns: Columns<AttemptView & { readonly delivery: string }> = {
  delivery: ({ delivery }) => delivery,
  at: ({ at }) => at,
  took: ({ durationMs }) => `${durationMs} ms`,
  answer: outcome,
  body: ({ response }) => cellText(response)
}

const list = Command.make(
  "list",
  {
    params: DerivedCommand.pathArguments(listDeliveries),
    only: DerivedCommand.flagsOf(listDeliveries.filters, {}),
    attempts: Arguments.switchFlag("attempts", "Show each attempt on its own line"),
    extent: Pages.flags(listDeliveries)
  },
  Effect.fnUntraced(function*({ attempts, extent, only, params }) {
    const rows = Pages.read(listDeliveries, { params, query: DerivedCommand.presentValues(only) }, extent)
    if (!attempts) return yield* Output.list(rows, deliveryColumns, "No deliveries.")
    if (extent.csv) return yield* wrongUsage("--csv only counts attempts: leave --attempts out")
    const pages = Stream.map(rows.pages, (page) => ({
      ...page,
      items: page.items.flatMap(({ attempts, id }) =>
        attempts.map((attempt) => ({ ...attempt, delivery: id }))
      )
    }))
    yield* Output.list({ pages }, attemptColumns, "No attempts.")
  })
).pipe(
  about(
    "List the deliveries of a webhook endpoint, the newest message first",
    "dockline delivery list 1 --status DEAD",
    "dockline delivery list 1 --attempts --limit 10  # What the customer answered"
  )
)

/**
 * `dockline delivery`: the delivery record of an endpoint, and replays.
 */
export const delivery = noun(
  "delivery",
  "Deliveries of messages to a webhook endpoint",
  [
    list,
    commandOf("show", getDelivery, { examples: ["dockline delivery show 1 4711"] }),
    commandOf("of-message", getMessage, { examples: ["dockline delivery of-message acme 4711"] }),
    commandOf("replay", replayDelivery, {
      done: ({ deliveryId }) => Output.done(`Delivery ${deliveryId} is pending again.`),
      examples: ["dockline delivery replay 1 4711"]
    }),
    commandOf("replay-range", replayDeliveries, {
      body: (body) => {
        const bounds = Object.keys(body).join()
        return bounds === "fromId,toId" || bounds === "from,to"
          ? Effect.succeed(body)
          : Effect.fail(wrongUsage("Give the range as --from-id and --to-id, or as --from and --to"))
      },
      examples: [
        "dockline delivery replay-range 1 --from-id 4000 --to-id 4711",
        "dockline delivery replay-range 1 --from 2026-11-20T06:00:00Z --to 2026-11-20T18:00:00Z"
      ]
    })
  ]
)
