/** `dockline webhook`: where customers take messages. */
import { messageTypes } from "@dockline/core/Vocabulary"
import { Effect, Option, Redacted } from "effect"
import { Command, Flag } from "effect/cli"
import * as Arguments from "../Arguments.ts"
import * as Authentication from "../Authentication.ts"
import * as Columns from "../Columns.ts"
import { WrongUsage } from "../Failure.ts"
import { full, Operator } from "../Operator.ts"
import * as Output from "../Output.ts"
import * as Pages from "../Pages.ts"
import { confirm } from "../Question.ts"
import * as SecretInput from "../SecretInput.ts"

const once = "Give the signing secret to the customer now: the service shows it this once."

const messages = Flag.Literals("message", messageTypes).pipe(
  Flag.withDescription("A type of messages that it gets; all of them when absent"),
  Flag.atLeast(0)
)

const params = { endpointId: Arguments.endpoint }

const list = Command.make("list", Pages.flags, (extent) =>
  Effect.gen(function*() {
    const { call } = yield* Operator
    const pages = Pages.pages(extent, (query) =>
      call("webhookEndpoints", (endpoints) => endpoints.listWebhookEndpoints({ query, ...full })))
    yield* Output.list(Columns.endpoints, pages, "No webhook endpoints.")
  })).pipe(
    Command.withDescription("List the webhook endpoints of the businesses that you operate"),
    Command.withExamples([{ command: "dockline webhook list" }])
  )

const show = Command.make("show", params, (params) =>
  Effect.gen(function*() {
    const { call } = yield* Operator
    const answer = yield* call("webhookEndpoints", (endpoints) =>
      endpoints.getWebhookEndpoint({ params, ...full }))
    yield* Output.record(Columns.endpoint, answer)
  })).pipe(
    Command.withDescription("Show a webhook endpoint: how far it has got, and what holds it up"),
    Command.withExamples([{ command: "dockline webhook show 1" }])
  )

const createFlags = {
  business: Arguments.business,
  facility: Flag.String("facility").pipe(
    Flag.withDescription("Only messages of this facility; of all when absent"),
    Flag.optional
  ),
  baseUrl: Flag.String("base-url").pipe(
    Flag.withDescription(
      "Where the customer takes messages, at /api/palletEvent and /api/shipmentComplete under it"
    )
  ),
  messages,
  authentication: Authentication.flags,
  signingSecret: SecretInput.flags("signing-secret"),
  disabled: Flag.Boolean("disabled").pipe(
    Flag.withDescription("Messages wait until it is enabled"),
    Flag.withDefault(false)
  ),
  fromId: Flag.Int("from-id").pipe(
    Flag.withDescription("Id of the first message that it gets; those from now on when absent"),
    Flag.optional
  )
}

const create = Command.make("create", createFlags, (input) =>
  Effect.gen(function*() {
    const { call } = yield* Operator
    const authentication = yield* Authentication.forNew(input.authentication)
    const signingSecret = yield* SecretInput.given("signing-secret", input.signingSecret)
    const payload = {
      business: input.business,
      ...Option.match(input.facility, { onNone: () => ({}), onSome: (facility) => ({ facility }) }),
      baseUrl: input.baseUrl,
      messageTypes: input.messages.length === 0 ? messageTypes : input.messages,
      authentication,
      ...Option.match(signingSecret, {
        onNone: () => ({}),
        onSome: (secret) => ({ signingSecret: Redacted.value(secret) })
      }),
      enabled: !input.disabled,
      ...Option.match(input.fromId, { onNone: () => ({}), onSome: (fromId) => ({ fromId }) })
    }
    const answer = yield* call("webhookEndpoints", (endpoints) =>
      endpoints.createWebhookEndpoint({ headers: {}, payload, ...full }))
    yield* Output.revealed(
      [...Columns.endpoint, {
        title: "signing secret",
        text: ({ signingSecret }) =>
          signingSecret
      }],
      answer,
      once
    )
  })).pipe(
    Command.withDescription("Create a webhook endpoint; its signing secret is shown once"),
    Command.withExamples([
      { command: "dockline webhook create acme --base-url https://wms.acme.example --auth none" },
      {
        command: "dockline webhook create acme --facility east --message PALLET_EVENT " +
          "--base-url https://wms.acme.example --auth basic --username dockline",
        description: "The password is asked for; --password-env or --password-file take it from elsewhere"
      }
    ])
  )

interface Change {
  readonly baseUrl?: string
  readonly messageTypes?: ReadonlyArray<(typeof messageTypes)[number]>
  readonly authentication?: Authentication.AuthenticationInput
  readonly enabled?: boolean
}

