import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';

const changelog = readFileSync(path.join(import.meta.dirname, '../../../CHANGELOG.md'), 'utf8');

// two branches that carry one change each add its line, and nothing conflicts
it('the changelog says nothing twice within a release', () => {
  const twice = changelog.split(/^## /m).flatMap((release) => {
    const bullets = release.split(/^- /m).slice(1);
    const texts = bullets.map((bullet) =>
      bullet
        .split(/\n(?! {2})/)[0]
        ?.replaceAll(/\s+/g, ' ')
        .trim(),
    );
    return texts.filter((text, index) => texts.indexOf(text) !== index);
  });
  expect(twice).toEqual([]);
});
