/** `dockline listen`: delivers webhooks to a developer's machine, which the service cannot reach. */
import { withoutSlashes } from "@dockline/core/values/Url"
import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { about } from "../About.ts"
import * as Arguments from "../Arguments.ts"
import * as Listening from "../follow/Listening.ts"
import type { MessageWords } from "../follow/MessageWords.ts"
import { defaultUrl } from "../GlobalFlags.ts"
import * as Output from "../Output.ts"
import * as FieldFlags from "./FieldFlags.ts"
import { tailFlagsOf, tailOf } from "./MessageCommands.ts"
import * as ReceiverInput from "./ReceiverInput.ts"

/** `dockline listen`, for messages of these types. */
export const listenWith = (words: MessageWords) =>
  Command.make(
    "listen",
    {
      ...tailFlagsOf(words),
      forwardTo: Flag.String("forward-to").pipe(
        Flag.withMetavar("URL"),
        Flag.withDescription("Address of your receiver; the paths of webhooks are appended"),
        Flag.withSchema(ReceiverInput.Address)
      ),
      payloadProfile: ReceiverInput.profileOf(words),
      test: Arguments.isSet("test", "Send a test message of each type first")
    },
    ({ forwardTo, payloadProfile: profile, test, ...flags }) =>
      Effect.gen(function*() {
        const secret = yield* ReceiverInput.secretOrNew
        const { business, facility = "" } = FieldFlags.presentValues(flags.only)
        const place = { business: String(business), facility: String(facility) }
        const first = test ? yield* Listening.testsOf(words, place, `${defaultUrl}/dashboard`) : []
        yield* tailOf(words, flags).pipe(
          Listening.to({ baseUrl: withoutSlashes(forwardTo), secret, profile }, first),
          Output.endless(Listening.columns, Listening.expectedOf(words))
        )
      })
  ).pipe(
    about(
      "Forward the messages to a customer as signed webhooks to a receiver on your machine, until Ctrl-C; each is sent once, even if it fails",
      "dockline listen acme --forward-to http://localhost:3000",
      "dockline listen acme --forward-to http://localhost:3000 --after 0 --limit 10  # The first ones that are kept, again"
    )
  )
