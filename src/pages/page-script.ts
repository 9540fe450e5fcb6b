import { html, raw, type Html } from '../rendering/html.js';

/**
 * What pages can do better where scripts run; without them every form works as it stands. Plain ES5, since it is
 * sent as it is. It makes the answer to a form a page like any other for reload and history, moves focus to the error
 * summary (for browsers that do not do so for `autofocus`), brings up the show-password switches, lets a form be sent
 * once, saying so when the answer takes longer than a moment, counts down to when a code can be sent again, ticks
 * the rules that a new password meets, and fills in a code that came by SMS to this telephone (WebOTP), which is sent by its
 * button all the same.
 */
const script = `(function () {
  var d = document, address = d.body.getAttribute('data-address'), i;
  if (address && window.history && history.replaceState) history.replaceState(history.state, '', address);
  var summary = d.getElementById('error-summary');
  if (summary) summary.focus();
  function reveal(button) {
    var field = d.getElementById(button.getAttribute('data-reveal'));
    function show(on) {
      field.type = on ? 'text' : 'password';
      button.textContent = button.getAttribute(on ? 'data-hide' : 'data-show');
      button.setAttribute('aria-label', button.getAttribute(on ? 'data-hide-label' : 'data-show-label'));
    }
    button.hidden = false;
    button.onclick = function () { show(field.type === 'password'); };
    field.form.addEventListener('submit', function () { show(false); });
  }
  function sendOnce(form) {
    var button = form.querySelector('[data-busy]'), label = button && button.textContent, sent, timer;
    function release() {
      clearTimeout(timer);
      sent = false;
      if (!button) return;
      button.removeAttribute('aria-disabled');
      button.textContent = label;
    }
    form.addEventListener('submit', function (event) {
      if (sent) { event.preventDefault(); return; }
      sent = true;
      if (button) button.setAttribute('aria-disabled', 'true');
      timer = setTimeout(function () {
        if (button) button.textContent = button.getAttribute('data-busy');
        timer = setTimeout(release, 9000);
      }, 1000);
    });
    window.addEventListener('pageshow', release);
  }
  function countDown(time) {
    var end = Date.now() + time.getAttribute('data-seconds') * 1000;
    var button = d.getElementById(time.getAttribute('data-enables'));
    (function tick() {
      var left = Math.ceil((end - Date.now()) / 1000);
      button.disabled = left > 0;
      time.parentNode.hidden = left <= 0;
      if (left <= 0) return;
      time.textContent = Math.floor(left / 60) + ':' + ('0' + (left % 60)).slice(-2);
      setTimeout(tick, 250);
    })();
  }
  function tickRules(list) {
    var field = d.querySelector('[autocomplete="new-password"]'), rules = list.querySelectorAll('[data-ticked-by]');
    if (!field) return;
    field.addEventListener('input', function () {
      for (var n = 0; n < rules.length; n++) {
        var met = new RegExp(rules[n].getAttribute('data-ticked-by'), 'u').test(field.value);
        rules[n].className = met ? 'met' : '';
      }
    });
  }
  function fillFromSms(field) {
    if (!window.OTPCredential || field.value) return;
    var waiting = new AbortController();
    field.form.addEventListener('submit', function () { waiting.abort(); });
    navigator.credentials.get({ otp: { transport: ['sms'] }, signal: waiting.signal }).then(function (sms) {
      if (sms && !field.value) field.value = sms.code;
    }, function () {});
  }
  var code = d.querySelector('[data-sms]');
  if (code) fillFromSms(code);
  var list = d.getElementById('password-rules');
  if (list) tickRules(list);
  var times = d.querySelectorAll('[data-seconds]');
  for (i = 0; i < times.length; i++) countDown(times[i]);
  var buttons = d.querySelectorAll('[data-reveal]'), forms = d.forms;
  for (i = 0; i < buttons.length; i++) reveal(buttons[i]);
  for (i = 0; i < forms.length; i++) sendOnce(forms[i]);
})();`.replace(/\n\s*/g, '\n');

/** The script as an element that the page's Content-Security-Policy lets run. */
export function pageScript(nonce: string): Html {
  return html`<script nonce="${nonce}">
    ${raw(script)};
  </script>`;
}
