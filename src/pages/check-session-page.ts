import { createHash } from 'node:crypto';

/** `__Host-` pins it to this host, path and https, as the first cookie. */
export function stateCookieName(secure: boolean): string {
  return secure ? '__Host-identity-state' : 'identity-state';
}

/**
 * Answers `<client id> <session state>` from the application that framed the page, to nobody but the origin that asked (OpenID
 * Connect Session Management 1.0 §3.2). Anything that does not match is `changed`, a missing cookie as well: other sites learn
 * nothing, not even whether this browser was ever here. Where the browser keeps our cookies from frames it is `error`, after which an
 * application must not ask again without its user. Who is not of the origin of the page that framed this one gets no answer; where the
 * browser does not reveal which that is, only the origin in the hash decides.
 */
const script = (cookieName: string): string => `(function () {
  var NAME = '${cookieName}=', FORM = /^[!-~]{1,200} [0-9a-f]{64}\\.[A-Za-z0-9_-]{22}$/;
  function state() {
    var cookies = document.cookie.split('; ');
    for (var i = 0; i < cookies.length; i++) {
      if (cookies[i].indexOf(NAME) === 0) return cookies[i].slice(NAME.length);
    }
    return '';
  }
  function hex(bytes) {
    return Array.prototype.map.call(new Uint8Array(bytes), function (byte) {
      return ('0' + byte.toString(16)).slice(-2);
    }).join('');
  }
  function check(message, origin) {
    var at = message.lastIndexOf(' '), session = message.slice(at + 1), salt = session.split('.')[1];
    var text = message.slice(0, at) + ' ' + origin + ' ' + state() + ' ' + salt;
    return crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)).then(function (hash) {
      return hex(hash) + '.' + salt === session ? 'unchanged' : 'changed';
    });
  }
  function isReadable() {
    return document.hasStorageAccess ? document.hasStorageAccess() : Promise.resolve(true);
  }
  function parentOrigin() {
    var above = location.ancestorOrigins;
    if (above && above.length > 0 && above[0] !== 'null') return above[0];
    try {
      return new URL(document.referrer).origin;
    } catch (untold) {}
  }
  window.addEventListener('message', function (event) {
    var from = event.source, origin = event.origin, parent = parentOrigin();
    if (!from || !/^https?:/.test(origin) || (parent && parent !== origin)) return;
    function answer(text) { from.postMessage(text, origin); }
    if (typeof event.data !== 'string' || !FORM.test(event.data)) return answer('error');
    isReadable().then(function (readable) {
      return readable ? check(event.data, origin) : 'error';
    }).then(answer, function () { answer('error'); });
  });
})();`;

export interface CheckSessionPage {
  readonly markup: string;
  /** The only page that anybody may frame: it holds nothing, leads nowhere and runs this one script. */
  readonly policy: string;
}

/** @param secure whether the service is reached by https */
export function renderCheckSessionPage(secure: boolean): CheckSessionPage {
  const code = script(stateCookieName(secure));
  const hash = createHash('sha256').update(code).digest('base64');
  return {
    markup: `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Session</title><meta name="robots" content="noindex"></head><body><script>${code}</script></body></html>`,
    policy: `default-src 'none'; script-src 'sha256-${hash}'; form-action 'none'; frame-ancestors *; base-uri 'none'`,
  };
}
