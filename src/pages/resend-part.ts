import { attributes, html, type Html } from '../rendering/html.js';
import { form, type FormView } from './form-parts.js';
import type { Texts } from './texts.js';

/** Another code by the same way. The server refuses what comes too early; the page only says when to try. */
export interface Resend {
  readonly form: FormView;
  /** 0 or less: at once. */
  readonly availableInSeconds: number;
  /** A new code was just sent at the reader's wish; says so. */
  readonly wasSent?: boolean | undefined;
  /** What may be the matter, where it did not go by mail. */
  readonly notArrived?: string | undefined;
}

/** "A new code is on its way": above the form, spoken when the page opens. */
export function sentAgainNotice(resend: Resend | undefined, { code: texts }: Texts): Html | undefined {
  if (resend?.wasSent !== true) return undefined;
  return html`<p class="notice" role="status">${texts.sentAgain}</p>`;
}

/**
 * The quiet button below the main one. Without scripts it can always be pressed and the time stands still; scripts
 * count it down and hold the button back until then.
 */
export function resendForm(resend: Resend | undefined, { code: texts }: Texts): Html | undefined {
  if (resend === undefined) return undefined;
  const seconds = Math.max(0, Math.ceil(resend.availableInSeconds));
  const time = attributes({ 'data-seconds': seconds, 'data-enables': 'resend-submit' });
  const button = {
    class: 'button quiet',
    type: 'submit',
    id: 'resend-submit',
    'data-busy': texts.sendAgainBusy,
  };
  return html`<div class="resend">
    <p class="hint">${resend.notArrived ?? texts.notArrived}</p>
    ${form(resend.form, html`<button${attributes(button)}>${texts.sendAgain}</button>`)}
    ${seconds > 0 && html`<p class="hint">${texts.sendAgainIn.html({ time: html`<span class="time" ${time}>${minutes(seconds)}</span>` })}</p>`}
  </div>`;
}

/** 75 as `1:15`, as the script writes it. */
function minutes(seconds: number): string {
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}
