import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

// A browser test reads a page while it is still loading or its scripts still run. What it expects of a page is polled:
// read once, it holds on an idle machine alone.

const FOLDER = path.join(import.meta.dirname, '../../browser');
/** What reads a page as it is at that moment: of Playwright and of `Visitor`. */
const READ =
  'allInnerTexts|allTextContents|boundingBox|content|count|evaluate|evaluateAll|getAttribute|innerHTML|innerText|inputValue|' +
  'isChecked|isDisabled|isEditable|isEnabled|isHidden|isVisible|textContent|title|autocompletes|focused|focusRing|heading|look';
/** `expect(await page.title())`, also within a list or beside other words. */
const EXPECTED_AT_ONCE = new RegExp(
  String.raw`\bexpect\((?:(?!\);)[^])*?\bawait\s(?:(?!\);)[^])*?\.(?:${READ})[(<]`,
  'g',
);
/** `const title = await page.title();`, the name being the one group. */
const KEPT = new RegExp(String.raw`\bconst (\w+)(?:: [^=]+)? = \(?await [^;]*\.(?:${READ})[(<]`, 'g');

function singleReads(text: string): readonly string[] {
  const atOnce = [...text.matchAll(EXPECTED_AT_ONCE)].map(([found]) => found);
  const kept = [...text.matchAll(KEPT)]
    .map(([, name = '']) => name)
    .filter((name) => new RegExp(String.raw`\bexpect\(\W*${name}\b`).test(text));
  return [...atOnce, ...kept].map((found) => found.replaceAll(/\s+/g, ' '));
}

describe('a test of a page', () => {
  it('expects nothing that it read once', () => {
    const files = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' }).filter((file) =>
      file.endsWith('.ts'),
    );
    expect(files).toContain('steps.spec.ts');
    const found = files.flatMap((file) =>
      singleReads(readFileSync(path.join(FOLDER, file), 'utf8')).map((read) => `${file}: ${read}`),
    );
    expect(found).toEqual([]);
  });

  it.each([
    `expect(await visitor.focused()).toBe('code');`,
    `expect(await page.locator('#code').isVisible()).toBe(true);`,
    `expect(\n  await page.evaluate<string>('location.hash'),\n).toBe('');`,
    `expect([await password.inputValue(), await repeat.inputValue()]).toEqual(['', '']);`,
    `expect((await page.locator('.key').innerText()).trim()).toBe('');`,
    `const codes = await page.locator('li').allInnerTexts();\nexpect(codes).toHaveLength(10);`,
  ])('is told of %s', (text) => {
    expect(singleReads(text)).toHaveLength(1);
  });

  it.each([
    `await expect.poll(() => visitor.focused()).toBe('code');`,
    `expect(await faultsOf(page, 'sign-in')).toEqual([]);\nawait expect.poll(() => page.title()).toBe('');`,
    `const code = await field.inputValue();\nawait other.fill(code);`,
  ])('may say %s', (text) => {
    expect(singleReads(text)).toEqual([]);
  });
});
