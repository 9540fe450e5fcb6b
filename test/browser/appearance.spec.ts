import { expect, it } from 'vitest';
import { darkColours, lightColours } from '../../src/rendering/design-tokens.js';
import { runAsAdmin } from '../support/databases.js';
import { coloursOf, faultsOf } from './support/appearance.js';
import { useStage } from './support/stage.js';

// Every page and mail that people get to see, in both widths and both colour schemes: axe finds nothing, nothing is
// wider than a phone, and the screenshots are for eyes (SCREENSHOTS=dir keeps them).

/** So few that the last test but one soon gets there; the tests before it cause two. */
const FAILURES_A_MINUTE = 3;
const stage = useStage({ RATE_LIMIT_SIGN_IN: String(FAILURES_A_MINUTE) });

const PASSWORD = 'Ballast-7-Anchors';

it('the sign-in page, its errors and its end', async () => {
  const { admin } = stage().credentials;
  const visitor = await stage().visit();
  const { page } = visitor;
  await page.goto(stage().depart().url);
  expect(await faultsOf(page, 'sign-in')).toEqual([]);
  await visitor.signIn(admin.loginName, 'Not-the-Passw0rd');
  await page.getByText('user name or password.').waitFor();
  expect(await faultsOf(page, 'sign-in-wrong')).toEqual([]);
  await page.getByLabel('Password', { exact: true }).fill('Shown-for-0nce');
  await page.getByRole('button', { name: 'Show password' }).click();
  expect(await faultsOf(page, 'sign-in-password-shown')).toEqual([]);
  await visitor.signIn(admin.loginName, admin.password);
  await page.waitForURL('**/pkce/callback?**');
  await page.goBack();
  expect(await faultsOf(page, 'expired')).toEqual([]);
});

it('the sign-in page of the organization that a request names', async () => {
  await runAsAdmin(
    stage().database.url,
    `WITH o AS (INSERT INTO organizations (name) VALUES ('Tidewater Trading') RETURNING id),
       d AS (INSERT INTO organization_domains (org_id, domain, is_verified, is_primary)
             SELECT id, 'tide.example', true, true FROM o)
     INSERT INTO branding_policies (org_id, accent_color) SELECT id, '#7a1f6b' FROM o`,
  );
  const { page } = await stage().visit();
  await page.goto(stage().depart({ scope: 'openid urn:zitadel:iam:org:domain:primary:tide.example' }).url);
  await page.getByText('Tidewater Trading').first().waitFor();
  await expect.poll(() => page.locator('a[href^="/register"]').count()).toBe(0);
  expect(await faultsOf(page, 'sign-in-named-organization')).toEqual([]);
});

it('a page that is not there, and the home page before and after a sign-in', async () => {
  const { admin } = stage().credentials;
  const visitor = await stage().visit();
  const { page } = visitor;
  await page.goto(`${stage().issuer}/no/such/page`);
  expect(await faultsOf(page, 'not-found')).toEqual([]);
  await page.goto(stage().issuer);
  expect(await faultsOf(page, 'home')).toEqual([]);
  await page.getByRole('link', { name: 'Sign in' }).click();
  expect(await faultsOf(page, 'sign-in-without-application')).toEqual([]);
  await visitor.signIn(admin.loginName, admin.password);
  await visitor.sees(`You are signed in as ${admin.loginName}`);
  expect(await faultsOf(page, 'home-signed-in')).toEqual([]);
});

it('what an application did wrong', async () => {
  const { page } = await stage().visit();
  await page.goto(stage().depart({ redirect_uri: 'https://elsewhere.example/callback' }).url);
  expect(await faultsOf(page, 'error-redirect-uri')).toEqual([]);
  await page.goto(`${stage().issuer}/oidc/v1/end_session?id_token_hint=nonsense`);
  expect(await faultsOf(page, 'error-sign-out')).toEqual([]);
});

it('a form that somebody tampered with', async () => {
  const visitor = await stage().visit();
  const { page } = visitor;
  await page.goto(stage().depart().url);
  await page.evaluate(`document.querySelector('input[name=csrf]').value = 'forged'`);
  await visitor.signIn('somebody', 'Not-the-Passw0rd');
  await page.getByRole('heading', { name: 'We could not accept this form' }).waitFor();
  expect(await faultsOf(page, 'error-form')).toEqual([]);
});

it('setting the first password', async () => {
  const human = await stage().importHuman();
  const mail = await stage().mailTo(human.email);
  const visitor = await stage().visit();
  const { page } = visitor;
  const link = visitor.linkIn(mail);
  await page.goto(link);
  expect(await faultsOf(page, 'set-password')).toEqual([]);
  await page.goto(link.replace(/&?code=[^&]*/, ''));
  await page.getByLabel('New password', { exact: true }).fill('short');
  await page.getByRole('button', { name: 'Set password' }).click();
  await page.getByRole('alert').waitFor();
  expect(await faultsOf(page, 'set-password-two-problems')).toEqual([]);
  await page.goto(link);
  await page.getByLabel('New password', { exact: true }).fill('short');
  await page.getByLabel('Repeat new password').fill('short');
  await page.getByRole('button', { name: 'Set password' }).click();
  await page.getByText('Choose a password that meets every requirement').waitFor();
  expect(await faultsOf(page, 'set-password-weak')).toEqual([]);
  await page.getByLabel('New password', { exact: true }).fill(PASSWORD);
  await page.getByLabel('Repeat new password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Set password' }).click();
  await page.getByRole('heading', { name: 'Your password is set' }).waitFor();
  expect(await faultsOf(page, 'password-set')).toEqual([]);
  await page.goto(link);
  expect(await faultsOf(page, 'link-over')).toEqual([]);
});

