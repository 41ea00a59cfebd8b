/**
 * The literals of regular expressions in a text of TypeScript, outside comments, strings and templates.
 */

/** A regular expression literal. */
export interface Written {
  readonly source: string
  readonly flags: string
}

/** After one of these a slash begins an expression; after anything else it divides. */
const beginners = new Set("(,=:[!&|?{};+-*%<>~^")

const beginningWords = /(?:^|[^\w$.])(?:return|yield|typeof|case|in|of|await|void)$/

/** The literals, in their order. */
export const literalsIn = (text: string): ReadonlyArray<Written> => {
  const found: Array<Written> = []
  /** The open braces of the templates around the position. */
  const templates: Array<number> = []
  let code = ""
  for (let at = 0; at < text.length;) {
    const rest = text.slice(at, at + 2)
    if (rest === "//") at = endOf(text, "\n", at)
    else if (rest === "/*") at = endOf(text, "*/", at) + 2
    else if (rest[0] === "\"" || rest[0] === "'") {
      at = quoted(text, at)
      code += "0"
    } else if (rest[0] === "`" || (rest[0] === "}" && templates.at(-1) === 0)) {
      if (rest[0] === "}") templates.pop()
      at = template(text, at + 1)
      if (text[at] === "{") templates.push(0)
      code += text[at] === "{" ? "(" : "0"
      at++
    } else if (
      rest[0] === "/" && (beginners.has(code.trimEnd().at(-1) ?? "(") || beginningWords.test(code.trimEnd()))
    ) {
      const end = expression(text, at)
      const [flags = ""] = /^[a-z]*/.exec(text.slice(end)) ?? []
      found.push({ source: text.slice(at + 1, end - 1), flags })
      at = end + flags.length
      code += "0"
    } else {
      const depth = templates.at(-1)
      if (depth !== undefined && rest[0] === "{") templates[templates.length - 1] = depth + 1
      if (depth !== undefined && rest[0] === "}") templates[templates.length - 1] = depth - 1
      code = (code + rest[0]!).slice(-40)
      at++
    }
  }
  return found
}

const endOf = (text: string, what: string, from: number): number => {
  const end = text.indexOf(what, from + 1)
  return end < 0 ? text.length : end
}

const quoted = (text: string, from: number): number => {
  let at = from + 1
  while (at < text.length && text[at] !== text[from]) at += text[at] === "\\" ? 2 : 1
  return at + 1
}

/** The position of the `{` of a substitution, or of the end of the template. */
const template = (text: string, from: number): number => {
  let at = from
  while (at < text.length && text[at] !== "`" && !(text[at] === "$" && text[at + 1] === "{")) {
    at += text[at] === "\\" ? 2 : 1
  }
  return text[at] === "$" ? at + 1 : at
}

/** The position after the slash that ends an expression. */
const expression = (text: string, from: number): number => {
  let isClass = false
  for (let at = from + 1; at < text.length; at++) {
    if (text[at] === "\\") at++
    else if (text[at] === "[") isClass = true
    else if (text[at] === "]") isClass = false
    else if (text[at] === "/" && !isClass) return at + 1
    else if (text[at] === "\n") throw new Error(`An expression does not end: ${text.slice(from, at)}`)
  }
  throw new Error("An expression does not end")
}
