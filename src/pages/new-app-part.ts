import { html, raw, type Html } from '../rendering/html.js';
import { qrCode } from '../rendering/qr-code.js';
import type { Texts } from './texts.js';

export interface NewApp {
  /** Base32. */
  readonly secret: string;
  /** `otpauth://totp/…` */
  readonly otpauth: string;
}

/** The secret for an app, as a QR code and as text. */
export function newAppPart({ secret, otpauth }: NewApp, texts: Texts): Html {
  const { setUp } = texts.secondFactor;
  return html`<p id="scan">${setUp.scan}</p>
    <div class="qr" role="img" aria-label="${setUp.picture}">${raw(qrCode(otpauth))}</div>
    <details class="by-hand">
      <summary>${setUp.orType}</summary>
      <p>${setUp.type}</p>
      <p class="key" translate="no">${inFours(secret)}</p>
    </details>`;
}

/** As people read a key aloud; apps take it with the blanks. */
function inFours(secret: string): string {
  return secret.replace(/(.{4})(?=.)/g, '$1 ');
}
