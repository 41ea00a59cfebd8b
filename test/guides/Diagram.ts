/**
 * The diagrams of pages: flow charts in a small part of Mermaid's language, so that an invalid one is found without a browser.
 */

const label = String.raw`"[^"]*"`
const shape = String.raw`(?:\[\(${label}\)\]|\[${label}\])`
const node = String.raw`\w+${shape}?`
const arrow = String.raw`-->(?:\|${label}\|)?`
const line = new RegExp(String.raw`^\s*${node}(?:\s*${arrow}\s*${node})*\s*$`)

/** The fault of a diagram, or nothing. */
export const fault = (text: string): string | undefined => {
  const [first = "", ...lines] = text.split("\n")
  if (!/^flowchart (?:LR|TD)$/.test(first)) {
    return "it is no flow chart: begin with flowchart LR or flowchart TD"
  }
  if (!lines.some((each) => each.includes("-->"))) return "it has no arrow"
  const wrong = lines.find((each) => each.trim() !== "" && !line.test(each))
  return wrong === undefined
    ? undefined
    : `this is no line of a flow chart that a test knows: ${wrong.trim()}`
}
