/** `dockline webhook certify`: tests a receiver of webhooks. It needs no service (D20.3). */
import { withoutSlashes } from "@dockline/core/values/Url"
import { Effect, Option, Redacted, Stream } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { about } from "../About.ts"
import * as Arguments from "../Arguments.ts"
import { NotTaken, wrongUsage } from "../Failure.ts"
import * as Certification from "../follow/Certification.ts"
import type { MessageWords } from "../follow/MessageWords.ts"
import { defaultUrl, variables } from "../GlobalFlags.ts"
import * as Output from "../Output.ts"
import * as ReceiverInput from "./ReceiverInput.ts"
import * as SecretInput from "./SecretInput.ts"

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
        Argument.withSchema(ReceiverInput.Address)
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
      payloadProfile: ReceiverInput.profileOf(words),
      business: Arguments.text("business", "Slug of the business that messages name; acme when absent"),
      facility: Arguments.text("facility", "Slug of the facility that messages name; east when absent"),
      username: Arguments.text("username", "User name, where the receiver asks for Basic authentication"),
      password: SecretInput.flags("password")
    },
    Effect.fnUntraced(function*({ business, facility, payloadProfile: profile, url, username, ...flags }) {
      const secret = yield* ReceiverInput.secretOf(flags.secret)
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
      "Check a receiver of webhooks, without a service: what it takes, and what it refuses. Each message is a test, about no shipment",
      "dockline webhook certify http://localhost:3000 --secret whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3",
      "dockline webhook certify http://localhost:3000/in --secret whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3 --message PALLET_EVENT  # Pallet messages alone"
    )
  )
