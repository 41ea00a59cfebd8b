/**
 * Whether an output is as a guide shows it.
 *
 * Shown and real agree to the letter, but for three things: `…` stands for anything (alone in a line for any lines, as a
 * member of an object or the end of a list for any others), a time for any time, and white space at the ends of lines
 * for none.
 */

/** What does not agree, or nothing. */
export type Difference = string | undefined

const time = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)/
const anyTime = String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)`

const escape = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)

const partOf = (text: string): string =>
  text.split(new RegExp(`(…|${time.source})`)).map((part) => {
    if (part === "…") return ".*?"
    return time.test(part) ? anyTime : escape(part)
  }).join("")

/** The shown text as a pattern: `begins` also agrees with an output that goes on. */
export const patternOf = (shown: string, begins = false): RegExp => {
  const whole = shown.replace(/^\n+|\s+$/g, "")
  const lines = whole === "" ?
    [] :
    whole.split("\n").map((line) =>
      line.trim() === "…" ? String.raw`(?:[^\n]*\n)*?` : `${partOf(line.trimEnd())}[^\\S\\n]*\\n`
    )
  return new RegExp(`^\\n*${lines.join("")}${begins ? "" : String.raw`\n*$`}`)
}

/** Without colours, and with an end of its last line. */
export const plain = (output: string): string => {
  // oxlint-disable-next-line no-control-regex
  const text = output.replace(/\u001b\[[\d;]*m/g, "").replaceAll("\r\n", "\n")
  return text === "" || text.endsWith("\n") ? text : `${text}\n`
}

/** Compares text. */
export const text = (shown: string, output: string): Difference =>
  patternOf(shown).test(plain(output)) ? undefined : `it shows\n${shown}\nbut this comes\n${output}`

/** Compares JSON, whatever its white space. */
export const json = (shown: string, output: string): Difference => {
  const expected = parse(shown)
  if (expected === undefined) return "it shows something that is no JSON"
  const actual = parse(output)
  if (actual === undefined) return `it shows JSON, but this comes\n${output}`
  const where = differs(expected.value, actual.value, "")
  return where === undefined ? undefined : `${where}; this comes\n${JSON.stringify(actual.value, null, 2)}`
}

/** Compares XML, whatever its white space between elements. */
export const xml = (shown: string, output: string): Difference => {
  const flat = (text: string) => text.trim().replace(/>\s+(?=<|…)/g, ">").replace(/…\s+</g, "…<")
  return text(flat(shown), flat(output)) === undefined
    ? undefined
    : `it shows\n${shown}\nbut this comes\n${output}`
}

const parse = (text: string): { readonly value: unknown } | undefined => {
  try {
    return { value: JSON.parse(text) as unknown }
  } catch {
    return undefined
  }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const differs = (shown: unknown, actual: unknown, path: string): Difference => {
  if (typeof shown === "string" && typeof actual === "string") {
    return new RegExp(`^${partOf(shown)}$`, "s").test(actual) ? undefined : unlike(path, shown, actual)
  }
  if (shown === "…") return undefined
  if (Array.isArray(shown) && Array.isArray(actual)) {
    const isOpen = shown.at(-1) === "…"
    const members = isOpen ? shown.slice(0, -1) : shown
    if (isOpen ? actual.length < members.length : actual.length !== members.length) {
      return `${path === "" ? "the list" : path} has ${actual.length} members`
    }
    return first(members.map((member, index) => differs(member, actual[index], `${path}[${index}]`)))
  }
  if (isObject(shown) && isObject(actual)) {
    const { "…": rest, ...members } = shown
    const names = rest === undefined
      ? new Set([...Object.keys(members), ...Object.keys(actual)])
      : Object.keys(members)
    return first(Array.from(names, (name) => differs(members[name], actual[name], `${path}.${name}`)))
  }
  return Object.is(shown, actual) ? undefined : unlike(path, shown, actual)
}

const unlike = (path: string, shown: unknown, actual: unknown): string =>
  `${path === "" ? "it" : path} is shown as ${JSON.stringify(shown)} and is ${JSON.stringify(actual)}`

const first = (differences: ReadonlyArray<Difference>): Difference =>
  differences.find((difference) => difference !== undefined)
