import {
  Alert,
  Button,
  createTheme,
  type CSSVariablesResolver,
  type MantineColorsTuple,
} from '@mantine/core';
import { fonts, lightColours, mix } from '../../../src/rendering/design-tokens.ts';
import { darkVariables, lightVariables } from './colours.ts';

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
    // our own colours, which are read easily on their grounds; what only explains is as quiet as a box on a card
    Alert: Alert.extend({
      // an address in it breaks anywhere, rather than being cut off on a phone
      styles: { body: { minWidth: 0 }, label: { overflowWrap: 'anywhere' } },
      vars: (_, { color }) => ({
        root:
          color === 'yellow'
            ? { '--alert-color': 'var(--warning)', '--alert-bg': 'var(--warning-ground)' }
            : color === 'red'
              ? { '--alert-color': 'var(--danger)', '--alert-bg': 'var(--danger-ground)' }
              : color === 'gray'
                ? { '--alert-color': 'var(--mantine-color-text)', '--alert-bg': 'var(--sunken)' }
                : {},
      }),
    }),
    // a plain red has too little contrast to the white on it, and to the ground of a button that is pointed at
    Button: Button.extend({
      vars: (_, { color, variant = 'filled' }) => ({
        root:
          color !== 'red'
            ? {}
            : variant === 'subtle'
              ? { '--button-color': 'var(--danger)', '--button-hover': 'var(--danger-ground)' }
              : {
                  '--button-bg': 'var(--mantine-color-red-9)',
                  '--button-hover': 'var(--mantine-color-red-8)',
                },
      }),
    }),
    Badge: { defaultProps: { radius: 'sm', variant: 'light', tt: 'none', fw: 600 } },
    Table: { defaultProps: { verticalSpacing: 'sm', horizontalSpacing: 'md' } },
    Paper: { defaultProps: { withBorder: true, radius: 'lg' } },
    // a header of its own would be a second banner of the page
    Modal: { defaultProps: { radius: 'lg', centered: true, attributes: { header: { role: 'none' } } } },
  },
});

export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: lightVariables,
  dark: darkVariables,
});
