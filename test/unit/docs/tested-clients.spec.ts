import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { applicationFile } from '../../interop/support/application-file.js';
import { NODE_CLIENTS } from '../../interop/support/node-clients.js';
import { tweakedFields } from '../../interop/support/tweak.js';

// docs/clients.md says what each client needs beyond a default application. That is the difference of its JSON, not a word of ours.

const ROOT = path.join(import.meta.dirname, '../../..');
const read = (file: string): string => readFileSync(path.join(ROOT, file), 'utf8');

interface Listed {
  readonly client: string;
  readonly version: string;
  readonly tested: string;
  readonly tweak: string;
}

const rows: readonly Listed[] = read('docs/clients.md')
  .split('\n')
  .flatMap((line) => {
    const [, client, version, tested, tweak, rest] = line.split('|').map((cell) => cell.trim());
    const isRow = client && version && tested && tweak && rest === '' && !client.startsWith('-');
    return isRow ? [{ client, version, tested, tweak }] : [];
  });

function rowOf(matches: (row: Listed) => boolean): Listed {
  const [row, ...others] = rows.filter(matches);
  if (row === undefined || others.length > 0) throw new Error(`${others.length} others than ${row?.client}`);
  return row;
}

/** The fields of an application that the last cell names. */
const namedIn = ({ tweak }: Listed): readonly string[] =>
  [...tweak.matchAll(/`(\w+)`/g)].map(([, name = '']) => name).toSorted();

/** What a quick start has its reader register. */
function ofPage(page: string): Record<string, unknown> {
  const text = read(`docs/quickstart/${page}`);
  const [, json = '{}'] = /^```json file=application\.json\n([\s\S]*?)^```$/m.exec(text) ?? [];
  return JSON.parse(json) as Record<string, unknown>;
}

describe('docs/clients.md', () => {
  it.each(NODE_CLIENTS)(
    'lists $client as it is tested',
    ({ client, package: name, folder, program, ...more }) => {
      const { dependencies } = JSON.parse(read(`test/interop/clients/${folder}/package.json`)) as {
        dependencies: Record<string, string>;
      };
      // a package with two programs has two rows, and one with a page of its own another
      const isOther = /FAPI|PAR|devices/;
      const listed = rowOf(
        (row) =>
          row.client.startsWith(`\`${name}\``) &&
          row.version === dependencies[name] &&
          !isOther.test(row.client) &&
          (program !== undefined) === row.client.includes('by `form_post`'),
      );
      const ofClient = more.tweak === undefined ? [] : [more.tweak.split(' ').at(-1) ?? ''];
      const fields = tweakedFields(more.application('http://localhost:3000'));
      expect(namedIn(listed), client).toEqual([...fields, ...ofClient].toSorted());
      for (const step of more.steps) expect(listed.tested, client).toContain(step);
    },
  );

  it.each([
    ['`next-auth`', applicationFile('nextjs-authjs')],
    ['[go-oidc]', applicationFile('go-oidc')],
    ['zitadel/oidc (Go)', applicationFile('zitadel-oidc')],
    ['[zitadel/oidc](quickstart/command-line-go.md)', applicationFile('zitadel-device')],
    ['[Spring Security](quickstart/spring-boot.md), OAuth2', applicationFile('spring')],
    [
      '[Spring Security](quickstart/spring-boot-keys.md), OAuth2',
      applicationFile('spring', 'application-key.json'),
    ],
    ['Authlib (Flask)', applicationFile('authlib')],
    ['[Authlib](quickstart/mobile.md)', applicationFile('native')],
    ['[mozilla-django-oidc]', applicationFile('mozilla-django-oidc')],
    ['[django-allauth]', applicationFile('django-allauth')],
    ['mod_auth_openidc', applicationFile('mod-auth-openidc')],
    ['openidconnect (Rust)', applicationFile('rust-openidconnect')],
    ['`openid-client`, [code](quickstart/command-line.md)', () => ofPage('command-line.md')],
    ['`openid-client`, [code](quickstart/fapi.md)', () => ofPage('fapi.md')],
    ['`oauth4webapi`, [code](quickstart/oauth4webapi.md)', () => ofPage('oauth4webapi.md')],
  ])('says what the application of %s has beyond a default one', (start, application) => {
    const listed = rowOf(({ client }) => client.startsWith(start));
    expect(namedIn(listed)).toEqual(tweakedFields(application('http://localhost:3000')));
  });

  it('counts nothing as default but what every application has', () => {
    const application = {
      name: 'x',
      appType: 'OIDC_APP_TYPE_WEB',
      authMethodType: 'OIDC_AUTH_METHOD_TYPE_NONE',
      grantTypes: ['OIDC_GRANT_TYPE_IMPLICIT'],
      responseTypes: ['OIDC_RESPONSE_TYPE_ID_TOKEN'],
      devMode: true,
    };
    expect(tweakedFields(application)).toEqual(['authMethodType', 'grantTypes', 'responseTypes']);
    expect(tweakedFields({ ...application, appType: 'OIDC_APP_TYPE_NATIVE' })).not.toContain(
      'authMethodType',
    );
  });
});
