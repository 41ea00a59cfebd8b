/**
 * GraphiQL and React: copies in the published package, which `prepack` makes; in a checkout, files of the packages
 * that are installed for development.
 */
import { readFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"

/** The package of each file and its path in the package, by the name of the file on the page. */
export const files = {
  "react.js": ["react", "umd/react.production.min.js"],
  "react-dom.js": ["react-dom", "umd/react-dom.production.min.js"],
  "graphiql.js": ["graphiql", "graphiql.min.js"],
  "graphiql.css": ["graphiql", "graphiql.min.css"]
} as const

/** The folder of the copies in the published package. */
export const folder = "dist/graphiql/library"

const require = createRequire(import.meta.url)
const isSource = import.meta.url.endsWith(".ts")

/**
 * The text of a file to serve: without the name of its source map, and without fonts. GraphiQL's style sheet has two
 * fonts of 360 KB; the fonts of the system replace them.
 */
export const textToServe = (text: string): string =>
  text.replaceAll(/@font-face\s*\{[^}]*\}\s*/g, "").replace(/\n(?:\/\/|\/\*)# sourceMappingURL=.*\s*$/, "\n")

export const read = async (name: keyof typeof files): Promise<string> => {
  const [library, path] = isSource ? files[name] : ["@dockline/graphql-adapter", join(folder, name)]
  const file = join(dirname(require.resolve(`${library}/package.json`)), path)
  return textToServe(await readFile(file, "utf8"))
}
