/**
 * Where the request comes from that an operation runs for. Interfaces that know it provide it.
 */
import { Context } from "effect"

/** Where a request comes from. */
export interface Origin {
  /** The address of the client, beyond trusted proxies; `""` where nobody knows. */
  readonly address: string
}

/** The origin of the current request; its address is `""` unless an interface provides it. */
export const RequestOrigin: Context.Reference<Origin> = Context.Reference("@dockline/core/RequestOrigin", {
  defaultValue: () => ({ address: "" })
})
