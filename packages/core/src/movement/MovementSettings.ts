/** The settings of movements, for services of capabilities. */
import { Context } from "effect"
import { defaultMovementConfig } from "./Movement.ts"
import type { MovementConfig } from "./Movement.ts"

/** The settings in force; {@link defaultMovementConfig} unless provided. */
export const MovementSettings: Context.Reference<MovementConfig> = Context.Reference(
  "@dockline/core/movement/MovementSettings",
  { defaultValue: () => defaultMovementConfig }
)
