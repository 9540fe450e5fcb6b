import { describe, expect, it } from 'vitest';
import { languages } from '../../../src/domain/shared/locale.js';
import { renderEmailVerifiedPage, renderPasswordSetPage } from '../../../src/pages/done-pages.js';
import { renderErrorPage, renderExpiredPage, renderForbiddenPage } from '../../../src/pages/error-pages.js';
import { renderFormPostPage } from '../../../src/pages/form-post-page.js';
import { renderHomePage } from '../../../src/pages/home-page.js';
import { renderSignInPage } from '../../../src/pages/sign-in-page.js';
import { renderSignedOutPage, renderSignOutPage } from '../../../src/pages/sign-out-pages.js';
import { maskedAddress, renderVerifyEmailPage } from '../../../src/pages/verify-email-page.js';
import { attribute, tagWithId } from './find-tag.js';
import { sampleForm, samplePage } from './sample-page.js';

const page = { ...samplePage, form: sampleForm };
const failed = { ...samplePage, referenceId: 'req-1' };

/** Every page once, with all its parts on. */
const all: readonly (readonly [string, string])[] = [
  ['sign-in', renderSignInPage({ ...page, problem: 'wrong-credentials', applicationName: 'App' })],
  ['verify e-mail', renderVerifyEmailPage({ ...page, sentTo: 'ada@acme.test', newCodeUrl: '/new' })],
  ['e-mail verified', renderEmailVerifiedPage({ ...samplePage, email: 'ada@acme.test' })],
  ['password set', renderPasswordSetPage({ ...samplePage, wayOn: { url: '/login' } })],
  ['error', renderErrorPage({ ...failed, kind: 'request', parameter: 'redirect_uri' })],
  ['expired', renderExpiredPage({ ...samplePage, beginAgainUrl: '/again' })],
  [
    'forbidden',
    renderForbiddenPage({ ...failed, loginName: 'ada', signOut: sampleForm, otherAccountUrl: '/login' }),
  ],
  ['sign out', renderSignOutPage({ ...page, stayUrl: '/' })],
  ['signed out', renderSignedOutPage(samplePage)],
  [
    'home',
    renderHomePage({
      ...samplePage,
      administration: { discoveryUrl: '/d', keysUrl: '/k', apiReferenceUrl: '/a', dashboardUrl: '/q' },
      signInUrl: '/login',
      signOutUrl: '/oidc/v1/end_session',
    }),
  ],
];

