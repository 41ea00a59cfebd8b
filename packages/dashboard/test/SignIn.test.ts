import { assert, describe, it } from "@effect/vitest"
import { Redacted } from "effect"
import * as SignIn from "../src/sign-in/SignIn.ts"

const provider = {
  issuer: "https://login.initech.example/realms/dock",
  clientId: "dashboard",
  clientSecret: Redacted.make("secret")
}

const page = (name?: string): string =>
  SignIn.signInHtml(
    {
      baseUrl: "https://dockline.example",
      provider: name === undefined ? provider : { ...provider, name }
    },
    "",
    { next: "/dashboard", signedOut: true }
  )

describe("D14.4 the page to sign in with", () => {
  it("names the provider as people do, or by its host", () => {
    assert.include(page(), ">Continue with login.initech.example</a>")
    assert.include(page("Initech & sons"), ">Continue with Initech &#38; sons</a>")
    assert.include(page("Initech & sons"), ">sign out at Initech &#38; sons</a>")
  })
})
