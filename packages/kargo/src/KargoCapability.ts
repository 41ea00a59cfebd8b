/** What clients of Kargo need, as a capability (D17): its payload profile; its schema is a part of GraphQL. It has no operation of its own. */
import * as Capability from "@dockline/core/capability/Capability"
import { Effect, Layer } from "effect"
import { kargoProfile } from "./KargoProfile.ts"

/** What clients of Kargo need. */
export const kargo = Capability.make("kargo", {
  title: "Kargo",
  description: "What programs that were written for Kargo need",
  operations: {},
  services: Layer.empty,
  handlers: Effect.succeed({}),
  memory: Layer.empty,
  answers: {},
  payloadProfiles: [kargoProfile]
})
