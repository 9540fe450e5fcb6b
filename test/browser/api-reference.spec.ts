import { expect, it } from 'vitest';
import { useStage } from './support/stage.js';

// The API reference, as far as only a browser can tell: that swagger-ui comes up under our policy and asks no other host
// for anything (`useStage` fails a test whose browser reports either).

const stage = useStage({});
/** swagger-ui resolves the whole document before it shows a call: seconds alone, a minute on a machine full of others. */
const RENDERED = { timeout: 150_000 };

it(
  'shows a call with its fields and its permission, and offers to make none',
  { timeout: 180_000 },
  async () => {
    const { page } = await stage().visit();
    // opened by its link: what is not in sight is made when somebody scrolls there
    await page.goto(`${stage().issuer}/openapi#/management/Users.importHuman`);
    const call = page.locator('.opblock.is-open', { hasText: '/management/v1/users/human/_import' });
    await call.getByText('user.import').first().waitFor(RENDERED);
    await call.getByText('userName').first().waitFor(RENDERED);
    await expect
      .poll(() => page.getByRole('button', { name: /Try it out|Authorize|Execute/ }).count())
      .toBe(0);
    await expect.poll(() => page.evaluate('localStorage.length')).toBe(0);
  },
);
