import { expect, it } from 'vitest';
import { expectNoInsides } from './support/answers.js';

const SIGNATURE = 'pg_qbV3x-pg_aaaaTq0Qw7eZ9-pg_x';

it('what must not be in an answer is found beside a token, and not inside of one', () => {
  const page = (words: string) => ({
    body: `<p>${words}</p><a href="?id_token_hint=eyJhbGciOiJSUzI1NiJ9.x.${SIGNATURE}&amp;a=1">Deutsch</a>`,
  });
  expectNoInsides(page('Please try again.'));
  for (const words of [
    'pg_catalog',
    'pg_stat_activity_of_the_whole_cluster',
    'relation "users" does not exist',
    '/app/node_modules/pg/lib/client.js',
    'dist/src/http/shared/Controller1OfTheWholeService.js:12',
    'at Object.run (x)',
    'SELECT 1',
  ]) {
    expect(() => expectNoInsides(page(words)), words).toThrow();
  }
});
