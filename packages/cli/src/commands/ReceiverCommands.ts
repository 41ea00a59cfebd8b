/** `dockline listen` delivers webhooks to a machine that the service cannot reach; `dockline webhook certify` tests a receiver. */
import { withoutSlashes } from "@dockline/core/values/Clip"
import { Effect, Option, Redacted, Schema, Stream } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import * as Arguments from "../Arguments.ts"
import { about } from "../Arguments.ts"
import { NotTaken, wrongUsage } from "../Failure.ts"
import * as Certification from "../follow/Certification.ts"
import type { MessageWords } from "../follow/Following.ts"
import * as ReceiverDelivery from "../follow/ReceiverDelivery.ts"
import { defaultUrl, variable, variables } from "../GlobalFlags.ts"
import * as Output from "../Output.ts"
import { Screen } from "../Screen.ts"
import * as DerivedCommand from "./DerivedCommand.ts"
import { tailFlagsOf, tailOf } from "./MessageCommands.ts"
import * as SecretInput from "./SecretInput.ts"

const isAddress = Schema.makeFilter((text: string) => {
  const { hash, password, protocol, search, username } = URL.parse(text) ?? {}
  return (/^https?:$/.test(protocol ?? "") && `${username}${password}${search}${hash}` === "") ||
    "must be an address such as http://localhost:3000, without a name, password, query or fragment"
})

/** The address of a receiver, to which the paths of webhooks are appended. */
export const Address = Schema.String.check(isAddress)

const checkSecret = (secret: string, source: string) =>
  ReceiverDelivery.isSecret(secret)
    ? Effect.succeed(Redacted.make(secret))
    : wrongUsage(`${source} must be whsec_ and the base64 of 24 to 64 bytes`)

/** The signing secret of the environment, if there is one. */
export const secretOfEnvironment = Effect.gen(function*() {
  const secret = yield* variable(variables.webhookSecret)
  return Option.isSome(secret)
    ? Option.some(yield* checkSecret(secret.value, variables.webhookSecret))
    : Option.none<Redacted.Redacted>()
})

/** The signing secret of the environment; otherwise makes a secret and shows it. */
export const secretOrNew = Effect.gen(function*() {
  const secret = yield* secretOfEnvironment
  if (Option.isSome(secret)) return secret.value
  const ownSecret = ReceiverDelivery.newSecret()
  yield* (yield* Screen).say(
    `Signing with the new secret ${
      Redacted.value(ownSecret)
    }. Set ${variables.webhookSecret} to keep a secret.`
  )
  return ownSecret
})

/** The signing secret of the flag, or of the environment; fails without either. */
export const secretOf = Effect.fnUntraced(function*(flag: Option.Option<string>) {
  if (Option.isSome(flag)) return yield* checkSecret(flag.value, "--secret")
  const secret = yield* secretOfEnvironment
  if (Option.isSome(secret)) return secret.value
  return yield* wrongUsage(
    `Give the signing secret that your receiver verifies with: --secret whsec_…, or ${variables.webhookSecret}`
  )
})

/** The flag that names the payload profile of a receiver; the default is the contract's (D15.3). */
export const profileOf = ({ profiles }: MessageWords) =>
  Flag.Literals("payload-profile", profiles.map(({ name }) => name)).pipe(
    Flag.withDescription("How the fields of messages are named, as in the settings of an endpoint"),
    Flag.withDefault(profiles[0].name),
    Flag.map((profileName) => profiles.find(({ name }) => name === profileName) ?? profiles[0])
  )

/** The value of `Authorization` for a receiver that asks for Basic authentication. */
const basic = Effect.fnUntraced(function*(username: Option.Option<string>, password: SecretInput.Source) {
  const secret = yield* SecretInput.secretOf("password", password)
  if (Option.isNone(username) && Option.isNone(secret)) return undefined
  if (Option.isNone(username) || Option.isNone(secret)) {
    return yield* wrongUsage("Give --username with --password-env or --password-file, or none of them")
  }
  const credentials = Buffer.from(`${username.value}:${Redacted.value(secret.value)}`).toString("base64")
  return Redacted.make(`Basic ${credentials}`)
})

