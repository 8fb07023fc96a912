import { z } from "zod";

const Text = z.string().optional();
const Color = z.string().regex(/^#[0-9A-F]{6}$/).optional(); // prettier-ignore
const Sizes = z.object({ h1: Text, h2: Text, h3: Text, body: Text, small: Text });
const Component = z.object({
  background: Color,
  textColor: Color,
  borderColor: Color,
  borderRadius: Text,
  borderRadiusCorners: z
    .object({ topLeft: z.string(), topRight: z.string(), bottomRight: z.string(), bottomLeft: z.string() })
    .optional(),
  shadow: Text,
});
export type BrandComponent = z.infer<typeof Component>;

/** What a page looks like: colours as #RRGGBB, lengths as CSS writes them. What is not seen is left out. */
export const Branding = z.object({
  colorScheme: z.enum(["light", "dark"]).optional(),
  brandName: Text,
  logo: Text,
  fonts: z.array(z.object({ family: z.string() })).optional(),
  colors: z
    .object({
      primary: Color,
      secondary: Color,
      accent: Color,
      background: Color,
      textPrimary: Color,
      textSecondary: Color,
      link: Color,
      success: Color,
      warning: Color,
      error: Color,
    })
    .optional(),
  typography: z
    .object({
      fontFamilies: z.object({ primary: Text, heading: Text, code: Text }).optional(),
      fontStacks: z
        .object({
          primary: z.array(z.string()).optional(),
          heading: z.array(z.string()).optional(),
          body: z.array(z.string()).optional(),
          paragraph: z.array(z.string()).optional(),
        })
        .optional(),
      fontSizes: Sizes.optional(),
      /** Of the font's size. */
      lineHeights: z.record(z.string(), z.number()).optional(),
      fontWeights: z.record(z.string(), z.number()).optional(),
    })
    .optional(),
  spacing: z
    .object({
      baseUnit: z.number().optional(),
      /** In px, of what has one. */
      padding: z.record(z.string(), z.number()).optional(),
      margins: z.record(z.string(), z.number()).optional(),
      gridGutter: z.number().optional(),
      borderRadius: Text,
    })
    .optional(),
  components: z
    .object({ buttonPrimary: Component.optional(), buttonSecondary: Component.optional(), input: Component.optional() })
    .optional(),
  icons: z.object({ style: z.enum(["outline", "filled"]).optional(), primaryColor: Color }).optional(),
  /** How many emoji stand among the words. What a voice is like cannot be computed, and is not guessed. */
  tone: z.object({ emojiUsage: z.enum(["none", "minimal", "moderate", "heavy"]).optional() }).optional(),
  images: z.object({ logo: Text, logoHref: Text, logoAlt: Text, favicon: Text, ogImage: Text }).optional(),
  animations: z.object({ transitionDuration: Text, easing: Text }).optional(),
  layout: z
    .object({
      grid: z.object({ columns: z.number().optional(), maxWidth: Text }).optional(),
      headerHeight: Text,
      footerHeight: Text,
    })
    .optional(),
});
export type Branding = z.infer<typeof Branding>;
