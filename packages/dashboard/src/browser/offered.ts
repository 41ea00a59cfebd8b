/** Which capabilities the service has (D20.1). */
import { signal } from "@preact/signals"
import type { DashboardCapability } from "./capability.ts"

/** What the dashboard has of the capabilities that the session names, in the order of its list (`main.tsx`). */
export const offered = signal<ReadonlyArray<DashboardCapability>>([])

/** Offers what the list has of these capabilities. */
export const offer = (list: ReadonlyArray<DashboardCapability>, names: ReadonlyArray<string> = []): void => {
  offered.value = list.filter(({ name }) => names.includes(name))
}
