/**
 * What holds for every delivery store: what is ready, leases, taking, settling, replays, the record, and what waits (D9).
 */
import { suiteOf } from "./DeliveryWorld.ts"
import type { Ports } from "./DeliveryWorld.ts"
import { backlogs } from "./internal/DeliveryBacklogs.ts"
import { readiness } from "./internal/DeliveryReadiness.ts"
import { replays } from "./internal/DeliveryReplays.ts"
import { settling } from "./internal/DeliverySettling.ts"
import { taking } from "./internal/DeliveryTaking.ts"
import { deliveryTraces } from "./internal/Traces.ts"
import type { Suite } from "./Suite.ts"

/** The suite of the delivery store. */
export const deliveryStoreSuite: Suite<Ports> = suiteOf("the delivery store", (test, describe) => {
  for (const part of [readiness, taking, settling, replays, backlogs, deliveryTraces]) part(test, describe)
})
