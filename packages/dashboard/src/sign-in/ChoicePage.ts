/**
 * The page on which a person with several entries chooses one (D14.4): plain HTML, which works without scripts.
 *
 * Guarantee: each choice begins with the businesses of its grants. After them comes the name that an operator has chosen; neither
 * markup nor marks for the direction of text in a name affect the rest of the page.
 */
import { everything } from "@dockline/core/access/Access"
import type { Person } from "@dockline/core/access/Person"
import { escapeHtml } from "@dockline/wire/SitePages"
import { publicRoot } from "../DashboardConfig.ts"
import type { DashboardConfig } from "../DashboardConfig.ts"
import { pageOf } from "./SignInPage.ts"

/** The path of the page, under the root of the dashboard. */
export const path = "/sign-in/choice"

/** The most businesses that are listed for one person. */
const mostNamed = 10

export interface ChoiceView {
  readonly people: ReadonlyArray<Person>
  /** The fault of the last attempt, in a sentence or two. */
  readonly fault?: string
}

export const html = (config: DashboardConfig, tags: string, { fault, people }: ChoiceView): string => {
  const action = `${publicRoot(config)}${path}`
  const choices = people.map((person) => ({ person, places: placesOf(person) }))
    .sort((one, other) => one.places < other.places ? -1 : 1)
  return pageOf(
    tags,
    `<section class="card offer" aria-labelledby="choice">
<h2 id="choice">Choose how to continue</h2>
${
      fault === undefined
        ? ""
        : `<p class="fault" role="alert">${escapeHtml(fault)}</p>`
    }<p>You have been given access more than once. You continue with the access that you choose; sign in again to choose another.</p>
${
      choices.map(({ person, places }) =>
        `<form method="post" action="${action}">
<input type="hidden" name="person" value="${escapeHtml(person.id)}">
<button><strong>${escapeHtml(places)}</strong> <span>known there as <bdi>${
          escapeHtml(person.name)
        }</bdi></span></button>
</form>`
      ).join("\n")
    }
</section>`
  )
}

const placesOf = ({ grants }: Person): string => {
  const slugs = Array.from(new Set(grants.map(({ business }) => business))).sort()
  if (slugs.length === 0) return "No business"
  if (slugs.includes(everything)) return "All businesses"
  const more = slugs.length - mostNamed
  return slugs.slice(0, mostNamed).join(", ") + (more > 0 ? ` and ${more} more` : "")
}
