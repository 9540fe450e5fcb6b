import { describe, expect, it } from 'vitest';
import { anApplication, REDIRECT_URI } from '../../support/applications.js';
import { authorizeUrl, codeRequest, hiddenFields, pkce, TestBrowser } from '../../support/browser-flow.js';
import {
  anInitialToken,
  aRegistered,
  metadata,
  REGISTER,
  registering,
  useOpenRegistration,
} from '../../support/client-registration.js';
import { given } from '../../support/given.js';
import { aUser } from '../../support/users.js';
import { expectOAuthError } from '../oidc/support/answers.js';

// What pages show of what a client that registered itself says of itself (RFC 7591 §2, security S435, S436).

const { api, world } = useOpenRegistration();
const user = given(() => aUser(world));

const PAGES = {
  client_uri: 'https://www.rp.test/',
  policy_uri: 'https://rp.test/privacy?a=1&b=2#top',
  tos_uri: 'https://lawyers.test/terms',
};
const UNCHECKED = 'Nobody at this service has checked them:';

function requestOf(clientId: string) {
  return { ...codeRequest({ id: '', clientId, clientSecret: '' }), ...pkce().challenge };
}

async function signInPage(clientId: string): Promise<string> {
  const browser = new TestBrowser(api);
  const begun = await browser.get(authorizeUrl(requestOf(clientId)));
  return (await browser.get(begun.headers.location ?? '')).body;
}

async function consentPage(clientId: string): Promise<string> {
  const browser = new TestBrowser(api);
  const answered = await browser.signIn(requestOf(clientId), user);
  expect(answered.headers.location).toMatch(/^\/login\/consent\?/);
  return (await browser.get(answered.headers.location ?? '')).body;
}

/** Links that lead away, as `[address, words, host]`. */
function linksIn(page: string): readonly string[][] {
  const links = page.matchAll(
    /<a href="([^"]*)" target="_blank" rel="noopener noreferrer nofollow"\s*><span>([^<]*)<\/span> <bdi>([^<]*)<\/bdi><\/a/g,
  );
  return [...links].map(([, ...said]) => said);
}

const SHOWN = [
  ['https://www.rp.test/', 'Website', 'www.rp.test'],
  ['https://rp.test/privacy?a=1&amp;b=2#top', 'Privacy policy', 'rp.test'],
  ['https://lawyers.test/terms', 'Terms of service', 'lawyers.test'],
];

describe('the pages (S436) of a client that registered itself', () => {
  it('are links with their hosts where people sign in and decide, as what nobody has checked', async () => {
    const { client_id: clientId } = await aRegistered(api, undefined, PAGES);
    for (const page of [await signInPage(clientId), await consentPage(clientId)]) {
      expect(linksIn(page)).toEqual(SHOWN);
      expect(page).toContain(UNCHECKED);
    }
  });

  it('are of the application, and no more than that, with a token of its organization', async () => {
    const { token } = await anInitialToken(world);
    const { client_id: clientId } = await aRegistered(api, token, PAGES);
    const page = await signInPage(clientId);
    expect(linksIn(page)).toEqual(SHOWN);
    expect(page).toContain('Pages of <strong><bdi>Editor</bdi></strong>:');
    expect(page).not.toContain(UNCHECKED);
  });

  it('are not spoken of where there are none', async () => {
    const { client_id: clientId } = await aRegistered(api, undefined, { logo_uri: 'https://rp.test/logo' });
    const made = await anApplication(world);
    for (const page of [await signInPage(clientId), await signInPage(made.clientId)]) {
      expect(page).not.toContain('class="client-links"');
      expect(page).not.toContain('rp.test/logo');
    }
  });

  it('change with the client, which its users are asked about again', async () => {
    const { client_id: clientId, ...client } = await aRegistered(api, undefined, PAGES);
    const browser = new TestBrowser(api);
    const answered = await browser.signIn(requestOf(clientId), user);
    const asked = await browser.get(answered.headers.location ?? '');
    await browser.post('/login/consent', { ...hiddenFields(asked.body), decision: 'allow' });
    const body = metadata({ client_id: clientId, tos_uri: 'https://other.test/' });
    const { registration_client_uri: url, registration_access_token: token } = client;
    expect((await registering(api, 'PUT', url, token, body)).statusCode).toBe(200);
    expect(linksIn(await consentPage(clientId))).toEqual([
      ['https://other.test/', 'Terms of service', 'other.test'],
    ]);
  });
});

describe('S435 a stranger writes what would run', () => {
  const UNFIT = [
    'javascript:alert(1)',
    'JavaScript:alert(1)//https://rp.test',
    'data:text/html,<script>alert(1)</script>',
    'http://rp.test/',
    '//rp.test/',
    'https://user@rp.test/',
    'https://rp.test/"><script>alert(1)</script>',
    'https://rp.test/\u202eyvilop',
    `https://rp.test/${'a'.repeat(2_048)}`,
    7,
  ];

  it.each(['client_uri', 'policy_uri', 'tos_uri', 'logo_uri'])('%s is refused', async (member) => {
    for (const unfit of UNFIT) {
      const refused = await registering(api, 'POST', REGISTER, undefined, metadata({ [member]: unfit }));
      expectOAuthError(refused, 400, 'invalid_client_metadata');
      expect(refused.body).toContain(member);
    }
  });

  it('what is stored all the same stays in its attribute', async () => {
    const { client_id: clientId } = await aRegistered(api, undefined, {
      client_name: '</a><script>alert(1)</script>',
      policy_uri: "https://rp.test/'onmouseover='alert(1)",
    });
    const stored = JSON.stringify({
      policy_uri: "https://rp.test/'onmouseover='alert(1)",
      tos_uri: 'https://rp.test/"><script>alert(1)</script>',
      client_uri: 'javascript:alert(1)//rp.test',
    });
    await api.sql.query(
      `UPDATE client_registrations SET metadata = $2
       WHERE application_id = (SELECT id FROM applications WHERE client_id = $1)`,
      [clientId, stored],
    );
    for (const page of [await signInPage(clientId), await consentPage(clientId)]) {
      expect(page).not.toContain('<script>alert');
      expect(page).not.toContain('javascript:');
      expect(linksIn(page)).toEqual([
        ['https://rp.test/&#39;onmouseover=&#39;alert(1)', 'Privacy policy', 'rp.test'],
        ['https://rp.test/&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;', 'Terms of service', 'rp.test'],
      ]);
    }
  });
});

describe('S436 a stranger would pass for this service', () => {
  it('no link of it leads here, while that of an organization may', async () => {
    const ours = { client_uri: 'https://id.test/', policy_uri: 'https://ID.test:8443/privacy' };
    const { client_id: clientId } = await aRegistered(api, undefined, {
      ...ours,
      redirect_uris: [REDIRECT_URI],
    });
    for (const page of [await signInPage(clientId), await consentPage(clientId)]) {
      expect(page).not.toContain('class="client-links"');
    }
    const { token } = await anInitialToken(world);
    const { client_id: known } = await aRegistered(api, token, ours);
    expect(linksIn(await signInPage(known))).toHaveLength(2);
  });
});
