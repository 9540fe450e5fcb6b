import { expect, it } from 'vitest';
import { useStage } from './support/stage.js';

// The API reference, as far as only a browser can tell: that swagger-ui comes up under our policy and asks no other host
// for anything (`useStage` fails a test whose browser reports either).

const stage = useStage({});

it('shows every call with its fields and its permission, and offers to make none', async () => {
  const { page } = await stage().visit();
  await page.goto(`${stage().issuer}/openapi`);
  const document = (await (await fetch(`${stage().issuer}/openapi.json`)).json()) as {
    readonly paths: Readonly<Record<string, object>>;
  };
  const calls = Object.values(document.paths).flatMap((methods) => Object.keys(methods));
  await expect.poll(() => page.locator('.opblock').count(), { timeout: 30_000 }).toBe(calls.length);

  const call = page.locator('#operations-management-Applications\\.createOidc');
  await call.locator('.opblock-summary').click();
  await call.getByText('project.app.write').first().waitFor();
  await call.getByText('redirectUris').first().waitFor();
  expect(await page.getByRole('button', { name: /Try it out|Authorize|Execute/ }).count()).toBe(0);
  expect(await page.evaluate('localStorage.length')).toBe(0);
});
