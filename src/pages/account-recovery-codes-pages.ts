import { html, raw, type Html } from '../rendering/html.js';
import { renderAccountPage, type AccountPage } from './account-layout.js';
import { form, linkButton, submitButton, type FormView } from './form-parts.js';
import { isolated } from './layout.js';

interface AccountRecoveryCodesPage extends AccountPage {
  readonly form: FormView;
  /** How many are left. */
  readonly left: number;
}

/** How many there are, and the button that makes others. */
export function renderAccountRecoveryCodesPage(page: AccountRecoveryCodesPage): string {
  const { recoveryCodes: texts } = page.texts.account;
  return renderAccountPage(page, {
    within: 'security',
    heading: texts.title,
    lead: texts.lead,
    body: [
      html`<p>${texts.left({ count: page.left })}</p>`,
      form(page.form, [
        submitButton('make-codes', texts.make, texts.making),
        page.left > 0 && html`<p class="hint">${texts.replaces}</p>`,
      ]),
    ],
  });
}

interface AccountMadeCodesPage extends AccountPage {
  readonly codes: readonly string[];
  readonly loginName: string;
  /** Where they sign in with them. */
  readonly host: string;
  /** Where asking again leads: never to the codes. */
  readonly address: string;
  readonly nextUrl: string;
}

/** The codes, this once: nobody can read them again. */
export function renderAccountMadeCodesPage(page: AccountMadeCodesPage): string {
  const { recoveryCodes: texts } = page.texts.account;
  return renderAccountPage(page, {
    within: 'security',
    heading: texts.shownTitle,
    lead: texts.keep,
    address: page.address,
    body: [
      html`<p id="codes-of" translate="no">
          <strong>${isolated(page.loginName)}</strong> – ${isolated(page.host)}
        </p>
        <ol class="codes" translate="no">
          ${page.codes.map((code) => html`<li>${code}</li>`)}
        </ol>`,
      keepButtons(page),
      linkButton(page.nextUrl, texts.kept),
    ],
  });
}

/** Brought up by the script, which says them with whose they are: a file or a clipboard is found again without this page. */
function keepButtons({ texts: { account }, host, nonce }: AccountMadeCodesPage): Html {
  const { recoveryCodes: texts } = account;
  return html`<div class="actions codes-kept">
      <button
        class="button quiet"
        type="button"
        id="download-codes"
        data-file="recovery-codes-${host}.txt"
        hidden
      >
        ${texts.download}
      </button>
      <button class="button quiet" type="button" id="copy-codes" data-done="${texts.copied}" hidden>
        ${texts.copy}
      </button>
      <p class="hint" role="status"></p>
    </div>
    <script nonce="${nonce}">
      ${raw(keepScript)};
    </script>`;
}

/** ES5, as it is sent as it is. Nothing leaves the browser; outside of https there is no clipboard to copy to. */
const keepScript = `(function () {
  var d = document, download = d.getElementById('download-codes'), copy = d.getElementById('copy-codes');
  var told = d.querySelector('.codes-kept [role=status]');
  function text() {
    var lines = [d.querySelector('h1').textContent, d.getElementById('codes-of').textContent, ''];
    [].forEach.call(d.querySelectorAll('.codes li'), function (code) { lines.push(code.textContent); });
    return lines.map(function (line) { return line.trim(); }).join('\\r\\n') + '\\r\\n';
  }
  download.onclick = function () {
    var link = d.createElement('a');
    link.href = URL.createObjectURL(new Blob([text()], { type: 'text/plain' }));
    link.download = download.getAttribute('data-file');
    link.click();
    setTimeout(function () { URL.revokeObjectURL(link.href); }, 10000);
  };
  download.hidden = false;
  if (!navigator.clipboard) return;
  copy.onclick = function () {
    navigator.clipboard.writeText(text()).then(function () { told.textContent = copy.getAttribute('data-done'); }, function () {});
  };
  copy.hidden = false;
})();`.replace(/\n\s*/g, '\n');