it('setting the first password with names that are too long for any line', async () => {
  const userName = `${'donaudampfschifffahrtsgesellschaft'.repeat(4)}.kapitän`;
  const human = await stage().importHuman({
    userName,
    profile: { firstName: 'Wilhelmine', lastName: 'X'.repeat(150), displayName: 'Ω'.repeat(150) },
  });
  const visitor = await stage().visit();
  await visitor.page.goto(visitor.linkIn(await stage().mailTo(human.email)));
  expect(await faultsOf(visitor.page, 'set-password-long-names')).toEqual([]);
});

it('verifying an e-mail address', async () => {
  const email = { email: 'unverified@post.example', isEmailVerified: false };
  await stage().importHuman({ email, password: PASSWORD });
  const visitor = await stage().visit();
  const { page } = visitor;
  await page.goto(visitor.linkIn(await stage().mailTo(email.email)));
  expect(await faultsOf(page, 'verify-email')).toEqual([]);
  const code = await page.getByLabel('Code').inputValue();
  await page.getByLabel('Code').fill('WRONG2');
  await page.getByRole('button', { name: 'Verify' }).click();
  await page.getByRole('alert').waitFor();
  expect(await faultsOf(page, 'verify-email-wrong')).toEqual([]);
  await page.getByLabel('Code').fill(code);
  await page.getByRole('button', { name: 'Verify' }).click();
  await page.getByRole('heading', { name: 'Your e-mail address is verified' }).waitFor();
  expect(await faultsOf(page, 'email-verified')).toEqual([]);
});

it('signing out', async () => {
  const { admin } = stage().credentials;
  const visitor = await stage().visit();
  const { page } = visitor;
  await page.goto(stage().depart().url);
  await visitor.signIn(admin.loginName, admin.password);
  await page.waitForURL('**/pkce/callback?**');
  await page.goto(`${stage().issuer}/oidc/v1/end_session`);
  expect(await faultsOf(page, 'sign-out')).toEqual([]);
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'You are signed out' }).waitFor();
  expect(await faultsOf(page, 'signed-out')).toEqual([]);
});

it('the queue dashboard for those who may not see it', async () => {
  const human = await stage().importHuman({ password: PASSWORD });
  const visitor = await stage().visit();
  const { page } = visitor;
  await page.goto(`${stage().issuer}/admin/queues`);
  await visitor.signIn(human.loginName, PASSWORD);
  await page.getByRole('heading', { name: 'This page is for administrators' }).waitFor();
  expect(await faultsOf(page, 'forbidden')).toEqual([]);
});

it('the mailbox and the mails in it', async () => {
  const { page } = await stage().visit();
  stage().mailbox.clear();
  await page.goto(stage().mailbox.url);
  expect(await faultsOf(page, 'mailbox-empty')).toEqual([]);
  expect(lightColours).toMatchObject(await coloursOf(page, 'light'));
  expect(darkColours).toMatchObject(await coloursOf(page, 'dark'));
  const invited = await stage().importHuman();
  const email = { email: 'somebody@post.example', isEmailVerified: false };
  await stage().importHuman({ email, password: PASSWORD });
  const mails = {
    init: await stage().mailTo(invited.email),
    verify: await stage().mailTo(email.email),
  };
  await page.goto(stage().mailbox.url);
  expect(await faultsOf(page, 'mailbox')).toEqual([]);
  for (const [name, mail] of Object.entries(mails)) {
    await page.goto(`${stage().mailbox.url}/messages/${mail.id}`);
    expect(await faultsOf(page, `mailbox-mail-${name}`)).toEqual([]);
    // as other readers of mail show it: by itself
    await page.goto('about:blank');
    await page.setContent(mail.html ?? '');
    expect(await faultsOf(page, `mail-${name}`, 'mail')).toEqual([]);
  }
});

it('too many wrong passwords', async () => {
  const visitor = await stage().visit();
  const { page } = visitor;
  await page.goto(stage().depart().url);
  for (let tries = 0; tries <= FAILURES_A_MINUTE; tries += 1) {
    await visitor.signIn('nobody', 'Not-the-Passw0rd');
    await page.locator('#password-error').waitFor();
    if ((await page.getByText('Too many attempts').count()) > 0) break;
  }
  await page.getByText('Too many attempts').waitFor();
  expect(await faultsOf(page, 'sign-in-too-many')).toEqual([]);
});

it('a service whose database is gone', async () => {
  const { page } = await stage().visit();
  await stage().database.drop();
  const answer = await page.goto(stage().depart().url);
  expect(answer?.status()).toBeGreaterThanOrEqual(500);
  expect(await faultsOf(page, 'unavailable')).toEqual([]);
});
