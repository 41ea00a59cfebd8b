/**
 * The files that browsers load, compressed, and the page that loads them, with the headers of all pages.
 */
import { escapeHtml } from "@dockline/wire/SitePages"
import type { SitePage } from "@dockline/wire/SitePages"
import * as StaticFile from "@dockline/wire/StaticFile"
import { createHash } from "node:crypto"
import { brotliCompressSync, gzipSync } from "node:zlib"
import * as Build from "./Build.ts"

/**
 * Allows scripts, styles and connections only from this host, and no inline scripts or styles. No page may frame the pages, and no script
 * may write HTML (`require-trusted-types-for`).
 */
export const contentSecurityPolicy = StaticFile.pagePolicy({
  "form-action": "'self'",
  "require-trusted-types-for": "'script'",
  "trusted-types": "'none'"
})

/** The headers of a page. Forms must name their origin, which a stricter `Referrer-Policy` would hide. */
export const pageHeaders = {
  "content-type": "text/html; charset=utf-8",
  "cache-control": "no-store",
  "content-security-policy": contentSecurityPolicy,
  "cross-origin-opener-policy": "same-origin",
  "referrer-policy": "same-origin",
  "x-frame-options": "DENY"
} as const

/** Whether the files have to be built, as in a checkout; a published package contains them. */
const isSource = import.meta.url.endsWith(".ts")

/** The parts of the script, which import each other by these names. */
const partName = /^part-([\dA-Z]{8})\.js$/

const partOf = ({ content, isNeeded, name, version }: Build.BuiltFile) => {
  const plain = Buffer.from(content)
  return {
    name,
    address: partName.test(name) ? name : name.replace(".", `-${version}.`),
    isNeeded,
    integrity: `sha384-${createHash("sha384").update(plain).digest("base64")}`,
    file: {
      contentType: StaticFile.contentTypeOf(name),
      version: partName.exec(name)?.[1] ?? version,
      plain,
      gzip: gzipSync(plain, { level: 9 }),
      brotli: brotliCompressSync(plain)
    }
  }
}

type Part = ReturnType<typeof partOf>

const tagOf = (root: string, { address, integrity, isNeeded, name }: Part): string => {
  const at = `"${escapeHtml(`${root}/files/${address}`)}"`
  if (partName.test(name)) {
    return isNeeded
      ? `<link rel="modulepreload" href=${at} integrity="${integrity}">`
      : ""
  }
  switch (name.slice(name.lastIndexOf(".") + 1)) {
    case "js":
      return `<script type="module" src=${at} integrity="${integrity}"></script>`
    case "css":
      return `<link rel="stylesheet" href=${at} integrity="${integrity}">`
    default:
      return `<link rel="icon" href=${at} type="image/svg+xml">`
  }
}

/** Makes the files on first use; `others` are the other pages of the service, to which the pages link. */
export const make = (others: ReadonlyArray<SitePage>) => {
  let loading: Promise<ReadonlyArray<Part>> | undefined
  const parts = (): Promise<ReadonlyArray<Part>> => {
    loading ??= Promise.resolve(isSource ? Build.build() : Build.read()).then((files) => files.map(partOf))
    // After a failure, the next request tries again.
    loading.catch(() => (loading = undefined))
    return loading
  }
  const tags = async (root: string, endings: ReadonlyArray<string>): Promise<string> =>
    (await parts()).filter(({ name }) => endings.some((ending) => name.endsWith(ending)))
      .map((part) => tagOf(root, part)).filter((tag) => tag !== "").join("\n")

  return {
    /** A file by its address below `files/`; `undefined` for no such address. Rejects if it cannot be built, or is of another version. */
    file: (address: string): Promise<StaticFile.StaticFile> | undefined => {
      if (!/^[a-z]+-[\da-f]{16}\.[a-z]+$/.test(address) && !partName.test(address)) return undefined
      return parts().then((all) => {
        const part = all.find((part) => part.address === address)
        if (part === undefined) throw new Error(`${address} is of another version of the dashboard`)
        return part.file
      })
    },
    /** The tags of the files of the sign-in page; none if the files cannot be built. */
    signInTags: (root: string): Promise<string> => tags(root, [".css", ".svg"]).catch(() => ""),
    /** The page of every view; the script chooses the content by the path. */
    shell: async (root: string): Promise<string> =>
      `<!DOCTYPE html>
<html lang="en" data-root="${escapeHtml(root)}" data-pages="${escapeHtml(JSON.stringify(others))}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Dockline</title>
${await tags(root, [".css", ".js", ".svg"])}
</head>
<body>
<noscript>The dashboard needs JavaScript. Without it, use the REST interface under /v1/docs/.</noscript>
<div id="app"></div>
</body>
</html>
`
  }
}

/** The files of the dashboard. They are made at the first request, and kept. */
export type PageFiles = ReturnType<typeof make>
