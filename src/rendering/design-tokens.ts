/**
 * Colours and measures of everything people see of us: pages take them through the stylesheet's custom
 * properties, mails carry them inlined. Every text colour has a contrast of at least 4.5 : 1 on the grounds it
 * stands on, field borders and focus 3 : 1 (WCAG 2.2, 1.4.3 and 1.4.11); a unit test holds both schemes to it.
 */

/** One colour scheme; every value is `#rrggbb`. */
export interface ColourScheme {
  /** Behind everything. */
  readonly canvas: string;
  /** Cards and fields. */
  readonly surface: string;
  /** Quiet boxes on a card. */
  readonly sunken: string;
  readonly text: string;
  readonly muted: string;
  readonly line: string;
  readonly fieldLine: string;
  /** The one accent: primary button, mark. An organization may replace it. */
  readonly accent: string;
  readonly accentHover: string;
  readonly onAccent: string;
  /** The accent as text and as focus ring, moved until it is legible on card and canvas. */
  readonly accentText: string;
  readonly danger: string;
  readonly dangerGround: string;
  readonly success: string;
  readonly successGround: string;
}

export const lightColours: ColourScheme = {
  canvas: '#f4f5f7',
  surface: '#ffffff',
  sunken: '#f4f5f7',
  text: '#15181e',
  muted: '#575e6c',
  line: '#dde0e7',
  fieldLine: '#848b9a',
  accent: '#2b50d9',
  accentHover: '#2647bf',
  onAccent: '#ffffff',
  accentText: '#2b50d9',
  danger: '#b42318',
  dangerGround: '#fef3f2',
  success: '#0f6b3c',
  successGround: '#edf8f1',
};

export const darkColours: ColourScheme = {
  canvas: '#0d0f13',
  surface: '#16191f',
  sunken: '#1e222a',
  text: '#eceef2',
  muted: '#a4abb9',
  line: '#2b303a',
  fieldLine: '#6c7484',
  accent: '#3f63ea',
  accentHover: '#3857ce',
  onAccent: '#ffffff',
  accentText: '#93a9ff',
  danger: '#ff9d94',
  dangerGround: '#2d1a1a',
  success: '#6fd79c',
  successGround: '#15261d',
};

/** Spacing step in pixels; all distances are multiples of it. */
export const spaceStep = 4;
export const radii = { field: '8px', card: '14px' } as const;
export const fonts = {
  text: "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', 'Noto Sans', Arial, sans-serif",
  code: "ui-monospace, SFMono-Regular, Menlo, Consolas, 'Liberation Mono', monospace",
} as const;

/** Contrast ratio of two `#rrggbb` colours, 1 to 21 (WCAG 2.2, "contrast ratio"). */
export function contrast(one: string, other: string): number {
  const [a, b] = [luminance(one), luminance(other)];
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}

/** White where it is legible (4.5 : 1) on this colour, else black, which then is. */
export function textOn(ground: string): string {
  return contrast('#ffffff', ground) >= 4.5 ? '#ffffff' : '#000000';
}

/**
 * The schemes with an organization's own accent. Text on it, its hover shade and the accent as text follow from
 * it. Anything but `#rrggbb` is ignored: the value ends up in a style sheet and in mails, where it must not be
 * able to say more than a colour.
 */
export function withAccent(accent: string | undefined): { light: ColourScheme; dark: ColourScheme } {
  if (accent === undefined || !/^#[0-9a-f]{6}$/i.test(accent)) {
    return { light: lightColours, dark: darkColours };
  }
  const onAccent = textOn(accent);
  // Away from the text's colour, so that hovering never costs contrast.
  const accentHover = mix(accent, onAccent === '#ffffff' ? '#000000' : '#ffffff', 0.12);
  const apply = (scheme: ColourScheme): ColourScheme => ({
    ...scheme,
    accent,
    accentHover,
    onAccent,
    accentText: legible(accent, scheme),
  });
  return { light: apply(lightColours), dark: apply(darkColours) };
}

function legible(accent: string, scheme: ColourScheme): string {
  const grounds = [scheme.surface, scheme.canvas, scheme.sunken];
  for (let share = 0; share < 1; share += 0.05) {
    const candidate = mix(accent, scheme.text, share);
    if (grounds.every((ground) => contrast(candidate, ground) >= 4.5)) return candidate;
  }
  return scheme.text;
}

/** A share of the second colour in the first, from 0 to 1; both are `#rrggbb`. */
export function mix(from: string, towards: string, share: number): string {
  const target = channels(towards);
  const blend = (channel: keyof Channels): string =>
    Math.round(channels(from)[channel] * (1 - share) + target[channel] * share)
      .toString(16)
      .padStart(2, '0');
  return `#${blend('red')}${blend('green')}${blend('blue')}`;
}

function luminance(colour: string): number {
  const linear = (channel: number): number =>
    channel / 255 <= 0.04045 ? channel / 255 / 12.92 : ((channel / 255 + 0.055) / 1.055) ** 2.4;
  const { red, green, blue } = channels(colour);
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
}

interface Channels {
  readonly red: number;
  readonly green: number;
  readonly blue: number;
}

function channels(colour: string): Channels {
  const value = Number.parseInt(colour.slice(1), 16);
  return { red: (value >> 16) & 255, green: (value >> 8) & 255, blue: value & 255 };
}
