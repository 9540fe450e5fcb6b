import { createHmac, sign as signBytes, verify as verifyBytes } from 'node:crypto';
import { CompactEncrypt, UnsecuredJWT, type JWK } from 'jose';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Application } from '../../../src/domain/applications/application.js';
import type { ApplicationsStore } from '../../../src/domain/applications/applications.store.js';
import type { FetchedKeys } from '../../../src/domain/applications/keys/fetched-keys.js';
import { AuthenticateClient } from '../../../src/domain/client-auth/authenticate-client.js';
import { MutualTls } from '../../../src/domain/client-auth/mutual-tls.js';
import { PrivateKeyJwt } from '../../../src/domain/client-auth/private-key-jwt.js';
import type { UsedAssertionsStore } from '../../../src/domain/client-auth/used-assertions.store.js';
import { OAuthError } from '../../../src/domain/shared/errors.js';
import { OAuthParameters } from '../../../src/domain/shared/oauth-parameters.js';
import {
  ASSERTION_TYPE,
  makeSigner,
  signAssertion,
  type AssertionChanges,
  type Signer,
} from '../../support/assertions.js';
import { SetClock } from '../../support/set-clock.js';
import { aStoredApplication } from '../../support/stored-application.js';

const ISSUER = 'https://id.test';
const TOKEN_ENDPOINT = 'https://id.test/oauth/v2/token';
const NOW = 1_800_000_000;

const application = (clientId: string, changes: Partial<Application> = {}) =>
  aStoredApplication(clientId, { authMethod: 'private_key_jwt', ...changes });

const applications = [
  application('app'),
  application('other'),
  application('strict', { assertionIssuerOnly: true }),
  application('dormant', { active: false }),
  application('spa', { authMethod: 'none' }),
  application('web', { authMethod: 'client_secret_basic' }),
];

const signers = Object.fromEntries(
  ['RS256', 'PS256', 'ES256', 'EdDSA', 'Ed25519'].map((alg) => [alg, makeSigner(alg)]),
);
const ec = signers['ES256'] as Signer;
const rsa = signers['RS256'] as Signer;

let keys: Map<string, JWK>;
let used: Set<string>;
let asked: string[];

const usedAssertions: UsedAssertionsStore = {
  use: (hash: Buffer) => {
    const fresh = !used.has(hash.toString('hex'));
    used.add(hash.toString('hex'));
    return Promise.resolve(fresh);
  },
};

const applicationsStore = {
  findLiveKey: (clientId: string, keyId: string) => {
    asked.push(`${clientId}/${keyId}`);
    const publicJwk = keys.get(`${clientId}/${keyId}`);
    return Promise.resolve(publicJwk && { publicJwk });
  },
  findClient: (clientId: string) => Promise.resolve(applications.find((one) => one.clientId === clientId)),
} as unknown as ApplicationsStore;
const onFile = { open: ({ publicJwk }: { publicJwk: JWK }) => Promise.resolve(publicJwk) };
const clock = new SetClock(NOW * 1000);
const method = new PrivateKeyJwt(applicationsStore, onFile as unknown as FetchedKeys, usedAssertions, clock, {
  issuer: ISSUER,
  tokenEndpoint: TOKEN_ENDPOINT,
  pushedAuthorizationEndpoint: 'https://id.test/oauth/v2/par',
});
const authenticateClient = new AuthenticateClient(
  applicationsStore,
  method,
  new MutualTls(applicationsStore, clock, { served: false, authorities: [] }),
);

beforeEach(() => {
  keys = new Map(
    applications.flatMap(({ clientId }) => [
      [`${clientId}/ec`, ec.publicJwk],
      [`${clientId}/rsa`, rsa.publicJwk],
    ]),
  );
  used = new Set();
  asked = [];
});

async function present(assertion: string, form: Record<string, string> = {}): Promise<string> {
  const all = { client_assertion_type: ASSERTION_TYPE, client_assertion: assertion, ...form };
  const parameters = OAuthParameters.read(new URLSearchParams(all));
  try {
    return (await authenticateClient.authenticate({ authorization: undefined, parameters })).clientId;
  } catch (error) {
    if (error instanceof OAuthError) return `${error.code}: ${error.description}`;
    throw error;
  }
}

/** Good ones. */
const CLAIMS = { iss: 'app', sub: 'app', aud: ISSUER, iat: NOW, exp: NOW + 60, jti: 'j' };
const encodePart = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');

const REFUSED = 'invalid_client: client authentication failed';
const subject = { clientId: 'app', keyId: 'ec', signer: ec };
const make = (changes: AssertionChanges = {}, who = subject) => signAssertion(who, ISSUER, changes, NOW);

