import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { contentHash } from './stylesheet.js';

/**
 * Makes or shows a passkey where a page has a form for it (`passkeyForm`): asks the service for what the browser needs,
 * has the browser do it, and sends the answer as the form's field. Forms that it can do nothing for stay hidden. The
 * conversion between JSON and what browsers take is the library's; ES5 around it, as it is sent as it is.
 */
const script = `(function () {
  var d = document, lib = window.SimpleWebAuthnBrowser, form = d.getElementById('passkey-form');
  if (!form) return;
  // browsers know no passkeys of an address of numbers
  if (!lib || !window.fetch || !lib.browserSupportsWebAuthn() || /^\\[|^[\\d.]+$/.test(location.hostname)) {
    var absent = d.getElementById('passkey-absent');
    if (absent) absent.hidden = false;
    return;
  }
  var button = form.querySelector('button'), told = form.querySelector('[role=status]'), busy = false, sent = false, offered;
  function say(text) { told.textContent = text || ''; }
  function field(name) { return form.elements.namedItem(name); }
  function ask() {
    var body = [].map.call(form.querySelectorAll('input'), function (input) {
      return encodeURIComponent(input.name) + '=' + encodeURIComponent(input.value);
    }).join('&');
    return fetch(form.getAttribute('data-challenge'), {
      method: 'POST', credentials: 'same-origin', body: body,
      headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' }
    }).then(function (answer) {
      if (!answer.ok) throw new Error('refused');
      return answer.json();
    });
  }
  function send(credential) {
    sent = true;
    field('credential').value = JSON.stringify(credential);
    form.submit();
  }
  function start(options, autofill) {
    return form.getAttribute('data-passkey') === 'create'
      ? lib.startRegistration({ optionsJSON: options })
      : lib.startAuthentication({ optionsJSON: options, useBrowserAutofill: autofill });
  }
  function offer() {
    if (busy || sent || d.hidden) return;
    offered = Date.now();
    ask().then(function (options) { return busy || sent ? undefined : start(options, true); })
      .then(function (credential) { if (credential && !busy) send(credential); }, function () {});
  }
  button.addEventListener('click', function () {
    if (busy || sent) return;
    busy = true;
    // what the field was still asked for ends here: one answer is sent, the button's
    lib.WebAuthnAbortService.cancelCeremony();
    say('');
    button.setAttribute('aria-disabled', 'true');
    ask().then(function (options) { return start(options, false); }).then(send, function (error) {
      busy = false;
      button.removeAttribute('aria-disabled');
      var known = error.code === 'ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED' ? 'data-known' : '';
      var quit = error.name === 'NotAllowedError' || error.name === 'AbortError' ? 'data-quit' : 'data-failed';
      say(form.getAttribute(known) || form.getAttribute(quit));
      offerAgain();
    });
  });
  function offerAgain() {}
  window.addEventListener('pageshow', function (event) { if (event.persisted) sent = false; });
  form.hidden = false;
  if (!form.hasAttribute('data-autofill')) return;
  lib.browserSupportsWebAuthnAutofill().then(function (can) {
    if (!can) return;
    offerAgain = offer;
    offer();
    // ahead of the end of the challenge that waits
    function renew() { if (Date.now() - offered > 240000) offer(); }
    setInterval(renew, 5000);
    d.addEventListener('visibilitychange', renew);
  });
})();`.replace(/\n\s*/g, '\n');

const library = readFileSync(
  createRequire(import.meta.url)
    .resolve('@simplewebauthn/browser')
    .replace(/\/(?:esm|script)\/index\.js$/, '/dist/bundle/index.umd.min.js'),
  'utf8',
);

export const passkeyScript = `${library}\n${script}\n`;

export const passkeyScriptPath = `/assets/passkeys-${contentHash(passkeyScript)}.js`;
