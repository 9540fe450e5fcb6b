import { describe, expect, it } from 'vitest';
import { darkVariables, lightVariables } from '../../../console/src/app/colours.js';
import { contrast } from '../../../src/rendering/design-tokens.js';

// What is written in the console is read on every ground that it stands on, in both schemes (WCAG 2.2, 1.4.3 and 1.4.11).

const GROUNDS = ['--mantine-color-body', '--surface', '--sunken'];
const TEXTS = [
  '--mantine-color-text',
  '--mantine-color-dimmed',
  '--mantine-color-anchor',
  '--mantine-color-placeholder',
  '--mantine-color-error',
];
/** Each on the ground that it has for itself. */
const PAIRS = [
  ['--success', '--success-ground'],
  ['--warning', '--warning-ground'],
  ['--danger', '--danger-ground'],
  ['--mantine-color-text', '--warning-ground'],
  ['--mantine-color-text', '--danger-ground'],
];
/** Edges of fields, and bars. */
const SHAPES = ['--field-line', '--chart', '--chart-rest'];

describe.each([
  ['light', lightVariables],
  ['dark', darkVariables],
])('in the %s', (_, colours) => {
  const between = (one: string, other: string): number => contrast(colours[one] ?? '', colours[other] ?? '');

  it.each(TEXTS)('%s is read on every ground', (text) => {
    for (const ground of GROUNDS) expect(between(text, ground), ground).toBeGreaterThanOrEqual(4.5);
  });

  it.each(PAIRS)('%s is read on %s', (text, ground) => {
    expect(between(text, ground)).toBeGreaterThanOrEqual(4.5);
  });

  it.each(SHAPES)('%s is told from a card', (shape) => {
    expect(between(shape, '--surface')).toBeGreaterThanOrEqual(3);
  });

  it('the two colours of a chart are told from each other without seeing colours', () => {
    expect(between('--chart', '--chart-rest')).toBeGreaterThanOrEqual(1.5);
  });
});

describe('where one is, in the dark', () => {
  const ground = darkVariables['--mantine-color-accent-light'] ?? '';

  it('is read, and seen beside what one is not at', () => {
    expect(
      contrast(darkVariables['--mantine-color-accent-light-color'] ?? '', ground),
    ).toBeGreaterThanOrEqual(4.5);
    expect(contrast(ground, darkVariables['--surface'] ?? '')).toBeGreaterThanOrEqual(1.25);
  });
});
