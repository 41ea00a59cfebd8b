/**
 * `dockline webhook`: the endpoints of customers.
 */
import { defects } from "@dockline/core/internal/webhooks/Defect"
import { messageTypes } from "@dockline/core/Vocabulary"
import { Effect, Option, Redacted } from "effect"
import { Command, Flag } from "effect/cli"
import { about } from "../About.ts"
import * as Arguments from "../Arguments.ts"
import * as Authentication from "../Authentication.ts"
import { TestFailed, WrongUsage } from "../Failure.ts"
import { full, webhookEndpoints } from "../OperatorConnection.ts"
import * as Output from "../Output.ts"
import * as Pages from "../Pages.ts"
import { confirm } from "../Question.ts"
import * as SecretInput from "../SecretInput.ts"
import * as ShownColumns from "../text/ShownColumns.ts"

const once = "Give the signing secret to the customer now: the service shows it this once."

const messages = Flag.Literals("message", messageTypes).pipe(
  Flag.withDescription("A type of messages that it gets; all of them when absent"),
  Flag.atLeast(0)
)

const params = { endpointId: Arguments.endpoint }

const list = Command.make(
  "list",
  Pages.flags,
  (extent) =>
    Pages.pages(extent, (query) => webhookEndpoints((api) => api.listWebhookEndpoints({ query, ...full })))
      .pipe(Output.list(ShownColumns.endpoints, "No webhook endpoints."))
).pipe(about("List the webhook endpoints of the businesses that you operate", "dockline webhook list"))

const show = Command.make(
  "show",
  params,
  (params) =>
    webhookEndpoints((api) => api.getWebhookEndpoint({ params, ...full })).pipe(
      Output.record(ShownColumns.endpoint)
    )
).pipe(about("Show a webhook endpoint: how far it has got, and what holds it up", "dockline webhook show 1"))

const createFlags = {
  business: Arguments.business,
  facility: Arguments.text("facility", "Only messages of this facility; of all when absent"),
  baseUrl: Flag.String("base-url").pipe(
    Flag.withDescription(
      "Where the customer takes messages, at /api/palletEvent and /api/shipmentComplete under it"
    )
  ),
  messages,
  authentication: Authentication.flags,
  signingSecret: SecretInput.flags("signing-secret"),
  disabled: Arguments.isSet("disabled", "Messages wait until it is enabled"),
  fromId: Flag.Int("from-id").pipe(
    Flag.withDescription("Id of the first message that it gets; those from now on when absent"),
    Flag.optional
  )
}

const create = Command.make("create", createFlags, (input) =>
  Effect.gen(function*() {
    const authentication = yield* Authentication.forNew(input.authentication)
    const signingSecret = yield* SecretInput.given("signing-secret", input.signingSecret)
    const payload = {
      business: input.business,
      ...Arguments.ifGiven("facility", input.facility),
      baseUrl: input.baseUrl,
      messageTypes: input.messages.length === 0 ? messageTypes : input.messages,
      authentication,
      ...Arguments.ifGiven("signingSecret", Option.map(signingSecret, Redacted.value)),
      enabled: !input.disabled,
      ...Arguments.ifGiven("fromId", input.fromId)
    }
    yield* webhookEndpoints((api) => api.createWebhookEndpoint({ headers: {}, payload, ...full })).pipe(
      Output.revealed(ShownColumns.newEndpoint, once)
    )
  })).pipe(
    about(
      "Create a webhook endpoint; its signing secret is shown once",
      "dockline webhook create acme --base-url https://wms.acme.example --auth none",
      {
        command: "dockline webhook create acme --facility east --message PALLET_EVENT " +
          "--base-url https://wms.acme.example --auth basic --username dockline",
        description: "The password is asked for; --password-env or --password-file take it from elsewhere"
      }
    )
  )

interface Change {
  readonly baseUrl?: string
  readonly messageTypes?: ReadonlyArray<(typeof messageTypes)[number]>
  readonly authentication?: Authentication.AuthenticationInput
  readonly enabled?: boolean
}

const change = (endpointId: string, payload: Change) =>
  webhookEndpoints((api) =>
    api.updateWebhookEndpoint({ params: { endpointId }, headers: {}, payload, ...full })
  ).pipe(Output.record(ShownColumns.endpoint))

const updateFlags = {
  ...params,
  baseUrl: Arguments.text("base-url", "Where the customer takes messages from now on"),
  messages: messages.pipe(Flag.withDescription("A type of messages that it gets, in place of those it got")),
  authentication: Authentication.flags
}

