/** The few signs of the interface, drawn in the colour of their text. */
const stroke = {
  viewBox: "0 0 24 24",
  fill: "none",
  stroke: "currentColor",
  "stroke-width": "1.9",
  "stroke-linecap": "round",
  "stroke-linejoin": "round",
  "aria-hidden": true
} as const

export const InboundIcon = () => (
  <svg {...stroke}>
    <path d="M12 4v12m0 0 5-5m-5 5-5-5M5 20h14" />
  </svg>
)

export const OutboundIcon = () => (
  <svg {...stroke}>
    <path d="M12 16V4m0 0 5 5m-5-5L7 9M5 20h14" />
  </svg>
)

export const SearchIcon = () => (
  <svg {...stroke}>
    <circle cx="11" cy="11" r="6.5" />
    <path d="m20 20-4.2-4.2" />
  </svg>
)

export const DocksIcon = () => (
  <svg {...stroke}>
    <path d="M3 20V9l9-5 9 5v11M7 20v-8h10v8M7 16h10" />
  </svg>
)

export const ShipmentsIcon = () => (
  <svg {...stroke}>
    <path d="M2.5 6.5h11v10h-11zM13.5 10h4l3.5 3.5v3h-7.5" />
    <circle cx="7" cy="17.5" r="2" />
    <circle cx="17" cy="17.5" r="2" />
  </svg>
)

export const MessagesIcon = () => (
  <svg {...stroke}>
    <path d="M4 5h16v11H9l-5 4zM8 9h8M8 12.5h5" />
  </svg>
)

export const DocumentsIcon = () => (
  <svg {...stroke}>
    <path d="M6 3h8l4 4v14H6zM14 3v4h4M9 12h6M9 16h6" />
  </svg>
)

export const WarningIcon = () => (
  <svg {...stroke}>
    <path d="M12 4 2.5 20h19zM12 10v5m0 2.4v.1" />
  </svg>
)

export const PersonIcon = () => (
  <svg {...stroke} width="20" height="20">
    <circle cx="12" cy="8" r="3.8" />
    <path d="M4.5 20c1-4 4-5.5 7.5-5.5s6.5 1.5 7.5 5.5" />
  </svg>
)

export const WebhooksIcon = () => (
  <svg {...stroke}>
    <path d="M4 12h13m0 0-5-5m5 5-5 5M20 5v14" />
  </svg>
)

export const ClientsIcon = () => (
  <svg {...stroke}>
    <circle cx="8" cy="12" r="4" />
    <path d="M12 12h9m-3 0v4" />
  </svg>
)
