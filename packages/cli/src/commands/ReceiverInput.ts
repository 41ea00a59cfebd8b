/** Reads the address, the signing secret and the payload profile of a receiver of webhooks. */
import { Effect, Option, Redacted, Schema } from "effect"
import { Flag } from "effect/cli"
import { wrongUsage } from "../Failure.ts"
import type { MessageWords } from "../follow/MessageWords.ts"
import * as ReceiverDelivery from "../follow/ReceiverDelivery.ts"
import { variable, variables } from "../GlobalFlags.ts"
import { Screen } from "../Screen.ts"

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

/** The secret of the environment, if there is one. */
export const secretOfEnvironment = Effect.gen(function*() {
  const secret = yield* variable(variables.webhookSecret)
  return Option.isSome(secret)
    ? Option.some(yield* checkSecret(secret.value, variables.webhookSecret))
    : Option.none<Redacted.Redacted>()
})

/** The secret of the environment, or a new one, which is shown. */
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

/** The secret of a flag, or that of the environment; refuses the command without one. */
export const secretOf = Effect.fnUntraced(function*(flag: Option.Option<string>) {
  if (Option.isSome(flag)) return yield* checkSecret(flag.value, "--secret")
  const secret = yield* secretOfEnvironment
  if (Option.isSome(secret)) return secret.value
  return yield* wrongUsage(
    `Give the signing secret that your receiver verifies with: --secret whsec_…, or ${variables.webhookSecret}`
  )
})

/** The flag of the profile of a receiver, by its name: the contract's unless given (D15.3). */
export const profileOf = ({ profiles }: MessageWords) =>
  Flag.Literals("payload-profile", profiles.map(({ name }) => name)).pipe(
    Flag.withDescription("How the fields of messages are named, as in the settings of an endpoint"),
    Flag.withDefault(profiles[0].name),
    Flag.map((profileName) => profiles.find(({ name }) => name === profileName) ?? profiles[0])
  )
