/** The version of the server: that of its package; `unknown` where it was bundled without. */
import { readFileSync } from "node:fs"

const read = (): string => {
  try {
    const text = readFileSync(new URL("../package.json", import.meta.url), "utf8")
    const { version = "unknown" }: { readonly version?: string } = JSON.parse(text)
    return version
  } catch {
    return "unknown"
  }
}

export const version: string = read()
