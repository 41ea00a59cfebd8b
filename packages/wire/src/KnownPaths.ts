/**
 * The paths of an interface, for callers that map other paths to it, such as the dashboard: the resulting path is checked like a requested
 * one (WIRE.md, D4.3).
 */
import { Context } from "effect"

/** The check of paths; without an interface, all paths pass. */
export const KnownPaths = Context.Reference<{
  /** Whether a router may accept the path though it is another spelling of a known path. */
  readonly isMisspelt: (path: string) => boolean
}>("@dockline/core/KnownPaths", { defaultValue: () => ({ isMisspelt: () => false }) })
