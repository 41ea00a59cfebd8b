/**
 * The curves as one SVG with a panel for each: CPU time from 0 upwards over sizes by powers of ten, PostgreSQL and above it the
 * server, with a dot for each round. Its colors follow the theme of the reader.
 */
import { median } from "../Table.ts"
import type { Curve, Point } from "./Curves.ts"
import type { Cost } from "./Measure.ts"
import { count, cpuOf, mostGrowth } from "./Report.ts"

const panel = { width: 260, height: 130, left: 50, top: 42, right: 24, bottom: 44 }
const columns = 3
const step = { x: panel.left + panel.width + panel.right, y: panel.top + panel.height + panel.bottom }
const legend = 26

const style = `text{font:11px sans-serif;fill:#333}.title{font-weight:bold}.dim{fill:#666}.axis{stroke:#bbb}
.server{fill:#2c6e8f;fill-opacity:.35}.postgres{fill:#b5651d;fill-opacity:.4}.line{fill:none;stroke:#2c6e8f;stroke-width:1.5}.dot{fill:#2c6e8f}
@media(prefers-color-scheme:dark){text{fill:#ddd}.dim{fill:#aaa}.axis{stroke:#666}.server{fill:#6bb6dd}.postgres{fill:#e0a060}
.line{stroke:#6bb6dd}.dot{fill:#6bb6dd}}`

/** Sizes at equal steps for powers of ten; nothing stands a step before the least of the others. */
const placesOf = (points: ReadonlyArray<Point>): ReadonlyArray<number> => {
  const least = Math.min(...points.map(({ at }) => at).filter((at) => at > 0))
  const logs = points.map(({ at }) => at > 0 ? Math.log10(at) : Math.log10(least) - 1)
  const span = Math.max(Number.EPSILON, logs.at(-1)! - logs[0]!)
  return logs.map((log) => panel.left + (log - logs[0]!) / span * panel.width)
}

const short = (value: number): string =>
  value >= 1_000_000 ? `${value / 1_000_000} M` : value >= 10_000 ? `${value / 1000} k` : count(value)

const number = (value: number): string => value < 0.1 ? value.toFixed(3) : value.toFixed(value < 10 ? 2 : 0)

const panelOf = (curve: Curve, column: number, row: number): string => {
  const { points } = curve
  const xs = placesOf(points)
  const most = Math.max(...points.flatMap(({ costs }) => costs.map(cpuOf))) * 1.1
  const bottom = panel.top + panel.height
  const y = (value: number) => bottom - value / most * panel.height
  const middle = (of: (cost: Cost) => number) => points.map(({ costs }) => median(costs.map(of)))
  const path = (values: ReadonlyArray<number>) =>
    values.map((value, at) => `${xs[at]!.toFixed(1)},${y(value).toFixed(1)}`)
  const floor = path(points.map(() => 0))
  const postgres = path(middle(({ postgres }) => postgres))
  const total = path(middle(cpuOf))
  const area = (kind: string, upper: ReadonlyArray<string>, lower: ReadonlyArray<string>) =>
    `<polygon class="${kind}" points="${[...upper, ...lower.toReversed()].join(" ")}"/>`
  const dots = points.flatMap(({ costs }, at) =>
    costs.map((cost) =>
      `<circle class="dot" cx="${xs[at]!.toFixed(1)}" cy="${y(cpuOf(cost)).toFixed(1)}" r="2"/>`
    )
  )
  const labels = points.map(({ at }, n) =>
    `<text class="dim" x="${xs[n]!.toFixed(1)}" y="${bottom + 15}" text-anchor="middle">${short(at)}</text>`
  )
  const right = panel.left + panel.width
  const ticks = [0, most / 2.2, most / 1.1].map((value) =>
    `<text class="dim" x="${panel.left - 6}" y="${(y(value) + 4).toFixed(1)}" text-anchor="end">${
      number(value)
    }</text>`
  )
  return [
    `<g transform="translate(${column * step.x},${legend + row * step.y})">`,
    `<text class="title" x="${panel.left}" y="18">${curve.title}</text>`,
    `<text class="dim" x="${panel.left}" y="33">ms of CPU; grows to ${
      mostGrowth(curve).toFixed(2)
    } at most</text>`,
    area("postgres", postgres, floor),
    area("server", total, postgres),
    `<polyline class="line" points="${total.join(" ")}"/>`,
    ...dots,
    `<line class="axis" x1="${panel.left}" y1="${bottom}" x2="${right}" y2="${bottom}"/>`,
    ...ticks,
    ...labels,
    `<text class="dim" x="${panel.left + panel.width / 2}" y="${
      bottom + 31
    }" text-anchor="middle">${curve.over}</text>`,
    "</g>"
  ].join("\n")
}

/** All curves. */
export const picture = (curves: ReadonlyArray<Curve>): string => {
  const width = columns * step.x
  const height = legend + Math.ceil(curves.length / columns) * step.y
  const key = (kind: string, text: string, x: number) =>
    `<rect class="${kind}" x="${x}" y="8" width="12" height="12"/><text x="${x + 18}" y="18">${text}</text>`
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">`,
    `<style>${style}</style>`,
    key("server", "server", panel.left),
    key("postgres", "PostgreSQL", panel.left + 90),
    ...curves.map((curve, at) => panelOf(curve, at % columns, Math.floor(at / columns))),
    "</svg>",
    ""
  ].join("\n")
}
