/** `dockline listen`: delivers webhooks to a developer's machine, which the service cannot reach. */
import { withoutSlashes } from "@dockline/core/values/Url"
import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { about } from "../About.ts"
import * as Arguments from "../Arguments.ts"
import * as Listening from "../follow/Listening.ts"
import * as PayloadProfiles from "../follow/PayloadProfiles.ts"
import { defaultUrl } from "../GlobalFlags.ts"
import * as Output from "../Output.ts"
import * as FieldFlags from "./FieldFlags.ts"
import { tailFlags, tailOf } from "./MessageCommands.ts"
import * as ReceiverInput from "./ReceiverInput.ts"

export const listen = Command.make(
  "listen",
  {
    ...tailFlags,
    forwardTo: Flag.String("forward-to").pipe(
      Flag.withMetavar("URL"),
      Flag.withDescription("Address of your receiver; the paths of webhooks are appended"),
      Flag.withSchema(ReceiverInput.Address)
    ),
    payloadProfile: PayloadProfiles.flag,
    test: Arguments.isSet("test", "Send a test message of each type first")
  },
  ({ forwardTo, payloadProfile: profile, test, ...flags }) =>
    Effect.gen(function*() {
      const secret = yield* ReceiverInput.secretOrNew
      const { business, facility = "" } = FieldFlags.given(flags.only)
      const first = test
        ? yield* Listening.testsOf(String(business), String(facility), `${defaultUrl}/dashboard`)
        : []
      yield* tailOf(flags).pipe(
        Listening.to({ baseUrl: withoutSlashes(forwardTo), secret, profile }, first),
        Output.endless(Listening.columns, Listening.expected)
      )
    })
).pipe(
  about(
    "Forward the messages to a customer as signed webhooks to a receiver on your machine, until Ctrl-C; each is sent once, even if it fails",
    "dockline listen acme --forward-to http://localhost:3000",
    "dockline listen acme --forward-to http://localhost:3000 --after 0 --limit 10  # The first ones that are kept, again"
  )
)
