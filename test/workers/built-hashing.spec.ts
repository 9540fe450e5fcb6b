import { execFile } from 'node:child_process';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const dist = path.join(
  import.meta.dirname,
  '../../dist/modules/src/domain/passwords/schemes/password-schemes.js',
);

it('finds the file of its digest threads in the built program too, and ends when they are idle', async () => {
  const program = `
    const { readHash } = await import(${JSON.stringify(pathToFileURL(dist).href)});
    const hash = readHash('$1$kJ4QkJaQ$3EbD/pJddrq5HW3mpZ4KZ1');
    const answers = [await hash.matches(Buffer.from('password')), await hash.matches(Buffer.from('Password'))];
    // as one text: console.log paints a boolean where FORCE_COLOR is set, as it is in many a CI
    process.stdout.write(answers.join(' '));`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program]);
  expect(stdout).toBe('true false');
});
