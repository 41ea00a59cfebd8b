/**
 * The commands about businesses, places and clients, what each shows, and that `--json` is the body of the
 * answer.
 */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { layerMemory, unique } from "../../../test/support/TestServer.ts"
import { api, commands, dockline, folder, json, plant, refusalOf, run, vault } from "./Operating.ts"

const newBusiness = Effect.fnUntraced(function*() {
  const slug = unique("b")
  yield* run("business", "create", slug, "--name", "Initech")
  return slug
})

commands(layerMemory({ vault }), (command) => {
  command("business create, rename", function*() {
    const slug = unique("b")
    assert.strictEqual(
      yield* run("business", "create", slug, "--name", "Initech Foods"),
      `slug  ${slug}\nname  Initech Foods\n`
    )
    const client = yield* json("business", "rename", slug, "--name", "Größe 東京")
    assert.deepStrictEqual(client, { slug, name: "Größe 東京" })
    const repeated = yield* dockline(["business", "create", slug, "--name", "Again"])
    assert.strictEqual(
      refusalOf(repeated),
      `dockline: BUSINESS_EXISTS: slug=${slug}; change this one, or take another slug\n  Change it with: dockline business rename\n  409 Conflict, code BUSINESS_EXISTS`
    )
    const malformed = yield* dockline(["business", "create", "No Slug", "--name", ""])
    assert.match(
      refusalOf(malformed),
      /\n {2}slug: must be 1 to 63 [^\n]*\n {2}name: is required\n/
    )
  })

  command("facility create, show, update; dock create, list", function*() {
    const slug = yield* newBusiness()
    assert.deepStrictEqual(yield* json("facility", "create", slug, "north", "--name", "N"), {
      slug: "north",
      name: "N",
      timeZone: "UTC",
      detentionMinutes: 120
    })
    assert.strictEqual(
      yield* run("facility", "update", slug, "north", "--name", "North"),
      "slug               north\nname               North\ntime zone          UTC\ndetention minutes  120\n"
    )
    const dockLine =
      "slug               north\nname               North\ntime zone          Europe/Oslo\ndetention minutes  90\n"
    assert.strictEqual(
      yield* run(`facility update ${slug} north --time-zone Europe/Oslo --detention-minutes 90`),
      dockLine
    )
    assert.strictEqual(yield* run("facility", "show", slug, "north"), dockLine)
    assert.deepStrictEqual(yield* json("dock", "create", slug, "north", "Dock 1/ä"), { slug: "Dock 1/ä" })
    assert.strictEqual(yield* run("dock", "list", slug, "north"), "SLUG\nDock 1/ä\n")
  })

  command("field-map show, set, from flags, a file and standard input", function*() {
    const slug = yield* newBusiness()
    const empty = yield* dockline(["field-map", "show", slug])
    assert.deepStrictEqual([empty.data, empty.errors], [
      "",
      "No fields: messages carry only the fields of the contract.\n"
    ])
    const set = yield* run("field-map", "set", slug, "--field", "LPN=lpn", "--field", "SKUs=sku:list")
    assert.strictEqual(set, "NAME  LABEL  LIST\nLPN   lpn    no\nSKUs  sku    yes\n")
    const fieldMap = yield* json("field-map", "show", slug)
    assert.deepStrictEqual(fieldMap, yield* api(`businesses/${slug}/field-map`))
    const other = yield* newBusiness()
    const file = join(yield* folder, "map.json")
    writeFileSync(file, JSON.stringify(fieldMap))
    assert.deepStrictEqual(
      yield* json("field-map", "set", other, "--file", file),
      fieldMap
    )
    const outcome = yield* dockline(["field-map", "set", other, "--file", "-", "--json"], {}, "[]")
    assert.deepStrictEqual([outcome.code, JSON.parse(outcome.data)], [0, []])
    const neither = yield* dockline(["field-map", "set", other])
    assert.deepStrictEqual([neither.code, neither.data], [2, ""])
  })

  command("client create, show, grant, rename, disable, enable; secret create, delete", function*() {
    const created = yield* dockline("client create --name WMS --grant acme=documents:write --json")
    const { clientSecret, ...client } = JSON.parse(created.data)
    assert.match(clientSecret, /^[\w-]{43}$/)
    plant(clientSecret)
    assert.match(created.errors, /^Save the secret now: the service shows it only once/)
    assert.notInclude(created.errors, clientSecret)
    const { id } = client
    assert.deepStrictEqual(yield* json("client", "show", id), client)
    assert.deepStrictEqual(yield* api(`clients/${id}`), client)

    const clientAfterGrant = yield* json(
      `client grant ${id} --grant acme/east,west=pallets:write --grant acme=messages:read`
    )
    assert.deepStrictEqual(clientAfterGrant.grants, [
      { business: "acme", facilities: "*", permissions: ["documents:write", "messages:read"] },
      { business: "acme", facilities: ["east", "west"], permissions: ["pallets:write"] }
    ])
    const clientAfterReplacement = yield* json("client", "set-grants", id, "--grant", "globex=messages:read")
    assert.deepStrictEqual(clientAfterReplacement.grants, [{
      business: "globex",
      facilities: "*",
      permissions: ["messages:read"]
    }])
    const unknown = yield* dockline(["client", "grant", id, "--grant", "nobody=messages:read"])
    assert.match(refusalOf(unknown), / grants\[0\]\.business: /)

    assert.match(yield* run("client", "rename", id, "--name", "Acme WMS"), /^name +Acme WMS$/m)
    assert.match(yield* run("client", "disable", id), /^enabled +no$/m)
    assert.match(yield* run("client", "enable", id), /^enabled +yes$/m)

    const second = yield* dockline(["secret", "create", id])
    const [, secretId = "", secret = ""] = /^secret id +(\S+)\nclient secret +(\S+)\n$/.exec(second.data) ??
      []
    assert.strictEqual(second.errors, created.errors)
    plant(secret)
    const { secrets } = yield* json("client", "show", id)
    assert.strictEqual(secrets.length, 2)
    assert.include(JSON.stringify(secrets), secretId)
    const third = yield* dockline(["secret", "create", id])
    assert.include(refusalOf(third), "409 Conflict, code TOO_MANY_SECRETS")

    const unsure = yield* dockline(["secret", "delete", id, secretId])
    assert.deepStrictEqual([unsure.code, unsure.data], [2, ""])
    const deletion = yield* dockline(["secret", "delete", id, secretId, "--yes"])
    assert.deepStrictEqual([deletion.code, deletion.data], [0, ""])
    assert.match(deletion.errors, /^Deleted secret /)
    assert.strictEqual((yield* json("client", "show", id)).secrets.length, 1)
  })

  command("person add, show, rename, grant, revoke, remove", function*() {
    const person = yield* json(
      "person add --name 'Ada Byron' --email Ada@acme.example --grant acme/east=messages:read,shipments:write"
    )
    const { id } = person
    assert.strictEqual(person.email, "ada@acme.example")
    assert.deepStrictEqual(yield* json("person", "show", id), person)
    assert.deepStrictEqual(yield* api(`people/${id}`), person)
    assert.include(
      refusalOf(yield* dockline(["person", "add", "--name", "Other", "--email", "ada@acme.example"])),
      "409 Conflict, code PERSON_EXISTS"
    )
    assert.match(yield* run("person", "rename", id, "--name", "Ada King"), /^name +Ada King$/m)
    const personAfterGrant = yield* json("person", "grant", id, "--grant", "acme=messages:read")
    const everywhere = { business: "acme", facilities: "*", permissions: ["messages:read"] }
    assert.deepStrictEqual(personAfterGrant.grants, [...person.grants, everywhere])
    const personAfterRevocation = yield* json(
      `person revoke ${id} --grant acme/east=messages:read,shipments:write`
    )
    assert.deepStrictEqual(personAfterRevocation.grants, [everywhere])
    for (
      const wrong of [
        ["add", "--name", "Nobody"],
        ["add", "--name", "Two", "--email", "a@b.example", "--subject", "s"],
        ["grant", id],
        ["remove", id]
      ]
    ) assert.deepStrictEqual((yield* dockline(["person", ...wrong])).code, 2)
    const removed = yield* dockline(["person", "remove", id, "--yes"])
    assert.deepStrictEqual([removed.code, removed.data], [0, ""])
    assert.include(refusalOf(yield* dockline(["person", "show", id])), "PERSON_NOT_FOUND")
  })
})
