/**
 * The site of the documentation: the pages of this folder, with what is made of the code beside them (`Reference.ts`).
 * It names no other host, so that it can be read without a network.
 */
import { renderMermaidSVG } from "beautiful-mermaid"
import { cpSync, globSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { defineConfig } from "vitepress"
import type { DefaultTheme } from "vitepress"

// Not bundled with this file: the packages are read as sources, which Node does and the bundler of VitePress does not.
const reference = new URL("./Reference.ts", import.meta.url).href
const { files, referencePages } = await import(reference) as typeof import("./Reference.ts")

const root = fileURLToPath(new URL("../..", import.meta.url))
const repository = "https://github.com/dockline/dockline"

const inRepository = (file: string): string => join(root, file)

const titleOf = (file: string): string => {
  const [, title = file] = /^# (.*)$/m.exec(readFileSync(inRepository(file), "utf8")) ?? []
  return title.replaceAll("`", "")
}

const item = (file: string): DefaultTheme.SidebarItem => ({
  text: titleOf(file),
  link: `/${file.replace(/^docs\//, "").replace(/\.md$/, "")}`
})

/** The guides in the order in which the first page lists them. */
const guides = Array.from(
  readFileSync(inRepository("docs/README.md"), "utf8").matchAll(/\((guides\/[\w-]+\.md)\)/g),
  ([, file]) => item(`docs/${file}`)
)

const items = (pattern: string): Array<DefaultTheme.SidebarItem> =>
  globSync(pattern, { cwd: root }).toSorted().map(item)

/** What lies beside this folder is no page of the site: links lead to the repository. */
const linkTo = (page: string, href: string): string => {
  const [path = "", anchor] = href.split("#")
  const file = join("docs", dirname(page), path)
  if (/^[a-z]+:|^[#/]/.test(href) || file.endsWith(".md") && file.startsWith("docs/")) return href
  const folder = statSync(inRepository(file)).isDirectory()
  return `${repository}/${folder ? "tree" : "blob"}/main/${file}${anchor === undefined ? "" : `#${anchor}`}`
}

const colours = {
  bg: "var(--vp-c-bg)",
  fg: "var(--vp-c-text-1)",
  line: "var(--vp-c-text-3)",
  border: "var(--vp-c-divider)",
  surface: "var(--vp-c-bg-soft)",
  font: "inherit"
}

/** A diagram without the font that the library asks Google for. */
const diagram = (content: string): string =>
  renderMermaidSVG(content, colours).replace(/@import url\([^)]*\);/g, "")

const madeOf = new Map(
  referencePages.map((reference) => [inRepository(`docs/reference/${reference.page}.md`), reference])
)

export default defineConfig({
  title: "Dockline",
  description: "Open logistics tracking: order documents in, every pallet accounted for",
  srcExclude: ["api/**", "site/**"],
  outDir: "site",
  cacheDir: "node_modules/.cache/vitepress",
  metaChunk: true,
  // Addresses of a server on the reader's own machine.
  ignoreDeadLinks: [/^http:\/\/localhost/, /^\/api\//],
  rewrites: { "README.md": "index.md" },
  markdown: {
    config: (md) => {
      const fence = md.renderer.rules.fence!
      md.renderer.rules.fence = (tokens, index, ...rest) => {
        const { content, info } = tokens[index]!
        if (info.trim() !== "mermaid") return fence(tokens, index, ...rest)
        return `<figure class="diagram" v-pre>${diagram(content)}</figure>`
      }
      md.core.ruler.push("links-to-the-repository", ({ env, tokens }) => {
        for (const { children } of tokens) {
          for (const token of children ?? []) {
            const href = token.type === "link_open" ? token.attrGet("href") : null
            if (href !== null) token.attrSet("href", linkTo(env.relativePath, href))
          }
        }
      })
    }
  },
  themeConfig: {
    search: {
      provider: "local",
      options: {
        miniSearch: {
          // VitePress looks for the files of pages, and those that are made of the code have none.
          _splitIntoSections: (file) => {
            const made = madeOf.get(file)
            return (made === undefined ? undefined : [{ titles: [made.title], text: made.content }])!
          }
        }
      }
    },
    outline: { level: [2, 3] },
    nav: [
      { text: "Guides", link: "/" },
      { text: "Reference", link: "/reference/" },
      { text: "Operations", link: "/guides/operate" },
      { text: "Repository", link: repository }
    ],
    sidebar: [
      { text: "Guides", items: guides },
      {
        text: "Reference",
        items: [
          ...referencePages.filter(({ menu }) => menu).map(({ page, title }) => ({
            text: title,
            link: `/reference/${page.replace(/(^|\/)index$/, "$1")}`
          })),
          item("docs/WIRE.md"),
          ...items("docs/wire/*.md"),
          item("docs/reference/fields-and-codes.md"),
          { text: "Modules of the packages", link: "/api/index.html", target: "_self" }
        ]
      },
      { text: "Operations", items: items("docs/operations/*.md") },
      {
        text: "Inside",
        collapsed: true,
        items: [
          item("docs/RELIABILITY.md"),
          item("docs/SCALE.md"),
          item("docs/THREAT-MODEL.md"),
          ...items("docs/threats/*.md"),
          ...items("docs/adr/*.md")
        ]
      }
    ],
    editLink: { pattern: `${repository}/edit/main/docs/:path` }
  },
  /** The files that programs read, and the reference of the packages, beside the pages. */
  buildEnd: ({ outDir }) => {
    for (const { name, text } of files) writeFileSync(join(outDir, name), text)
    cpSync(inRepository("docs/api"), join(outDir, "api"), { recursive: true })
  }
})
