/** How many pallets have passed, as a bar with its figures. */
import type { ShipmentRow } from "../api/operations.ts"
import { Alert, isShort } from "./Parts.tsx"

type Counts = ShipmentRow["progress"]

/** What a bar is drawn of. */
type Drawn = Pick<ShipmentRow, "progress" | "status">

const count = new Intl.NumberFormat()

/**
 * The bar: what has passed of what is expected, what is missing once the shipment has left, and apart from it what nobody
 * expected, so that 5 of 8 fill five eighths.
 */
const Bar = ({ drawn }: { readonly drawn: Drawn }) => {
  const { expectedPallets, passedPallets, unexpectedPallets } = drawn.progress
  const whole = Math.max(1, expectedPallets)
  const done = (passedPallets - unexpectedPallets) / whole * 100
  return (
    <span class="bars" aria-hidden="true">
      <svg viewBox="0 0 100 1" preserveAspectRatio="none">
        <rect class="done" width={done} height="1" />
        {isShort(drawn) ? <rect class="short" x={done} width={100 - done} height="1" /> : null}
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

/** The progress in words, for screen readers. */
const inWords = ({ expectedPallets, passedPallets, unexpectedPallets }: Counts): string =>
  `${count.format(passedPallets - unexpectedPallets)} of ${
    count.format(expectedPallets)
  } pallets have passed` +
  (unexpectedPallets === 0 ? "" : `, and ${count.format(unexpectedPallets)} that nobody expected`)

/** A bar with its figures beside it. */
export const Progress = ({ shipment }: { readonly shipment: Drawn }) => {
  const { expectedPallets, passedPallets, unexpectedPallets } = shipment.progress
  return (
    <span class="progress" title={inWords(shipment.progress)}>
      <Bar drawn={shipment} />
      <span class="figures">
        <span aria-hidden="true">
          {count.format(passedPallets - unexpectedPallets)}
          <span class="soft">/{count.format(expectedPallets)}</span>
          {/* Always there, so that the figures of all rows stand in one column. */}
          <b class="over">{unexpectedPallets === 0 ? null : `+${count.format(unexpectedPallets)}`}</b>
        </span>
        <span class="unseen">{inWords(shipment.progress)}</span>
      </span>
    </span>
  )
}

/** Large figures over a wide bar. */
export const BigProgress = ({ shipment }: { readonly shipment: Drawn }) => {
  const { expectedPallets, passedPallets, unexpectedPallets } = shipment.progress
  return (
    <div class="big-progress">
      <p class="figure">
        <span aria-hidden="true">
          {count.format(passedPallets - unexpectedPallets)}
          <span class="of">of {count.format(expectedPallets)} pallets</span>
          {unexpectedPallets === 0
            ? null
            : <Alert tone="warn">{count.format(unexpectedPallets)} unexpected</Alert>}
        </span>
        <span class="unseen">{inWords(shipment.progress)}</span>
      </p>
      <Bar drawn={shipment} />
    </div>
  )
}
