/** What clients of Kargo have on the command line: their payload profile (D15.3). */
import { kargoProfile } from "@dockline/kargo/KargoProfile"
import type { CapabilityPart } from "../../CapabilityPart.ts"

export const kargo = { payloadProfiles: [kargoProfile] } as const satisfies CapabilityPart
