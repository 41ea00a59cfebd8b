/**
 * The files of Swagger UI: in the published package, copies that `prepack` makes; in a checkout, the files of the installed development
 * dependency.
 */
import { readFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"

/** The package and the path of each file, by its name on the page. */
export const files = {
  "swagger-ui-bundle.js": ["swagger-ui-dist", "swagger-ui-bundle.js"],
  "swagger-ui.css": ["swagger-ui-dist", "swagger-ui.css"]
} as const

/** The folder of the copies in the published package. */
export const folder = "dist/reference/library"

const require = createRequire(import.meta.url)
const isSource = import.meta.url.endsWith(".ts")

/** The text of a file without the name of its source map. */
export const textToServe = (text: string): string =>
  text.replace(/\n(?:\/\/|\/\*)# sourceMappingURL=.*\s*$/, "\n")

export const read = async (name: keyof typeof files): Promise<string> => {
  const [library, path] = isSource ? files[name] : ["@dockline/http-adapter", join(folder, name)]
  const file = join(dirname(require.resolve(`${library}/package.json`)), path)
  return textToServe(await readFile(file, "utf8"))
}
