import { describe, expect, it } from 'vitest';
import { anApplication } from '../../support/applications.js';
import {
  authorizeUrl,
  codeRequest,
  hiddenFields,
  redirected,
  TestBrowser,
  unescapeHtml,
} from '../../support/browser-flow.js';
import { given } from '../../support/given.js';
import { aUser, PASSWORD } from '../../support/users.js';
import { useWorld } from '../../support/world.js';
import { expectErrorPage } from '../oidc/support/answers.js';

// The user does not want to sign in, and the application hears it (RFC 6749 §4.1.2.1; security S303).

const { api, world } = useWorld();
const client = given(() => anApplication(world));
const user = given(() => aUser(world));

const CANCEL = '/login/cancel';

/** What the button sends; undefined where there is none. */
function cancelFields(page: string): Record<string, string> | undefined {
  const [, form] = page.split(`<form method="post" action="${CANCEL}"`);
  return form === undefined ? undefined : hiddenFields(form);
}

async function shown(changes: Record<string, string> = {}, browser = new TestBrowser(api)) {
  const asked = await browser.get(authorizeUrl({ ...codeRequest(client), ...changes }));
  const page = await browser.get(asked.headers.location ?? '');
  return { browser, path: asked.headers.location ?? '', body: page.body, fields: cancelFields(page.body) };
}

describe('Cancel', () => {
  it('tells the application that its user did not want to sign in', async () => {
    const { browser, fields = {} } = await shown({ state: 'a state' });
    const response = await browser.post(CANCEL, fields);
    expect(response.statusCode).toBe(303);
    expect(Object.fromEntries(redirected(response))).toEqual({
      error: 'access_denied',
      error_description: 'the user cancelled the sign-in',
      state: 'a state',
      iss: 'https://id.test',
    });
  });

  it('answers in the way that the application asked for', async () => {
    const { browser, fields = {} } = await shown({ response_mode: 'form_post' });
    const { statusCode, body } = await browser.post(CANCEL, fields);
    expect(statusCode).toBe(200);
    expect(unescapeHtml(body)).toContain('name="error" value="access_denied"');
  });

  it('is on the pages of the flow, and on none that people come to by themselves', async () => {
    const { browser, path } = await shown();
    const flow = new URL(path, 'https://id.test').searchParams.get('flow') ?? '';
    for (const page of ['/login', '/password/forgotten']) {
      expect(cancelFields((await browser.get(`${page}?flow=${flow}`)).body), page).toMatchObject({ flow });
    }
    const own = await browser.get('/login');
    expect(own.statusCode).toBe(302);
    expect(cancelFields((await browser.get(own.headers.location ?? '')).body)).toBeUndefined();
    expect(cancelFields((await browser.get('/password/forgotten')).body)).toBeUndefined();
  });

  it('lets whoever is signed in stay so', async () => {
    const browser = new TestBrowser(api);
    await browser.signIn(codeRequest(client), user);
    const { fields = {} } = await shown({ prompt: 'select_account' }, browser);
    expect(redirected(await browser.post(CANCEL, fields)).get('error')).toBe('access_denied');
    const silently = await browser.get(authorizeUrl({ ...codeRequest(client), prompt: 'none' }));
    expect(redirected(silently).get('code')).not.toBeNull();
  });

  it('ends the flow: nothing comes of it any more', async () => {
    const { browser, body, fields = {} } = await shown();
    await browser.post(CANCEL, fields);
    expectErrorPage(await browser.post(CANCEL, fields), 400, 'expired');
    const signIn = { ...hiddenFields(body), loginName: user.loginName, password: PASSWORD };
    expectErrorPage(await browser.post('/login', signIn), 400, 'expired');
  });

  it('gives one answer to two who press at once', async () => {
    const { browser, fields = {} } = await shown();
    const answers = await Promise.all(Array.from({ length: 4 }, () => browser.post(CANCEL, fields)));
    expect(answers.filter(({ statusCode }) => statusCode === 303)).toHaveLength(1);
  });

  it.each([
    ['another browser', async () => ({ browser: new TestBrowser(api), token: undefined })],
    ['another form', async () => ({ browser: undefined, token: 'sign-in' })],
  ])('is of no use to %s', async (_name, how) => {
    const { browser: elsewhere, token } = await how();
    const { browser, body, path, fields = {} } = await shown();
    const sent = token === undefined ? fields : { ...fields, csrf: hiddenFields(body)['csrf'] ?? '' };
    expect((await (elsewhere ?? browser).post(CANCEL, sent)).statusCode).toBe(403);
    expect((await browser.get(path)).statusCode).toBe(200);
  });
});
