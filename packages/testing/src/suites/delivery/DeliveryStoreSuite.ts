/**
 * What holds for every delivery store: what is ready, leases, taking, settling, replays, the record, and what waits (D9).
 */
import type { Suite } from "../../Suite.ts"
import { suiteOf } from "../../worlds/DeliveryWorld.ts"
import type { Ports } from "../../worlds/DeliveryWorld.ts"
import { deliveryTraces } from "../Traces.ts"
import { backlogs } from "./DeliveryBacklogs.ts"
import { readiness } from "./DeliveryReadiness.ts"
import { replays } from "./DeliveryReplays.ts"
import { settling } from "./DeliverySettling.ts"
import { taking } from "./DeliveryTaking.ts"

/** The suite of the delivery store. */
export const deliveryStoreSuite: Suite<Ports> = suiteOf("the delivery store", (test, describe) => {
  for (const part of [readiness, taking, settling, replays, backlogs, deliveryTraces]) part(test, describe)
})
