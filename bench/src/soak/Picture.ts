/**
 * Series as pictures: a line of blocks for a terminal, and an SVG with a small chart for each.
 */
import type { Series } from "./Trend.ts"
import { trendOf } from "./Trend.ts"

const blocks = "▁▂▃▄▅▆▇█"

/** A series as a line of at most `width` blocks: from nothing, or from its least where that is far from nothing. */
export const sparkline = (values: ReadonlyArray<number>, width: number): string => {
  const shown = thinned(values, width)
  const most = Math.max(...shown)
  if (!Number.isFinite(most) || most <= 0) return blocks[0]!.repeat(shown.length)
  return shown.map((value) => blocks[Math.min(7, Math.max(0, Math.floor(value / most * 7.999)))]!).join("")
}

/** The middles of equal parts, as many as there is room for. */
const thinned = (values: ReadonlyArray<number>, width: number): ReadonlyArray<number> => {
  if (values.length <= width) return values
  return Array.from({ length: width }, (_, at) => {
    const from = Math.floor(at * values.length / width)
    const to = Math.max(from + 1, Math.floor((at + 1) * values.length / width))
    const part = values.slice(from, to)
    return part.reduce((sum, value) => sum + value, 0) / part.length
  })
}

const chart = { width: 440, height: 70, left: 150, gap: 18 }

const escape = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")

const chartOf = (series: Series, top: number): string => {
  const { name, points, unit } = series
  const most = Math.max(...points.map(({ value }) => value), Number.MIN_VALUE)
  const start = points[0]?.at ?? 0
  const span = Math.max(1, (points.at(-1)?.at ?? 0) - start)
  const line = points.map(({ at, value }) => {
    const x = chart.left + (at - start) / span * chart.width
    const y = top + chart.height - Math.max(0, value) / most * chart.height
    return `${x.toFixed(1)},${y.toFixed(1)}`
  }).join(" ")
  const color = trendOf(series).isFlat === false ? "#c0392b" : "#2c6e8f"
  const bottom = top + chart.height
  return [
    `<text x="${chart.left - 10}" y="${top + 12}" text-anchor="end">${escape(name)}</text>`,
    `<text x="${chart.left - 10}" y="${top + 28}" text-anchor="end" fill="#777">most ${most.toFixed(1)} ${
      escape(unit)
    }</text>`,
    `<line x1="${chart.left}" y1="${bottom}" x2="${chart.left + chart.width}" y2="${bottom}" stroke="#ccc"/>`,
    `<polyline points="${line}" fill="none" stroke="${color}" stroke-width="1.5"/>`
  ].join("\n")
}

/** All series, one above the other, each from 0 to its most; red where it does not stay flat. */
export const svgOf = (all: ReadonlyArray<Series>): string => {
  const step = chart.height + chart.gap
  const width = chart.left + chart.width + 20
  const height = all.length * step + chart.gap
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" ` +
    "font-family=\"sans-serif\" font-size=\"11\">",
    `<rect width="${width}" height="${height}" fill="#fff"/>`,
    ...all.map((series, at) => chartOf(series, chart.gap + at * step)),
    "</svg>",
    ""
  ].join("\n")
}
