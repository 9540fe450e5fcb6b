import { describe, expect, it } from 'vitest';
import { faultsIn, goesTo, opens, ownerAtConsole } from './support/console.js';
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
