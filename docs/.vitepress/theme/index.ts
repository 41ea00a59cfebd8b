/** The theme of VitePress without its web fonts, with wide diagrams that scroll. */
import DefaultTheme from "vitepress/theme-without-fonts"
import "./style.css"

export default DefaultTheme