const update = Command.make(
  "update",
  updateFlags,
  ({ authentication, baseUrl, endpointId, messages }) =>
    Effect.gen(function*() {
      const isGiven = Authentication.isGiven(authentication)
      if (!isGiven && Option.isNone(baseUrl) && messages.length === 0) {
        return yield* new WrongUsage({
          message: "Say what to change: --base-url, --message, --auth or its settings"
        })
      }
      const present = webhookEndpoints((api) => api.getWebhookEndpoint({ params: { endpointId }, ...full }))
      const changed = isGiven || Option.isSome(baseUrl)
        ? yield* Authentication.forChange(authentication, baseUrl, (yield* present).value)
        : undefined
      yield* change(endpointId, {
        ...Arguments.ifGiven("baseUrl", baseUrl),
        ...(messages.length === 0 ? {} : { messageTypes: messages }),
        ...(changed === undefined ? {} : { authentication: changed })
      })
    })
).pipe(
  about(
    "Change a webhook endpoint; what is not given stays. With another address the password is asked for again: " +
      "a stored one goes to no other address than it was given for",
    "dockline webhook update 1 --base-url https://new.acme.example",
    { command: "dockline webhook update 1 --password-file new-password.txt", description: "Its new password" }
  )
)

const enable = Command.make("enable", params, ({ endpointId }) => change(endpointId, { enabled: true })).pipe(
  about("Deliver again; what has waited is delivered in order", "dockline webhook enable 1")
)

const disable = Command.make("disable", params, ({ endpointId }) => change(endpointId, { enabled: false }))
  .pipe(about("Deliver nothing for now; messages wait", "dockline webhook disable 1"))

const remove = Command.make(
  "delete",
  { ...params, yes: Arguments.yes },
  ({ yes, ...params }) =>
    Effect.gen(function*() {
      if (!yes) {
        const { value } = yield* webhookEndpoints((api) => api.getWebhookEndpoint({ params, ...full }))
        yield* confirm(
          `Delete webhook endpoint ${value.id} (${value.business}, ${value.baseUrl}) and its record of deliveries?`
        )
      }
      yield* webhookEndpoints((api) => api.deleteWebhookEndpoint({ params, headers: {}, ...full }))
      yield* Output.done(`Deleted webhook endpoint ${params.endpointId}.`)
    })
).pipe(
  about(
    "Delete a webhook endpoint and its record of deliveries; the messages stay in the log",
    "dockline webhook delete 1 --yes"
  )
)

const rotate = Command.make(
  "rotate-secret",
  params,
  (params) =>
    webhookEndpoints((api) => api.rotateSigningSecret({ params, headers: {}, ...full })).pipe(
      Output.revealed(ShownColumns.newSigningSecret, `${once} The previous secret also signs for 24 hours.`)
    )
).pipe(
  about(
    "Make a new signing secret; it is shown once, and the old one is good for 24 hours",
    "dockline webhook rotate-secret 1"
  )
)

const testFlags = {
  ...params,
  defect: Flag.Literals("defect", defects).pipe(
    Flag.withDescription("What is wrong with it on purpose; only at a sandbox"),
    Flag.optional
  ),
  again: Arguments.text("again", "webhook-id of an earlier test, which comes again; only at a sandbox"),
  message: Flag.Literals("message", messageTypes).pipe(
    Flag.withDescription("The type of the message; the first that the endpoint gets when absent"),
    Flag.optional
  )
}

const test = Command.make(
  "test",
  testFlags,
  ({ again, defect, endpointId, message }) =>
    Effect.gen(function*() {
      const payload = {
        ...Arguments.ifGiven("messageType", message),
        ...Arguments.ifGiven("defect", defect),
        ...Arguments.ifGiven("webhookId", again)
      }
      const answer = yield* webhookEndpoints((api) =>
        api.testWebhookEndpoint({ params: { endpointId }, headers: {}, payload, ...full })
      )
      const { isTaken, webhookId } = answer.value
      yield* Output.record(ShownColumns.test(answer.value))(Effect.succeed(answer))
      if (!isTaken) return yield* new TestFailed({ message: "The endpoint has not taken the test message" })
      yield* Output.done(`The endpoint has taken ${webhookId}.`)
    })
).pipe(
  about(
    "Send a test message to a webhook endpoint, enabled or not, and show what was sent and what came back",
    "dockline webhook test 1",
    { command: "dockline webhook test 1 --message SHIPMENT_COMPLETE", description: "A departure" },
    {
      command: "dockline webhook test 1 --defect WRONG_SIGNATURE",
      description: "A message that a receiver should refuse, at a sandbox"
    }
  )
)

const certify = Command.make("certify", params, (params) =>
  Effect.gen(function*() {
    const { body, value } = yield* webhookEndpoints((api) =>
      api.certifyWebhookEndpoint({ params, headers: {}, ...full })
    )
    yield* Output.whole(ShownColumns.checks, "No checks.")(Effect.succeed({ body, value: value.checks }))
    for (const { detail, name, verdict } of value.checks) {
      if (detail !== "" && verdict !== "NOT_SENT") yield* Output.done(`${name}: ${detail}`)
    }
    if (!value.isPassed) {
      return yield* new TestFailed({
        message: "The receiver has not passed: mend it, and run the checks again"
      })
    }
    yield* Output.done("The receiver has passed every check that can be seen from outside.")
  })).pipe(
    about(
      "Check the receiver behind a webhook endpoint of a sandbox: what it takes, and what it refuses",
      "dockline webhook certify 1"
    )
  )

export const webhook = Command.make("webhook").pipe(
  Command.withDescription("Webhook endpoints: where customers take messages"),
  Command.withSubcommands([list, show, create, update, enable, disable, remove, rotate, test, certify])
)
