import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

// A German console says why something was refused by the id of the rule. A rule that is renamed or gone would leave a sentence
// that nobody sees, so each id has to stand in the program.

const ROOT = new URL('../../../', import.meta.url);

it('each rule with a sentence of its own is one that the service has', () => {
  const words = JSON.parse(readFileSync(new URL('locales/console/de/errors.json', ROOT), 'utf8')) as {
    readonly rules: Readonly<Record<string, string>>;
  };
  const files = readdirSync(new URL('src/', ROOT), { recursive: true, encoding: 'utf8' });
  const program = files
    .filter((file) => file.endsWith('.ts'))
    .map((file) => readFileSync(new URL(`src/${file}`, ROOT), 'utf8'))
    .join('\n');
  expect(Object.keys(words.rules).filter((id) => !program.includes(`'${id}'`))).toEqual([]);
});
