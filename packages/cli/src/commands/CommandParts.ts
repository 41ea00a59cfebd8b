/**
 * The building blocks for commands of a capability (ADR 31): commands that derive from operations, calls of the service, flags, and output.
 *
 * ```ts
 * const photos = noun("photo", "Photos of exceptions", [
 *   listCommand("list", listPhotos, { nothing: "No photos.", examples: ["dockline photo list 4711 12"] }),
 *   commandOf("show", getPhoto, { examples: ["dockline photo show 4711 12 7"] })
 * ])
 * export const part: { readonly commands: readonly [CapabilityCommand<"photo">] } = { commands: [photos] }
 * ```
 */
import type { Command, GlobalFlag } from "effect/cli"
import type { Cancellation, NotTaken, NotWritten } from "../Failure.ts"
import type { Screen } from "../Screen.ts"
import type { Failures, ServiceCalls } from "../ServiceCalls.ts"

export { about, noun } from "../Arguments.ts"
export * as Arguments from "../Arguments.ts"
export { readBytes } from "../Arguments.ts"
export { isPassing, NotTaken, Problem, Refusal, valueOf, WrongUsage } from "../Failure.ts"
export { printable } from "../Failure.ts"
export * as Following from "../follow/Following.ts"
export * as Output from "../Output.ts"
export { Screen } from "../Screen.ts"
export { call, ServiceCalls } from "../ServiceCalls.ts"
export { commandOf, listCommand } from "./DerivedCommand.ts"

/** A command of a capability: the services that the program provides, and the failures that it reports. */
export type CapabilityCommand<Name extends string> = Command.Command<
  Name,
  {},
  {},
  Cancellation | Failures | NotTaken | NotWritten,
  Command.Environment | GlobalFlag.Setting.Identifier<"json"> | Screen | ServiceCalls
>
