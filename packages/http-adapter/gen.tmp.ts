import { OpenApi } from "effect/http-api"
import { Api } from "./src/Api.ts"
import { writeFileSync } from "node:fs"
const t=performance.now()
const doc = OpenApi.fromApi(Api)
console.log(performance.now()-t,"ms")
writeFileSync("/tmp/openapi.json", JSON.stringify(doc, null, 2))
