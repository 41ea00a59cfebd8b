/** Packing lists as a capability (D25): files of CSV and XLSX as documents. */
import * as Capability from "@dockline/core/capability/Capability"
import { Effect, Layer } from "effect"

/** Packing lists. */
export const packingLists = Capability.make("packing-lists", {
  title: "Packing lists",
  description: "Send packing lists as files of CSV or XLSX, and see before what each would do",
  operations: {},
  services: Layer.empty,
  handlers: Effect.succeed({}),
  memory: Layer.empty,
  answers: {}
})
