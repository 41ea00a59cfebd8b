/**
 * The output of `/metrics`, read as Prometheus reads it.
 */
import { assert } from "vitest"

/** One line with a value. */
export interface Sample {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

/** The description of a metric. */
export interface Family {
  readonly name: string
  readonly type: string
  readonly help: string
  readonly samples: ReadonlyArray<Sample>
}

const linePattern = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$/
const labelPattern = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\.)*)"(?:,|$)/y

const labelsOf = (text: string): Readonly<Record<string, string>> => {
  const labels: Record<string, string> = {}
  labelPattern.lastIndex = 0
  while (labelPattern.lastIndex < text.length) {
    const match = labelPattern.exec(text)
    assert(match !== null, `labels that cannot be read: ${text}`)
    labels[match[1]!] = match[2]!.replace(/\\(.)/g, (_, escaped: string) => escaped === "n" ? "\n" : escaped)
  }
  return labels
}

const valueOf = (text: string): number => {
  if (/^[+-]Inf$/.test(text)) return text === "+Inf" ? Infinity : -Infinity
  const value = Number(text)
  assert(text === "NaN" || !Number.isNaN(value), `no number: ${text}`)
  return value
}

/** Reads the text format; fails for any invalid or repeated line. */
export const parse = (text: string): ReadonlyMap<string, Family> => {
  assert(text.endsWith("\n"), "the last line has an end")
  const families = new Map<string, Family & { readonly samples: Array<Sample> }>()
  const seen = new Set<string>()
  let help = ""
  for (const line of text.slice(0, -1).split("\n")) {
    const [, keyword, name = "", rest = ""] = /^# (HELP|TYPE) (\S+) (.*)$/.exec(line) ?? []
    if (keyword === "HELP") help = rest
    else if (keyword === "TYPE") {
      assert(!families.has(name), `${name} comes twice`)
      families.set(name, { name, type: rest, help, samples: [] })
      help = ""
    } else {
      const match = linePattern.exec(line)
      assert(match !== null, `a line that cannot be read: ${line}`)
      const sample = { name: match[1]!, labels: labelsOf(match[2] ?? ""), value: valueOf(match[3]!) }
      const family = families.get(sample.name) ??
        families.get(sample.name.replace(/_(?:bucket|sum|count)$/, ""))
      assert(family !== undefined, `a sample without a type: ${line}`)
      const key = line.slice(0, line.lastIndexOf(" "))
      assert(!seen.has(key), `a series that comes twice: ${key}`)
      seen.add(key)
      family.samples.push(sample)
    }
  }
  return families
}

/** The sum of the samples with a name whose labels include the given ones. */
export const sumOf = (
  families: ReadonlyMap<string, Family>,
  name: string,
  labels: Readonly<Record<string, string>> = {}
): number =>
  [...families.values()].flatMap(({ samples }) => samples)
    .filter((sample) =>
      sample.name === name && Object.entries(labels).every(([label, value]) => sample.labels[label] === value)
    )
    .reduce((sum, { value }) => sum + value, 0)
