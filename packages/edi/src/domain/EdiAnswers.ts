/**
 * What a service answers to the requests of the examples, as recorded: `UPDATE_ANSWERS=1 npx vitest run Answers` writes it anew.
 */

const items1 = {
  units: [],
  newPurposes: [],
  slug: "supplier",
  facility: "east",
  name: "Supplier Inc.",
  ours: { qualifier: "ZZ", id: "WAREHOUSE", group: "WAREHOUSE" },
  theirs: { qualifier: "ZZ", id: "SUPPLIER", group: "SUPPLIER" },
  release: "004010",
  usage: "P",
  takes: ["856", "940"],
  tells: ["856", "945", "944"],
  tellsOf: "OWN",
  business: "acme",
  nextInterchange: 3,
  nextGroup: 3,
  createdAt: "2026-11-20T16:00:00.000Z"
} as const

/** The answers to the examples of each operation, by the names of both. */
export const answers = {
  ediFiles: {
    id: "1",
    direction: "IN",
    business: { slug: "acme", name: "Acme" },
    facility: { slug: "east", name: "Acme East" },
    partner: "supplier",
    control: "000000101",
    at: "2026-11-20T17:00:01.204Z",
    outcome: "ACCEPTED",
    kinds: ["856"],
    setCount: 1,
    rejectedCount: 0
  },
  ediFile: {
    id: "1",
    direction: "IN",
    business: { slug: "acme", name: "Acme" },
    facility: { slug: "east", name: "Acme East" },
    partner: "supplier",
    control: "000000101",
    at: "2026-11-20T17:00:01.204Z",
    outcome: "ACCEPTED",
    sets: [{
      kind: "856",
      control: "0001",
      group: "SH",
      groupControl: "101",
      outcome: "ACCEPTED",
      number: "ASN-1",
      shipmentId: "1",
      faults: []
    }],
    faults: [],
    text:
      "ISA*00*          *00*          *ZZ*SUPPLIER       *ZZ*WAREHOUSE      *261120*1700*U*00401*000000101*0*P*>~\nGS*SH*SUPPLIER*WAREHOUSE*20261120*1700*101*X*004010~\nST*856*0001~\nBSN*00*ASN-1*20261120*1700~\nHL*1**S~\nHL*2*1*O~\nPRF*PO-1~\nHL*3*2*T~\nMAN*GM*00106141411234567897~\nHL*4*3*I~\nLIN**SK*SKU-1~\nSN1**12*CA~\nSE*11*0001~\nGE*1*101~\nIEA*1*000000101~",
    answer:
      "ISA*00*          *00*          *ZZ*WAREHOUSE      *ZZ*SUPPLIER       *261120*1700*U*00401*000000001*0*P*>~\nGS*FA*WAREHOUSE*SUPPLIER*20261120*1700*1*X*004010~\nST*997*0001~\nAK1*SH*101~\nAK2*856*0001~\nAK5*A~\nAK9*A*1*1*1~\nSE*6*0001~\nGE*1*1~\nIEA*1*000000001~"
  },
  ediOutbox: {
    id: "2",
    direction: "OUT",
    business: { slug: "acme", name: "Acme" },
    facility: { slug: "east", name: "Acme East" },
    partner: "supplier",
    control: "000000002",
    at: "2026-11-20T17:45:00.000Z",
    outcome: "WAITING",
    kinds: ["944"],
    text:
      "ISA*00*          *00*          *ZZ*WAREHOUSE      *ZZ*SUPPLIER       *261120*1745*U*00401*000000002*0*P*>~\nGS*RE*WAREHOUSE*SUPPLIER*20261120*1745*2*X*004010~\nST*944*0001~\nW17*F*20261120*1*PO-1*ASN-1~\nN1*WH*Acme East*ZZ*east~\nW07*12*CA**SK*SKU-1~\nN9*LV*106141411234567897~\nW14*12~\nSE*7*0001~\nGE*1*2~\nIEA*1*000000002~"
  }
} as const

/** The answers to the examples of the operations of operators, by the names of both. */
export const operatorAnswers = {
  createEdiPartner: {
    units: [],
    newPurposes: [],
    slug: "supplier",
    facility: "east",
    name: "Supplier Inc.",
    ours: { qualifier: "ZZ", id: "WAREHOUSE", group: "WAREHOUSE" },
    theirs: { qualifier: "ZZ", id: "SUPPLIER", group: "SUPPLIER" },
    release: "004010",
    usage: "P",
    takes: ["856", "940"],
    tells: ["856", "945", "944"],
    tellsOf: "OWN",
    business: "acme",
    nextInterchange: 1,
    nextGroup: 1,
    createdAt: "2026-11-20T16:00:00.000Z"
  },
  listEdiPartners: { items: [items1], next: null },
  getEdiPartner: items1,
  updateEdiPartner: {
    units: [],
    newPurposes: [],
    slug: "supplier",
    facility: "east",
    name: "Supplier Inc.",
    ours: { qualifier: "ZZ", id: "WAREHOUSE", group: "WAREHOUSE" },
    theirs: { qualifier: "ZZ", id: "SUPPLIER", group: "SUPPLIER" },
    release: "004010",
    usage: "P",
    takes: ["856", "940"],
    tells: ["945"],
    tellsOf: "OWN",
    business: "acme",
    nextInterchange: 3,
    nextGroup: 3,
    createdAt: "2026-11-20T16:00:00.000Z"
  }
} as const
