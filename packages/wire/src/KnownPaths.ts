/**
 * The paths of an interface, for what leads requests to it from paths of its own, such as the dashboard: the path that comes
 * out is judged as one that was asked for (WIRE.md, D4.3).
 */
import { Context } from "effect"

/** How paths are judged; without an interface, all of them are as they should be. */
export const KnownPaths = Context.Reference<{
  /** Whether a router may accept the path though it is another spelling of a known path. */
  readonly isMisspelt: (path: string) => boolean
}>("@dockline/core/KnownPaths", { defaultValue: () => ({ isMisspelt: () => false }) })
