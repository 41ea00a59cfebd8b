import { suite } from "../Suite.ts"

/** All pages in a real browser: the dashboard, the reference, GraphiQL, and the site that `npm run docs` builds. */
export default suite({ include: ["test/browser/**/*.test.ts"], isolate: false, maxWorkers: 2 })
