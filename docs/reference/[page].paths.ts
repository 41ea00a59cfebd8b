/** One page for each that is made of the code. */
// Not bundled with this file, see `.vitepress/config.ts`.
const reference = new URL("../.vitepress/Reference.ts", import.meta.url).href
const { referencePages } = await import(reference) as typeof import("../.vitepress/Reference.ts")

export default {
  paths: () => referencePages.map(({ content, page, title }) => ({ content, params: { page, title } }))
}
