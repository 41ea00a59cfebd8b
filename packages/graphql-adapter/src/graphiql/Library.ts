/**
 * GraphiQL and React: copies in the published package, which `prepack` makes; in a checkout, those of the packages
 * that are installed for development.
 */
import { readFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"

/** The package of each file and its path there, by its name on the page. */
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

/** Leaves out the name of the source map, which is not served. */
export const read = async (name: keyof typeof files): Promise<string> => {
  const [library, path] = isSource ? files[name] : ["@dockline/graphql-adapter", join(folder, name)]
  const file = join(dirname(require.resolve(`${library}/package.json`)), path)
  return (await readFile(file, "utf8")).replace(/\n(?:\/\/|\/\*)# sourceMappingURL=.*\s*$/, "\n")
}
