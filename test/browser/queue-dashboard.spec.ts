import { expect, it } from 'vitest';
import { photograph } from './support/appearance.js';
import { useStage } from './support/stage.js';

// The queue dashboard, as far as only a browser can tell: that bull-board really comes up under our policy, asks no
// other host for anything, and that everybody else gets a page that says why not. `useStage` fails a test whose
// browser reports a violation of the policy or a strange host.

const stage = useStage();

const PASSWORD = 'Ballast-7-Anchors';

it('leads a stranger to the sign-in page and an administrator on to the queues', async () => {
  const { admin } = stage().credentials;
  const human = await stage().importHuman();
  await stage().mailTo(human.email);
  const visitor = await stage().visit();
  const { page } = visitor;
  await page.goto(`${stage().issuer}/admin/queues`);
  await expect.poll(() => visitor.heading()).toBe('Sign in');
  await expect.poll(() => page.getByText('to continue to').count()).toBe(0);

  await visitor.signIn(admin.loginName, admin.password);
  await page.waitForURL('**/admin/queues');
  const queues = page.getByRole('link', { name: /^(?:imports|notifications|keys|maintenance)/ });
  await queues.first().waitFor();
  await expect
    .poll(async () => (await queues.allInnerTexts()).map((text) => text.split('\n')[0]))
    .toEqual(expect.arrayContaining(['imports', 'notifications', 'keys', 'maintenance']));
  await page
    .getByText(/^\d+ Jobs?$/)
    .first()
    .waitFor();
  await photograph(page, 'dashboard');

  // the mail's job is there, done, and names nobody
  await page.goto(`${stage().issuer}/admin/queues/queue/notifications-bulk?status=completed`);
  await page.getByText('send-notification').first().waitFor();
  await photograph(page, 'dashboard-queue');
  await expect.poll(() => page.locator('body').innerText()).not.toContain(human.email);
});

it('tells a normal user, on a page, that the dashboard is not for them', async () => {
  const human = await stage().importHuman({ password: PASSWORD });
  const visitor = await stage().visit();
  const { page } = visitor;
  await page.goto(`${stage().issuer}/admin/queues`);
  await visitor.signIn(human.loginName, PASSWORD);
  await page.getByRole('heading', { name: 'This page is for administrators' }).waitFor();
  await expect.poll(() => page.getByText(human.loginName).isVisible()).toBe(true);
  const answer = await page.reload();
  expect(answer?.status()).toBe(403);

  // and offers the ways out: no account, or another one
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'You are signed out' }).waitFor();
  await page.goto(`${stage().issuer}/admin/queues/queue/notifications`);
  await expect.poll(() => visitor.heading()).toBe('Sign in');
  await visitor.signIn(human.loginName, PASSWORD);
  await page.getByRole('link', { name: 'Use another account' }).click();
  const { admin } = stage().credentials;
  await visitor.signIn(admin.loginName, admin.password);
  await page
    .getByRole('link', { name: /^notifications/ })
    .first()
    .waitFor();
});
