import { describe, expect, it } from 'vitest';
import { assets, iconPath } from '../../../src/pages/design/assets.js';
import { stylesheet, stylesheetPath } from '../../../src/pages/design/stylesheet.js';
import {
  contrast,
  darkColours,
  lightColours,
  textOn,
  withAccent,
} from '../../../src/rendering/design-tokens.js';

const accents = ['#ffcc00', '#ffffff', '#000000', '#777777', '#e4002b', '#00a37a', '#7f00ff', '#2b50d9'];
const schemes = [
  ['light', lightColours] as const,
  ['dark', darkColours] as const,
  ...accents.flatMap((accent) => {
    const { light, dark } = withAccent(accent);
    return [[`light with ${accent}`, light] as const, [`dark with ${accent}`, dark] as const];
  }),
];

describe('colours', () => {
  it.each(schemes)('%s: every text is legible on its ground', (_name, scheme) => {
    const { canvas, surface, sunken, dangerGround, successGround } = scheme;
    for (const ground of [canvas, surface, sunken]) {
      expect(contrast(scheme.text, ground)).toBeGreaterThanOrEqual(7);
      expect(contrast(scheme.muted, ground)).toBeGreaterThanOrEqual(4.5);
      expect(contrast(scheme.accentText, ground)).toBeGreaterThanOrEqual(4.5);
    }
    expect(contrast(scheme.onAccent, scheme.accent)).toBeGreaterThanOrEqual(4.5);
    expect(contrast(scheme.onAccent, scheme.accentHover)).toBeGreaterThanOrEqual(4.5);
    expect(contrast(scheme.danger, surface)).toBeGreaterThanOrEqual(4.5);
    expect(contrast(scheme.danger, dangerGround)).toBeGreaterThanOrEqual(4.5);
    expect(contrast(scheme.text, dangerGround)).toBeGreaterThanOrEqual(4.5);
    expect(contrast(scheme.success, successGround)).toBeGreaterThanOrEqual(4.5);
    expect(contrast(scheme.fieldLine, surface)).toBeGreaterThanOrEqual(3);
  });

  it('knows the ends of the contrast scale', () => {
    expect(contrast('#ffffff', '#000000')).toBeCloseTo(21, 5);
    expect(contrast('#123456', '#123456')).toBe(1);
  });

  it('finds a legible text colour for every ground', () => {
    for (let grey = 0; grey < 256; grey++) {
      const ground = `#${grey.toString(16).padStart(2, '0').repeat(3)}`;
      expect(contrast(textOn(ground), ground)).toBeGreaterThanOrEqual(4.5);
    }
  });

  it.each(['red', '#fff', '#12345g', '#ffcc00;}body{display:none', 'url(//evil.test)', ''])(
    'ignores %j as an accent',
    (accent) => {
      expect(withAccent(accent)).toEqual({ light: lightColours, dark: darkColours });
    },
  );
});

describe('stylesheet', () => {
  it('lies at an address made from its content', () => {
    expect(stylesheetPath).toMatch(/^\/assets\/identity-[0-9a-f]{16}\.css$/);
    expect(assets.get(stylesheetPath)).toEqual({ contentType: 'text/css; charset=utf-8', body: stylesheet });
    expect(assets.get(iconPath)?.contentType).toBe('image/svg+xml');
  });

  it('asks nobody else for anything', () => {
    expect(stylesheet).not.toMatch(/url\(|@import|@font-face/);
  });

  it('has balanced braces and uses no property that it does not define', () => {
    expect(stylesheet.split('{').length).toBe(stylesheet.split('}').length);
    const defined = new Set(Array.from(stylesheet.matchAll(/(--[a-z0-9-]+):/g), (match) => match[1]));
    for (const [, used] of stylesheet.matchAll(/var\((--[a-z0-9-]+)\)/g)) expect(defined).toContain(used);
  });

  it('knows dark, narrow, forced colours and less motion', () => {
    for (const query of [
      'prefers-color-scheme: dark',
      'max-width: 479px',
      'forced-colors: active',
      'prefers-reduced-motion',
    ]) {
      expect(stylesheet).toContain(query);
    }
  });
});
