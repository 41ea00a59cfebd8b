/**
 * What holds for every delivery store: what is ready, leases, taking, settling, replays and the record (D9).
 */
import { suiteOf } from "./DeliveryWorld.ts"
import type { Ports } from "./DeliveryWorld.ts"
import { readiness } from "./internal/DeliveryReadiness.ts"
import { replays } from "./internal/DeliveryReplays.ts"
import { settling } from "./internal/DeliverySettling.ts"
import { taking } from "./internal/DeliveryTaking.ts"
import type { Suite } from "./Suite.ts"

/** The suite of the delivery store. */
export const deliveryStoreSuite: Suite<Ports> = suiteOf("the delivery store", (test, describe) => {
  for (const part of [readiness, taking, settling, replays]) part(test, describe)
})
