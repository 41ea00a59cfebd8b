/**
 * Port: which addresses of customers may be called at all (D9.7). What a name resolves to is checked when it is called.
 */
import { Context } from "effect"

/** Which addresses of customers may be called. */
export class OutboundUrls extends Context.Service<OutboundUrls, {
  /**
   * What is wrong with an absolute address that an operator gives, or nothing: its scheme, user info, or a literal
   * address that must not be called.
   */
  readonly fault: (url: string) => string | undefined
}>()("@dockline/core/OutboundUrls") {}
