/** Progress of a shipment as people read it (D13.1). */
import type { Progress } from "@dockline/core/shipment/Progress"

const expectedPassed = ({ expectedPallets, missingPallets }: Progress): number =>
  expectedPallets - missingPallets

/** How many of the expected pallets have passed. */
export const passText = (progress: Progress): string =>
  `${expectedPassed(progress)} of ${progress.expectedPallets}`

/** All counts, those that are 0 left out. */
export const sentence = (progress: Progress): string =>
  [
    `${passText(progress)} passed`,
    ...(progress.missingPallets === 0 ? [] : [`${progress.missingPallets} missing`]),
    ...(progress.unexpectedPallets === 0 ? [] : [`${progress.unexpectedPallets} unexpected`])
  ].join(", ")

/** A bar that is full if and only if pallets are expected and none is missing. */
export const bar = (progress: Progress, width: number): string => {
  const { expectedPallets } = progress
  const full = expectedPallets === 0 ? 0 : Math.floor((expectedPassed(progress) / expectedPallets) * width)
  return "█".repeat(full) + "░".repeat(width - full)
}