describe('an assertion that is good', () => {
  it.each(Object.keys(signers))('signed with %s', async (alg) => {
    const signer = signers[alg] as Signer;
    keys.set('app/key', signer.publicJwk);
    expect(await present(await make({}, { clientId: 'app', keyId: 'key', signer }))).toBe('app');
  });

  it.each<[string, AssertionChanges]>([
    ['the token endpoint as audience', { claims: { aud: TOKEN_ENDPOINT } }],
    ['one audience in a list', { claims: { aud: [ISSUER] } }],
    ['no nbf', { claims: { nbf: undefined } }],
    ['a clock 60 seconds ahead (F29)', { claims: { nbf: NOW + 60, iat: NOW + 60 } }],
    ['an hour from iat to exp', { claims: { iat: NOW - 1, exp: NOW + 3599 } }],
    ['its last second', { claims: { iat: NOW - 3599, exp: NOW + 1 } }],
    ['a jti of 512 characters', { claims: { jti: 'x'.repeat(512) } }],
    ['typ JWT', { header: { typ: 'JWT' } }],
    ['its own typ', { header: { typ: 'client-authentication+jwt' } }],
    ['a key in the header, which nobody looks at', { header: { jwk: rsa.publicJwk } }],
  ])('with %s', async (_name, changes) => {
    expect(await present(await make(changes))).toBe('app');
  });

  it('may be sent with the client_id that it names', async () => {
    expect(await present(await make(), { client_id: 'app' })).toBe('app');
  });
});

describe('an assertion whose signature does not count (S069)', () => {
  it.each<[string, () => Promise<string> | string]>([
    ['alg none', () => new UnsecuredJWT({ iss: 'app', sub: 'app', aud: ISSUER }).encode()],
    [
      'HS256 keyed with the public key',
      () => forgeHmac(rsa.publicKey.export({ type: 'spki', format: 'pem' })),
    ],
    ['HS256 keyed with the DER', () => forgeHmac(rsa.publicKey.export({ type: 'spki', format: 'der' }))],
    ['ES256 in the header of an RSA key', () => make({}, { ...subject, keyId: 'rsa' })],
    ['RS256 in the header of an EC key', () => make({}, { clientId: 'app', keyId: 'ec', signer: rsa })],
    ['RS512', () => make({ header: { alg: 'RS512' } }, { clientId: 'app', keyId: 'rsa', signer: rsa })],
    ['another key of the kind', () => make({}, { ...subject, signer: makeSigner('ES256') })],
    ['an unknown crit header', () => sign({ crit: ['x'], x: 1 })],
    ['a payload that is not encoded', () => sign({ crit: ['b64'], b64: false })],
    ['no kid', () => make({ header: { kid: undefined } })],
    ['an unknown kid', () => make({ header: { kid: 'nothing' } })],
    ['a kid that is no id', () => make({ header: { kid: 'a\u0000b' } })],
    ['a kid of another client', () => make({ header: { kid: '../other/ec' } })],
    [
      'its key in the header',
      () => {
        const signer = makeSigner('ES256');
        return make({ header: { jwk: signer.publicJwk, kid: undefined } }, { ...subject, signer });
      },
    ],
    [
      'a changed payload',
      async () => {
        const [header, , signature] = (await make()).split('.');
        const claims = { iss: 'app', sub: 'app', aud: ISSUER, iat: NOW, exp: NOW + 99, jti: 'j' };
        return [header, Buffer.from(JSON.stringify(claims)).toString('base64url'), signature].join('.');
      },
    ],
    ['the typ of an access token', () => make({ header: { typ: 'at+jwt' } })],
    ['the typ of a logout token', () => make({ header: { typ: 'logout+jwt' } })],
  ])('%s', async (_name, forge) => {
    expect(await present(await forge())).toBe(REFUSED);
    expect(used.size).toBe(0);
  });

  it('a 1024-bit key, even if it got onto our file', async () => {
    const signer = makeSigner('RS256', 1024);
    keys.set('app/small', signer.publicJwk);
    const header = { alg: 'RS256', kid: 'small' };
    // jose would not even sign with it
    const input = [header, CLAIMS].map(encodePart).join('.');
    const signature = signBytes('sha256', Buffer.from(input), signer.privateKey).toString('base64url');
    expect(await present(`${input}.${signature}`)).toBe(REFUSED);
  });

  it('the wrong one of the two algorithms that an RSA key knows, where it was registered for one', async () => {
    keys.set('app/rsa', { ...rsa.publicJwk, alg: 'PS256' });
    const who = { clientId: 'app', keyId: 'rsa', signer: rsa };
    expect(await present(await make({}, who))).toBe(REFUSED);
    expect(await present(await make({}, { ...who, signer: { ...rsa, alg: 'PS256' } }))).toBe('app');
  });

  function sign(header: Record<string, unknown>): string {
    const payload = header['b64'] === false ? JSON.stringify(CLAIMS) : encodePart(CLAIMS);
    const input = `${encodePart({ alg: 'ES256', kid: 'ec', ...header })}.${payload}`;
    const key = { key: ec.privateKey, dsaEncoding: 'ieee-p1363' as const };
    return `${input}.${signBytes('sha256', Buffer.from(input), key).toString('base64url')}`;
  }

  function forgeHmac(key: string | Buffer): string {
    const input = [{ alg: 'HS256', kid: 'rsa' }, CLAIMS].map(encodePart).join('.');
    return `${input}.${createHmac('sha256', key).update(input).digest('base64url')}`;
  }
});

