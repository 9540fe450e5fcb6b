import {
  Alert,
  Button,
  createTheme,
  type CSSVariablesResolver,
  type MantineColorsTuple,
} from '@mantine/core';
import {
  darkColours,
  fonts,
  lightColours,
  mix,
  type ColourScheme,
} from '../../../src/rendering/design-tokens.ts';

/** The console looks like our pages: the same tokens, in Mantine's terms. */

const { accent, accentHover } = lightColours;
const accents: MantineColorsTuple = [
  mix(accent, '#ffffff', 0.92),
  mix(accent, '#ffffff', 0.84),
  mix(accent, '#ffffff', 0.68),
  mix(accent, '#ffffff', 0.5),
  mix(accent, '#ffffff', 0.32),
  mix(accent, '#ffffff', 0.14),
  accent,
  accentHover,
  mix(accent, '#000000', 0.24),
  mix(accent, '#000000', 0.36),
];

export const theme = createTheme({
  primaryColor: 'accent',
  primaryShade: { light: 6, dark: 5 },
  colors: { accent: accents },
  fontFamily: fonts.text,
  fontFamilyMonospace: fonts.code,
  defaultRadius: 'sm',
  radius: { xs: '4px', sm: '8px', md: '8px', lg: '14px', xl: '14px' },
  cursorType: 'pointer',
  autoContrast: true,
  headings: { fontWeight: '650' },
  respectReducedMotion: true,
  components: {
    Checkbox: { defaultProps: { radius: 'xs' } },
    // our own colours, which are read easily on their grounds
    Alert: Alert.extend({
      // an address in it breaks anywhere, rather than being cut off on a phone
      styles: { body: { minWidth: 0 }, label: { overflowWrap: 'anywhere' } },
      vars: (_, { color }) => ({
        root:
          color === 'yellow'
            ? { '--alert-color': 'var(--warning)', '--alert-bg': 'var(--warning-ground)' }
            : color === 'red'
              ? { '--alert-color': 'var(--danger)', '--alert-bg': 'var(--danger-ground)' }
              : {},
      }),
    }),
    // a plain red has too little contrast to the white on it
    Button: Button.extend({
      vars: (_, { color, variant = 'filled' }) => ({
        root:
          color === 'red' && variant === 'filled'
            ? { '--button-bg': 'var(--mantine-color-red-9)', '--button-hover': 'var(--mantine-color-red-8)' }
            : {},
      }),
    }),
    Badge: { defaultProps: { radius: 'sm', variant: 'light', tt: 'none', fw: 600 } },
    Table: { defaultProps: { verticalSpacing: 'sm', horizontalSpacing: 'md' } },
    Paper: { defaultProps: { withBorder: true, radius: 'lg' } },
    // a header of its own would be a second banner of the page
    Modal: { defaultProps: { radius: 'lg', centered: true, attributes: { header: { role: 'none' } } } },
  },
});

/** What needs somebody's attention, and is no fault; our pages have no need of it. */
const lightWarning = { '--warning': '#7a4b00', '--warning-ground': '#fdf3dc' };
const darkWarning = { '--warning': '#f2c46d', '--warning-ground': '#2b2415' };

function variables(colours: ColourScheme): Record<string, string> {
  return {
    '--mantine-color-body': colours.canvas,
    '--mantine-color-text': colours.text,
    '--mantine-color-dimmed': colours.muted,
    '--mantine-color-anchor': colours.accentText,
    '--mantine-color-error': colours.danger,
    '--mantine-color-default': colours.surface,
    '--mantine-color-default-hover': colours.sunken,
    '--mantine-color-default-border': colours.line,
    '--mantine-color-placeholder': colours.muted,
    '--surface': colours.surface,
    '--sunken': colours.sunken,
    '--line': colours.line,
    '--danger': colours.danger,
    '--danger-ground': colours.dangerGround,
    '--success': colours.success,
    '--success-ground': colours.successGround,
    '--accent-text': colours.accentText,
  };
}

export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: { ...variables(lightColours), ...lightWarning },
  // Mantine's own grounds and borders of fields are a grey without the blue that ours have
  dark: {
    ...variables(darkColours),
    ...darkWarning,
    '--mantine-color-dark-6': darkColours.sunken,
    '--mantine-color-dark-4': mix(darkColours.line, darkColours.text, 0.2),
  },
});
