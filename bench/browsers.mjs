import { hiddenFields, pkce, PlainBrowser } from '../scripts/code-flow.mjs';
import { requestBytes } from './load.mjs';
import { PASSWORD } from './population.mjs';

// Browsers for the load generator: each is one caller with a cookie of its own and a user of its own, because a
// thousand people who sign in are not one person who does it a thousand times.

const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };

export function authorizePath({ clientId, redirectUri }, more = {}) {
  const parameters = new URLSearchParams({
    client_id: clientId,
    redirect_uri: redirectUri,
    response_type: 'code',
    scope: 'openid profile email',
    state: 'bench',
    ...more,
  });
  return `/oauth/v2/authorize?${parameters}`;
}

/** A browser that is signed in, as the header of its cookie. */
export async function signedIn(issuer, application, loginName) {
  const browser = new PlainBrowser(issuer);
  const { challenge } = pkce();
  await browser.authorize(
    {
      ...Object.fromEntries(new URL(authorizePath(application), issuer).searchParams),
      code_challenge: challenge,
      code_challenge_method: 'S256',
    },
    { loginName, password: PASSWORD },
  );
  return { Cookie: browser.cookie };
}

/** A browser keeps no more requests open than this; the oldest would be over (`begin-flow.ts`). */
const FORMS_OF_A_BROWSER = 40;

/** Browsers with open sign-in forms, one after the other: sends the next form each time it is asked. */
export class WaitingForms {
  #browsers = [];
  #port;

  /**
   * Opens that many forms, which cost nothing of what is measured later.
   * @param {() => string} nextName who sits at the next browser
   * @param {string} [password] what they type
   * @param {number} [each] how many forms a browser opens
   */
  static async open(issuer, application, nextName, count, password = PASSWORD, each = FORMS_OF_A_BROWSER) {
    const waiting = new WaitingForms();
    waiting.#port = Number(new URL(issuer).port);
    for (let left = count; left > 0; left -= each) {
      const browser = new PlainBrowser(issuer);
      const loginName = nextName();
      const forms = [];
      for (let number = 0; number < Math.min(left, each); number += 1) {
        const begun = await browser.request(authorizePath(application, { prompt: 'login' }));
        const page = await (await browser.request(begun.headers.get('location'))).text();
        forms.push(new URLSearchParams({ ...hiddenFields(page), loginName, password }).toString());
      }
      waiting.#browsers.push({ forms, cookie: browser.cookie });
    }
    return waiting;
  }

  /** Every answer brings a new cookie. */
  seen(answer) {
    const [browser] = this.#browsers;
    browser.cookie = cookieOf(answer) ?? browser.cookie;
  }

  next() {
    if (this.#browsers[0]?.forms.length === 0) this.#browsers.shift();
    const [browser] = this.#browsers;
    if (browser === undefined) throw new Error('too few forms were opened');
    return requestBytes(
      this.#port,
      'POST',
      '/login',
      { ...FORM, Cookie: browser.cookie },
      browser.forms.pop(),
    );
  }
}

/** One browser that goes all the way, again and again: authorize, page, password, code, tokens. */
export class WholeFlow {
  static REQUESTS = 4;

  #cookie = '';
  #step = 0;
  #last;
  #options;
  /** What the token endpoint answered last. */
  tokens;

  /** @param {{ port: number, application: object, authorization: string, loginName: string }} options */
  constructor(options) {
    this.#options = options;
  }

  seen(answer) {
    this.#cookie = cookieOf(answer) ?? this.#cookie;
    this.#last = answer;
    if (this.#step === WholeFlow.REQUESTS) this.tokens = answer;
  }

  next() {
    const answer = this.#last;
    const { port, application, authorization, loginName } = this.#options;
    const cookie = this.#cookie === '' ? {} : { Cookie: this.#cookie };
    this.#step = (this.#step % WholeFlow.REQUESTS) + 1;
    switch (this.#step) {
      case 1:
        return requestBytes(port, 'GET', authorizePath(application, { prompt: 'login' }), cookie);
      case 2:
        return requestBytes(port, 'GET', locationOf(answer), cookie);
      case 3: {
        const fields = { ...hiddenFields(answer.body), loginName, password: PASSWORD };
        const form = new URLSearchParams(fields).toString();
        return requestBytes(port, 'POST', '/login', { ...FORM, ...cookie }, form);
      }
      default: {
        const code = new URL(locationOf(answer)).searchParams.get('code') ?? '';
        const form = new URLSearchParams({
          grant_type: 'authorization_code',
          code,
          redirect_uri: application.redirectUri,
        });
        const headers = { ...FORM, Authorization: authorization };
        return requestBytes(port, 'POST', '/oauth/v2/token', headers, form.toString());
      }
    }
  }
}

/** The one that says which browser this is. */
function cookieOf(answer) {
  return /^set-cookie: (identity-agent=[^;\r]+)/im.exec(answer.header)?.[1];
}

function locationOf(answer) {
  const location = /^location: ([^\r]+)/im.exec(answer.header)?.[1];
  if (location === undefined) throw new Error(`no redirect: ${answer.status} ${answer.body.slice(0, 200)}`);
  return location;
}
