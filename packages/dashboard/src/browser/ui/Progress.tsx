/** The number of expected pallets that have passed, as a bar and as figures, with the unexpected pallets beside it. */
import type { ShipmentRow } from "../api/operations.ts"
import { Alert, isShort } from "./Parts.tsx"
import { amount, countText } from "./words.ts"

type Counts = ShipmentRow["progress"]

type Row = Pick<ShipmentRow, "progress" | "status">

/** The number of expected pallets that have passed: `passedPallets` includes the unexpected ones. */
const passedExpected = ({ passedPallets, unexpectedPallets }: Counts): number =>
  passedPallets - unexpectedPallets

/**
 * The bar: the share of expected pallets that have passed, the missing share once the shipment has left, and a separate bar for unexpected
 * pallets, so that 5 of 8 expected pallets always fill five eighths.
 */
const Bar = ({ shipment }: { readonly shipment: Row }) => {
  const { expectedPallets, unexpectedPallets } = shipment.progress
  const whole = Math.max(1, expectedPallets)
  const done = passedExpected(shipment.progress) / whole * 100
  return (
    <span class="bars" aria-hidden="true">
      <svg viewBox="0 0 100 1" preserveAspectRatio="none">
        <rect class="done" width={done} height="1" />
        {isShort(shipment) ? <rect class="short" x={done} width={100 - done} height="1" /> : null}
      </svg>
      {unexpectedPallets === 0
        ? null
        : (
          <svg
            class="extra"
            viewBox="0 0 1 1"
            preserveAspectRatio="none"
            style={{ flexGrow: unexpectedPallets / whole }}
          >
            <rect width="1" height="1" />
          </svg>
        )}
    </span>
  )
}

const inWords = (counts: Counts): string => {
  const { expectedPallets, unexpectedPallets } = counts
  return `${amount(passedExpected(counts))} of ${countText(expectedPallets, "pallet")} ${
    expectedPallets === 1 ? "has" : "have"
  } passed` +
    (unexpectedPallets === 0 ? "" : `, and ${amount(unexpectedPallets)} unexpected`)
}

export const Progress = ({ shipment }: { readonly shipment: Row }) => {
  const { expectedPallets, unexpectedPallets } = shipment.progress
  return (
    <span class="progress" title={inWords(shipment.progress)}>
      <Bar shipment={shipment} />
      <span class="figures">
        <span aria-hidden="true">
          {amount(passedExpected(shipment.progress))}
          <span class="soft">/{amount(expectedPallets)}</span>
          {/* Present even when empty, so that the figures of all rows line up. */}
          <b class="over">{unexpectedPallets === 0 ? null : `+${amount(unexpectedPallets)}`}</b>
        </span>
        <span class="unseen">{inWords(shipment.progress)}</span>
      </span>
    </span>
  )
}

export const BigProgress = ({ shipment }: { readonly shipment: Row }) => {
  const { expectedPallets, unexpectedPallets } = shipment.progress
  return (
    <div class="big-progress">
      <p class="figure">
        <span aria-hidden="true">
          {amount(passedExpected(shipment.progress))}
          <span class="of">of {amount(expectedPallets)} pallets</span>
          {unexpectedPallets === 0
            ? null
            : <Alert tone="warn">{amount(unexpectedPallets)} unexpected</Alert>}
        </span>
        <span class="unseen">{inWords(shipment.progress)}</span>
      </p>
      <Bar shipment={shipment} />
    </div>
  )
}
