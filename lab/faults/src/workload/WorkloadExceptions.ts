/**
 * What people report to be wrong with shipments, and that they resolve it. Each step is repeated until it is known to be done.
 */
import { asRecord } from "../Json.ts"
import { newRequest, post } from "./WorkloadClient.ts"
import type { Client } from "./WorkloadClient.ts"
import type { State } from "./WorkloadState.ts"

/** Reports one exception after another, of the shipments that are written. */
export const reportAtRandom = async (client: Client, state: State): Promise<void> => {
  while (!state.isStopping) {
    const own = state.shipmentsOf(client.account)
    if (own.length > 0) await reportException(client, state, client.random.pick(own.slice(-8)).id)
    await client.pause(100)
  }
}

/** Reports an exception under a key, and resolves half of them; whether that is known to be done. */
export const reportException = async (
  client: Client,
  state: State,
  shipmentId: number,
  instance?: number
): Promise<boolean> => {
  const { account: { business, facility }, random } = client
  const key = newRequest()
  const description = state.name(business, facility, "X")
  const path = `/v1/shipments/${shipmentId}/exceptions`
  const at = instance === undefined ? {} : { instance }
  const reported = {
    ...at,
    asked: { operation: "report", shipmentId, description },
    once: true,
    message: post(path, { kind: "DAMAGED", priority: "HIGH", description }, key),
    read: (body: unknown) => ({ exceptionId: Number(asRecord(body)["exceptionId"]) })
  } as const
  const { body, outcome } = await client.settle(reported, state.isOver, key)
  if (outcome.type !== "ok") return false
  if (random.chance(0.3)) await client.attempt(reported, key)
  if (random.chance(0.5)) return true
  const exceptionId = Number(asRecord(body)["exceptionId"])
  const resolved = await client.settle({
    ...at,
    asked: { operation: "resolve", shipmentId, exceptionId },
    message: post(`${path}/${exceptionId}/resolve`, { note: description })
  }, state.isOver)
  return resolved.outcome.type === "ok"
}
