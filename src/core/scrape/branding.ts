import { z } from "zod";

const Text = z.string().optional();
const Color = z.string().regex(/^#[0-9A-F]{6}$/).optional(); // prettier-ignore
const Sizes = z.object({
  h1: Text.describe("Font size of first-level headings as a CSS length."),
  h2: Text.describe("Font size of second-level headings as a CSS length."),
  h3: Text.describe("Font size of third-level headings as a CSS length."),
  body: Text.describe("Font size of body text as a CSS length."),
  small: Text.describe("Font size of small text as a CSS length."),
});
const Component = z.object({
  background: Color.describe("Background color as #RRGGBB."),
  textColor: Color.describe("Text color as #RRGGBB."),
  borderColor: Color.describe("Border color as #RRGGBB."),
  borderRadius: Text.describe("Corner radius as a CSS length."),
  borderRadiusCorners: z
    .object({
      topLeft: z.string().describe("Radius of the top left corner as a CSS length."),
      topRight: z.string().describe("Radius of the top right corner as a CSS length."),
      bottomRight: z.string().describe("Radius of the bottom right corner as a CSS length."),
      bottomLeft: z.string().describe("Radius of the bottom left corner as a CSS length."),
    })
    .optional()
    .describe("Corner radii where they differ."),
  shadow: Text.describe("Box shadow as a CSS value."),
});
export type BrandComponent = z.infer<typeof Component>;

/** Visual identity of a page: colours as #RRGGBB, lengths in CSS syntax. Properties that were not found are absent. */
export const Branding = z.object({
  colorScheme: z.enum(["light", "dark"]).optional().describe("Whether the page is light or dark."),
  brandName: Text.describe("Name of the brand."),
  logo: Text.describe("URL of the logo."),
  fonts: z
    .array(z.object({ family: z.string().describe("Name of the font family.") }))
    .optional()
    .describe("Font families used on the page."),
  colors: z
    .object({
      primary: Color.describe("Primary color of the brand."),
      secondary: Color.describe("Secondary color of the brand."),
      accent: Color.describe("Accent color of the brand."),
      background: Color.describe("Background color of the page."),
      textPrimary: Color.describe("Color of body text."),
      textSecondary: Color.describe("Color of secondary text."),
      link: Color.describe("Color of links."),
      success: Color.describe("Color of success messages."),
      warning: Color.describe("Color of warning messages."),
      error: Color.describe("Color of error messages."),
    })
    .optional()
    .describe("Colors of the page as #RRGGBB."),
  typography: z
    .object({
      fontFamilies: z
        .object({
          primary: Text.describe("Font family of body text."),
          heading: Text.describe("Font family of headings."),
          code: Text.describe("Font family of code."),
        })
        .optional()
        .describe("Font families by purpose."),
      fontStacks: z
        .object({
          primary: z.array(z.string()).optional().describe("Font stack of the page."),
          heading: z.array(z.string()).optional().describe("Font stack of headings."),
          body: z.array(z.string()).optional().describe("Font stack of body text."),
          paragraph: z.array(z.string()).optional().describe("Font stack of paragraphs."),
        })
        .optional()
        .describe("Font families with their fallbacks by purpose."),
      fontSizes: Sizes.optional().describe("Font sizes by kind of text."),
      /** Ratio to the font size. */
      lineHeights: z.record(z.string(), z.number()).optional().describe("Line heights by kind of text."),
      fontWeights: z.record(z.string(), z.number()).optional().describe("Font weights by kind of text."),
    })
    .optional()
    .describe("Fonts, sizes and weights of the text."),
  spacing: z
    .object({
      baseUnit: z.number().optional().describe("Base unit of the spacing in pixels."),
      /** In px, by element, where set. */
      padding: z.record(z.string(), z.number()).optional().describe("Padding by component in pixels."),
      margins: z.record(z.string(), z.number()).optional().describe("Margins by component in pixels."),
      gridGutter: z.number().optional().describe("Gap of the grid in pixels."),
      borderRadius: Text.describe("Usual corner radius as a CSS length."),
    })
    .optional()
    .describe("Spacing of the layout."),
  components: z
    .object({
      buttonPrimary: Component.optional().describe("Look of primary buttons."),
      buttonSecondary: Component.optional().describe("Look of secondary buttons."),
      input: Component.optional().describe("Look of input fields."),
    })
    .optional()
    .describe("Look of buttons and inputs."),
  icons: z
    .object({
      style: z.enum(["outline", "filled"]).optional().describe("Whether icons are outlined or filled."),
      primaryColor: Color.describe("Main color of the icons as #RRGGBB."),
    })
    .optional()
    .describe("Look of the icons."),
  /** Frequency of emoji in the text. The tone of voice cannot be computed and is not guessed. */
  tone: z
    .object({
      emojiUsage: z
        .enum(["none", "minimal", "moderate", "heavy"])
        .optional()
        .describe("How often the text uses emoji."),
    })
    .optional()
    .describe("Tone of the text."),
  images: z
    .object({
      logo: Text.describe("URL of the logo."),
      logoHref: Text.describe("URL that the logo links to."),
      logoAlt: Text.describe("Alternative text of the logo."),
      favicon: Text.describe("URL of the icon of the site."),
      ogImage: Text.describe("URL of the image for link previews."),
    })
    .optional()
    .describe("Images that belong to the brand."),
  animations: z
    .object({
      transitionDuration: Text.describe("Usual duration of transitions as a CSS time."),
      easing: Text.describe("Usual easing function of transitions."),
    })
    .optional()
    .describe("Animations of the page."),
  layout: z
    .object({
      grid: z
        .object({
          columns: z.number().optional().describe("Number of columns of the grid."),
          maxWidth: Text.describe("Maximum width of the content as a CSS length."),
        })
        .optional()
        .describe("Grid of the content."),
      headerHeight: Text.describe("Height of the header as a CSS length."),
      footerHeight: Text.describe("Height of the footer as a CSS length."),
    })
    .optional()
    .describe("Layout of the page."),
});
export type Branding = z.infer<typeof Branding>;
