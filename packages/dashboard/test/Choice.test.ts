import type { Person } from "@dockline/core/access/Principals"
import { assert, describe, it } from "@effect/vitest"
import * as Choice from "../src/sign-in/Choice.ts"

const person = (id: string, name: string, businesses: ReadonlyArray<string>): Person => ({
  id,
  name,
  email: "ada@acme.example",
  subject: null,
  grants: businesses.map((business) => ({ business, facilities: "*", permissions: ["messages:read"] }))
})

/** The text of each button, in order. */
const buttons = (people: ReadonlyArray<Person>): ReadonlyArray<string> =>
  Array.from(
    Choice.html({ baseUrl: "https://dockline.example" }, "", { people }).matchAll(
      /<button>([^]*?)<\/button>/g
    ),
    ([, content = ""]) => content
  )

describe("D14.4 the page to choose as whom to go on", () => {
  // @threat browsers.14
  it("names the businesses first, from the grants, whatever an operator has named somebody", () => {
    assert.deepStrictEqual(
      buttons([
        person("1", "</button><b>globex</b> \u202e", ["evil"]),
        person("2", "Ada", ["initech", "acme", "acme"]),
        person("3", "All", ["*"]),
        person("4", "None", []),
        person("5", "Many", Array.from({ length: 12 }, (_, n) => `b${n + 10}`))
      ]),
      [
        "<strong>All businesses</strong> <span>known there as <bdi>All</bdi></span>",
        "<strong>No business</strong> <span>known there as <bdi>None</bdi></span>",
        "<strong>acme, initech</strong> <span>known there as <bdi>Ada</bdi></span>",
        "<strong>b10, b11, b12, b13, b14, b15, b16, b17, b18, b19 and 2 more</strong> <span>known there as <bdi>Many</bdi></span>",
        "<strong>evil</strong> <span>known there as <bdi>&#60;/button&#62;&#60;b&#62;globex&#60;/b&#62; \u202e</bdi></span>"
      ]
    )
  })
})
