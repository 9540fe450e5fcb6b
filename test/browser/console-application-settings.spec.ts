import { describe, expect, it } from 'vitest';
import { faultsIn, goesTo, opens, opensPart, ownerAtConsole } from './support/console.js';
import { useStage } from './support/stage.js';

// What the console offers for the settings of an application, on an instance that signs with ES256.

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
    await page.getByText(/^The profile has its own values in place of: .*Only pushed requests/).waitFor();
    const pushed = page.getByRole('checkbox', { name: 'Only pushed requests' });
    const field = page.locator('.mantine-Checkbox-root').filter({ has: pushed });
    await expect.poll(async () => await pushed.isDisabled()).toBe(true);
    await expect
      .poll(async () => await field.textContent())
      .toContain('what is set here does not count while it is on');
    // what is left of a list may be chosen
    const grants = page.getByRole('combobox', { name: 'Ways to a token' });
    await expect.poll(async () => await grants.isEnabled()).toBe(true);
    await page.getByText('While the security profile is on, some of these do not count.').waitFor();
    expect(await faultsIn(page)).toEqual([]);

    await opensPart(page, 'Tokens');
    for (const name of ['Signature of ID tokens', 'Signature of userinfo'])
      await expect
        .poll(async () => await page.getByRole('combobox', { name }).isDisabled(), { message: name })
        .toBe(true);
    await opensPart(page, 'Signing in');
    const profile = page.getByRole('combobox', { name: 'Security profile' });
    const later = page.getByText('What the profile overrules is shown after saving.');
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
