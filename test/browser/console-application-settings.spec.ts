import { generateKeyPairSync } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { faultsIn, goesTo, opens, opensPart, ownerAtConsole } from './support/console.js';
import { useStage } from './support/stage.js';

// What the console offers for the settings of an application, on an instance that signs with ES256; its secret and its keys.

const stage = useStage({ SIGNING_ALG: 'ES256' });

interface Shown {
  readonly app: { readonly name: string; readonly oidcConfig: Readonly<Record<string, unknown>> };
}

/** An application in a project of its own. */
async function anApplication(name: string, settings: object) {
  const { id: projectId } = await stage().asRoot<{ readonly id: string }>('POST', 'management/v1/projects', {
    name: `Project of ${name}`,
  });
  const apps = `management/v1/projects/${projectId}/apps`;
  const { appId } = await stage().asRoot<{ readonly appId: string }>('POST', `${apps}/oidc`, {
    name,
    redirectUris: ['https://rp.example/callback'],
    ...settings,
  });
  return {
    path: `projects/${projectId}/applications/${appId}`,
    now: async () => (await stage().asRoot<Shown>('GET', `${apps}/${appId}`)).app,
  };
}

describe('the algorithm of userinfo', () => {
  it("may be the instance's own, which stays when something else is saved", async () => {
    const { path, now } = await anApplication('Signed', { userinfoSignedResponseAlg: 'ES256' });
    const { page, visitor, orgId } = await ownerAtConsole(stage());
    await goesTo(page, `orgs/${orgId}/${path}/tokens`);
    await opens(page, 'Signed');
    const choice = page.getByRole('combobox', { name: 'Signature of userinfo' });
    await expect.poll(async () => await choice.inputValue()).toBe('ES256');
    await page.getByRole('checkbox', { name: 'User Info inside ID Token' }).check();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved', { exact: true }).waitFor();
    await expect
      .poll(now)
      .toMatchObject({ oidcConfig: { userinfoSignedResponseAlg: 'ES256', idTokenUserinfoAssertion: true } });

    await choice.click();
    await expect
      .poll(async () => await page.getByRole('option').allTextContents())
      .toEqual(['None (JSON)', 'ES256', 'RS256']);
    await page.getByRole('option', { name: 'RS256' }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    await expect.poll(now).toMatchObject({ oidcConfig: { userinfoSignedResponseAlg: 'RS256' } });
    expect(await faultsIn(page)).toEqual([]);
    expect(visitor.complaints).toEqual([]);
  });
});

describe('what the security profile overrules', () => {
  it('is said, and cannot be changed before the profile is off', async () => {
    const { path } = await anApplication('Bank', {
      authMethodType: 'OIDC_AUTH_METHOD_TYPE_PRIVATE_KEY_JWT',
      securityProfile: 'OIDC_SECURITY_PROFILE_FAPI2',
      grantTypes: ['OIDC_GRANT_TYPE_AUTHORIZATION_CODE', 'OIDC_GRANT_TYPE_TOKEN_EXCHANGE'],
      idTokenSignedResponseAlg: 'RS256',
      userinfoSignedResponseAlg: 'RS256',
    });
    const { page, visitor, orgId } = await ownerAtConsole(stage());
    await goesTo(page, `orgs/${orgId}/${path}/sign-in`);
    await opens(page, 'Bank');
    await page.getByText(/^The profile overrides these settings: .*Require pushed requests/).waitFor();
    const pushed = page.getByRole('checkbox', { name: 'Require pushed requests' });
    const field = page.locator('.mantine-Checkbox-root').filter({ has: pushed });
    await expect.poll(async () => await pushed.isDisabled()).toBe(true);
    await expect
      .poll(async () => await field.textContent())
      .toContain('This setting has no effect while the profile is on');
    // what is left of a list may be chosen
    const grants = page.getByRole('combobox', { name: 'Grant types' });
    await expect.poll(async () => await grants.isEnabled()).toBe(true);
    await page.getByText('While the security profile is on, some of these have no effect.').waitFor();
    expect(await faultsIn(page)).toEqual([]);

    await opensPart(page, 'Tokens');
    for (const name of ['Signature of ID tokens', 'Signature of userinfo'])
      await expect
        .poll(async () => await page.getByRole('combobox', { name }).isDisabled(), { message: name })
        .toBe(true);
    await opensPart(page, 'Signing in');
    const profile = page.getByRole('combobox', { name: 'Security profile' });
    const later = page.getByText('Save to see what the profile overrides.');
    await profile.click();
    await page.getByRole('option', { name: 'FAPI 2.0 with signed messages' }).click();
    await later.waitFor();
    expect(await faultsIn(page)).toEqual([]);
    await profile.click();
    await page.getByRole('option', { name: 'None', exact: true }).click();
    await expect.poll(async () => await pushed.isEnabled()).toBe(true);
    await expect.poll(async () => await later.count()).toBe(0);
    expect(await faultsIn(page)).toEqual([]);
    expect(visitor.complaints).toEqual([]);
  });
});

describe('the secret of an application', () => {
  it('is made anew, knowing what stops: shown once, and the old one is refused', async () => {
    const { path, now } = await anApplication('Ferry', {});
    const { page, visitor, orgId } = await ownerAtConsole(stage());
    await goesTo(page, `orgs/${orgId}/${path}/sign-in`);
    await opens(page, 'Ferry');
    const shown = page.getByRole('alert', { name: 'Client secret' }).locator('code, pre').first();
    const make = async (): Promise<string> => {
      await page.getByRole('button', { name: 'Make a new secret' }).click();
      const dialog = page.getByRole('dialog');
      await dialog
        .getByText('The old secret and the access tokens of the application stop working at once.')
        .waitFor();
      await dialog.getByRole('button', { name: 'Make a new secret' }).click();
      await dialog.waitFor({ state: 'detached' });
      await shown.waitFor();
      return (await shown.textContent()) ?? '';
    };
    const clientId = String((await now()).oidcConfig['clientId']);
    const introspected = async (secret: string): Promise<number> => {
      const basic = [clientId, secret].map(encodeURIComponent).join(':');
      const response = await fetch(`${stage().issuer}/oauth/v2/introspect`, {
        method: 'POST',
        headers: { authorization: `Basic ${Buffer.from(basic).toString('base64')}` },
        body: new URLSearchParams({ token: 'none' }),
      });
      return response.status;
    };
    const first = await make();
    expect(await introspected(first)).toBe(200);
    expect(await faultsIn(page)).toEqual([]);
    await make();
    await expect.poll(async () => (await shown.textContent()) ?? first).not.toBe(first);
    const second = (await shown.textContent()) ?? '';
    expect(await introspected(second)).toBe(200);
    expect(await introspected(first)).toBe(401);
    await page.reload();
    await opens(page, 'Ferry');
    await expect.poll(() => page.locator('#content').textContent()).not.toContain(second);
    expect(visitor.complaints).toEqual([]);
  });
});

describe('a key of an application', () => {
  it('is added as a file of its own, or from a public key, and removed', async () => {
    const { path } = await anApplication('Barge', {
      authMethodType: 'OIDC_AUTH_METHOD_TYPE_PRIVATE_KEY_JWT',
    });
    const { page, visitor, orgId } = await ownerAtConsole(stage());
    await goesTo(page, `orgs/${orgId}/${path}/sign-in`);
    await opens(page, 'Barge');
    const section = page.getByRole('region', { name: 'Keys', exact: true });
    await section.getByText('No keys yet.').waitFor();
    await section.getByRole('button', { name: 'Add a key' }).click();
    expect(await faultsIn(page)).toEqual([]);
    await section.getByRole('button', { name: 'Make the key' }).click();
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download' }).click(),
    ]);
    const made = JSON.parse(await readFile(await file.path(), 'utf8')) as Record<string, string>;
    expect(made).toMatchObject({
      type: 'application',
      key: expect.stringContaining('PRIVATE KEY') as string,
    });
    const rows = section.getByRole('table', { name: 'Keys' }).locator('tbody tr');
    await rows.filter({ hasText: made['keyId'] ?? 'no key' }).waitFor();
    expect(await faultsIn(page)).toEqual([]);

    // one of theirs, which stays with them
    const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    await section.getByRole('button', { name: 'Add a key' }).click();
    await section
      .getByRole('textbox', { name: 'Public key of yours' })
      .fill(String(publicKey.export({ type: 'spki', format: 'pem' })));
    await section.getByRole('button', { name: 'Add a key' }).click();
    await expect.poll(() => rows.count()).toBe(2);
    const first = rows.filter({ hasText: made['keyId'] ?? 'no key' });
    await first.getByRole('button', { name: 'Remove' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Anything signed with this key is refused at once').waitFor();
    await dialog.getByRole('button', { name: 'Remove' }).click();
    await page.getByText('The key was removed.').waitFor();
    await expect.poll(() => rows.count()).toBe(1);
    await expect.poll(() => first.count()).toBe(0);
    expect(visitor.complaints).toEqual([]);
  });
});
