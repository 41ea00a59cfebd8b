/** Which capabilities the service has (D20.1). */
import { signal } from "@preact/signals"

/** The names of the capabilities of the service, as the session tells them. */
export const offered = signal<ReadonlyArray<string>>([])

/** Whether the service has a capability. */
export const isOffered = (name: string): boolean => offered.value.includes(name)
