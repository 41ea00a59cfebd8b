/** Explains the messages of the XML parser to integrators. */
import { clip } from "@dockline/core/values/Clip"

interface Explanation {
  readonly detail: string
  /** Where the fault starts, in UTF-16 units, if the parser noticed it later. */
  readonly offset?: number
}

/** `message` is of saxes; `before` is the text that it has read. */
export const explain = (
  message: string,
  before: string,
  closed: { readonly name: string } | undefined
): Explanation => {
  switch (message) {
    case "undefined entity.": {
      const offset = before.lastIndexOf("&")
      const entity = clip(before.slice(offset))
      return {
        detail: `the entity "${entity}" is unknown; XML itself has &amp; &lt; &gt; &quot; and &apos;`,
        offset
      }
    }
    case "malformed character entity.": {
      const offset = strayAmpersand(before)
      const reference = clip(before.slice(offset))
      return { detail: `"${reference}" is not a reference to a character that XML allows`, offset }
    }
    case "disallowed character in entity name.":
    case "empty entity name.":
      return { detail: bareAmpersand, offset: strayAmpersand(before) }
    case "unexpected close tag.": {
      const tag = clip(before.slice(before.lastIndexOf("</")))
      return { detail: `${tag} does not close the open element <${clip(closed?.name ?? "")}>` }
    }
    default: {
      // A bare & swallows everything up to a semicolon; without a semicolon, the parser only reports missing end tags.
      const offset = message.startsWith("unclosed tag") ? strayAmpersand(before) : -1
      return offset >= 0 && !/(?:]]|--|\?)>/.test(before.slice(offset))
        ? { detail: bareAmpersand, offset }
        : { detail: plain(message) }
    }
  }
}

/** The messages of saxes about the XML declaration name its states. */
const plain = (message: string): string =>
  message.startsWith("expected ")
    ? "the XML declaration is wrong; write <?xml version=\"1.0\" encoding=\"UTF-8\"?> or leave it out"
    : clip(message.replace(/\.$/, ""))

const bareAmpersand = "\"&\" does not start a reference here; write it as &amp;"

/** The first `&` since the last complete reference (whose semicolon may be the last character), or -1. */
const strayAmpersand = (before: string): number => {
  const semicolon = before.lastIndexOf(";", before.length - 2)
  return before.indexOf("&", semicolon + 1)
}
