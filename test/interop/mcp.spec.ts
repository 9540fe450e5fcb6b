import { afterAll, expect, it } from 'vitest';
import { anyFreePort } from '../../scripts/ports.mjs';
import { startTestApi, useApi } from '../support/api.js';
import { given } from '../support/given.js';
import { aServiceUser } from '../support/service-users.js';
import { aUser, PASSWORD } from '../support/users.js';
import { anOrganization } from '../support/world.js';
import { versionOf } from './support/client-folder.js';
import { fetchOnce } from './support/fetch-once.js';
import { ForeignApp } from './support/foreign-app.js';
import { record } from './support/matrix.js';
import { WebBrowser, type Page } from './support/web-browser.js';

// An agent that speaks the Model Context Protocol meets a server it has never heard of: it registers itself, its user sees who
// asks for what, and the server knows the token by introspection (docs/client-registration.md).

const closed = useApi();
const world = given(() => anOrganization(closed));
const ends: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const end of ends.toReversed()) await end();
});

it('an MCP agent registers itself and uses the server of a project that is open to it', async () => {
  const [ourPort, port] = [await anyFreePort(), await anyFreePort()];
  const issuer = `http://localhost:${ourPort}`;
  const api = await startTestApi(
    {
      PUBLIC_URL: issuer,
      CLIENT_REGISTRATION: 'open',
      CLIENT_REGISTRATION_PROJECT: world.projectId,
      RESOURCE_INDICATORS: 'on',
    },
    closed,
  );
  ends.push(() => api.close());
  await api.app.listen(ourPort, '127.0.0.1');
  const owner = await aServiceUser(world, 'ORG_OWNER');
  const user = await aUser(world);
  const project = await owner.call('POST', 'projects', {
    name: 'Order desk',
    resourceUri: `http://localhost:${port}/mcp`,
    openResource: true,
  });
  const { id } = project.json<{ id: string }>();
  const added = await owner.call('POST', `projects/${id}/apps/api`, { name: 'MCP server' });
  const server = added.json<{ clientId: string; clientSecret: string }>();

  const cwd = await fetchOnce('mcp');
  const app = await ForeignApp.start({
    cwd,
    argv: [process.execPath, 'app.mjs'],
    port,
    redirectUri: `http://localhost:${port}/callback`,
    registered: { ...server, issuer },
  });
  ends.push(() => app.stop());

  const browser = new WebBrowser();
  const ask = async (path: string) => {
    const answer = await browser.open(`${app.origin}${path}`);
    if (answer.status !== 200) throw new Error(`${path}: ${answer.text}\n${app.output}`);
    return JSON.parse(answer.text) as Record<string, unknown>;
  };
  const signIn = await browser.open(`${app.origin}/login`);
  const consent = await press(browser, signIn, { loginName: user.loginName, password: PASSWORD });
  expect(consent.text).toContain('Agent of the tests');
  expect(consent.text).toContain('Order desk');
  const back = await press(browser, consent, { decision: 'allow' });
  expect(back.text, app.output).toBe('{"ok":true}');
  expect(await ask('/me')).toMatchObject({ sub: user.userId, registered: expect.any(String) as string });
  expect(await ask('/refresh')).toEqual({ refreshed: true });
  await record({
    client: 'MCP SDK (agent that registers itself)',
    version: await versionOf('mcp', '@modelcontextprotocol/sdk'),
    did: ['sign-in', 'refresh', 'introspection'],
  });
});

/** Sends the page's form as if its fields, or the button of that name, had these values. */
async function press(
  browser: WebBrowser,
  page: Page,
  values: Readonly<Record<string, string>>,
): Promise<Page> {
  const form = page.forms.find(({ method }) => method === 'post');
  if (form === undefined) throw new Error(`no form: ${page.status} ${page.text.slice(0, 2000)}`);
  const fields = Object.entries(values).map(([name, value]) => ({ name, value, type: 'hidden' }));
  const others = form.fields.filter(({ name }) => !(name in values));
  return await browser.submit(page, { ...form, fields: [...others, ...fields] });
}
