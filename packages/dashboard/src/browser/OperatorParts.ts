/** What the parts of a capability for operators are made of (`OfBusiness`), beside `PageParts.ts`: loaded for operators alone. */
export { Listing } from "./views/operator/Parts.tsx"
