/** `npm run threats` prints each threat of docs/THREAT-MODEL.md and docs/threats, what prevents it, and the tests that attack it. */
import { threats, threatTests } from "../test/security/Threats.ts"

for (const { id, prevention, threat } of threats) {
  const tests = threatTests.filter((test) => test.id === id).map(({ path, title }) => `  ${path}: ${title}`)
  console.log([`${id} ${threat}`, `Held by ${prevention}`, ...tests, ""].join("\n"))
}