describe.each(all)('%s page', (_name, markup) => {
  it('is a whole small document for one reader and no robot', () => {
    expect(markup).toMatch(/^<!doctype html>\s*<html lang="en" dir="ltr">/);
    expect(markup).toContain('width=device-width, initial-scale=1');
    expect(markup).toContain('<meta name="robots" content="noindex, nofollow" />');
    expect(markup.match(/<main/g)).toHaveLength(1);
    expect(markup.match(/<h1/g)).toHaveLength(1);
    expect(Buffer.byteLength(markup)).toBeLessThan(15_000);
  });

  it('keeps to the Content-Security-Policy', () => {
    expect(markup).not.toMatch(/\sstyle=/);
    expect(markup).not.toMatch(/\son[a-z]+=/);
    expect(markup).toContain('<script nonce="bm9uY2U">');
    expect(markup.match(/<script/g)).toHaveLength(1);
    expect(markup).not.toMatch(/(?:src|href)="(?:https?:)?\/\//);
  });

  it('uses every id once and points only at ids it has', () => {
    const ids = Array.from(markup.matchAll(/\sid="([^"]+)"/g), (match) => match[1]);
    expect(new Set(ids).size).toBe(ids.length);
    for (const [, list] of markup.matchAll(/(?:aria-describedby|aria-controls|for)="([^"]+)"/g)) {
      for (const id of list?.split(' ') ?? []) expect(ids).toContain(id);
    }
  });

  it('leaves no trace of a value that was not there', () => {
    expect(markup).not.toMatch(/undefined|\[object|null|NaN/);
  });
});

describe('verify-e-mail page', () => {
  it('takes a one-time code, filled in when the link brought it', () => {
    const markup = renderVerifyEmailPage({ ...page, code: 'K7PX2M' });
    expect(attribute(tagWithId(markup, 'code'), 'autocomplete')).toBe('one-time-code');
    expect(attribute(tagWithId(markup, 'code'), 'value')).toBe('K7PX2M');
    expect(tagWithId(markup, 'verify-submit')).toContain('type="submit"');
  });

  it.each([
    ['mallory@evil.test', 'm•••@evil.test'],
    ['mallory', 'm•••'],
  ])('says whose the address becomes, masked (S394): %s', (loginName, shown) => {
    const markup = renderVerifyEmailPage({ ...page, sentTo: 'ada@acme.test', loginName });
    expect(markup).toContain(shown);
    expect(markup).not.toContain('mallory');
    expect(markup).toContain('If it is not yours, close this page.');
  });

  it('shows the address masked only', () => {
    const markup = renderVerifyEmailPage({ ...page, sentTo: 'ada.lovelace@acme.test' });
    expect(markup).toContain('a•••@acme.test');
    expect(markup).not.toContain('lovelace');
    expect(maskedAddress('@acme.test')).toBe('•••');
    expect(maskedAddress('"a@b"@acme.test')).toBe('"•••@acme.test');
  });
});

describe('error page', () => {
  it.each(['redirect_uri', 'client_id', 'post_logout_redirect_uri', 'id_token_hint'])(
    'names %s',
    (parameter) => {
      const markup = renderErrorPage({
        ...failed,
        kind: 'request',
        parameter,
        error: 'invalid_request',
        description: `${parameter} <is> wrong`,
      });
      expect(markup).toContain(`<code>${parameter}</code>`);
      expect(markup).toContain('&lt;is&gt; wrong');
      expect(markup).toContain('<code>invalid_request</code>');
      expect(markup).toContain('<code>req-1</code>');
      expect(markup).toContain('<title>Error:');
    },
  );

  it('does not let a parameter of the request turn the page around', () => {
    const markup = renderErrorPage({ ...failed, kind: 'request', parameter: '\u202e<b>\r\nx' });
    expect(markup).toContain('<code>&lt;b&gt; x</code>');
    expect(markup).not.toContain('\u202e');
  });

  it.each([
    [1, 'Wait one second'],
    [45, 'Wait 45 seconds'],
    [90, 'Wait 2 minutes'],
    [300, 'Wait 5 minutes'],
  ])('says how long to wait: %i s', (retryAfterSeconds, words) => {
    expect(renderErrorPage({ ...failed, kind: 'too-many-requests', retryAfterSeconds })).toContain(words);
  });
});

describe('error page of a sign-out', () => {
  it('names the parameter and speaks of signing out', () => {
    const markup = renderErrorPage({
      ...failed,
      kind: 'sign-out-request',
      parameter: 'post_logout_redirect_uri',
    });
    expect(markup).toContain('We could not sign you out');
    expect(markup).toContain('<code>post_logout_redirect_uri</code>');
  });
});

describe('ways on', () => {
  it('offers to begin again where it can, and says where to otherwise', () => {
    expect(renderExpiredPage({ ...samplePage, beginAgainUrl: '/again' })).toContain(
      'href="/again">Start again</a>',
    );
    expect(renderExpiredPage(samplePage)).toContain('start again');
  });

  it('says signed out, and confirms by a POST', () => {
    expect(renderSignedOutPage(samplePage)).toContain('signed out');
    const confirm = renderSignOutPage({ ...page, form: { action: '/logout', csrf: 'token' } });
    expect(confirm).toContain('<form method="post" action="/logout" novalidate>');
    expect(confirm).toContain('name="csrf" value="token"');
    expect(tagWithId(confirm, 'logout-confirm')).toContain('type="submit"');
  });

  it('leads back into the application after a finished step', () => {
    const wayOn = { url: '/login?flow=f', applicationName: 'Example App' };
    const markup = renderPasswordSetPage({ ...samplePage, verifiedEmail: 'ada@acme.test', wayOn });
    expect(markup).toContain('href="/login?flow=f"');
    expect(markup.replace(/<[^>]+>/g, '')).toContain('Continue to Example App');
    expect(markup).toContain('verified');
  });
});

describe('shell', () => {
  it("sends an organization's accent under the nonce, and nothing that is no colour", () => {
    const branded = renderSignedOutPage({ ...samplePage, organization: { name: 'Post', accent: '#ffcc00' } });
    expect(branded).toContain('<style nonce="bm9uY2U">');
    expect(branded).toContain('--accent:#ffcc00;--accent-hover:#ffd21f;--on-accent:#000000;');
    const attack = '#ffcc00}</style><script>alert(1)</script>';
    const attacked = renderSignedOutPage({ ...samplePage, organization: { name: 'Post', accent: attack } });
    expect(attacked).not.toContain('alert(1)');
  });

  it('shows a logo instead of the mark, with the name as its text', () => {
    const markup = renderSignedOutPage({
      ...samplePage,
      organization: { name: 'A"B', logoUrl: '/assets/l.svg' },
    });
    expect(markup).toContain('<img src="/assets/l.svg" alt="A&quot;B" height="40" />');
    expect(markup).not.toContain('class="mark"');
  });

  it('has a footer only for what is configured', () => {
    const page = { ...samplePage, email: 'ada@acme.test' };
    expect(renderEmailVerifiedPage(page)).not.toContain('<footer');
    const markup = renderEmailVerifiedPage({ ...page, footer: { helpUrl: 'https://help.test/' } });
    expect(markup).toContain('<a href="https://help.test/">Help</a>');
    expect(markup).not.toContain('Privacy');
    expect(markup).not.toContain('Language');
  });

  it('leads to itself in every other language, keeping what it was asked with', () => {
    const markup = renderEmailVerifiedPage({
      ...samplePage,
      askedFor: '/verify?id=1&id=2&language=fr&x=%3Cb%3E',
    });
    expect(markup).toContain('<span lang="en" aria-current="true">English</span>');
    expect(markup).toContain(
      '<a href="/verify?id=1&amp;id=2&amp;language=de&amp;x=%3Cb%3E" lang="de" hreflang="de">Deutsch</a>',
    );
    expect(markup.match(/hreflang=/g)).toHaveLength(languages.length - 1);
  });

  it('prefers the address of its own, which leads back to a form', () => {
    const markup = renderSignInPage({ ...samplePage, form: sampleForm, askedFor: '/elsewhere' });
    expect(markup).toContain('href="/login?flow=flow-id&amp;language=de"');
    expect(markup).not.toContain('elsewhere');
  });

  it.each([
    '//evil.test/x',
    '/\\evil.test/x',
    '/..//evil.test/x',
    '/./\\evil.test',
    'https://evil.test/',
    '*',
    '',
    `/${'x'.repeat(2000)}`,
  ])('has no links to %s', (askedFor) => {
    const markup = renderEmailVerifiedPage({ ...samplePage, askedFor });
    expect(markup).not.toContain('hreflang');
    expect(markup).not.toContain('evil.test');
  });

  it('has none where asking again would make another answer', () => {
    const page = { ...samplePage, askedFor: '/oauth/v2/authorize?client_id=1' };
    const markup = renderFormPostPage({
      ...page,
      redirectUri: 'https://rp.test/cb',
      parameters: { code: 'c' },
    });
    expect(markup).not.toContain('hreflang');
  });
});