describe('an assertion that is meant for somebody else (S070)', () => {
  it.each<[string, unknown]>([
    ['another server', 'https://other.test'],
    ['nobody', undefined],
    ['nobody, in a list', []],
    ['us and another server', [ISSUER, 'https://other.test']],
    ['both of our names', [ISSUER, TOKEN_ENDPOINT]],
    ['us twice', [ISSUER, ISSUER]],
    ['us with a slash', `${ISSUER}/`],
    ['another endpoint of ours', `${ISSUER}/oauth/v2/introspect`],
    ['us in other case', 'https://ID.test'],
  ])('%s', async (_name, aud) => {
    expect(await present(await make({ claims: { aud } }))).toBe(REFUSED);
    expect(used.size).toBe(0);
  });

  it('the token endpoint, where the application takes the issuer alone', async () => {
    const who = { ...subject, clientId: 'strict' };
    expect(await present(await make({ claims: { aud: TOKEN_ENDPOINT } }, who))).toBe(REFUSED);
    expect(await present(await make({}, who))).toBe('strict');
  });
});

describe('an assertion of somebody else (S071)', () => {
  it.each<[string, Record<string, unknown>]>([
    ['iss and sub differ', { iss: 'other' }],
    ['sub is another client', { sub: 'other' }],
    ['no iss', { iss: undefined }],
    ['no sub', { sub: undefined }],
    ['sub is no client_id', { iss: 'a\u0000b', sub: 'a\u0000b' }],
    ['nobody we know', { iss: 'nobody', sub: 'nobody' }],
    ['a client that is not active', { iss: 'dormant', sub: 'dormant' }],
    ['a client of another method', { iss: 'web', sub: 'web' }],
  ])('%s', async (_name, claims) => {
    expect(await present(await make({ claims }))).toBe(REFUSED);
    expect(used.size).toBe(0);
  });

  it('signed by the key of another client', async () => {
    keys.delete('app/ec');
    expect(await present(await make())).toBe(REFUSED);
  });

  it('sent with the client_id of another client', async () => {
    expect(await present(await make(), { client_id: 'other' })).toBe(REFUSED);
  });

  it('the store is never asked for what cannot be an id', async () => {
    for (const changes of [
      { claims: { iss: 'a\u0000b', sub: 'a\u0000b' } },
      { header: { kid: 'a\u0000b' } },
      { header: { kid: 'x'.repeat(201) } },
    ]) {
      await present(await make(changes));
    }
    expect(asked).toEqual([]);
  });
});

describe('an assertion whose time is wrong (S072)', () => {
  it.each<[string, Record<string, unknown>]>([
    ['no exp', { exp: undefined }],
    ['exp now', { exp: NOW }],
    ['exp past', { exp: NOW - 60 }],
    ['exp in ten years', { exp: NOW + 315_360_000 }],
    ['exp an hour and a second after iat', { exp: NOW + 3601 }],
    ['an exp that never comes', { exp: 1e308 }],
    ['exp as text', { exp: String(NOW + 60) }],
    ['no iat', { iat: undefined }],
    ['iat as text', { iat: String(NOW) }],
    ['iat 61 seconds ahead', { iat: NOW + 61 }],
    ['iat two hours old', { iat: NOW - 7200 }],
    ['nbf 61 seconds ahead', { nbf: NOW + 61 }],
    ['nbf as text', { nbf: String(NOW) }],
    ['an empty jti', { jti: '' }],
    ['a jti that is a number', { jti: 5 }],
    ['a jti of 513 characters', { jti: 'x'.repeat(513) }],
  ])('%s', async (_name, claims) => {
    expect(await present(await make({ claims }))).toBe(REFUSED);
    expect(used.size).toBe(0);
  });

  it('used twice, and its jti in another assertion', async () => {
    const assertion = await make({ claims: { jti: 'once' } });
    expect(await present(assertion)).toBe('app');
    expect(await present(assertion)).toBe(REFUSED);
    expect(await present(await make({ claims: { jti: 'once', exp: NOW + 90 } }))).toBe(REFUSED);
    // another client's jti is another one
    const other = { ...subject, clientId: 'other' };
    expect(await present(await make({ claims: { jti: 'once' } }, other))).toBe('other');
  });
});

