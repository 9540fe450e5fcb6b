// named as the service names it: a unit test is compiled with this
import { darkColours, lightColours, mix, type ColourScheme } from '../../../src/rendering/design-tokens.js';

/** The colours of our pages, by the names that Mantine's components and `console.css` take them by. */

/** What needs somebody's attention, and is no fault; our pages have no need of it. */
const lightWarning = { '--warning': '#7a4b00', '--warning-ground': '#fdf3dc' };
const darkWarning = { '--warning': '#f2c46d', '--warning-ground': '#2b2415' };

function variablesOf(colours: ColourScheme): Record<string, string> {
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
    '--field-line': colours.fieldLine,
    // what a chart is about, and the rest of it: each is told from the card, and from the other
    '--chart': colours.accent,
    '--chart-rest': colours === darkColours ? colours.muted : colours.fieldLine,
  };
}

/** Mantine's greys in the dark, from text to what is behind everything, with the blue that ours have. */
function darkShades(): Record<string, string> {
  const { text, muted, fieldLine, line, sunken, surface, canvas } = darkColours;
  const shades = [
    text,
    mix(text, muted, 0.5),
    muted,
    fieldLine,
    mix(line, text, 0.2),
    mix(line, text, 0.1),
    sunken,
    surface,
    sunken,
    canvas,
  ];
  return Object.fromEntries(shades.map((shade, index) => [`--mantine-color-dark-${index}`, shade]));
}

type Variables = Readonly<Record<string, string>>;

export const lightVariables: Variables = { ...variablesOf(lightColours), ...lightWarning };

export const darkVariables: Variables = {
  ...variablesOf(darkColours),
  ...darkWarning,
  ...darkShades(),
  // the edge of a button that is as dark as the card below it
  '--mantine-color-default-border': mix(darkColours.line, darkColours.text, 0.2),
  // where one is: the accent in the card's colour, not a blue that is nearly black
  '--mantine-color-accent-light': mix(darkColours.surface, darkColours.accent, 0.28),
  '--mantine-color-accent-light-hover': mix(darkColours.surface, darkColours.accent, 0.36),
  '--mantine-color-accent-light-color': mix(darkColours.accentText, '#ffffff', 0.5),
};
