import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

// A browser test reads a page while it is still loading or its scripts still run. What it expects of a page is polled:
// read once, it holds on an idle machine alone.

const TESTS = path.join(import.meta.dirname, '../..');
/** The rings with a browser. */
const RINGS = ['browser', 'interop'];
/** What reads a page as it is at that moment: of Playwright and of `Visitor`. */
const READ =
  'allInnerTexts|allTextContents|boundingBox|content|count|evaluate|evaluateAll|getAttribute|innerHTML|innerText|inputValue|' +
  'isChecked|isDisabled|isEditable|isEnabled|isHidden|isVisible|textContent|title|autocompletes|focused|focusRing|heading|look';
/** `expect(await page.title())`, also within a list or beside other words. */
const EXPECTED_AT_ONCE = new RegExp(
  String.raw`\bexpect\((?:(?!\);)[^])*?\bawait\s(?:(?!\);)[^])*?\.(?:${READ})[(<]`,
  'g',
);
/** `expect(page.url())`, which needs no await and changes all the same while a page goes on to another. */
const ADDRESS_AT_ONCE = /\bexpect\((?:(?!\);)[^])*?\b(?!request|response|answer|asked|receiver)\w+\.url\(\)/g;
/** `const title = await page.title();`, the name being the one group. */
const KEPT = new RegExp(String.raw`\bconst (\w+)(?:: [^=]+)? = \(?await [^;]*\.(?:${READ})[(<]`, 'g');

function singleReads(text: string): readonly string[] {
  const atOnce = [EXPECTED_AT_ONCE, ADDRESS_AT_ONCE].flatMap((read) =>
    [...text.matchAll(read)].map(([found]) => found),
  );
  const kept = [...text.matchAll(KEPT)]
    .map(([, name = '']) => name)
    .filter((name) => new RegExp(String.raw`\bexpect\(\W*${name}\b`).test(text));
  return [...atOnce, ...kept].map((found) => found.replaceAll(/\s+/g, ' '));
}

describe('a test of a page', () => {
  it('expects nothing that it read once', () => {
    const files = RINGS.flatMap((ring) =>
      readdirSync(path.join(TESTS, ring), { recursive: true, encoding: 'utf8' })
        .filter((file) => file.endsWith('.ts') && !file.includes('node_modules'))
        .map((file) => path.join(ring, file)),
    );
    expect(files).toEqual(expect.arrayContaining(['browser/steps.spec.ts', 'interop/chromium.spec.ts']));
    const found = files.flatMap((file) =>
      singleReads(readFileSync(path.join(TESTS, file), 'utf8')).map((read) => `${file}: ${read}`),
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
    `expect(page.url()).toBe(address);`,
    `expect(new URL(tab.url()).search).toBe('');`,
  ])('is told of %s', (text) => {
    expect(singleReads(text)).toHaveLength(1);
  });

  it.each([
    `await expect.poll(() => visitor.focused()).toBe('code');`,
    `expect(await faultsOf(page, 'sign-in')).toEqual([]);\nawait expect.poll(() => page.title()).toBe('');`,
    `const code = await field.inputValue();\nawait other.fill(code);`,
    `await expect.poll(() => new URL(page.url()).search).toBe('');`,
    `expect(new URL(request.url()).pathname).toBe('/login');`,
  ])('may say %s', (text) => {
    expect(singleReads(text)).toEqual([]);
  });
});
