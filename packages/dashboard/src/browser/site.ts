/** The pages of the service beside the dashboard, as the server has written them into this page. */

export interface SitePage {
  readonly name: string
  readonly path: string
}

const pages = JSON.parse(document.documentElement.dataset["pages"] ?? "[]") as ReadonlyArray<SitePage>

/** The references of the interfaces, where the service has them. */
export const references = (): ReadonlyArray<SitePage> => pages
