/** Writes examples in XML for people. */
import * as XmlText from "../answer/XmlText.ts"

/** The XML form of a document or an answer, with a line for each element. */
export const toXml = (rootName: string, value: unknown): string => indent(XmlText.write(rootName, value))

/** In text of `XmlText`, `<` and `>` occur only in tags, and space between elements means nothing (D2.5). */
const indent = (xml: string): string => {
  let text = ""
  let depth = 0
  let afterEnd = true
  for (const token of xml.split(/(<[^>]+>)/)) {
    const isEnd = token.startsWith("</")
    const isStart = !isEnd && token.startsWith("<") && !token.startsWith("<?")
    if (isEnd) depth -= 1
    const newLine = isStart || (isEnd && afterEnd)
    text += newLine ? `${text.endsWith("\n") ? "" : "\n"}${"  ".repeat(depth)}${token}` : token
    if (isStart) depth += 1
    if (isStart || isEnd) afterEnd = isEnd
  }
  return text
}
