import { attributes, html, type Html } from '../rendering/html.js';
import { passkeyScriptPath } from './design/passkey-script.js';
import type { FormView } from './form-parts.js';
import type { Page } from './layout.js';
import type { CodeProblem, ProblemTexts } from './problems.js';
import type { Texts } from './texts.js';
import { unbroken } from './unbroken.js';

interface PasskeyForm {
  /** Where the browser's answer goes, as `credential`. */
  readonly form: FormView;
  /** Where the script asks for what the browser needs. */
  readonly challengePath: string;
  readonly does: 'get' | 'create';
  readonly label: string;
  /** The browser also offers passkeys in the field that says `webauthn`. */
  readonly autofill?: boolean | undefined;
  /** Shown if the browser cannot do it, and the page has no alternative. */
  readonly absent?: string | undefined;
  /** What else the form asks for, above the button. */
  readonly choice?: Html | undefined;
  /** The page offers no other way. */
  readonly isAlone?: boolean | undefined;
  /** The page's one primary button. */
  readonly primary?: boolean | undefined;
}

/** There until a script runs, which hides it before anything is drawn; the passkeys' script brings it back where it can do nothing. */
function notice(absent: string, nonce: string): Html {
  return html`<p id="passkey-absent">${unbroken(absent)}</p>
    <script nonce="${nonce}">
      document.getElementById('passkey-absent').hidden = true;
    </script>`;
}

/** What a passkey that was refused says; of another way only where the page offers one. */
export function passkeyProblems(
  { secondFactor }: Texts,
  hasOthers: boolean,
): Readonly<Record<CodeProblem, ProblemTexts>> {
  const { problems, refusedAlone } = secondFactor.kinds.passkey;
  if (hasOthers) return problems;
  const { atField } = problems['code-not-valid'];
  const alone = { summary: refusedAlone, atField };
  return { 'code-missing': alone, 'code-not-valid': alone };
}

/** A button that scripts bring up where the browser knows passkeys, with what came of it below. */
export function passkeyForm(
  { texts: { passkeys }, nonce }: Pick<Page, 'texts' | 'nonce'>,
  { form, challengePath, does, label, autofill, absent, choice, isAlone, primary }: PasskeyForm,
): Html {
  const hidden = Object.entries({ csrf: form.csrf, flow: form.flow, ...form.hidden, credential: '' });
  const says = attributes({
    'data-passkey': does,
    'data-challenge': challengePath,
    'data-autofill': autofill === true ? '' : undefined,
    'data-quit':
      does === 'create' ? passkeys.notMade : isAlone === true ? passkeys.notUsedAlone : passkeys.notUsed,
    'data-failed': passkeys.failed,
    'data-known': does === 'get' ? undefined : passkeys.known,
  });
  return html`<form class="passkey" id="passkey-form" method="post" action="${form.action}" ${says} hidden>
      ${hidden.map(([name, value]) => value !== undefined && html`<input${attributes({ type: 'hidden', name, value })} />`)}
      ${choice}
      <button class="${primary === true ? 'button' : 'button quiet'}" type="button" id="passkey-button">
        ${label}
      </button>
      <p class="hint" role="status"></p>
    </form>
    ${absent !== undefined && notice(absent, nonce)}
    <script nonce="${nonce}" src="${passkeyScriptPath}" defer></script>`;
}
