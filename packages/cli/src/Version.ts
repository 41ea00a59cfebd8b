/** The version of the command line: that of its package. */
import { readFileSync } from "node:fs"

const manifest: { readonly version: string } = JSON.parse(
  readFileSync(new URL("../package.json", import.meta.url), "utf8")
)

/** As `dockline --version` shows it. */
export const version: string = manifest.version
