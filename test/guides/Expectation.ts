/**
 * Whether an output matches the text in a guide.
 *
 * The two have to be identical, with three exceptions: `…` stands for anything (alone in a line for any lines, as the value of a member for
 * any value, as a member of an object or the end of a list for any others), a time stands for any time, unless the guide itself has set it,
 * and white space at the ends of lines does not count.
 */

/** The difference, or nothing. */
export type Difference = string | undefined

/** The times that a guide sets in its commands, in milliseconds since 1970: they come back unchanged. */
export type Given = ReadonlySet<number>

const nothingGiven: Given = new Set()

const time = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)/

/** The times in the commands of a guide. */
export const timesIn = (texts: ReadonlyArray<string>): Given =>
  new Set(
    texts.flatMap((text) => Array.from(text.matchAll(new RegExp(time, "g")), ([each]) => Date.parse(each)))
  )

const escape = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)

const partOf = (text: string, given: Given): string =>
  text.split(new RegExp(`(…|${time.source})`)).map((part) => {
    if (part === "…") return ".*?"
    return time.test(part) && !given.has(Date.parse(part)) ? time.source : escape(part)
  }).join("")

/** Options of a pattern. */
export interface PatternOptions {
  readonly given?: Given
  /** Whether it also matches an output that continues. */
  readonly begins?: boolean
}

/** The text of the guide as a pattern. */
export const patternOf = (
  shown: string,
  { begins = false, given = nothingGiven }: PatternOptions = {}
): RegExp => {
  const whole = shown.replace(/^\n+|\s+$/g, "")
  const lines = whole === "" ?
    [] :
    whole.split("\n").map((line) =>
      line.trim() === "…" ? String.raw`(?:[^\n]*\n)*?` : `${partOf(line.trimEnd(), given)}[^\\S\\n]*\\n`
    )
  return new RegExp(`^\\n*${lines.join("")}${begins ? "" : String.raw`\n*$`}`)
}

/** A text without colours, and with a line break at its end. */
export const plain = (output: string): string => {
  // oxlint-disable-next-line no-control-regex
  const text = output.replace(/\u001b\[[\d;]*m/g, "").replaceAll("\r\n", "\n")
  return text === "" || text.endsWith("\n") ? text : `${text}\n`
}

/** Compares the text of a guide with an output. */
export type Compare = (shown: string, output: string, given?: Given) => Difference

/** Compares text. */
export const text: Compare = (shown, output, given = nothingGiven) =>
  patternOf(shown, { given }).test(plain(output))
    ? undefined
    : `it shows\n${shown}\nbut this comes\n${output}`

/** Compares JSON, regardless of its white space. */
export const json: Compare = (shown, output, given = nothingGiven) => {
  const expected = parse(shown)
  if (expected === undefined) return "it shows something that is no JSON"
  const actual = parse(output)
  if (actual === undefined) return `it shows JSON, but this comes\n${output}`
  const where = differs(expected.value, actual.value, { path: "", given })
  return where === undefined ? undefined : `${where}; this comes\n${JSON.stringify(actual.value, null, 2)}`
}

/** Compares XML, regardless of its white space between elements. */
export const xml: Compare = (shown, output, given = nothingGiven) => {
  const flat = (text: string) => text.trim().replace(/>\s+(?=<|…)/g, ">").replace(/…\s+</g, "…<")
  return text(flat(shown), flat(output), given) === undefined
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

/** The place of a comparison, and the times that the guide has set. */
interface Place {
  readonly path: string
  readonly given: Given
}

const differs = (shown: unknown, actual: unknown, { path, given }: Place): Difference => {
  const at = (step: string): Place => ({ path: `${path}${step}`, given })
  if (typeof shown === "string" && typeof actual === "string") {
    return new RegExp(`^${partOf(shown, given)}$`, "s").test(actual) ? undefined : unlike(path, shown, actual)
  }
  // An absent value does not match `…`.
  if (shown === "…" && actual !== undefined) return undefined
  if (Array.isArray(shown) && Array.isArray(actual)) {
    const isOpen = shown.at(-1) === "…"
    const members = isOpen ? shown.slice(0, -1) : shown
    if (isOpen ? actual.length < members.length : actual.length !== members.length) {
      return `${path === "" ? "the list" : path} has ${actual.length} members`
    }
    return first(members.map((member, index) => differs(member, actual[index], at(`[${index}]`))))
  }
  if (isObject(shown) && isObject(actual)) {
    const { "…": rest, ...members } = shown
    const names = rest === undefined
      ? new Set([...Object.keys(members), ...Object.keys(actual)])
      : Object.keys(members)
    return first(Array.from(names, (name) => differs(members[name], actual[name], at(`.${name}`))))
  }
  return Object.is(shown, actual) ? undefined : unlike(path, shown, actual)
}

const unlike = (path: string, shown: unknown, actual: unknown): string =>
  `${path === "" ? "it" : path} is shown as ${JSON.stringify(shown)} and is ${JSON.stringify(actual)}`

const first = (differences: ReadonlyArray<Difference>): Difference =>
  differences.find((difference) => difference !== undefined)