/** `dockline webhook certify`, for messages of these types. */
export const certifyWith = (words: MessageWords) =>
  Command.make(
    "certify",
    {
      url: Argument.String("url").pipe(
        Argument.withDescription("Address of your receiver; the paths of webhooks are appended"),
        Argument.withSchema(Address)
      ),
      secret: Arguments.text(
        "secret",
        `Signing secret that the receiver verifies with; ${variables.webhookSecret} when absent`
      ).pipe(Flag.withMetavar("whsec_…")),
      messageTypes: Flag.Literals("message", words.ofService.webhookTypes).pipe(
        Flag.withDescription(
          `A type of message that the receiver gets; all when absent but ${
            Object.keys(words.outboxes).join(", ")
          }`
        ),
        Flag.atLeast(0)
      ),
      payloadProfile: profileOf(words),
      business: Arguments.text("business", "Slug of the business that messages name; acme when absent"),
      facility: Arguments.text("facility", "Slug of the facility that messages name; east when absent"),
      username: Arguments.text("username", "User name, where the receiver asks for Basic authentication"),
      password: SecretInput.flags("password")
    },
    Effect.fnUntraced(function*({ business, facility, payloadProfile: profile, url, username, ...flags }) {
      const secret = yield* secretOf(flags.secret)
      const authorization = yield* basic(username, flags.password)
      const [first = "PALLET_EVENT", ...others] = flags.messageTypes.length === 0
        ? words.types
        : new Set(flags.messageTypes)
      const types = [first, ...others] as const
      const results: Array<Certification.CheckResult> = []
      yield* Certification.certify({
        kinds: words.kinds,
        outboxes: words.outboxes,
        receiver: { baseUrl: withoutSlashes(url), secret, profile, authorization },
        types,
        place: {
          business: Option.getOrElse(business, () => "acme"),
          facility: Option.getOrElse(facility, () => "east"),
          dashboardUrl: `${defaultUrl}/dashboard`
        }
      }).pipe(
        Stream.tap(({ items }) => Effect.sync(() => results.push(...items))),
        Output.endless(Certification.columns, Certification.expected({ outboxes: words.outboxes, types }))
      )
      for (const { detail, name, verdict } of results) {
        if (detail !== "" && verdict !== "NOT_SENT") yield* Output.done(`${name}: ${detail}`)
      }
      if (results.some(({ verdict }) => verdict === "FAILED")) {
        return yield* new NotTaken({
          message: "The receiver did not pass: fix it, and run the checks again"
        })
      }
      yield* Output.done("The receiver has passed every check that can be seen from outside.")
    })
  ).pipe(
    about(
      "Check a receiver of webhooks, without a service: what it accepts, and what it refuses. Each message is a test, about no shipment",
      "dockline webhook certify http://localhost:3000 --secret whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3",
      "dockline webhook certify http://localhost:3000/in --secret whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3 --message PALLET_EVENT  # Pallet messages alone"
    )
  )

/** `dockline listen`, for messages of these types. */
export const listenWith = (words: MessageWords) =>
  Command.make(
    "listen",
    {
      ...tailFlagsOf(words),
      forwardTo: Flag.String("forward-to").pipe(
        Flag.withMetavar("URL"),
        Flag.withDescription("Address of your receiver; the paths of webhooks are appended"),
        Flag.withSchema(Address)
      ),
      payloadProfile: profileOf(words),
      test: Arguments.switchFlag("test", "Send a test message of each type first")
    },
    ({ forwardTo, payloadProfile: profile, test, ...flags }) =>
      Effect.gen(function*() {
        const secret = yield* secretOrNew
        const { business, facility = "" } = DerivedCommand.presentValues(flags.only)
        const place = { business: String(business), facility: String(facility) }
        const first = test ? yield* ReceiverDelivery.testsOf(words, place, `${defaultUrl}/dashboard`) : []
        yield* tailOf(words, flags).pipe(
          ReceiverDelivery.to({ baseUrl: withoutSlashes(forwardTo), secret, profile }, first),
          Output.endless(ReceiverDelivery.columns, ReceiverDelivery.expectedOf(words))
        )
      })
  ).pipe(
    about(
      "Forward the messages to a customer as signed webhooks to a receiver on your machine, until Ctrl-C; each is sent once, even if it fails",
      "dockline listen acme --forward-to http://localhost:3000",
      "dockline listen acme --forward-to http://localhost:3000 --after 0 --limit 10  # The first ones that are kept, again"
    )
  )
