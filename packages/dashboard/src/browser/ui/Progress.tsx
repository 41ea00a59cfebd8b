/** How many pallets have passed, as a bar with its figures. */
import type { ShipmentsResult } from "../api/results.ts"

type Counts = ShipmentsResult["shipments"]["nodes"][number]["progress"]

const count = new Intl.NumberFormat()

/** The bar: what has passed of what is expected, and what nobody expected after it. */
const Bar = ({ expectedPallets, passedPallets, unexpectedPallets }: Counts) => {
  const whole = Math.max(1, expectedPallets + unexpectedPallets)
  const done = (passedPallets - unexpectedPallets) / whole * 100
  return (
    <svg viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
      <rect class="done" width={done} height="1" />
      <rect class="extra" x={done} width={unexpectedPallets / whole * 100} height="1" />
    </svg>
  )
}

/** In words, for those who do not see the bar. */
const inWords = ({ expectedPallets, passedPallets, unexpectedPallets }: Counts): string =>
  `${count.format(passedPallets - unexpectedPallets)} of ${
    count.format(expectedPallets)
  } pallets have passed` +
  (unexpectedPallets === 0 ? "" : `, and ${count.format(unexpectedPallets)} that nobody expected`)

/** A bar with its figures beside it. */
export const Progress = ({ counts }: { readonly counts: Counts }) => (
  <span class="progress" title={inWords(counts)}>
    <Bar {...counts} />
    <span class="figures">
      <span aria-hidden="true">
        {count.format(counts.passedPallets - counts.unexpectedPallets)}
        <span class="soft">/{count.format(counts.expectedPallets)}</span>
        {/* Always there, so that the figures of all rows stand in one column. */}
        <b class="over">
          {counts.unexpectedPallets === 0 ? null : `+${count.format(counts.unexpectedPallets)}`}
        </b>
      </span>
      <span class="unseen">{inWords(counts)}</span>
    </span>
  </span>
)

/** Large figures over a wide bar. */
export const BigProgress = ({ counts }: { readonly counts: Counts }) => (
  <div class="big-progress">
    <p class="figure">
      <span aria-hidden="true">
        {count.format(counts.passedPallets - counts.unexpectedPallets)}
        <span class="of">of {count.format(counts.expectedPallets)} pallets</span>
        {counts.unexpectedPallets === 0
          ? null
          : <span class="badge" data-tone="bad">{count.format(counts.unexpectedPallets)} unexpected</span>}
      </span>
      <span class="unseen">{inWords(counts)}</span>
    </p>
    <Bar {...counts} />
  </div>
)