const change = Effect.fnUntraced(function*(endpointId: string, payload: Change) {
  const { call } = yield* Operator
  const answer = yield* call(
    "webhookEndpoints",
    (endpoints) => endpoints.updateWebhookEndpoint({ params: { endpointId }, headers: {}, payload, ...full })
  )
  yield* Output.record(Columns.endpoint, answer)
})

const updateFlags = {
  ...params,
  baseUrl: Flag.String("base-url").pipe(
    Flag.withDescription("Where the customer takes messages from now on"),
    Flag.optional
  ),
  messages: messages.pipe(Flag.withDescription("A type of messages that it gets, in place of those it got")),
  authentication: Authentication.flags
}

const update = Command.make(
  "update",
  updateFlags,
  ({ authentication, baseUrl, endpointId, messages }) =>
    Effect.gen(function*() {
      const { call } = yield* Operator
      const isGiven = Authentication.isGiven(authentication)
      if (!isGiven && Option.isNone(baseUrl) && messages.length === 0) {
        return yield* new WrongUsage({
          message: "Say what to change: --base-url, --message, --auth or its settings"
        })
      }
      const now = isGiven || Option.isSome(baseUrl)
        ? yield* call(
          "webhookEndpoints",
          (endpoints) => endpoints.getWebhookEndpoint({ params: { endpointId }, ...full })
        )
        : undefined
      const changed = now === undefined
        ? undefined
        : yield* Authentication.forChange(authentication, baseUrl, now.value)
      yield* change(endpointId, {
        ...Option.match(baseUrl, { onNone: () => ({}), onSome: (baseUrl) => ({ baseUrl }) }),
        ...(messages.length === 0 ? {} : { messageTypes: messages }),
        ...(changed === undefined ? {} : { authentication: changed })
      })
    })
).pipe(
  Command.withDescription(
    "Change a webhook endpoint; what is not given stays. With another address the password is asked for again: " +
      "a stored one goes to no other address than it was given for"
  ),
  Command.withExamples([
    { command: "dockline webhook update 1 --base-url https://new.acme.example" },
    { command: "dockline webhook update 1 --password-file new-password.txt", description: "Its new password" }
  ])
)

const enable = Command.make("enable", params, ({ endpointId }) => change(endpointId, { enabled: true })).pipe(
  Command.withDescription("Deliver again; what has waited is delivered in order"),
  Command.withExamples([{ command: "dockline webhook enable 1" }])
)

const disable = Command.make("disable", params, ({ endpointId }) => change(endpointId, { enabled: false }))
  .pipe(
    Command.withDescription("Deliver nothing for now; messages wait"),
    Command.withExamples([{ command: "dockline webhook disable 1" }])
  )

const remove = Command.make(
  "delete",
  { ...params, yes: Flag.Boolean("yes").pipe(Flag.withDescription("Do not ask"), Flag.withDefault(false)) },
  ({ yes, ...params }) =>
    Effect.gen(function*() {
      const { call } = yield* Operator
      if (!yes) {
        const { value } = yield* call("webhookEndpoints", (endpoints) =>
          endpoints.getWebhookEndpoint({ params, ...full }))
        yield* confirm(
          `Delete webhook endpoint ${value.id} (${value.business}, ${value.baseUrl}) and its record of deliveries?`
        )
      }
      yield* call("webhookEndpoints", (endpoints) =>
        endpoints.deleteWebhookEndpoint({ params, headers: {}, ...full }))
      yield* Output.done(`Deleted webhook endpoint ${params.endpointId}.`)
    })
).pipe(
  Command.withDescription(
    "Delete a webhook endpoint and its record of deliveries; the messages stay in the log"
  ),
  Command.withExamples([{ command: "dockline webhook delete 1 --yes" }])
)

const rotate = Command.make("rotate-secret", params, (params) =>
  Effect.gen(function*() {
    const { call } = yield* Operator
    const answer = yield* call("webhookEndpoints", (endpoints) =>
      endpoints.rotateSigningSecret({ params, headers: {}, ...full }))
    yield* Output.revealed(
      [{
        title: "signing secret",
        text: ({ signingSecret }) =>
          signingSecret
      }],
      answer,
      `${once} The one before signs beside it for 24 hours.`
    )
  })).pipe(
    Command.withDescription(
      "Make a new signing secret; it is shown once, and the old one is good for 24 hours"
    ),
    Command.withExamples([{ command: "dockline webhook rotate-secret 1" }])
  )

/** `dockline webhook` */
export const webhook = Command.make("webhook").pipe(
  Command.withDescription("Webhook endpoints: where customers take messages"),
  Command.withSubcommands([list, show, create, update, enable, disable, remove, rotate])
)
