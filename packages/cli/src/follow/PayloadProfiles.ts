/** The profiles of payloads that `listen` and `certify` write messages in (D15.3): the contract's, and a line for each that a capability has. */
import { contractProfile } from "@dockline/core/places/PayloadProfile"
import type { PayloadProfile } from "@dockline/core/places/PayloadProfile"
import { kargoProfile } from "@dockline/kargo/KargoProfile"
import { Flag } from "effect/cli"

const profiles: ReadonlyArray<PayloadProfile> = [
  contractProfile,
  kargoProfile
]

/** The profile of a receiver, by its name. */
export const flag = Flag.Literals("payload-profile", profiles.map(({ name }) => name)).pipe(
  Flag.withDescription("How the fields of messages are named, as in the settings of an endpoint"),
  Flag.withDefault(contractProfile.name),
  Flag.map((wanted) => profiles.find(({ name }) => name === wanted) ?? contractProfile)
)
