/**
 * Shipments that nobody needs: they are announced and cancelled, some at the moment at which they arrive, and documents come for
 * them all the same.
 */
import { post } from "./WorkloadClient.ts"
import { addOnce, lpnsFor } from "./WorkloadDocuments.ts"
import type { Dock } from "./WorkloadPallets.ts"
import { settle, stepRequest } from "./WorkloadPallets.ts"
import type { State } from "./WorkloadState.ts"

/** One shipment after another. */
export const callOff = async ({ customer, tower }: Dock, state: State): Promise<void> => {
  const { account: { business, facility }, random } = customer
  while (!state.isStopping) {
    const addition = {
      shipmentNumber: state.name(business, facility, "S"),
      strategy: "APPEND",
      own: lpnsFor(customer, state, [state.name(business, facility, "O")])
    } as const
    const shipment = await addOnce(customer, state, addition)
    if (shipment !== undefined) {
      const { id: shipmentId } = shipment
      const contested = random.chance(0.4) ? { contested: true } as const : {}
      const arrival = "contested" in contested
        ? settle(tower, state, {
          ...stepRequest("arrive", shipmentId),
          asked: { operation: "arrive", shipmentId, contested: true }
        })
        : undefined
      await settle(customer, state, {
        asked: { operation: "cancel", shipmentId, ...contested },
        once: true,
        message: post(`/v1/shipments/${shipmentId}/cancel`)
      })
      await arrival
      const own = lpnsFor(customer, state, Object.keys(addition.own))
      await addOnce(customer, state, { ...addition, own, contested: true })
    }
    await customer.pause(500)
  }
}