describe('an assertion without jti (S214)', () => {
  const without = { claims: { jti: undefined } };

  it('is good once, and another one as well', async () => {
    const assertion = await make(without);
    expect(await present(assertion)).toBe('app');
    expect(await present(assertion)).toBe(REFUSED);
    expect(await present(await make({ claims: { jti: undefined, exp: NOW + 61 } }))).toBe('app');
  });

  it('is used up whatever its signature is written like', async () => {
    const assertion = await make(without);
    const [header, payload, signature = ''] = assertion.split('.');
    const input = `${header}.${payload}`;
    expect(await present(assertion)).toBe('app');
    // both solutions of ECDSA are valid: (r, s) and (r, n - s)
    const bytes = Buffer.from(signature, 'base64url');
    const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
    const second = order - BigInt(`0x${bytes.subarray(32).toString('hex')}`);
    const malleable = Buffer.concat([
      bytes.subarray(0, 32),
      Buffer.from(second.toString(16).padStart(64, '0'), 'hex'),
    ]);
    const key = { key: ec.publicKey, dsaEncoding: 'ieee-p1363' as const };
    expect(verifyBytes('sha256', Buffer.from(input), key, malleable)).toBe(true);
    for (const other of [
      malleable.toString('base64url'),
      `${signature}==`,
      `${signature}=`,
      `${signature} `,
      bytes.toString('base64'),
      // the last character of 64 bytes has four spare bits
      `${signature.slice(0, -1)}${String.fromCharCode(signature.charCodeAt(signature.length - 1) + 1)}`,
      // made anew by the same key
      (await make(without)).split('.')[2],
    ]) {
      expect(await present(`${input}.${other}`), other).toBe(REFUSED);
    }
    expect(used.size).toBe(1);
  });

  it('is not used up by a jti that spells it', async () => {
    const assertion = await make(without);
    const input = assertion.slice(0, assertion.lastIndexOf('.'));
    for (const jti of [input, `\u0000${input}`]) {
      expect(await present(await make({ claims: { jti: jti.slice(0, 512) } }))).toBe('app');
    }
    expect(await present(assertion)).toBe('app');
  });
});

describe('the request that carries it (S074)', () => {
  it.each<[string, Record<string, string>]>([
    ['no type', { client_assertion_type: '' }],
    ['another type', { client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:saml2-bearer' }],
    ['no assertion', { client_assertion: '' }],
  ])('%s', async (_name, form) => {
    expect(await present(await make(), form)).toBe(REFUSED);
  });
});

describe('what costs more than it should (S075)', () => {
  it.each<[string, () => Promise<string> | string]>([
    ['a JWE', () => encrypt({ alg: 'RSA-OAEP-256', enc: 'A256GCM' })],
    ['a compressed JWE', () => encrypt({ alg: 'RSA-OAEP-256', enc: 'A256GCM', zip: 'DEF' })],
    [
      'PBES2 with two billion rounds',
      () => {
        const header = {
          alg: 'PBES2-HS256+A128KW',
          enc: 'A128GCM',
          p2c: 2 ** 31 - 1,
          p2s: 'AAAA',
          kid: 'ec',
        };
        return `${Buffer.from(JSON.stringify(header)).toString('base64url')}.AAAA.AAAA.AAAA.AAAA`;
      },
    ],
    ['2 MB', () => `${'a'.repeat(2_000_000)}.b.c`],
    [
      '5,000 claims',
      () =>
        make({
          claims: Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`c${index}`, index])),
        }),
    ],
    [
      'deep nesting',
      () => {
        const header = Buffer.from(JSON.stringify({ alg: 'ES256', kid: 'ec' })).toString('base64url');
        return `${header}.${Buffer.from('['.repeat(4000)).toString('base64url')}.AAAA`;
      },
    ],
    ['no JWT', () => 'a.b.c'],
    ['one segment', () => 'abc'],
    ['a payload that is no object', () => `${Buffer.from('{"kid":"ec"}').toString('base64url')}.MQ.AAAA`],
    ['a header that is no object', () => 'MQ.MQ.MQ'],
  ])('%s is refused before a key is looked for', async (_name, forge) => {
    expect(await present(await forge())).toBe(REFUSED);
    expect(asked).toEqual([]);
  });

  function encrypt(header: { alg: string; enc: string; zip?: string }): Promise<string> {
    return new CompactEncrypt(new TextEncoder().encode('{"sub":"app"}'))
      .setProtectedHeader({ ...header, kid: 'ec' })
      .encrypt(rsa.publicKey)
      .catch(() => {
        const plain = Buffer.from(JSON.stringify({ ...header, kid: 'ec' })).toString('base64url');
        return `${plain}.AAAA.AAAA.AAAA.AAAA`;
      });
  }
});
