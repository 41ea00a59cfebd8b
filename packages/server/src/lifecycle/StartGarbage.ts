/**
 * Collects the garbage of the start. Half of the heap is needed only while modules are loaded and schemas are made; V8 would keep that
 * half, with its pages, while little is allocated.
 */
import { Effect } from "effect"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"

/** Runs one full garbage collection, as `--expose-gc` permits. */
export const collect: Effect.Effect<void> = Effect.sync(() => {
  setFlagsFromString("--expose-gc")
  const gc: unknown = runInNewContext("gc")
  setFlagsFromString("--no-expose-gc")
  if (typeof gc === "function") gc()
})
