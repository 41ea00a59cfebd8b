/** The few icons of the interface, drawn in the colour of their text. */
export const icon = (path: string, size?: string) => () => (
  <svg
    viewBox="0 0 24 24"
    fill="none"
    stroke="currentColor"
    stroke-width="1.9"
    stroke-linecap="round"
    stroke-linejoin="round"
    aria-hidden
    width={size}
    height={size}
  >
    <path d={path} />
  </svg>
)

export const InboundIcon = icon("M12 4v12m0 0 5-5m-5 5-5-5M5 20h14")

export const OutboundIcon = icon("M12 16V4m0 0 5 5m-5-5L7 9M5 20h14")

export const SearchIcon = icon("m20 20-4.2-4.2M4.5 11a6.5 6.5 0 1 0 13 0a6.5 6.5 0 1 0 -13 0")

export const DocksIcon = icon("M3 20V9l9-5 9 5v11M7 20v-8h10v8M7 16h10")

export const ShipmentsIcon = icon(
  "M2.5 6.5h11v10h-11zM13.5 10h4l3.5 3.5v3h-7.5M5 17.5a2 2 0 1 0 4 0a2 2 0 1 0 -4 0M15 17.5a2 2 0 1 0 4 0a2 2 0 1 0 -4 0"
)

export const MessagesIcon = icon("M4 5h16v11H9l-5 4zM8 9h8M8 12.5h5")

export const DocumentsIcon = icon("M6 3h8l4 4v14H6zM14 3v4h4M9 12h6M9 16h6")

export const WarningIcon = icon("M12 4 2.5 20h19zM12 10v5m0 2.4v.1")

export const PersonIcon = icon(
  "M4.5 20c1-4 4-5.5 7.5-5.5s6.5 1.5 7.5 5.5M8.2 8a3.8 3.8 0 1 0 7.6 0a3.8 3.8 0 1 0 -7.6 0",
  "20"
)

export const OperateIcon = icon("M12 12h9m-3 0v4M4 12a4 4 0 1 0 8 0a4 4 0 1 0 -8 0")
