import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

// What a quick start shows is what the interop ring runs, letter for letter.

const ROOT = path.join(import.meta.dirname, '../../..');

describe.each([
  { page: 'go.md', client: 'go-oidc', files: 2 },
  { page: 'command-line-go.md', client: 'zitadel-device', files: 2 },
  { page: 'spring-boot.md', client: 'spring', files: 9 },
  { page: 'spring-boot-keys.md', client: 'spring', files: 5 },
  { page: 'django.md', client: 'mozilla-django-oidc', files: 7 },
  { page: 'mobile.md', client: 'native', files: 2 },
])('docs/quickstart/$page', ({ page, client, files }) => {
  const text = readFileSync(path.join(ROOT, 'docs/quickstart', page), 'utf8');
  const blocks = [...text.matchAll(/^```\w+ file=(\S+)(?: client=(\S+))?\n([\s\S]*?)^```$/gm)].map(
    ([, file = '', of = client, shown = '']) => ({ file, of, shown }),
  );

  it('shows the files of a tested client', () => {
    expect(blocks).toHaveLength(files);
    for (const { file, of, shown } of blocks) {
      expect(shown, file).toBe(readFileSync(path.join(ROOT, 'test/interop/clients', of, file), 'utf8'));
    }
  });

  it('names the versions that the ring pins', () => {
    const pins = ['requirements.txt', 'go.mod'].map((file) => {
      try {
        return readFileSync(path.join(ROOT, 'test/interop/clients', client, file), 'utf8');
      } catch {
        return '';
      }
    });
    for (const [, named = ''] of text.matchAll(/^venv\/bin\/pip install (.+)$/gm)) {
      if (named.includes('allauth')) continue;
      expect(pins[0]?.trim().split('\n')).toEqual(named.split(' '));
    }
    for (const [, name = '', version = ''] of text.matchAll(/ (\S+)@(v[\d.]+)/g)) {
      expect(pins[1]).toContain(`${name} ${version}`);
    }
  });
});
